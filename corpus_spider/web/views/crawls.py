"""Crawls and sites: each night with its numbers, the health of each site, and dropped pages by reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException

from corpus_spider.monitoring import health
from corpus_spider.monitoring.model import Rule
from corpus_spider.web.views import pages, served

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

NIGHTS = 60
ROWS = 200
SUMS = ("found", "fetched", "articles", "versions", "unchanged", "refused", "http_errors", "failed", "no_text", "short")
"""Counters that a crawl shows."""


def page(request: Request) -> Response:
    """Show the newest crawls."""
    here = served(request)
    runs = here.corpus.runs()[-NIGHTS:]
    names = [site.name for site in here.config.sites]
    sums = {run.id: dict.fromkeys(SUMS, 0) for run in runs}
    for each in here.corpus.runs.by_site(names):
        if each.run_id in sums:
            for name in SUMS:
                sums[each.run_id][name] += getattr(each, name)
    return pages(request)(request, "crawls.html", {"runs": runs[::-1], "sums": sums, "columns": SUMS})


def run(request: Request) -> Response:
    """Show one crawl by site."""
    here, number = served(request), request.path_params["run"]
    one = next((each for each in here.corpus.runs() if each.id == number), None)
    if one is None:
        raise HTTPException(404)
    rows = here.corpus.runs.by_site([site.name for site in here.config.sites], run_id=number)
    return pages(request)(request, "crawl.html", {"run": one, "rows": rows, "columns": SUMS})


def sites(request: Request) -> Response:
    """Show the health of each site."""
    here = served(request)
    found = health.examine(here.corpus, here.config, Rule())
    return pages(request)(request, "sites.html", {"health": found})


def dropped(request: Request) -> Response:
    """Show the newest pages without a document, of one reason or all."""
    here, reason = served(request), request.query_params.get("reason", "")
    reasons = (reason,) if reason else ()
    site = tuple(request.query_params.getlist("site"))
    rows = here.corpus.fetches.dropped_pages(reasons=reasons, sites=site, limit=ROWS)
    values = {"rows": rows, "reason": reason, "counts": here.corpus.status().dropped, "most": ROWS}
    return pages(request)(request, "dropped.html", values)
