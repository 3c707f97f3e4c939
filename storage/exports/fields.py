"""Fields of an export: presets, and the values of documents in them."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import msgspec

from storage.errors import DamageError
from storage.fields import FIELDS, Fields
from storage.records import Quality

if TYPE_CHECKING:
    from collections.abc import Callable

    from storage.documents.model import CorpusDocument

Value = str | int | float | datetime | tuple[str, ...] | Quality | None

SIGNALS = Quality.__struct_fields__
COUNTS = frozenset({"words"})
"""Signals that are whole numbers."""
_SURROGATES = re.compile("[\ud800-\udfff]")


BY_NAME = {field.column: field for field in FIELDS if field.note.made} | {field.name: field for field in FIELDS}
"""Fields by name. The name of a column that a page gives is an alias: ``published`` is ``date``."""
MINIMAL: Fields = tuple(BY_NAME[name] for name in ("id", "url", "site", "date", "title", "author", "language", "text"))
PRESETS = {"minimal": MINIMAL, "full": FIELDS}
"""Fields under one name."""
_STRINGS = tuple(field.name for field in FIELDS if field.kind is str)
LISTS = tuple(field.name for field in FIELDS if field.kind is tuple)
_strings = attrgetter(*_STRINGS)
lists_of = attrgetter(*LISTS)
"""Values of the fields that are lists."""


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
        "".join(filter(None, (*_strings(document), *map("".join, filter(None, lists_of(document)))))).encode()
    except UnicodeEncodeError:
        texts = {name: _SURROGATES.sub("\ufffd", text) for name in _STRINGS if (text := getattr(document, name))}
        lists = {
            name: tuple(_SURROGATES.sub("\ufffd", each) for each in getattr(document, name) or ()) for name in LISTS
        }
        return msgspec.structs.replace(document, **texts, **lists)
    return document


@lru_cache(maxsize=8)
def values_of(fields: Fields) -> Callable[[CorpusDocument], tuple[Any, ...]]:
    """Return a function from a document to its values of these fields, in their order."""
    if fields == FIELDS:
        return msgspec.structs.astuple
    if len(fields) == 1:
        value = attrgetter(fields[0].name)
        return lambda document: (value(document),)
    return attrgetter(*(field.name for field in fields))


def named(document: CorpusDocument, fields: Fields = FIELDS) -> dict[str, Value]:
    """Return the values of a document by field name, in the order of the fields."""
    return {field.name: value for field, value in zip(fields, values_of(fields)(document), strict=True)}
