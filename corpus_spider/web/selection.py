"""Selection of documents in the query of a URL, and the same selection as a command. Pure."""

from __future__ import annotations

import shlex
from calendar import monthrange
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from corpus_spider.search.shard import SearchFilters

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from starlette.datastructures import QueryParams

PAGE = 25
"""Documents of one page."""
DEEPEST = 400
"""Last page. Older documents are reached with a day."""
NO_FILTERS = SearchFilters()
_LONGEST = 200
_NAMES = ("site", "language", "extractor")


@dataclass(frozen=True, slots=True)
class WebSelection:
    """What a URL selects: a question, filters, an order and a page, from 1."""

    question: str = ""
    filters: SearchFilters = NO_FILTERS
    order: str = ""
    page: int = 1

    def query(self, **changes: str | int | None) -> str:
        """Return the query of a URL with this selection and some changes; None takes a value out. Begins with ``?``."""
        values: dict[str, Sequence[str]] = {
            "q": (self.question,),
            "site": self.filters.sites,
            "language": self.filters.languages,
            "extractor": self.filters.extractors,
            "since": (self.filters.since,),
            "until": (self.filters.until,),
            "confidence": (f"{self.filters.min_confidence:g}" if self.filters.min_confidence else "",),
            "chars": (str(self.filters.min_chars or ""),),
            "reserved": ("no" if self.filters.without_reserved else "",),
            "order": (self.order,),
            "page": (str(self.page) if self.page > 1 else "",),
        }
        values |= {name: () if value is None else (str(value),) for name, value in changes.items()}
        pairs = [(name, each) for name, given in values.items() for each in given if each]
        return f"?{urlencode(pairs)}" if pairs else "?"

    def export_options(self) -> list[str]:
        """Return the options of `corpus-spider export` for the filters. A question has none."""
        given = [("--site", each) for each in self.filters.sites]
        given += [("--language", each) for each in self.filters.languages]
        given += [("--since", self.filters.since)] if self.filters.since else []
        given += [("--until", self.filters.until)] if self.filters.until else []
        given += [("--min-chars", str(self.filters.min_chars))] if self.filters.min_chars else []
        least = self.filters.min_confidence
        given += [("--min-confidence", f"{least:g}")] if least else []
        flags = ["--without-reserved"] if self.filters.without_reserved else []
        return [part for pair in given for part in pair] + flags

    def command(self) -> str:
        """Return the command that gives the same selection: `search` with a question, else `export`."""
        if self.question:
            return shlex.join(["corpus-spider", "search", self.question, *self.export_options()])
        return shlex.join(["corpus-spider", "export", "-o", "documents.jsonl", *self.export_options()])


def selection_of(query: QueryParams) -> WebSelection:
    """Read a selection. Values that make no sense are left out: a URL is never an error."""
    several = {name: tuple(each[:_LONGEST] for each in query.getlist(name) if each) for name in _NAMES}
    filters = SearchFilters(
        several["site"],
        several["language"],
        _day(query.get("since", "")),
        _day(query.get("until", ""), is_last=True),
        several["extractor"],
        min(1.0, _number(query, "confidence")),
        int(min(10**9, _number(query, "chars"))),
        query.get("reserved") == "no",
    )
    page = int(min(DEEPEST, max(1, _number(query, "page"))))
    return WebSelection(query.get("q", "").strip()[:_LONGEST], filters, query.get("order", "")[:10], page)


def _day(text: str, *, is_last: bool = False) -> str:
    """Return a day, or the first or last day of a month (``2026-03``)."""
    try:
        if len(text) == len("2026-03"):
            first = date.fromisoformat(f"{text}-01")
            return first.replace(day=monthrange(first.year, first.month)[1] if is_last else 1).isoformat()
        return date.fromisoformat(text).isoformat()
    except ValueError:
        return ""


def _number(query: Mapping[str, str], name: str) -> float:
    try:
        value = float(query.get(name, "") or 0)
    except ValueError:
        return 0.0
    return value if 0 <= value < float("inf") else 0.0
