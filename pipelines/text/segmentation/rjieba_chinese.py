"""Adapter of rjieba: jieba in Rust, for Chinese."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def load() -> Callable[[str], list[str]]:
    """Return the segmenter. ImportError if the library is not installed."""
    import rjieba

    return lambda run: list(rjieba.cut(run))
