"""Documents: a list with filters, and one document with its metadata, versions and visits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException

from corpus_spider.search.searching import DAY, RANK
from corpus_spider.web.selection import DEEPEST, PAGE, selection_of
from corpus_spider.web.views import downloads, pages, served

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from storage.documents.model import CorpusDocument

ORDERS = (DAY, RANK)
_METADATA = (
    ("url", "address"),
    ("site", "site"),
    ("title", "title"),
    ("author", "author"),
    ("published", "published"),
    ("published_text", "date as written"),
    ("published_source", "source of the date"),
    ("published_confidence", "confidence of the date"),
    ("language", "language"),
    ("language_confidence", "confidence of the language"),
    ("script", "script"),
    ("chars", "characters"),
    ("version", "version"),
    ("fetched_at", "fetched"),
    ("extractor", "extractor"),
    ("extractor_version", "version of the extractor"),
    ("extractor_reason", "reason of the extractor"),
    ("confidence", "confidence of the extraction"),
    ("encoding", "encoding"),
    ("encoding_source", "source of the encoding"),
    ("licence", "licence of the site"),
    ("licence_url", "licence of the page"),
    ("robots", "robots.txt"),
    ("duplicates", "size of its cluster"),
    ("duplicate_of", "represented by"),
    ("cluster", "cluster"),
    ("warc", "WARC file"),
    ("warc_offset", "offset of the record"),
    ("warc_length", "length of the record"),
    ("record_id", "record"),
    ("payload_digest", "payload digest"),
)
"""Fields of a document and what they are called."""


def listing(request: Request) -> Response:
    """Show a page of the selected documents, newest first."""
    here, asked = served(request), selection_of(request.query_params)
    order = asked.order if asked.order in ORDERS else DAY
    with here.index() as index:
        found = index.find(asked.question, asked.filters, most=PAGE, skip=(asked.page - 1) * PAGE, order=order)
    shown = here.corpus.documents.of_ids(found.ids)
    values = {"asked": asked, "found": found, "documents": shown, "per_page": PAGE, "deepest": DEEPEST}
    values |= {"formats": downloads.TYPES, "most": downloads.MOST}
    return pages(request)(request, "documents.html", {**values, "question": asked.question})


def document(request: Request) -> Response:
    """Show one document."""
    here = served(request)
    found = here.corpus.documents.find(request.path_params["id"])
    if found is None:
        raise HTTPException(404)
    page = here.corpus.fetches.page([found.url])
    values: dict[str, object] = {
        "document": found,
        "page": page,
        "metadata": metadata(found),
        "paragraphs": paragraphs(found),
    }
    return pages(request)(request, "document.html", values)


def metadata(document: CorpusDocument) -> list[tuple[str, object]]:
    """Return the fields of a document that have a value, with their names."""
    values = ((label, getattr(document, name)) for name, label in _METADATA)
    return [(label, value) for label, value in values if value not in {None, ""}]


def paragraphs(document: CorpusDocument) -> list[tuple[str, str]]:
    """Return the kind and the text of each line of a document. The kind is ``p`` where it is unknown."""
    lines = document.text.split("\n")
    kinds = document.kinds if len(document.kinds) == len(lines) else "p" * len(lines)
    return list(zip(kinds, lines, strict=True))
