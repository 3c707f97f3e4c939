"""Numbers of a whole search index, for the overview."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from corpus_spider.search.hits.concordance_rules import DAY
from storage.documents.selection import Selection

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from corpus_spider.search.searching import SearchIndex


@dataclass(frozen=True, slots=True)
class IndexFacts:
    """Numbers of a search index: words, documents by month and by day, and the ids of the newest documents.

    ``months`` has the documents without a date as `UNDATED`, ``days`` leaves them out.
    """

    words: int
    months: Mapping[str, int]
    days: Mapping[str, int]
    newest: Sequence[str]

    def last_day(self, today: date) -> date:
        """Return the last day with documents, today at most. Without documents: today."""
        days = [day for day in self.days if day <= today.isoformat()]
        return date.fromisoformat(days[-1]) if days else today


def index_facts(index: SearchIndex, newest: int) -> IndexFacts:
    """Read every document of the index: 100,000 take five times as long as 10,000. ``newest``: number of ids."""
    words, months = 0, Counter[str]()
    for cell in index.manifest.sizes():
        words += cell.tokens
        months[cell.key.month] += cell.documents
    ids = index.find("", Selection(), most=newest, order=DAY).ids
    return IndexFacts(words, months, index.per_day(Selection()), ids)
