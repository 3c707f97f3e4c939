"""The crash-test hook: named places where a test may have the whole process group killed.

``CORPUS_SPIDER_FAILPOINT="before_fetched_commit:3"`` sends SIGKILL to the process group at the third reach of that
place: no handler runs, nothing is flushed. Unset (the normal case), a reach costs one comparison.
"""

from __future__ import annotations

import os
import signal
from collections import Counter

VARIABLE = "CORPUS_SPIDER_FAILPOINT"


def parse(setting: str) -> tuple[str, int]:
    """Read ``name:N``; N is 1 when missing. An empty setting gives an empty name, which no place has."""
    name, _, count = setting.partition(":")
    return name, int(count or 1)


_armed, _fatal_reach = parse(os.environ.get(VARIABLE, ""))
_reached: Counter[str] = Counter()


def reach(name: str) -> None:
    """Say that the program has come to the place ``name``; does not return when a test armed it for this reach."""
    if name != _armed:
        return
    _reached[name] += 1
    if _reached[name] == _fatal_reach:
        os.killpg(os.getpgrp(), signal.SIGKILL)
