"""Number of hits of a question, by site and by month, and in a million tokens, within a limit of time."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from corpus_spider.search.hits.matching import Places
    from corpus_spider.search.index.manifest import CellKey
    from corpus_spider.search.index.token_block import TokenBlock

SEARCHED_TOKENS = "searched tokens"
"""The units that a question is about, as the base of a rate."""
COUNT_SECONDS = 10.0
"""Time in which hits are counted. A million documents with a frequent word take about two seconds."""


@dataclass(frozen=True, slots=True)
class HitCounts:
    """Hits of a question in all documents that it finds. A hit is a place that a concordance shows as a line.

    ``is_complete``: false if the time was over first; then there are more hits. ``per_million``: hits in a million of
    the tokens that were searched; null if not all hits are counted, or no token was searched. ``tokens_by_language``:
    number of these tokens, the largest first; null if not all hits are counted. They are the units of search, in
    Vietnamese syllables, in Chinese and Japanese characters, in the titles and texts of all documents that the
    selection and the fields of the question choose. ``by_month``: documents without a date have the month ``undated``.
    ``unit``: what the tokens are.
    """

    hits: int
    is_complete: bool
    per_million: float | None
    tokens_by_language: Mapping[str, int] | None
    by_site: Mapping[str, int]
    by_month: Mapping[str, int]
    unit: str = SEARCHED_TOKENS

    @property
    def tokens(self) -> int:
        """Number of tokens that were searched, 0 if they are not known."""
        return sum((self.tokens_by_language or {}).values())


class HitTally:
    """Adds up hits. ``is_complete``: false if the time was over before all were added."""

    def __init__(self) -> None:
        self.hits, self.is_complete = 0, True
        self._by_site, self._by_month = Counter[str](), Counter[str]()
        self._cells: Sequence[CellKey] = ()
        self._of_cells = np.zeros(0, np.int64)

    def add(self, block: TokenBlock, places: Places) -> None:
        """Add the hits in a block. Blocks of a shard come one after the other."""
        if block.cells is not self._cells:
            self.groups()
            self._cells, self._of_cells = block.cells, np.zeros(len(block.cells), np.int64)
        documents = block.documents_at(places.starts)
        self._of_cells += np.bincount(block.cell_numbers[documents], minlength=len(self._cells))
        self.hits += len(documents)

    def add_all(self, found: Iterable[tuple[TokenBlock, Places]], ends_at: float) -> None:
        """Add hits block by block, until this time of the monotonic clock and one block more."""
        for block, places in found:
            self.add(block, places)
            if time.monotonic() > ends_at:
                self.is_complete = False
                break

    def add_tally(self, other: HitTally) -> None:
        """Add the hits of another tally."""
        self.hits += other.hits
        self.is_complete &= other.is_complete
        for own, added in zip(self.groups(), other.groups(), strict=True):
            own.update(added)

    def counts(self, tokens: Counter[str] | None) -> HitCounts:
        """Return the counts. ``tokens``: of all searched documents, by language; None if they are not counted."""
        number = tokens.total() if tokens else 0
        by_site, by_month = self.groups()
        return HitCounts(
            self.hits,
            self.is_complete,
            round(1_000_000 * self.hits / number, 2) if number else None,
            None if tokens is None else dict(tokens.most_common()),
            dict(by_site.most_common()),
            dict(sorted(by_month.items())),
        )

    def groups(self) -> tuple[Counter[str], Counter[str]]:
        """Return the hits by site, and by month."""
        for cell in np.flatnonzero(self._of_cells).tolist():
            key, number = self._cells[cell], int(self._of_cells[cell])
            self._by_site[key.site] += number
            self._by_month[key.month] += number
        self._of_cells[:] = 0
        return self._by_site, self._by_month
