"""Tokens of some documents as numbers: what the places of a question are found in. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from corpus_spider.search.index.manifest import CellKey


@dataclass(frozen=True, slots=True)
class TokenBlock:
    """Searched units of some documents in one language, one after the other.

    A document is its title and its text, a line a title or a paragraph. Tokens are counted through the whole block.

    ``vocabulary``: the units, in small letters. ``tokens``: for each token the place of its unit in ``vocabulary``
    (uint32). ``documents``: public ids. ``document_starts``, ``line_starts``, ``sentence_starts``: the first token of
    each, ascending (int64); an empty document or line has the start of the next. A new document is a new line, and a
    new line is a new sentence. ``document_lines``: the first line of each document, as its place in ``line_starts``
    (int64). ``cells``: what each document is counted by; without one where nothing is.
    """

    language: str
    vocabulary: Sequence[str]
    documents: Sequence[str]
    tokens: npt.NDArray[np.uint32]
    document_starts: npt.NDArray[np.int64]
    line_starts: npt.NDArray[np.int64]
    sentence_starts: npt.NDArray[np.int64]
    document_lines: npt.NDArray[np.int64]
    cells: Sequence[CellKey] = ()
