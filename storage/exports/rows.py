"""What an export says of a document: names, order and types, the same for every format."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from operator import attrgetter
from types import UnionType
from typing import TYPE_CHECKING, Any, get_args, get_origin

import msgspec

from storage.errors import DamageError
from storage.records import Quality

if TYPE_CHECKING:
    from storage.holdings import CorpusDocument

Signals = dict[str, int | float | None]
Value = str | int | float | datetime | tuple[str, ...] | Quality | Signals | None

SIGNALS = tuple(field.name for field in fields(Quality))
_SURROGATES = re.compile("[\ud800-\udfff]")


class Row(msgspec.Struct, gc=False):
    """The fields of a document as files have them, in their order.

    Numbers that are not finite and lone surrogates are still in it: who writes looks for them where it costs least.
    """

    id: str
    text: str
    url: str
    title: str | None
    author: str | None
    date: str | None
    date_text: str | None
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
    encoding: str
    encoding_source: str
    replaced: float
    licence: str | None
    exact: str
    duplicates: int
    duplicate_of: str | None
    warc: str
    warc_offset: int
    warc_length: int
    record_id: str
    payload_digest: str
    confidence: float | None
    kinds: str
    captions: tuple[str, ...]
    comments: tuple[str, ...]
    date_calendar: str | None
    date_source: str | None
    date_confidence: float | None
    robots: str | None
    robots_sha256: str | None
    directives: tuple[str, ...]
    tdm: int | None
    tdm_policy: str | None
    tdm_source: str | None
    licence_url: str | None
    quality: Quality | None
    cluster: str
    languages: tuple[str, ...]
    foreign_share: float | None
    mixed: int | None
    recurring: str


@dataclass(frozen=True, slots=True)
class Field:
    """A column: its name in the files, the attribute of CorpusDocument it comes from, its type.

    The type is that of values that are there: str, int, float, datetime, Quality, or tuple for texts.
    """

    name: str
    attribute: str
    kind: type


def _kind(hint: Any) -> type:
    one: Any = get_args(hint)[0] if isinstance(hint, UnionType) else hint
    return get_origin(one) or one  # type: ignore[no-any-return]


_RENAMED = {
    "date": "published",
    "date_text": "published_text",
    "date_calendar": "published_calendar",
    "date_source": "published_source",
    "date_confidence": "published_confidence",
}
FIELDS = tuple(
    Field(each.name, _RENAMED.get(each.name, each.name), _kind(each.type)) for each in msgspec.structs.fields(Row)
)
_STRINGS = tuple(field.name for field in FIELDS if field.kind is str)
_LISTS = tuple(field.name for field in FIELDS if field.kind is tuple)
_values = attrgetter(*(field.attribute for field in FIELDS))
_strings = attrgetter(*_STRINGS)
_lists = attrgetter(*_LISTS)
_signals = attrgetter(*SIGNALS)


def row(document: CorpusDocument) -> Row:
    """Return the document's fields in the order of FIELDS.

    Raises DamageError where SQLite, which keeps whatever it is given, has bytes in the place of the text.
    """
    if not isinstance(document.text, str):
        do = "`corpus-spider reextract` makes it anew from its original"
        raise DamageError(f"document {document.id} has bytes in the place of its text", do=do)
    made = Row(*_values(document))
    made.fetched_at = made.fetched_at.astimezone(UTC)
    return made


def encodable(row: Row) -> Row:
    """Return a row without lone surrogates, which UTF-8 cannot hold: they become U+FFFD."""
    try:
        # To encode all text at once is much faster than to look for surrogates, which it hardly ever has.
        "".join(filter(None, (*_strings(row), *map("".join, filter(None, _lists(row)))))).encode()
    except UnicodeEncodeError:
        texts = {name: _SURROGATES.sub("\ufffd", text) for name in _STRINGS if (text := getattr(row, name))}
        lists = {name: tuple(_SURROGATES.sub("\ufffd", each) for each in getattr(row, name) or ()) for name in _LISTS}
        return msgspec.structs.replace(row, **texts, **lists)
    return row


def named(row: Row) -> dict[str, Value]:
    """Return the values of a row by name, ``quality`` too, with None for numbers that are not finite."""
    values = {name: _finite(value) for name, value in msgspec.structs.asdict(row).items()}
    quality = row.quality
    if quality is not None:
        values["quality"] = dict(zip(SIGNALS, map(_finite, _signals(quality)), strict=True))
    return values


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
