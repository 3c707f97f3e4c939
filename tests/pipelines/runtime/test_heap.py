"""A process gives back memory that lies between other memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pipelines.runtime import heap
from pipelines.runtime.heap import HeapTrimmer

PIECE, PIECES = 40_000, 1_000
"""Bytes of a piece, below the size that gets a mapping of its own, and their number: 40 MB in all."""


def own_kib() -> int:
    """Return the anonymous memory of this process in KiB."""
    rollup = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in rollup if line.startswith("Anonymous"))


@pytest.mark.parametrize(("interval", "given_back"), [(0.0, True), (3600.0, False)])
def test_free_pieces_are_given_back_when_it_is_time(
    interval: float, given_back: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of forty megabytes every tenth piece stays in use."""
    monkeypatch.setattr(heap, "SECONDS_BETWEEN_TRIMS", interval)
    trimmer = HeapTrimmer()
    pieces = [bytearray(PIECE) for _ in range(PIECES)]
    del pieces[::10], pieces[-1]
    kept = pieces[::10]
    del pieces
    before = own_kib()
    trimmer.trim_when_due()
    assert (before - own_kib() > 10_000) is given_back
    assert len(kept) > 80


THREADS = """
import ctypes, sys, threading
from pathlib import Path
from pipelines.runtime.heap import share_heap
if "shared" in sys.argv:
    share_heap()
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
end = threading.Event()
threads = [threading.Thread(target=lambda: libc.malloc(1000) and end.wait()) for _ in range(8)]
[thread.start() for thread in threads]
starts = (int(line.split("-")[0], 16) for line in Path("/proc/self/maps").read_text().splitlines())
print(sum(start % 2**26 == 0 for start in starts))
end.set()
"""
"""A program that counts the heaps of its threads, which begin at multiples of 64 MiB."""


@pytest.mark.parametrize(("argument", "has_several"), [("shared", False), ("own", True)])
def test_threads_share_a_heap(argument: str, has_several: bool) -> None:
    """Without that each thread that takes memory has one."""
    command = [sys.executable, "-c", THREADS, argument]
    heaps = int(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
    assert (heaps > 4) is has_several
