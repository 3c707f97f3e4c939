"""The tests themselves end when they are asked to."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.corpus_spider.running import ended, environment, until

if TYPE_CHECKING:
    from pathlib import Path

TESTS = """
import signal, subprocess, time
from pathlib import Path
import pytest

@pytest.fixture(scope="session")
def server():
    with subprocess.Popen(["sleep", "600"]) as process:
        yield process
        process.kill()
    Path("stopped").touch()

def test_that_has_signals_ignored():
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)

def test_that_takes_long(server):
    Path("begun").touch()
    time.sleep(600)
"""


@pytest.mark.parametrize("workers", [["-p", "no:xdist"], ["-n", "1"]], ids=["one process", "workers"])
def test_a_signal_ends_the_tests_and_what_they_started(tmp_path: Path, workers: list[str]) -> None:
    """Also after a test that has signals ignored, as the modules of the fork server do when they are imported."""
    (tmp_path / "test_long.py").write_text(TESTS)
    options = ["-q", "-p", "tests.signals", "-p", "no:cacheprovider", *workers]
    with subprocess.Popen(
        [sys.executable, "-m", "pytest", *options],
        cwd=tmp_path,
        env=environment(PYTEST_ADDOPTS=""),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as tests:
        until((tmp_path / "begun").exists)
        tests.send_signal(signal.SIGTERM)
        assert ended(tests) == pytest.ExitCode.INTERRUPTED
    assert (tmp_path / "stopped").exists()
