"""What the system lets a process have: told before it is missing."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.corpus_spider.running import PATIENCE

ASKING = """
import resource, sys
from storage.disk import allow_open_files
from storage.errors import DiskError
soft, hard, wanted, needed = map(int, sys.argv[1:])
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
try:
    allow_open_files(wanted, needed)
except DiskError as error:
    print(error)
print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])
"""


@pytest.mark.parametrize(
    ("limits", "wanted", "needed", "allowed"),
    [((64, 200), 150, 90, 150), ((64, 200), 500, 90, 200), ((180, 200), 150, 90, 180), ((64, 64), 64, 64, 64)],
)
def test_as_many_files_may_be_open_as_are_wanted_and_the_system_allows(
    limits: tuple[int, int], wanted: int, needed: int, allowed: int
) -> None:
    """The limit that programs start with is often 1024, and what they may raise it to far more."""
    assert asked(*limits, wanted, needed) == [str(allowed)]


def test_too_few_files_are_told_with_what_to_do() -> None:
    """Else a crawl would end by an error wherever it needs one more."""
    told = "\n".join(asked(64, 200, 900, 300))
    assert "ulimit -n: 300 files" in told
    assert "Raise it to 900" in told


def asked(*numbers: int) -> list[str]:
    command = [sys.executable, "-c", ASKING, *map(str, numbers)]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True).stdout.splitlines()
