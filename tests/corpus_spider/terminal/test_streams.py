"""Standard streams that are closed, full or without a reader."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.corpus_spider.running import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path


def test_a_closed_pipe_ends_the_program_quietly(home: Path) -> None:
    """`corpus-spider config | head -0` leaves no traceback and the exit code of SIGPIPE."""
    code = "import sys\nfrom corpus_spider.cli.app import main\nmain()"
    command = [sys.executable, "-c", code, "-c", str(home / "corpus.toml"), "config"]
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as closed:
        done = subprocess.run(command, stdout=closed, stderr=subprocess.PIPE, cwd=home, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", ">&- 2>/dev/full"])
def test_closed_streams_change_nothing(home: Path, closed: str) -> None:
    """The exit code is that of the work, and no file gets the number of a stream, to which anybody may print."""
    code = (
        "import os, sys\nfrom corpus_spider.cli.app import main\nfrom pathlib import Path\n"
        "try: main()\nfinally: Path('least').write_text(str(os.open(os.devnull, os.O_RDONLY)))"
    )
    command = shlex.join([sys.executable, "-c", code, "config"])
    done = subprocess.run(["sh", "-c", f"{command} {closed}"], cwd=home, timeout=PATIENCE, check=False)
    assert (done.returncode, int((home / "least").read_text()) > 2) == (0, True)


def test_an_error_that_cannot_be_reported_has_its_exit_code(home: Path) -> None:
    command = shlex.join([sys.executable, "-m", "corpus_spider", "-s", "crawl.delay=nan", "config"])
    done = subprocess.run(["sh", "-c", f"{command} >/dev/full 2>&1"], cwd=home, timeout=PATIENCE, check=False)
    assert done.returncode == 2


def test_results_that_a_full_disk_does_not_take_have_its_exit_code(home: Path) -> None:
    """And one message: Python tried to write them once more at its end, said so, and ended with 120."""
    command = shlex.join([sys.executable, "-m", "corpus_spider", "config"])
    done = subprocess.run(
        ["sh", "-c", f"{command} >/dev/full"], cwd=home, timeout=PATIENCE, check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr.count("\n")) == (3, 2), done.stderr
