"""Output of `extract`: the text with its source, or all metadata."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from corpus_spider.sites.single_page import Reading
    from corpus_spider.terminal.console import Console
    from storage.records import Document

MARKS = {"h": "## ", "l": "- ", "q": "> ", "t": "| ", "c": "    "}
"""Markdown prefix by kind of line."""
ENCODING_WORDS = {
    "bom": "by its byte order mark",
    "utf-8": "by its bytes",
    "header": "declared by the server",
    "meta": "declared by the page",
    "detected": "detected",
}


def show(reading: Reading, console: Console, *, as_json: bool, marks: bool = False) -> int:
    """Write the text, or JSON with all metadata, and the reason if a crawl would drop the page.

    Return the exit code: 0, or 1 if there is no text.
    """
    document, drop = reading.document, reading.drop
    if as_json:
        console.json(plain(reading))
    elif document is not None:
        console.note(f"{document.metadata.title or 'no title'}\n{_provenance(document)}")
        console.result(marked(document) if marks else document.text)
    if drop is not None:
        without = "no text" if document is None else "a crawl would drop this page"
        console.note(f"{without}: {drop.reason}{drop.detail and f' ({drop.detail})'}")
    return 1 if document is None else 0


def plain(reading: Reading) -> dict[str, object]:
    """Return the metadata of a text for JSON, and the drop."""
    return ({} if reading.document is None else _fields(reading.document)) | {"drop": reading.drop}


def marked(document: Document) -> str:
    """Return the text in Markdown: headings, list items, quotations, table cells and code have a mark."""
    lines = zip_longest(document.text.split("\n"), document.kinds, fillvalue="")
    return "\n".join(f"{MARKS.get(kind, '')}{line}" for line, kind in lines)


def _fields(document: Document) -> dict[str, object]:
    """Return the metadata of a text under the field names of an export."""
    stated, found = document.metadata, document.language
    return {
        "text": document.text,
        "title": stated.title,
        "title_source": stated.title_source,
        "author": stated.author,
        "authors": stated.authors,
        "author_source": stated.author_source,
        "date": stated.published,
        "date_text": stated.published_text,
        "date_calendar": stated.published_calendar,
        "date_source": stated.published_source,
        "date_confidence": stated.published_confidence,
        "date_zone": stated.published_zone,
        "language": found.language,
        "language_confidence": found.confidence,
        "script": found.script,
        "script_share": found.script_share,
        "canonical": stated.canonical,
        "chars": len(document.text),
        "extractor": document.extractor,
        "extractor_version": document.extractor_version,
        "extractor_reason": document.extractor_reason,
        "encoding": document.encoding,
        "encoding_source": document.encoding_source,
        "replaced": document.replaced,
        "exact": document.fingerprint.exact.hex(),
        "confidence": document.confidence,
        "kinds": document.kinds,
        "captions": document.captions,
        "comments": document.comments,
        "languages": document.languages,
        "foreign_share": document.foreign_share,
        "quality": document.quality,
        "rules": document.rules,
    }


def _provenance(document: Document) -> str:
    found, source = document.language, document.encoding_source
    reason = f" ({document.extractor_reason})" if document.extractor_reason else ""
    return (
        f"{found.language} {found.confidence:.2f}, {len(document.text)} characters; "
        f"{document.extractor}{reason}; {document.encoding}, {ENCODING_WORDS.get(source, source)}"
    )
