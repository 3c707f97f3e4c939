"""Read model of the corpus: documents and counts.

The types of a page before it is stored are in ``storage.records``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import msgspec

from storage.records import DocumentFields, Quality

MIN_FOREIGN_SHARE = 0.1
"""A text is mixed from this share of lines in another language."""
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


UNDATED = "undated"
"""Month of documents without a date of publication. It sorts behind all months."""


def stated_day(published: str | None) -> str:
    """Return the ISO day of a date of publication, "" without a date.

    >>> stated_day("2026-03-07T07:15:00+07:00"), stated_day(None)
    ('2026-03-07', '')
    """
    stated = _DAY.match(published or "")
    return stated.group() if stated else ""


def day_of(published: str | None, fetched_at: datetime) -> str:
    """Return the ISO day that a document is known from: its publication if stated, else the UTC day of the fetch."""
    return stated_day(published) or fetched_at.astimezone(UTC).date().isoformat()


def month_of(published: str | None) -> str:
    """Return the month of a date of publication, YYYY-MM, or `UNDATED`.

    >>> month_of("2026-03-07"), month_of("")
    ('2026-03', 'undated')
    """
    return stated_day(published)[:7] or UNDATED


# A Struct is created and copied in a tenth of the time of a dataclass.
class Outline(msgspec.Struct, frozen=True, gc=False):
    """The fields of a document by which exports are filtered and counted, without its text."""

    site: str
    language: str
    date: str | None
    chars: int
    quality: Quality | None
    licence: str | None
    licence_url: str | None


class Stamp(msgspec.Struct, frozen=True, gc=False):
    """What tells whether a document has changed since it was read, without its text."""

    row: int
    id: str
    site: str
    language: str
    day: str
    """Day of publication, YYYY-MM-DD; "" if the page states none."""
    title: str | None
    author: str | None
    processed: str
    """Time when its text was extracted, as the database gives it."""


class RelatedDocument(msgspec.Struct, frozen=True, gc=False):
    """A version of the same page, or a document of the same cluster, without its text."""

    id: str
    url: str
    site: str
    title: str | None
    language: str
    day: str
    """As in `Stamp`."""
    version: int
    chars: int
    fetched_at: datetime
    """UTC."""
    superseded: bool
    """Whether a later version, or the document at its canonical URL, has taken its place."""
    similarity: float | None = None
    """Estimated Jaccard similarity to the document asked about; 1 for the same text; None if it was not compared."""


class CorpusDocument(DocumentFields[tuple[str, ...], Quality], frozen=True, gc=False):
    """A stored document, as readers and exports get it. ``id`` is permanent.

    Exported files have its fields in this order. Use `msgspec.structs.replace` to change fields.
    """

    @property
    def searched_lines(self) -> tuple[str, ...]:
        """The title as one line, and the lines of the text: what is searched, and what words are counted in."""
        return ((self.title or "").replace("\n", " "), *self.text.split("\n"))


Columns = dict[str, Sequence[Any]]
"""Values of several documents by field, in the order of the fields of CorpusDocument."""


def is_mixed(foreign_share: float | None) -> int | None:
    """Return 1 if a tenth of a text or more is in another language than the whole, else 0; None if unknown."""
    return None if foreign_share is None else int(foreign_share >= MIN_FOREIGN_SHARE)


@dataclass(frozen=True, slots=True)
class CountRow:
    """One row of a status table: a key (site, language, state, reason …) and a count."""

    key: str
    count: int
    chars: int = 0


@dataclass(frozen=True, slots=True)
class Status:
    """Counts of a corpus: documents, pending URLs, and drops by reason."""

    documents: int
    duplicates: int
    fetches: int
    by_language: tuple[CountRow, ...] = ()
    by_site: tuple[CountRow, ...] = ()
    by_state: tuple[CountRow, ...] = ()
    dropped: tuple[CountRow, ...] = ()
    failed: tuple[CountRow, ...] = ()
    last_run: dict[str, str] = field(default_factory=dict)
    superseded: int = 0
    """Documents not counted above: a later version exists, or one at the canonical URL."""
    reserved: int = 0
    """Documents whose page or host reserves text and data mining, AI or archiving."""
    licensed: int = 0
    """Documents whose page names a licence."""
    recovered: int = 0
    """Imported records that were found by a search after damage, or whose end was."""
    pending: dict[str, int] = field(default_factory=dict)
    """Pending URLs by site, for sites that have some."""
