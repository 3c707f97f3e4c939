"""Running the program in tests as a user does: a process of its own, in a folder of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SEED = int(os.environ.get("CORPUS_SPIDER_SEED", "20261121"))


def often(few: int, many: int) -> int:
    """Return how often to do something that takes long: ``many`` times for `make test-kills`."""
    return many if os.environ.get("CORPUS_SPIDER_THOROUGH") == "1" else few


def environment(**more: str) -> dict[str, str]:
    """Return the environment in which the checkout's packages are found."""
    return os.environ | {"PYTHONPATH": str(ROOT)} | more


def program(*arguments: str) -> list[str]:
    """Return the command line of a verb."""
    return [sys.executable, "-m", "corpus_spider", *arguments]


def run(folder: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a verb in a process group of its own and return what it printed and its exit code."""
    return subprocess.run(
        program(*arguments),
        cwd=folder,
        env=environment(**more),
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
        start_new_session=True,
    )


def start(folder: Path, *arguments: str, **more: str) -> subprocess.Popen[str]:
    """Start a verb and return the running process."""
    return subprocess.Popen(
        program(*arguments),
        cwd=folder,
        env=environment(**more),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
