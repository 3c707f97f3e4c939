"""Running the program in tests as a user does: a process of its own, in a folder of its own."""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.corpus_spider.loaded_program import LoadedProgram

ROOT = Path(__file__).resolve().parents[2]
SEED = int(os.environ.get("CORPUS_SPIDER_SEED", "20261121"))
PATIENCE = 240.0
"""Seconds for what must happen some time, however much else the machine has to do."""


def often(few: int, many: int) -> int:
    """Return how often to do something that takes long: ``many`` times for `make test-kills`."""
    return many if os.environ.get("CORPUS_SPIDER_THOROUGH") == "1" else few


def until(condition: Callable[[], object], seen: Callable[[], object] = lambda: "", patience: float = PATIENCE) -> None:
    """Wait until a condition holds; ``seen`` says what there is instead, should it not in time."""
    deadline = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < deadline, f"it did not happen in {patience:g} s: {seen()}"
        time.sleep(0.02)


def ended(process: subprocess.Popen[str], patience: float = PATIENCE) -> int:
    """Return the exit code of a started verb; one that hangs is ended and reported with its output."""
    try:
        return process.wait(patience)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
    raise AssertionError(f"it did not end in {patience:g} s: {process.stderr and process.stderr.read()}")


def kill(process: subprocess.Popen[str]) -> None:
    """Kill a started verb, if it still runs, at the end of a test that may have failed."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def environment(**more: str) -> dict[str, str]:
    """Return the environment in which the checkout's packages are found."""
    return os.environ | {"PYTHONPATH": str(ROOT)} | more


def program(*arguments: str) -> list[str]:
    """Return the command line of a verb."""
    return [sys.executable, "-m", "corpus_spider", *arguments]


@contextmanager
def signal_received(number: int) -> Iterator[None]:
    """Have programs that are started in the block receive a signal.

    These tests may ignore SIGHUP, under nohup(1).
    """
    before = signal.signal(number, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(number, before)


def run(folder: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a verb in a process group of its own and return what it printed and its exit code."""
    if sys.platform == "linux" and (loaded := loaded_program()).can_run(environment(**more)):
        return loaded.run(folder, arguments, environment(**more), 2 * PATIENCE)
    return subprocess.run(
        program(*arguments),
        cwd=folder,
        env=environment(**more),
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE,
        check=False,
        start_new_session=True,
    )


@cache
def loaded_program() -> LoadedProgram:
    """Return the process that has the program loaded. It starts with the first run."""
    from tests.corpus_spider.loaded_program import LoadedProgram

    loaded = LoadedProgram()
    atexit.register(loaded.close)
    return loaded


def start(folder: Path, *arguments: str, within: tuple[str, ...] = (), **more: str) -> subprocess.Popen[str]:
    """Start a verb and return the running process. ``within``: what its command line starts with."""
    return subprocess.Popen(
        [*within, *program(*arguments)],
        cwd=folder,
        env=environment(**more),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def well(folder: Path, *arguments: str) -> None:
    """Run a verb that must end well."""
    done = run(folder, *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
