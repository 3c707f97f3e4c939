"""Statistics of a release, counted while it is written: by language, site, script and month, with its time span."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from storage.documents.model import month_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

    from storage.documents.model import CorpusDocument


class CountedFields(NamedTuple):
    """The fields of a document that are counted."""

    chars: int
    date: str | None
    language: str
    site: str
    script: str
    licence: str | None
    fetched_at: datetime


@dataclass(slots=True)
class TextTally:
    """Number of documents, and of code points of their texts."""

    documents: int = 0
    chars: int = 0

    def add(self, chars: int) -> None:
        self.documents += 1
        self.chars += chars

    def include(self, plain: Mapping[str, int]) -> None:
        self.documents += plain["documents"]
        self.chars += plain["chars"]

    def plain(self) -> dict[str, int]:
        return {"documents": self.documents, "chars": self.chars}


def _tallies() -> defaultdict[str, TextTally]:
    return defaultdict(TextTally)


@dataclass(slots=True)
class Census:
    """Statistics of the rows that pass through `count`."""

    total: TextTally = field(default_factory=TextTally)
    languages: defaultdict[str, TextTally] = field(default_factory=_tallies)
    sites: defaultdict[str, TextTally] = field(default_factory=_tallies)
    months: defaultdict[str, TextTally] = field(default_factory=_tallies)
    scripts: defaultdict[str, TextTally] = field(default_factory=_tallies)
    licences: dict[str, str] = field(default_factory=dict)
    """Site -> licence of its texts. Sites without a licence are left out."""
    fetched: tuple[str, str] = ("", "")
    published: tuple[str, str] = ("", "")
    """First and last day; empty if unknown."""

    def count(self, rows: Iterable[CorpusDocument]) -> Iterator[CorpusDocument]:
        """Yield the rows unchanged."""
        for row in rows:
            self.add(row)
            yield row

    def add(self, row: CorpusDocument | CountedFields) -> None:
        """Count a row."""
        chars, day = row.chars, (row.date or "")[:10]
        self.total.add(chars)
        self.languages[row.language].add(chars)
        self.sites[row.site].add(chars)
        self.scripts[row.script].add(chars)
        self.months[month_of(day)].add(chars)
        if row.licence:
            self.licences[row.site] = row.licence
        self.fetched = _spanning(self.fetched, row.fetched_at.isoformat()[:10])
        self.published = _spanning(self.published, day)

    def include(self, plain: Mapping[str, Any]) -> None:
        """Add the statistics of a part, as `plain` returned them."""
        self.total.include(plain)
        for group, tallies in (
            (self.languages, plain["languages"]),
            (self.scripts, plain["scripts"]),
            (self.sites, plain["sites"]),
            (self.months, plain["months"]),
        ):
            for name, tally in tallies.items():
                group[name].include(tally)
        self.licences |= {name: tally["licence"] for name, tally in plain["sites"].items() if tally["licence"]}
        for day in plain["fetched"]:
            self.fetched = _spanning(self.fetched, day)
        for day in plain["published"]:
            self.published = _spanning(self.published, day)

    def plain(self) -> dict[str, Any]:
        """Return the statistics as plain JSON values, in sorted order."""
        sites = {name: tally.plain() | {"licence": self.licences.get(name)} for name, tally in _sorted(self.sites)}
        return {
            **self.total.plain(),
            "fetched": list(self.fetched),
            "published": list(self.published),
            "languages": {name: tally.plain() for name, tally in _sorted(self.languages)},
            "scripts": {name: tally.plain() for name, tally in _sorted(self.scripts)},
            "sites": sites,
            "months": {name: tally.plain() for name, tally in _sorted(self.months)},
        }


def _sorted(group: dict[str, TextTally]) -> list[tuple[str, TextTally]]:
    return sorted(group.items())


def _spanning(span: tuple[str, str], day: str) -> tuple[str, str]:
    if not day:
        return span
    return (min(span[0] or day, day), max(span[1], day))
