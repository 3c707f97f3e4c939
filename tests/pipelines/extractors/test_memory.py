"""Peak memory of pages that are made to cost most: 3 MiB, or 10 MiB for `make test-hostile`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.corpus_spider.running import PATIENCE, often

UNITS = {
    "lines of a letter": "س\n",
    "letters between less-than signs": "س<",
    "tags whose quotation marks never end": '<a "',
    "tags around a letter": "<b>x",
    "blocks of a letter, each inside the one before": "<div>x",
    "paragraphs of a letter of four bytes": "<p>\U00020000",
    "text": "<p>سلام دنیا، یک خبر تازه از شهر ما.</p>\n",
}
PAGE_MIB = often(3, 10)
MOST, MOST_OF_TEXT = often(128, 256), often(40, 120)
"""Megabytes; of a page of text twelve times its size. Some of it is the same for pages of any size."""
MEASURE = """
import sys
from pathlib import Path
from pipelines.extractors.registry import EXTRACTORS

def kilobytes(name):
    return int(Path("/proc/self/status").read_text().split(name + ":")[1].split()[0])

extract = EXTRACTORS[sys.argv[1]].extract
extract("<p>x</p><p>سلام دنیا</p>")
for unit in sys.argv[3:]:
    html = unit * ((int(sys.argv[2]) << 20) // len(unit.encode()))
    before = kilobytes("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    extract(html)
    print((kilobytes("VmHWM") - before) // 1024)
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the peak of a process is read from /proc")
@pytest.mark.parametrize("name", ["r2l", "dana", "bte", "blocks"])
def test_a_large_page_takes_a_bounded_share_of_memory(name: str) -> None:
    """Arrays are narrow, and texts and lines are read many at a time."""
    command = [sys.executable, "-c", MEASURE, name, str(PAGE_MIB), *UNITS.values()]
    run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=3 * PATIENCE)
    peaks = dict(zip(UNITS, map(int, run.stdout.split()), strict=True))
    assert max(peaks.values()) <= MOST, peaks
    assert peaks["text"] <= MOST_OF_TEXT, peaks
