"""A document as Python programs get it: a dictionary with the field names of an export, also as attributes."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import msgspec

from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from storage.documents.model import CorpusDocument
    from storage.fields import Fields

SHOWN_TEXT = 300
"""Characters of a text in a notebook."""


if TYPE_CHECKING:
    from storage.records import DocumentFields

    _Attributes = DocumentFields[list[str], dict[str, float | None]]
else:
    _Attributes = object


class Document(dict[str, Any], _Attributes):  # type: ignore[misc]  # a dictionary is not frozen
    """A text with its metadata: a dictionary whose keys are also attributes: ``document["date"]`` or `date`.

    A document of a corpus has the fields of an exported one, in their order. A document of `extract` has those that a
    page alone states, and ``drop``: why a crawl would not keep the page, or None. ``docs/how-to/export.md`` explains
    each field. Tables are made of dictionaries directly: ``pandas.DataFrame(corpus.documents())``.
    """

    __slots__ = ()

    if TYPE_CHECKING:

        def __init__(self, values: Mapping[str, Any], /) -> None:
            """Make a document of values by field."""

        @property
        def drop(self) -> str | None:
            """Why a crawl would not keep the page, or None."""

    def __getattr__(self, name: str) -> Any:
        """Return a field. Raises AttributeError, with the fields there are, for any other name."""
        try:
            return self[name]
        except KeyError:
            if name.startswith("_"):
                raise AttributeError(name) from None
        from storage.fields import FIELDS

        of_corpus = name == "drop" or any(name == field.name for field in FIELDS)
        why = "only a document of a corpus has it" if of_corpus else f"fields: {', '.join(self)}"
        raise AttributeError(f"this document has no field {name!r}; {why}")

    @classmethod
    def of_corpus(cls, document: CorpusDocument, fields: Fields | None = None) -> Document:
        """Return a stored document with the values that its line of an export in JSON has; ``fetched_at`` in UTC."""
        from storage.exports.fields import named
        from storage.fields import FIELDS

        return cls({name: _plain(value) for name, value in named(document, fields or FIELDS).items()})

    @classmethod
    def of_page(cls, fields: dict[str, Any]) -> Document:
        """Return a document from the values of one page by field name, in the order of an export."""
        from storage.fields import FIELDS

        names = (*(field.name for field in FIELDS), "drop")
        return cls({name: _plain(fields[name]) for name in names if name in fields})

    def __repr__(self) -> str:
        named = [repr(self[name]) for name in ("id", "url", "title") if self.get(name)][:2]
        size = counted(len(self.get("text") or ""), "character")
        return f"<Document {' '.join([*named, size])}>"

    def _repr_html_(self) -> str:
        """Return the document as a table for notebooks: title, facts and the beginning of the text, escaped."""
        from corpus_spider.api.tables import html_table

        named = ("url", "site", "date", "authors", "language", "drop")
        facts = [(name, self[name]) for name in named if self.get(name)]
        text = self.get("text") or ""
        beginning = text if len(text) <= SHOWN_TEXT else f"{text[:SHOWN_TEXT]}…"
        heading = f"<p><b>{escape(self.get('title') or 'no title')}</b></p>"
        return f'{heading}{html_table((), facts)}<p dir="auto" style="white-space: pre-line">{escape(beginning)}</p>'


def _plain(value: Any) -> Any:
    """Return lists for tuples and dictionaries for records, as JSON and data frames have them."""
    if isinstance(value, msgspec.Struct):
        return msgspec.structs.asdict(value)
    return list(value) if isinstance(value, tuple) else value
