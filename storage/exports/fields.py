"""Fields of an exported document: names, order and types, the same in every format."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from operator import attrgetter
from types import UnionType
from typing import TYPE_CHECKING, Any, get_args, get_origin

import msgspec

from storage.documents.model import CorpusDocument
from storage.errors import DamageError
from storage.records import Quality

if TYPE_CHECKING:
    from collections.abc import Callable

Value = str | int | float | datetime | tuple[str, ...] | Quality | None

SIGNALS = Quality.__struct_fields__
COUNTS = frozenset({"words"})
"""Signals that are whole numbers."""
_SURROGATES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Field:
    """A column: its name in the files, its attribute of CorpusDocument, its type.

    The type is that of values that are not null: str, int, float, datetime, Quality, or tuple for lists of texts.
    """

    name: str
    attribute: str
    kind: type


def _kind(hint: Any) -> type:
    one: Any = get_args(hint)[0] if isinstance(hint, UnionType) else hint
    return get_origin(one) or one  # type: ignore[no-any-return]


Fields = tuple[Field, ...]
"""Fields of an export, in their order."""
FIELDS: Fields = tuple(
    Field(each.encode_name, each.name, _kind(each.type)) for each in msgspec.structs.fields(CorpusDocument)
)
BY_NAME = {field.attribute: field for field in FIELDS} | {field.name: field for field in FIELDS}
"""Fields by their names in files. The names of `CorpusDocument` are aliases: ``published`` is ``date``."""
MINIMAL: Fields = tuple(BY_NAME[name] for name in ("id", "url", "site", "date", "title", "author", "language", "text"))
PRESETS = {"minimal": MINIMAL, "full": FIELDS}
"""Fields under one name."""
_STRINGS = tuple(field.attribute for field in FIELDS if field.kind is str)
_LISTS = tuple(field.attribute for field in FIELDS if field.kind is tuple)
_strings = attrgetter(*_STRINGS)
_lists = attrgetter(*_LISTS)


def row(document: CorpusDocument) -> CorpusDocument:
    """Return the document with its time in UTC.

    Raises DamageError if the text is bytes. SQLite keeps values of any type in a column.
    """
    if not isinstance(document.text, str):
        do = "Run `corpus-spider reextract`: it makes the text again from its original."
        raise DamageError(f"document {document.id} has bytes in the place of its text", do=do)
    fetched = document.fetched_at
    return document if fetched.tzinfo is UTC else msgspec.structs.replace(document, fetched_at=fetched.astimezone(UTC))


def encodable(document: CorpusDocument) -> CorpusDocument:
    """Return a document with U+FFFD for lone surrogates, which UTF-8 cannot hold."""
    try:
        # To encode all text at once is much faster than to search for surrogates, which are rare.
        "".join(filter(None, (*_strings(document), *map("".join, filter(None, _lists(document)))))).encode()
    except UnicodeEncodeError:
        texts = {name: _SURROGATES.sub("\ufffd", text) for name in _STRINGS if (text := getattr(document, name))}
        lists = {
            name: tuple(_SURROGATES.sub("\ufffd", each) for each in getattr(document, name) or ()) for name in _LISTS
        }
        return msgspec.structs.replace(document, **texts, **lists)
    return document


@lru_cache(maxsize=8)
def values_of(fields: Fields) -> Callable[[CorpusDocument], tuple[Any, ...]]:
    """Return a function from a document to its values of these fields, in their order."""
    if fields == FIELDS:
        return msgspec.structs.astuple
    if len(fields) == 1:
        value = attrgetter(fields[0].attribute)
        return lambda document: (value(document),)
    return attrgetter(*(field.attribute for field in fields))


def named(document: CorpusDocument, fields: Fields = FIELDS) -> dict[str, Value]:
    """Return the values of a document by field name, in the order of the fields."""
    return {field.name: value for field, value in zip(fields, values_of(fields)(document), strict=True)}
