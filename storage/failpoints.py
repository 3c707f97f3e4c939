"""Crash-test hook: named points where a test can kill the whole process group.

``CORPUS_SPIDER_FAILPOINT="before_fetched_commit:3"`` sends SIGKILL to the process group when the program reaches that
point for the third time. No handler runs, nothing is flushed. If it is unset (the normal case), a point costs one
comparison.
"""

from __future__ import annotations

import os
import signal
from collections import Counter

VARIABLE = "CORPUS_SPIDER_FAILPOINT"


def parse(setting: str) -> tuple[str, int]:
    """Parse ``name:N``; N is 1 if missing. An empty setting gives an empty name, which matches no point."""
    name, _, count = setting.partition(":")
    return name, int(count or 1)


_armed, _fatal_reach = parse(os.environ.get(VARIABLE, ""))
_reached: Counter[str] = Counter()


def reach(name: str) -> None:
    """Mark a point of the program. It does not return if a test armed it for this time."""
    if name != _armed:
        return
    _reached[name] += 1
    if _reached[name] == _fatal_reach:
        os.killpg(os.getpgrp(), signal.SIGKILL)
