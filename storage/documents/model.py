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

from storage.records import Quality

MIXED = 0.1
"""A text is mixed from this share of lines in another language."""
EXPORTED_AS = {
    "published": "date",
    "published_text": "date_text",
    "published_calendar": "date_calendar",
    "published_source": "date_source",
    "published_confidence": "date_confidence",
    "published_zone": "date_zone",
}
"""Names of fields in exported files, where they differ."""
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def day_of(published: str | None, fetched_at: datetime) -> str:
    """Return the ISO day for selecting a document: its publication date if stated, else the UTC day of the fetch."""
    stated = _DAY.match(published or "")
    return stated.group() if stated else fetched_at.astimezone(UTC).date().isoformat()


# A Struct is created and copied in a tenth of the time of a dataclass.
class Outline(msgspec.Struct, frozen=True, gc=False):
    """The fields of a document by which exports are filtered and counted, without its text."""

    site: str
    language: str
    published: str | None
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
    """Day of publication if it is stated, else of the fetch: YYYY-MM-DD."""
    title: str | None
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


class CorpusDocument(msgspec.Struct, frozen=True, gc=False, rename=EXPORTED_AS):
    """A stored document, as readers and exports get it. ``id`` is permanent.

    Exported files have its fields in this order, with the names of `EXPORTED_AS`. Use `msgspec.structs.replace` to
    change fields.
    """

    id: str
    text: str
    url: str
    title: str | None
    author: str | None
    published: str | None
    published_text: str | None
    language: str
    language_confidence: float
    script: str
    script_share: float
    site: str
    version: int
    canonical: str | None
    chars: int
    fetched_at: datetime
    """UTC."""
    extractor: str
    extractor_version: str
    extractor_reason: str
    site_model: str
    """Identifier of the SiteModel used, or ""."""
    encoding: str
    encoding_source: str
    replaced: float
    licence: str | None
    exact: str
    """Hexadecimal xxh3-128 of the canonical text."""
    duplicates: int
    """Size of its duplicate set; 1 if it has no duplicates."""
    duplicate_of: str | None
    """Id of the set's representative; None for the representative itself."""
    warc: str
    warc_offset: int
    warc_length: int
    record_id: str
    payload_digest: str
    confidence: float | None
    """Expected F1 of the extraction; None if the extractor does not estimate it."""
    kinds: str
    """A letter of `ParagraphKind` for each line of the text; "" if unknown."""
    captions: tuple[str, ...]
    comments: tuple[str, ...]
    published_calendar: str | None
    published_source: str | None
    published_confidence: float | None
    robots: str | None
    """As in `Terms`; None if robots.txt was not checked."""
    robots_sha256: str | None
    directives: tuple[str, ...]
    tdm: int | None
    """As in `Metadata`, like the following."""
    tdm_policy: str | None
    tdm_source: str | None
    licence_url: str | None
    quality: Quality | None
    """None if the text was stored before quality was measured."""
    cluster: str
    """Id of its duplicate set: the smallest id of its current documents."""
    languages: tuple[str, ...]
    """As in `Document`, like the following."""
    foreign_share: float | None
    mixed: int | None
    """As `is_mixed` says."""
    recurring: str
    """A letter for each line of the text: ``r`` if it recurs over the site, else ``-``; "" if no line does."""
    authors: tuple[str, ...] = ()
    """Each author by name; ``author`` has them in one text."""
    published_zone: str | None = None
    """As in `Metadata`, like the following."""
    title_source: str | None = None
    author_source: str | None = None
    rules: str | None = None
    """As `SiteRules.note` returns it; None without rules."""

    @property
    def searched_lines(self) -> tuple[str, ...]:
        """The title, and the lines of the text: what is searched, and what words are counted in."""
        return (self.title or "", *self.text.split("\n"))


Columns = dict[str, Sequence[Any]]
"""Values of several documents by field, in the order of the fields of CorpusDocument."""


def is_mixed(foreign_share: float | None) -> int | None:
    """Return 1 if a tenth of a text or more is in another language than the whole, else 0; None if unknown."""
    return None if foreign_share is None else int(foreign_share >= MIXED)


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
