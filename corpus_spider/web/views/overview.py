"""Overview: what there is, how it grew, what was dropped, what needs attention."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from corpus_spider.api.index_facts import index_facts
from corpus_spider.monitoring.disk_use import sizes
from corpus_spider.web.charts.time_axis import bounds, per_day, per_month
from corpus_spider.web.query import WebQuery
from corpus_spider.web.views import pages, served
from corpus_spider.web.views.documents import newest_first
from storage.documents.model import UNDATED
from storage.errors import CorpusError

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from corpus_spider.search.searching import SearchIndex
    from corpus_spider.web.state import ServedCorpus

_NEWEST_DOCUMENTS = 10
_SEARCHED_DOCUMENTS = 50
"""Documents of the last days among which the newest are looked for."""
_MOST_BARS = 15


def page(request: Request) -> Response:
    """Show the overview."""
    here = served(request)
    status = here.status()
    runs = here.corpus.runs(newest=1)
    values: dict[str, object] = {
        "status": status,
        "languages": [(row.key, row.count, f"/documents{_only(language=row.key)}") for row in status.by_language],
        "sites": [(row.key, row.count, f"/documents{_only(site=row.key)}") for row in status.by_site][:_MOST_BARS],
        "dropped": [(row.key, row.count, f"/dropped?reason={row.key}") for row in status.dropped][:_MOST_BARS],
        "run": runs[-1] if runs else None,
        "sick": here.health().sick,
        "machines": here.machines(),
        "folders": sizes(here.config),
    }
    try:
        with here.index() as index:
            values |= _from_index(here, index)
    except CorpusError as error:
        values |= {"index_error": error, "days": [], "months": [], "undated": 0, "words": None, "newest": []}
    return pages(request)(request, "overview.html", values)


def about(request: Request) -> Response:
    """Show what the page is and its keys."""
    return pages(request)(request, "about.html")


def _from_index(here: ServedCorpus, index: SearchIndex) -> dict[str, object]:
    shards = tuple(index.manifest.shards())
    facts = here.index_facts(shards, lambda: index_facts(index, _SEARCHED_DOCUMENTS))
    last = here.corpus.documents.of_ids(facts.newest)
    by_day = per_day(facts.days, facts.last_day(datetime.now(UTC).date()))
    return {
        "index_error": None,
        "words": facts.words,
        "days": [(day, number, f"/documents{_only(since=day, until=day)}") for day, number in by_day],
        "months": [(label, number, f"/documents{_only(**bounds(label))}") for label, number in per_month(facts.months)],
        "undated": facts.months.get(UNDATED, 0),
        "newest": newest_first(last)[:_NEWEST_DOCUMENTS],
    }


def _only(**filters: str) -> str:
    return WebQuery().query(**filters)
