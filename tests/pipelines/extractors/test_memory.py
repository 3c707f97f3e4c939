"""Peak memory of pages of 10 MiB that are made to cost most, each in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.corpus_spider.running import PATIENCE

UNITS = {
    "lines of a letter": "س\n",
    "letters between less-than signs": "س<",
    "tags whose quotation marks never end": '<a "',
    "tags around a letter": "<b>x",
    "blocks of a letter, each inside the one before": "<div>x",
    "paragraphs of a letter of four bytes": "<p>\U00020000",
    "text": "<p>سلام دنیا، یک خبر تازه از شهر ما.</p>\n",
}
MOST, MOST_OF_TEXT = 256, 120
"""Megabytes; of a page of text twelve times its size."""
MEASURE = """
import sys
from pathlib import Path
from pipelines.extractors.registry import EXTRACTORS

def kilobytes(name):
    return int(Path("/proc/self/status").read_text().split(name + ":")[1].split()[0])

extract = EXTRACTORS[sys.argv[1]].extract
extract("<p>x</p><p>سلام دنیا</p>")
for unit in sys.argv[2:]:
    html = unit * ((10 << 20) // len(unit.encode()))
    before = kilobytes("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    extract(html)
    print((kilobytes("VmHWM") - before) // 1024)
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the peak of a process is read from /proc")
@pytest.mark.parametrize("name", ["r2l", "dana", "bte", "blocks"])
def test_a_large_page_takes_a_bounded_share_of_memory(name: str) -> None:
    """Arrays are narrow, and texts and lines are read many at a time."""
    command = [sys.executable, "-c", MEASURE, name, *UNITS.values()]
    run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=3 * PATIENCE)
    peaks = dict(zip(UNITS, map(int, run.stdout.split()), strict=True))
    assert max(peaks.values()) <= MOST, peaks
    assert peaks["text"] <= MOST_OF_TEXT, peaks
