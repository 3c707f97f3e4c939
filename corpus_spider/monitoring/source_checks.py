"""Health checks of one source of a site: a feed, a sitemap or a start page. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from corpus_spider.monitoring.model import is_broken
from pipelines.urls.url import TO_ITSELF
from storage.reasons import (
    CRAWL_DELAY,
    GONE,
    HOST_FAULTS,
    PRIVATE_ADDRESS,
    REDIRECT,
    REDIRECT_REFUSED,
    REFUSED,
    REMOVED,
    SCRIPT_ONLY,
)
from storage.records import Kind, UrlState

if TYPE_CHECKING:
    from corpus_spider.monitoring.model import SiteCase
    from storage.frontier.sources import SourceState
    from storage.runs.site_runs import SiteRun

STALE_DAYS = 30
FAILED_NIGHTS = 2
"""Nights in a row in which a source fails, or is due and not read, before it is reported."""
FAILED_RUNS = 2
"""Runs since the last visit in which the host of a source failed, before the source is reported."""


def source_words(case: SiteCase, state: SourceState) -> str:
    """Describe the problem of a source; return an empty string if there is none."""
    if state.reason == REMOVED:
        return ""  # It was removed on request. That needs no report each night.
    last_read = f" (last read {_day(state.read_at)})" if state.read_at else " (never read)"
    if (state.state is UrlState.FAILED and state.reason in REFUSED) or state.reason == CRAWL_DELAY:
        hint = "; if the host is yours, add it to `allow_private`" if state.reason == PRIVATE_ADDRESS else ""
        return f"{state.kind} may not be fetched: {state.reason}{hint}"
    if state.reason in GONE:
        return f"{state.kind} is gone: {state.reason}{last_read}"
    if state.reason == REDIRECT_REFUSED:
        if state.detail == TO_ITSELF:
            return f"{state.kind} redirects to itself; it may require cookies{last_read}"
        return f"{state.kind} redirects out of the site, to {state.detail or 'no address'}{last_read}"
    if is_broken(state) and state.failures >= FAILED_NIGHTS:
        return f"{state.kind} failed {state.failures} times in a row: {state.reason}{last_read}"
    attempts = _attempts(case, state)
    if attempts >= FAILED_RUNS:
        return f"{state.kind} failed in {attempts} crawls: {state.reason}{last_read}"
    is_pending = state.state is UrlState.PENDING
    due = [night for night in case.nights if is_pending and night.whole and night.started.timestamp() >= state.due]
    if len(due) >= FAILED_NIGHTS:
        # A pause of the host is recorded only at the source that was tried.
        others = (other.reason for _, other in case.sources if other and other.state is UrlState.PENDING)
        why = state.reason or next(filter(None, others), "no run reached it")
        return f"{state.kind} was due in {len(due)} nights and was not read: {why}{last_read}"
    # If another site owns the URL, its problems are reported there.
    own = state.site in {"", case.site}
    return _useless(case, state) or (_dead_end(state) if case.without_news and own else "")


def _attempts(case: SiteCase, state: SourceState) -> int:
    """Count the runs since the last visit of a source in which its host failed.

    A run in which nothing of the site was due, or of a machine that was offline, has no reasons and does not count.
    """
    if state.state is not UrlState.PENDING or state.reason not in HOST_FAULTS:
        return 0
    # A source that was never read may be found by the first of these runs, after the run has started.
    return sum(
        state.reason in run.reasons
        and (run.started.timestamp() > state.read_at if state.read_at else _end(run) >= state.due)
        for night in case.nights
        for run in night.runs
    )


def _end(run: SiteRun) -> float:
    return (run.finished or run.started).timestamp()


def _useless(case: SiteCase, state: SourceState) -> str:
    """Describe why a source that was read gives no new links."""
    if state.kind is not Kind.PAGE and state.outcome == "drop" and state.detail == "0 links, broken":
        return f"{state.kind} is broken: it lists no URL"
    if state.kind is not Kind.PAGE and state.outcome == "drop" and state.detail == "0 links":
        return f"{state.kind} has no links to the site, or is not a {state.kind}"
    if state.kind is Kind.PAGE and state.reason == SCRIPT_ONLY and (case.without_news or not state.news_at):
        if case.rendered:
            what = "its text may need a click, a login or a request by POST"
            return f"{state.kind} is empty although its scripts ran in a browser (`render = true`): {what}"
        return f"{state.kind} is empty without scripts; set `render = true` to run them in a browser"
    old = state.read_at - state.news_at > timedelta(days=STALE_DAYS).total_seconds()
    if state.kind is Kind.FEED and state.news_at and old:
        return f"{state.kind} has had nothing new since {_day(state.news_at)}"
    return ""


def _dead_end(state: SourceState) -> str:
    """Describe a start page without text, at a site where no source names any URL."""
    if state.kind is not Kind.PAGE or state.outcome != "drop" or not state.read_at:
        return ""
    if state.reason == REDIRECT:
        return f"{state.kind} redirects without end, to {state.detail}; it may require cookies"
    return f"{state.kind} has no text and no link that may be followed: {state.reason}"


def _day(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d}"
