"""Crawls and sites: each night with its numbers, and the health of each site."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from corpus_spider.api.crawls import PAGE_COUNTERS, CrawlBySite, find_crawl, newest_crawls
from corpus_spider.web.views import pages, served

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

NIGHTS = 60
CHARTED = ("articles", "versions", "unchanged", "dropped", "failed")
"""Parts of the chart of crawls, from the bottom. `status` shows the same of the last night."""


def page(request: Request) -> Response:
    """Show the newest crawls."""
    here = served(request)
    crawls = newest_crawls(here.corpus, here.config.site_names, NIGHTS)
    sums = {each.run.id: each.totals for each in crawls}
    chart = [
        (f"{run.started:%Y-%m-%d %H:%M}", [sums[run.id][name] for name in CHARTED], f"/crawls/{run.id}")
        for run in (each.run for each in crawls)
    ]
    values = {"runs": [each.run for each in reversed(crawls)], "sums": sums, "columns": PAGE_COUNTERS, "chart": chart}
    return pages(request)(request, "crawls.html", values | {"parts": CHARTED})


def run(request: Request) -> Response:
    """Show one crawl by site, with its numbers of this moment while it runs."""
    one = _crawl(request)
    values = {"run": one.run, "rows": one.sites, "columns": PAGE_COUNTERS, "sums": one.totals, "reasons": one.reasons}
    return pages(request)(request, "crawl.html", values)


def progress(request: Request) -> Response:
    """Return the numbers of a crawl as JSON: whether it is over, and each counter by site."""
    one = _crawl(request)
    by_site = {row.site: {name: getattr(row, name) for name in PAGE_COUNTERS} for row in one.sites}
    return JSONResponse({"over": one.run.finished is not None, "sites": by_site, "sum": one.totals})


def _crawl(request: Request) -> CrawlBySite:
    one = find_crawl(served(request).corpus, request.path_params["run"])
    if one is None:
        raise HTTPException(404)
    return one


def sites(request: Request) -> Response:
    """Show the health of each site."""
    return pages(request)(request, "sites.html", {"health": served(request).health()})
