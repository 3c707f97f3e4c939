"""Documents: a list with filters."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from corpus_spider.search.searching import DAY, RANK
from corpus_spider.web.selection import DEEPEST, PAGE, selection_of
from corpus_spider.web.views import downloads, pages, served

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.requests import Request
    from starlette.responses import Response

    from storage.documents.model import CorpusDocument

ORDERS = (DAY, RANK)


def listing(request: Request) -> Response:
    """Show a page of the selected documents, newest first."""
    here, asked = served(request), selection_of(request.query_params)
    order = asked.order if asked.order in ORDERS else DAY
    with here.index() as index:
        found = index.find(asked.question, asked.filters, most=PAGE, skip=(asked.page - 1) * PAGE, order=order)
    shown = here.corpus.documents.of_ids(found.ids)
    shown = newest_first(shown) if order == DAY or not asked.question else shown
    values = {"asked": asked, "found": found, "documents": shown, "per_page": PAGE, "deepest": DEEPEST}
    values |= {"formats": downloads.TYPES, "most": downloads.MOST}
    return pages(request)(request, "documents.html", {**values, "question": asked.question})


def newest_first(documents: Iterable[CorpusDocument]) -> list[CorpusDocument]:
    """Sort documents by the moment of publication: the index knows the day alone."""
    return sorted(documents, key=_moment, reverse=True)


def _moment(document: CorpusDocument) -> datetime:
    stated = datetime.fromisoformat(document.date) if document.date else document.fetched_at
    return stated if stated.tzinfo else stated.replace(tzinfo=UTC)
