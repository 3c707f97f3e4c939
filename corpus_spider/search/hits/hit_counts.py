"""Number of hits of a question, by site and by month, within a limit of time."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from corpus_spider.search.hits.matching import Places
    from corpus_spider.search.index.token_block import TokenBlock

COUNT_SECONDS = 10.0
"""Time in which hits are counted. A million documents with a frequent word take about two seconds."""


@dataclass(frozen=True, slots=True)
class HitCounts:
    """Hits of a question in all documents that it finds. A hit is a place that a concordance shows as a line.

    ``is_complete``: false if the time was over first; then there are more hits. ``per_million``: hits in a million
    words, as word lists count them; null if these are not known: they are counted by language and site alone.
    """

    hits: int
    is_complete: bool
    per_million: float | None
    by_site: Mapping[str, int]
    by_month: Mapping[str, int]


def counted_hits(
    found: Iterable[tuple[TokenBlock, Places]], words: int | None, seconds: float = COUNT_SECONDS
) -> HitCounts:
    """Count hits block by block, in at most so many seconds and one block. ``words``: in all searched documents."""
    sums = {"site": Counter[str](), "month": Counter[str]()}
    number, is_complete, ends_at = 0, True, time.monotonic() + seconds
    for block, places in found:
        documents = np.searchsorted(block.document_starts, places.starts, "right") - 1
        at, hits = np.unique(documents, return_counts=True)
        for document, each in zip(at.tolist(), hits.tolist(), strict=True):
            sums["site"][block.cells[document].site] += each
            sums["month"][block.cells[document].month] += each
        number += len(documents)
        if time.monotonic() > ends_at:
            is_complete = False
            break
    per_million = round(1_000_000 * number / words, 2) if words and is_complete else None
    by_site = dict(sums["site"].most_common())
    return HitCounts(number, is_complete, per_million, by_site, dict(sorted(sums["month"].items())))
