"""Text length normalised across scripts: a Chinese character says more than a letter of an alphabet."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from pipelines.text.scripts import in_class, weights

if TYPE_CHECKING:
    from collections.abc import Iterable


def size(text: str) -> int:
    """Return the length of a text in letters of an alphabet, for any script.

    >>> size("Hà Nội"), size("北京"), size("서울")
    (6, 7, 5)
    """
    dense, runs, more = _dense()
    if text.isascii() or not dense.search(text):
        return len(text)
    added = sum(more[run.lastindex or 0] * len(run[0]) for run in runs.finditer(text))
    return round(len(text) + added / 100)


def sizes(texts: Iterable[str]) -> dict[str, int]:
    """Return the `size` of each text."""
    return {text: size(text) for text in set(texts)}


@cache
def _dense() -> tuple[re.Pattern[str], re.Pattern[str], tuple[int, ...]]:
    """Return what tells how much more than one letter the characters of a text say.

    Return a pattern of characters that do not weigh 1, one of their runs with a group for each weight, and the
    hundredths of a letter above one by group.
    """
    by_weight = {weight: in_class(ranges) for weight, ranges in weights().items()}
    dense = re.compile(f"[{''.join(by_weight.values())}]")
    runs = re.compile("|".join(f"([{letters}]+)" for letters in by_weight.values()))
    return dense, runs, (0, *(round(100 * (weight - 1)) for weight in by_weight))
