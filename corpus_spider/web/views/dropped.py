"""Pages without a document, and URLs that failed: by reason, and one of them with its original."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException

from corpus_spider.web.original import notice
from corpus_spider.web.translation import gettext
from corpus_spider.web.views import pages, served
from corpus_spider.web.views.inert import framed, inert, refuse_others

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request
    from starlette.responses import Response

    from storage.documents.model import CountRow
    from storage.fetches.url_history import PageWithoutDocument, UrlHistory

ROWS = 200
"""Rows of each table."""


def listing(request: Request) -> Response:
    """Show the newest pages without a document and URLs that failed, of one reason, site or crawl, or all."""
    here, reason = served(request), request.query_params.get("reason", "")
    reasons = (reason,) if reason else ()
    site = tuple(filter(None, request.query_params.getlist("site")))
    number = request.query_params.get("crawl", "")
    run_id = int(number) if number.isascii() and number.isdigit() and len(number) < 10 else None
    fetches, status = here.corpus.fetches, here.status()
    rows: list[PageWithoutDocument] = []
    failed: list[PageWithoutDocument] = []
    # What is nowhere would be looked for in all fetches and URLs.
    if _has(status.dropped, reason):
        rows = fetches.dropped_pages(reasons=reasons, sites=site, run_id=run_id, limit=ROWS)
    if _has(status.failed, reason):
        failed = fetches.failed_urls(reasons=reasons, sites=site, limit=ROWS)
    if site or (reason and not rows):
        failed += fetches.waiting_urls(reasons=reasons, sites=site, limit=ROWS)
    values = {"rows": rows, "failed": failed, "reason": reason, "sites": site, "crawl": run_id, "most": ROWS}
    return pages(request)(request, "dropped.html", values | {"counts": status.dropped, "failures": status.failed})


def _has(counts: Sequence[CountRow], reason: str) -> bool:
    """Return whether something is counted, under this reason if it is not empty."""
    return any(row.key == reason for row in counts) if reason else bool(counts)


def page(request: Request) -> Response:
    """Show a page that the corpus knows: its visits with their reasons, and its newest original."""
    found = _page(request)
    has_original = any(visit.pointer for visit in found.visits)
    return pages(request)(request, "dropped_page.html", {"page": found, "has_original": has_original})


def original(request: Request) -> Response:
    """Return the newest original of a page for the frame, inert."""
    refuse_others(request)
    pointer = next((visit.pointer for visit in _page(request).visits if visit.pointer), None)
    if pointer is None:
        return framed(notice(gettext("No original of this page is stored.")), 404)
    return inert(served(request), pointer)


def _page(request: Request) -> UrlHistory:
    found = served(request).corpus.fetches.page([request.query_params.get("url", "")])
    if found is None:
        raise HTTPException(404)
    return found
