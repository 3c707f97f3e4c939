"""Fields of a document as the program reads them from the annotations of `storage.records.DocumentFields`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from types import NoneType
from typing import TYPE_CHECKING, Any, get_args, get_origin

import msgspec

from storage.records import DocumentFields, FieldNote, MetadataRow, Quality

if TYPE_CHECKING:
    from storage.records import Document


@dataclass(frozen=True, slots=True)
class Field:
    """A field: its name everywhere outside the database, its type, and the facts about it."""

    name: str
    kind: type
    """Type of the values that are not None: str, int, float, datetime, Quality, or tuple for lists of texts."""
    optional: bool
    hint: Any
    """Type of all its values."""
    note: FieldNote
    view: MetadataRow | None = None
    """None: the metadata view of the web page does not show it."""

    @property
    def column(self) -> str:
        """Name of its column in the database."""
        return self.note.column or self.name

    def made(self, document: Document) -> Any:
        """Return the value of a processed document."""
        return attrgetter(self.note.made)(document)


Fields = tuple[Field, ...]
"""Some fields, in their order."""


def _field(name: str, annotated: Any) -> Field:
    hint, *notes = get_args(annotated)
    options = get_args(hint) if NoneType in get_args(hint) else (hint,)
    return Field(name, get_origin(options[0]) or options[0], NoneType in options, hint, *notes)


FIELDS: Fields = tuple(
    _field(each.name, each.type) for each in msgspec.structs.fields(DocumentFields[tuple[str, ...], Quality])
)
"""All fields, in the order of exports."""


@cache
def columns(table: str, renewed: str | None = None) -> Fields:
    """Return the fields that a page gives and this table has. ``renewed``: only those of this group."""
    made = (each for each in FIELDS if each.note.made and each.note.table == table)
    return tuple(each for each in made if renewed in {None, each.note.renewed})
