"""What a corpus holds, as readers and exports get it: documents, the choice among them, and counts.

The words of a page on its way there are in ``storage.records``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import msgspec

from storage.records import Quality

LONGEST, EARLIEST, CLEANEST = "longest", "earliest", "cleanest"
"""Rules for the representative of a duplicate set; `storage.representatives` has the orders."""
MIXED = 0.1
"""From this share of lines in another language a text counts as mixed."""
SAMPLE_DIGITS = 12
"""Hexadecimal digits of an id by which a sample is told."""
EXPORTED_AS = {
    "published": "date",
    "published_text": "date_text",
    "published_calendar": "date_calendar",
    "published_source": "date_source",
    "published_confidence": "date_confidence",
}
"""Names in files of those fields that have another there."""


# No dataclass, because it is made, and made anew with other values, in a tenth of the time.
class CorpusDocument(msgspec.Struct, frozen=True, gc=False, rename=EXPORTED_AS):
    """A document as the corpus keeps it; what readers and exports get. ``id`` is stable for ever.

    Files have its fields in this order, by the names that `EXPORTED_AS` gives them. `msgspec.structs.replace` gives one
    with other values.
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
    """Identifier of the SiteModel it was made with, or ""."""
    encoding: str
    encoding_source: str
    replaced: float
    licence: str | None
    exact: str
    """Hexadecimal xxh3-128 of the canonical text."""
    duplicates: int
    """Size of its duplicate set; 1 when it stands alone."""
    duplicate_of: str | None
    """Id of the set's representative, None for the representative itself."""
    warc: str
    warc_offset: int
    warc_length: int
    record_id: str
    payload_digest: str
    confidence: float | None
    """F1 that the text is expected to have; None when its extractor cannot tell, or did not yet."""
    kinds: str
    """A letter of `ParagraphKind` for each line of the text; "" when they are not known."""
    captions: tuple[str, ...]
    comments: tuple[str, ...]
    published_calendar: str | None
    published_source: str | None
    published_confidence: float | None
    robots: str | None
    """As in `Terms`; None when nobody looked."""
    robots_sha256: str | None
    directives: tuple[str, ...]
    tdm: int | None
    """As in `Metadata`, like the rest."""
    tdm_policy: str | None
    tdm_source: str | None
    licence_url: str | None
    quality: Quality | None
    """None when its text was stored before this was measured."""
    cluster: str
    """Id of its duplicate set: the smallest id of the current documents in it, perhaps its own."""
    languages: tuple[str, ...]
    """As in `Document`, like the next."""
    foreign_share: float | None
    mixed: int | None
    """As `is_mixed` says."""
    recurring: str
    """A letter for each line of the text, ``r`` for one that recurs over its site, ``-`` for others; "" when none does.
    """


Columns = dict[str, Sequence[Any]]
"""The values that some documents have in each field of CorpusDocument, in the order of the fields."""


def is_mixed(foreign_share: float | None) -> int | None:
    """Return 1 where a tenth of a text or more is in another language than the whole, else 0; None: nobody looked."""
    return None if foreign_share is None else int(foreign_share >= MIXED)


@dataclass(frozen=True, slots=True)
class Selection:
    """Which documents an export or a reader wants."""

    languages: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()
    since: str | None = None
    """ISO date, inclusive; compared with ``published`` where the page states it, else with the day it was fetched."""
    until: str | None = None
    min_chars: int = 0
    include_duplicates: bool = False
    min_confidence: float = 0.0
    """Documents whose confidence is not known have less than any; with 0 they are wanted too."""
    versions: str = "last"
    """Of the versions of a page: ``first``, ``last`` or ``all``."""
    without_reserved: bool = False
    """Leave out what its page or host reserves: text and data mining, AI, archives."""
    representative: str = LONGEST
    """Who represents a duplicate set: `LONGEST`, `EARLIEST` or `CLEANEST`, see ``storage.representatives``."""
    without_mixed: bool = False
    """Leave out what counts as mixed; where nobody looked, it does not."""
    sample: tuple[float, float] | None = None
    """From and to how many per cent of all ids, which are digests and therefore chance; None: all."""

    def id_range(self) -> tuple[str, str]:
        """Return what an id is not below, and what it is below, for the sample; empty: no bound."""
        whole = 16**SAMPLE_DIGITS
        low, high = (round(bound / 100 * whole) for bound in self.sample or (0, 100))
        return f"{low:0{SAMPLE_DIGITS}x}" if low else "", f"{high:0{SAMPLE_DIGITS}x}" if high < whole else ""


@dataclass(frozen=True, slots=True)
class CountRow:
    """One line of a status table: a key (site, language, state, reason …) and how many."""

    key: str
    count: int
    chars: int = 0


@dataclass(frozen=True, slots=True)
class Status:
    """What is in a corpus, what is pending, what was dropped and why."""

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
    """Documents that do not count among those above: there is a later version, or one at the page's own address."""
    reserved: int = 0
    """Documents whose page or host reserves text and data mining, AI or archives."""
    licensed: int = 0
    """Documents whose page names a licence."""
