"""Split many runs of letters with one call: a library takes longer to start than to split a short run.

This is for libraries that split each line of a text by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_RUN_END, _PART_END = "\n", "\0"
"""Neither is a letter, so that no run has it."""


def cut_together(cut: Callable[[str], Sequence[str]], runs: Sequence[str]) -> list[list[str]] | None:
    """Return the parts of each run, or None if ``cut`` did not split the runs apart. Errors of ``cut``.

    >>> cut_together(list, ["ab", "c"])
    [['a', 'b'], ['c']]
    """
    parts = _PART_END.join(cut(_RUN_END.join(runs)))
    of_runs = [each.split(_PART_END) for each in parts.split(f"{_PART_END}{_RUN_END}{_PART_END}")]
    return of_runs if list(map("".join, of_runs)) == runs else None
