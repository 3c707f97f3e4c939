"""The fields of a document: one annotated class, which the program reads."""

from __future__ import annotations

from collections import Counter
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

import pytest

from storage.database.schema import metadata
from storage.documents.healing import COLUMNS
from storage.exports.fields import BY_NAME
from storage.fields import FIELDS, Field
from storage.records import Document

MADE = [field for field in FIELDS if field.note.made]


@pytest.mark.parametrize("field", MADE, ids=lambda field: field.name)
def test_a_page_gives_a_field_the_type_that_it_has(field: Field) -> None:
    """The attribute of the processed document exists, and its type is that of the field."""
    kind: Any = Document
    for name in field.note.made.split("."):
        found = getattr(kind, name, None)
        kind = get_type_hints(found.fget)["return"] if isinstance(found, property) else get_type_hints(kind)[name]
    options = get_args(kind) if NoneType in get_args(kind) else (kind,)
    kinds = {get_origin(each) or each for each in options} - {NoneType}
    assert kinds == {field.kind}
    assert field.optional or NoneType not in options


@pytest.mark.parametrize("field", [field for field in FIELDS if field.note.table], ids=lambda field: field.name)
def test_a_field_has_a_column_or_is_in_another_table(field: Field) -> None:
    """A column that may be NULL belongs to a field that may be None, or to one with another value for nothing."""
    column = metadata.tables[field.note.table].c[field.column]
    assert column.nullable or not field.optional


def test_a_renewed_group_has_the_columns_of_its_fields() -> None:
    """Columns of the metadata that a later visit heals."""
    assert {
        "title": ("title", "title_source"),
        "author": ("author", "authors", "author_source"),
        "date": (
            *("published", "published_text", "published_calendar", "published_source", "published_confidence"),
            "published_zone",
        ),
    } == COLUMNS


def test_views_name_fields_and_give_each_row_its_own_place() -> None:
    """The source and the confidence of a row are fields; two rows with a place never share it."""
    rows = [field.view for field in FIELDS if field.view]
    assert {name for row in rows for name in (row.source_field, row.confidence) if name} <= set(BY_NAME)
    for places in ([row.place for row in rows], [field.note.shown for field in FIELDS if field.note.shown]):
        assert [place for place, count in Counter(places).items() if count > 1] == []
