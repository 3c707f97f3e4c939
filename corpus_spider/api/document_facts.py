"""Facts of a document for readers: each value with its source and confidence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from storage.fields import FIELDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from storage.documents.model import CorpusDocument
    from storage.records import MetadataRow


@dataclass(frozen=True, slots=True)
class Fact:
    """A value of a document: its name, the value or values, where it is from, and how sure it is (0 to 1)."""

    name: str
    values: tuple[object, ...]
    source: str = ""
    confidence: float | None = None


def facts(document: CorpusDocument) -> list[Fact]:
    """Return the values of a document that are known, with source and confidence."""
    quality = document.quality
    every = [_fact(document, name, row) for name, row in _ROWS]
    measured = [] if quality is None else [(name, getattr(quality, name)) for name in quality.__struct_fields__]
    every += [Fact(name.replace("_", " "), (value,), "quality of the text") for name, value in measured]
    kept = (replace(each, values=tuple(value for value in each.values if value not in {None, ""})) for each in every)
    return [each for each in kept if each.values]


def _fact(document: CorpusDocument, name: str, row: MetadataRow) -> Fact:
    value = _VALUES[name](document) if name in _VALUES else getattr(document, name)
    place = getattr(document, row.source_field) if row.source_field else ""
    source = row.source if place or not row.source_field else ""
    confidence = getattr(document, row.confidence) if row.confidence else None
    label = row.label or name.replace("_", " ")
    return Fact(label, value if isinstance(value, tuple) else (value,), f"{source}{place or ''}", confidence)


_ROWS = sorted(((each.name, each.view) for each in FIELDS if each.view), key=lambda row: row[1].place)
_TDM = {True: "reserved", False: "not reserved"}
_VALUES: dict[str, Callable[[CorpusDocument], object]] = {
    "author": lambda one: one.author if one.author not in one.authors else None,
    "extractor": lambda one: f"{one.extractor} {one.extractor_version}",
    "replaced": lambda one: one.replaced or None,
    "tdm": lambda one: None if one.tdm is None else _TDM[one.tdm > 0],
}
"""Values that are shown in another form than they are stored."""
