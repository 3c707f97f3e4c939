"""What an export says of a document: names, order and types, the same for every format."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from operator import attrgetter
from typing import TYPE_CHECKING

from storage.records import Quality

if TYPE_CHECKING:
    from storage.holdings import CorpusDocument

Signals = dict[str, int | float | None]
Value = str | int | float | datetime | tuple[str, ...] | list[str] | Quality | Signals | None
Row = dict[str, Value]

SIGNALS = tuple(field.name for field in fields(Quality))
_SURROGATES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Field:
    """A column: its name in the files, the attribute of CorpusDocument it comes from, its type."""

    name: str
    attribute: str
    kind: type[str] | type[int] | type[float] | type[datetime] | type[list[str]] | type[Quality] = str


FIELDS = (
    Field("id", "id"),
    Field("text", "text"),
    Field("url", "url"),
    Field("title", "title"),
    Field("author", "author"),
    Field("date", "published"),
    Field("date_text", "published_text"),
    Field("language", "language"),
    Field("language_confidence", "language_confidence", float),
    Field("script", "script"),
    Field("script_share", "script_share", float),
    Field("site", "site"),
    Field("version", "version", int),
    Field("canonical", "canonical"),
    Field("chars", "chars", int),
    Field("fetched_at", "fetched_at", datetime),
    Field("extractor", "extractor"),
    Field("extractor_version", "extractor_version"),
    Field("extractor_reason", "extractor_reason"),
    Field("site_model", "site_model"),
    Field("encoding", "encoding"),
    Field("encoding_source", "encoding_source"),
    Field("replaced", "replaced", float),
    Field("licence", "licence"),
    Field("exact", "exact"),
    Field("duplicates", "duplicates", int),
    Field("duplicate_of", "duplicate_of"),
    Field("warc", "warc"),
    Field("warc_offset", "warc_offset", int),
    Field("warc_length", "warc_length", int),
    Field("record_id", "record_id"),
    Field("payload_digest", "payload_digest"),
    Field("confidence", "confidence", float),
    Field("kinds", "kinds"),
    Field("captions", "captions", list),
    Field("comments", "comments", list),
    Field("date_calendar", "published_calendar"),
    Field("date_source", "published_source"),
    Field("date_confidence", "published_confidence", float),
    Field("robots", "robots"),
    Field("robots_sha256", "robots_sha256"),
    Field("directives", "directives", list),
    Field("tdm", "tdm", int),
    Field("tdm_policy", "tdm_policy"),
    Field("tdm_source", "tdm_source"),
    Field("licence_url", "licence_url"),
    Field("quality", "quality", Quality),
    Field("cluster", "cluster"),
    Field("languages", "languages", list),
    Field("foreign_share", "foreign_share", float),
    Field("mixed", "mixed", int),
    Field("recurring", "recurring"),
)


_NAMES = tuple(field.name for field in FIELDS)
_STRINGS = tuple(field.name for field in FIELDS if field.kind is str)
_OTHERS = tuple(field.name for field in FIELDS if field.kind not in (str, int))
_values = attrgetter(*(field.attribute for field in FIELDS))
_signals = attrgetter(*SIGNALS)


def row(document: CorpusDocument) -> Row:
    """Return the document's fields in the order of FIELDS, each fit for every format."""
    fit = dict(zip(_NAMES, _values(document), strict=True))
    for name in _OTHERS:
        fit[name] = _storable(fit[name])
    try:
        # To encode all text at once is much faster than to look for surrogates, which it hardly ever has.
        "".join(filter(None, map(fit.__getitem__, _STRINGS))).encode()
    except UnicodeEncodeError:
        fit |= {name: _storable(fit[name]) for name in _STRINGS}
    return fit


def _storable(value: Value) -> Value:
    match value:
        case float():
            return value if math.isfinite(value) else None
        case tuple():
            return [_SURROGATES.sub("\ufffd", each) for each in value]
        case Quality():
            return dict(zip(SIGNALS, _signals(value), strict=True))
        case datetime():
            return value.astimezone(UTC)
        case str():
            return _SURROGATES.sub("\ufffd", value)
    return value
