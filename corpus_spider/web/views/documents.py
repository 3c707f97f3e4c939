"""Documents: a list with filters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus_spider.search.searching import DAY, RANK
from corpus_spider.web.selection import DEEPEST, PAGE, selection_of
from corpus_spider.web.views import downloads, pages, served

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

ORDERS = (DAY, RANK)


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
