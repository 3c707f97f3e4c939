"""Signs that something is wrong with one source of a site: a feed, a sitemap or a start page. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from pipelines.urls import TO_ITSELF
from storage.records import Kind, UrlState
from storage.tombstones import REMOVED
from storage.visits import FAULTS, GONE, REFUSED

if TYPE_CHECKING:
    from corpus_spider.signs import Case
    from storage.sources import SourceState

STALE_DAYS = 30
NIGHTS_IN_VAIN = 2
LEADS_OUT, LEADS_ON, SCRIPTED, TOO_SLOW = "redirect_refused", "redirect", "script_only", "crawl_delay"


def source_words(case: Case, state: SourceState) -> str:
    """Say what is wrong with a source of a site; nothing when it is well."""
    if state.reason == REMOVED:
        return ""  # Taken out on request, which nobody has to be told of each night.
    lasts = f", last read {_day(state.read_at)}" if state.read_at else ", never read"
    if (state.state is UrlState.FAILED and state.reason in REFUSED) or state.reason == TOO_SLOW:
        return f"{state.kind} may not be asked for: {state.reason}"
    if state.reason in GONE:
        return f"{state.kind} is gone: {state.reason}{lasts}"
    if state.reason == LEADS_OUT:
        if state.detail == TO_ITSELF:
            return f"{state.kind} leads to itself, as where cookies are asked for{lasts}"
        return f"{state.kind} leads out of the site, to {state.detail or 'nowhere'}{lasts}"
    if _is_broken(state) and state.failures >= NIGHTS_IN_VAIN:
        return f"{state.kind} failed {state.failures} times in a row: {state.reason}{lasts}"
    due = [night for night in case.nights if night.whole and night.started.timestamp() >= state.due]
    if state.state is UrlState.PENDING and len(due) >= NIGHTS_IN_VAIN:
        return f"{state.kind} was due in {len(due)} nights and not read: {_waits(case, state)}{lasts}"
    # What a page leads to that another site has, which is crawled for that one, shows there.
    own = state.site in {"", case.site}
    return _useless(case, state) or (_leads_nowhere(state) if case.barren and own else "")


def _waits(case: Case, state: SourceState) -> str:
    """Return why a source waits: what keeps a host from being asked is noted where it was tried, and the rest waits."""
    others = (other.reason for _, other in case.sources if other and other.state is UrlState.PENDING and other.reason)
    return state.reason or next(others, "no run got to it")


def _is_broken(state: SourceState) -> bool:
    return state.state is UrlState.FAILED or state.reason.startswith(FAULTS)


def in_vain(state: SourceState) -> bool:
    """Say whether the last try at a source brought nothing."""
    return _is_broken(state) or (state.state is UrlState.PENDING and bool(state.reason))


def _useless(case: Case, state: SourceState) -> str:
    """Say of a source that was read that it leads nowhere."""
    if state.kind is not Kind.PAGE and state.outcome == "drop" and state.detail == "0 links":
        return f"{state.kind} has no links to the site, or is none"
    if state.kind is Kind.PAGE and state.reason == SCRIPTED and (case.barren or not state.news_at):
        return f"{state.kind} shows nothing without scripts; `render = true` has a browser run them"
    old = state.read_at - state.news_at > timedelta(days=STALE_DAYS).total_seconds()
    if state.kind is Kind.FEED and state.news_at and old:
        return f"{state.kind} has had nothing new since {_day(state.news_at)}"
    return ""


def _leads_nowhere(state: SourceState) -> str:
    """Say of a page without a text what it is instead, where no source of its site names anything."""
    if state.kind is not Kind.PAGE or state.outcome != "drop" or not state.read_at:
        return ""
    if state.reason == LEADS_ON:
        return f"{state.kind} leads on and on, as where cookies are asked for: to {state.detail}"
    return f"{state.kind} has no text and no link that may be followed: {state.reason}"


def _day(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d}"
