"""Texts for hypothesis that are put together of pieces of markup, in any order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


def pieces(written: str, *others: str, most: int = 40) -> SearchStrategy[str]:
    """Texts of at most so many of the pieces that are written with white space between them, or are among the others.

    ``_`` in a written piece stands for a space.
    """
    every = [*(piece.replace("_", " ") for piece in written.split()), *others]
    return st.lists(st.sampled_from(every), max_size=most).map("".join)
