"""A document as Python programs get it: a dictionary with the field names of an export, also as attributes."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, Literal, overload

import msgspec

from storage.reporting import counted

if TYPE_CHECKING:
    from datetime import datetime

    from storage.documents.model import CorpusDocument
    from storage.exports.fields import Fields

SHOWN_TEXT = 300
"""Characters of a text in a notebook."""


class Document(dict[str, Any]):
    """A text with its metadata: a dictionary whose keys are also attributes, ``document["date"]`` or ``document.date``.

    A document of a corpus has the fields of an exported one, in their order. A document of `extract` has those that a
    page alone states, and ``drop``: why a crawl would not keep the page, or None. ``docs/how-to/export.md`` explains
    each field. Tables are made of dictionaries directly: ``pandas.DataFrame(corpus.documents())``.
    """

    __slots__ = ()

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
    captions: list[str]
    comments: list[str]
    date_calendar: str | None
    date_source: str | None
    date_confidence: float | None
    robots: str | None
    robots_sha256: str | None
    directives: list[str]
    tdm: int | None
    tdm_policy: str | None
    tdm_source: str | None
    licence_url: str | None
    quality: dict[str, float | None] | None
    cluster: str
    languages: list[str]
    foreign_share: float | None
    mixed: int | None
    recurring: str
    authors: list[str]
    date_zone: str | None
    title_source: str | None
    author_source: str | None
    rules: str | None
    drop: str | None

    if TYPE_CHECKING:

        @overload
        def __getitem__(
            self,
            key: Literal[
                "id",
                "text",
                "url",
                "language",
                "script",
                "site",
                "extractor",
                "extractor_version",
                "extractor_reason",
                "site_model",
                "encoding",
                "encoding_source",
                "exact",
                "warc",
                "record_id",
                "payload_digest",
                "kinds",
                "cluster",
                "recurring",
            ],
            /,
        ) -> str: ...
        @overload
        def __getitem__(
            self,
            key: Literal[
                "title",
                "author",
                "date",
                "date_text",
                "canonical",
                "licence",
                "duplicate_of",
                "date_calendar",
                "date_source",
                "robots",
                "robots_sha256",
                "tdm_policy",
                "tdm_source",
                "licence_url",
                "date_zone",
                "title_source",
                "author_source",
                "rules",
                "drop",
            ],
            /,
        ) -> str | None: ...
        @overload
        def __getitem__(self, key: Literal["language_confidence", "script_share", "replaced"], /) -> float: ...
        @overload
        def __getitem__(
            self, key: Literal["version", "chars", "duplicates", "warc_offset", "warc_length"], /
        ) -> int: ...
        @overload
        def __getitem__(self, key: Literal["fetched_at"], /) -> datetime: ...
        @overload
        def __getitem__(self, key: Literal["confidence", "date_confidence", "foreign_share"], /) -> float | None: ...
        @overload
        def __getitem__(
            self, key: Literal["captions", "comments", "directives", "languages", "authors"], /
        ) -> list[str]: ...
        @overload
        def __getitem__(self, key: Literal["tdm", "mixed"], /) -> int | None: ...
        @overload
        def __getitem__(self, key: Literal["quality"], /) -> dict[str, float | None] | None: ...
        @overload
        def __getitem__(self, key: str, /) -> Any: ...
        def __getitem__(self, key: str, /) -> Any:
            """Return a field by its name."""

    def __getattr__(self, name: str) -> Any:
        """Return a field. Raises AttributeError, with the fields there are, for any other name."""
        try:
            return self[name]
        except KeyError:
            if name.startswith("_"):
                raise AttributeError(name) from None
        of_corpus = name in type(self).__annotations__
        why = "only a document of a corpus has it" if of_corpus else f"fields: {', '.join(self)}"
        raise AttributeError(f"this document has no field {name!r}; {why}")

    @classmethod
    def of_corpus(cls, document: CorpusDocument, fields: Fields | None = None) -> Document:
        """Return a stored document with the values that its line of an export in JSON has; ``fetched_at`` in UTC."""
        from storage.exports.fields import FIELDS, named

        return cls({name: _plain(value) for name, value in named(document, fields or FIELDS).items()})

    @classmethod
    def of_page(cls, fields: dict[str, Any]) -> Document:
        """Return a document from the values of one page by field name, in the order of an export."""
        return cls({name: _plain(fields[name]) for name in cls.__annotations__ if name in fields})

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
