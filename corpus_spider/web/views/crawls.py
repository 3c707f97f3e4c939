"""Crawls and sites: each night with its numbers, and the health of each site."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from corpus_spider.monitoring import health
from corpus_spider.monitoring.model import HealthThresholds
from corpus_spider.web.views import pages, served
from storage.runs.site_runs import SiteRun

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from storage.runs.run_log import Run

NIGHTS = 60
SUMS = ("found", "fetched", "articles", "versions", "unchanged", "refused", "http_errors", "failed", "no_text", "short")
"""Counters that a crawl shows."""
CHARTED = ("articles", "versions", "unchanged", "refused", "dropped")
"""Parts of the chart of crawls, from the bottom. ``dropped``: answers of the other counters."""
_NO_ARTICLE = ("no_text", "short")
_DROPPED = ("http_errors", "failed", "no_text", "short", "language")


def page(request: Request) -> Response:
    """Show the newest crawls."""
    here = served(request)
    runs = here.corpus.runs(newest=NIGHTS)
    names = [site.name for site in here.config.sites]
    of_run: dict[int, list[SiteRun]] = {run.id: [] for run in runs}
    for each in here.corpus.runs.by_site(names):
        if each.run_id in of_run:
            of_run[each.run_id].append(each)
    sums = {run.id: totals(of_run[run.id]) for run in runs}
    chart = [
        (f"{run.started:%Y-%m-%d %H:%M}", [sums[run.id][name] for name in CHARTED], f"/crawls/{run.id}") for run in runs
    ]
    values = {"runs": runs[::-1], "sums": sums, "columns": SUMS, "chart": chart, "parts": CHARTED}
    return pages(request)(request, "crawls.html", values)


def totals(rows: Iterable[SiteRun]) -> dict[str, int]:
    """Return the sums of the counters over sites, with ``dropped``: pages that gave no text."""
    kept = list(rows)
    names = {*SiteRun.__struct_fields__} & {*SUMS, *_DROPPED}
    sums = {name: sum(getattr(row, name) for row in kept) for name in names}
    return sums | {"dropped": sum(sums[name] for name in _DROPPED)}


def run(request: Request) -> Response:
    """Show one crawl by site, with its numbers of this moment while it runs."""
    one = _run(request)
    rows = served(request).corpus.runs.now(one.id)
    reasons = {row.site: stored_reasons(row.reasons) for row in rows}
    values = {"run": one, "rows": rows, "columns": SUMS, "sums": totals(rows), "reasons": reasons}
    return pages(request)(request, "crawl.html", values)


def stored_reasons(counted: Mapping[str, int]) -> dict[str, int]:
    """Return the counts by the reasons that pages have: a crawl counts `no_article` in two parts.

    >>> stored_reasons({"listing": 3, "no_text": 1, "short": 2})
    {'listing': 3, 'no_article': 3}
    """
    sums = Counter[str]()
    for reason, count in counted.items():
        sums["no_article" if reason in _NO_ARTICLE else reason] += count
    return dict(sums)


def progress(request: Request) -> Response:
    """Return the numbers of a crawl as JSON: whether it is over, and each counter by site."""
    one = _run(request)
    rows = served(request).corpus.runs.now(one.id)
    by_site = {row.site: {name: getattr(row, name) for name in SUMS} for row in rows}
    return JSONResponse({"over": one.finished is not None, "sites": by_site, "sum": totals(rows)})


def _run(request: Request) -> Run:
    number = request.path_params["run"]
    one = next((each for each in served(request).corpus.runs() if each.id == number), None)
    if one is None:
        raise HTTPException(404)
    return one


def sites(request: Request) -> Response:
    """Show the health of each site."""
    here = served(request)
    found = health.examine(here.corpus, here.config, HealthThresholds())
    return pages(request)(request, "sites.html", {"health": found})
