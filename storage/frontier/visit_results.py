"""Settle URLs after a visit: done or failed, with the next due time.

`storage.frontier.recrawl_schedule` decides. This module reads its input from the frontier and stores its result.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import sqlalchemy as sa

from storage.database.schema import url
from storage.database.transactions import among, chunks
from storage.frontier.leases import UNNAMED_PRIORITY
from storage.frontier.recrawl_schedule import End, Habit, Visit, moment
from storage.reasons import GONE, LISTING, NO_ARTICLE, REDIRECT, REFUSED, UNCHANGED_TEXT, is_fault, may_pass
from storage.records import Kind, UrlState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.engine import Connection

    from storage.database.transactions import AnyRow
    from storage.frontier.recrawl_schedule import Schedule

SECTION_DEPTH = 1
"""Depth of section pages: lists that a start page links to are sources. Deeper ones are too many."""
SUBSECTION_DEPTH = 3
"""Depth of lists below the path of a section: ``/sport/football/`` of ``/sport/``."""
ROOT_SLASHES = 2
"""Slashes of the root of a host, without the last one."""
MAX_SUBSECTIONS = 20
"""Subsections of one section. An index of tags or authors has hundreds of lists."""
SECTION_PRIORITY = 8
"""Priority of section pages: above the articles that they name, below start pages and feeds.

The sources of a site are read first, so that a run knows early how many new pages they name.
"""
_HABIT = ("period", "unchanged", "failures", "reads", "read_at", "news_at")
_source, _named = url.alias("source"), url.alias("named")
_FOUND_IN = sa.select(_source.c.kind).where(_source.c.id == url.c.found_from).scalar_subquery().label("found_in")
_NAMES = sa.exists().where(_named.c.found_from == url.c.id, _named.c.kind == Kind.PAGE).label("names_pages")
_COLUMNS = (
    *(url.c.id, url.c.kind, url.c.seed, url.c.depth, url.c.priority, url.c.dated, url.c.found_at),
    *(_FOUND_IN, _NAMES, url.c.url, url.c.found_from),
)


@dataclass(frozen=True, slots=True)
class VisitEnd:
    """The end of a visit: ``outcome`` as in the fetch table, reason, links found, publication date as stated."""

    url_id: int
    now: float
    outcome: str
    reason: str | None = None
    links: Sequence[str] = ()
    published: str | None = None


def settle(connection: Connection, schedule: Schedule, ended: Sequence[VisitEnd], held: UrlState) -> None:
    """Set URLs in state ``held`` to done or failed, with the next due time. Store the links of the visit before."""
    rows = _rows(connection, [each.url_id for each in ended])
    changes = []
    subsections = Counter[int]()
    for each in ended:
        if row := rows.get(each.url_id):
            source = is_source(each, row)
            if not source and _is_subsection(connection, each, row, subsections[row.found_from]):
                source = True
                subsections[row.found_from] += 1
            news = source and _brings_news(connection, each, row)
            changes.append(_change(schedule, each, row, source=source, news=news))
    if changes:
        new: dict[str, Any] = {
            name: sa.bindparam(f"new_{name}") for name in (*_HABIT, "state", "due_again", "dated", "priority")
        }
        here = url.c.id == sa.bindparam("of_url"), url.c.state == held
        connection.execute(sa.update(url).where(*here).values(new), changes)


def _rows(connection: Connection, url_ids: Sequence[int]) -> dict[int, AnyRow]:
    statement = sa.select(*_COLUMNS, *(url.c[name] for name in _HABIT))
    return {
        row.id: row
        for part in chunks(sorted(set(url_ids)))
        for row in connection.execute(statement.where(among(connection, url.c.id, part)))
    }


def is_source(ended: VisitEnd, row: AnyRow) -> bool:
    """Return whether a URL is read for its links: a configured URL, a feed, a sitemap or a section page.

    A section page is a list. One with few headlines has too little text for a list, so it counts if it was the first to
    name a page. A section page stays a source after any answer. An error, a login page or a redirect of one night must
    not end the search for its articles.
    """
    section = _is_list(ended, row) and row.depth <= SECTION_DEPTH
    return bool(row.seed or row.kind != Kind.PAGE or section or row.period > 0)


def _is_list(ended: VisitEnd, row: AnyRow) -> bool:
    return ended.reason == LISTING or (ended.reason == NO_ARTICLE and bool(row.names_pages))


def _is_subsection(connection: Connection, ended: VisitEnd, row: AnyRow, siblings: int) -> bool:
    """Return whether a page is a list that a section names, below the section's path.

    Further pages of a list and archives have digits or a query. They are no subsections. ``siblings``: subsections of
    the same section among the visits that are settled together.
    """
    if row.depth > SUBSECTION_DEPTH or not _is_list(ended, row):
        return False
    parent = connection.execute(sa.select(url.c.url).where(url.c.id == row.found_from, url.c.period > 0)).first()
    path = parent.url.partition("?")[0].rstrip("/") if parent and row.found_in == Kind.PAGE else ""
    below = row.url.removeprefix(f"{path}/") if path.count("/") > ROOT_SLASHES else row.url
    if below == row.url or not below or any(character.isdigit() or character == "?" for character in unquote(below)):
        return False
    known = sa.select(url.c.id).where(url.c.found_from == row.found_from, url.c.period > 0, url.c.kind == Kind.PAGE)
    return siblings + len(connection.execute(known.limit(MAX_SUBSECTIONS)).all()) < MAX_SUBSECTIONS


def _brings_news(connection: Connection, ended: VisitEnd, row: AnyRow) -> bool:
    """Return whether a source names a URL that was unknown at its last visit, whichever source named it first."""
    if not ended.links:
        return False
    if not row.reads:
        return True
    newer = url.c.found_at > datetime.fromtimestamp(row.read_at, UTC)
    for part in chunks(sorted(ended.links)):
        found = sa.select(url.c.id).where(among(connection, url.c.url, part), newer).limit(1)
        if connection.execute(found).first():
            return True
    return False


def _change(schedule: Schedule, ended: VisitEnd, row: AnyRow, *, source: bool, news: bool) -> dict[str, Any]:
    dated = row.dated or moment(ended.published)
    visit = Visit(
        ended.now, _end(ended, source=source, news=news), source, Kind(row.kind), row.dated, _born(ended, row)
    )
    habit, due_again = schedule.after(Habit(*(getattr(row, name) for name in _HABIT)), visit)
    state = UrlState.FAILED if ended.outcome == "failed" else UrlState.DONE
    is_section = source and row.kind == Kind.PAGE and not row.seed
    return {f"new_{name}": getattr(habit, name) for name in _HABIT} | {
        "of_url": row.id,
        "new_state": state,
        "new_due_again": due_again,
        "new_dated": dated,
        "new_priority": max(row.priority, SECTION_PRIORITY) if is_section else row.priority,
    }


def _born(ended: VisitEnd, row: AnyRow) -> float | None:
    """Return the time from which the age of an article counts; None if the page is none, or its age is unknown.

    A page that gave no article yet is as old as its first naming, because its text is missing at any date.
    Sitemaps do not count, because they name the whole archive.
    """
    missing = ended.outcome == "drop" and may_pass(ended.reason or "")
    is_article = ended.outcome in {"document", "unchanged"} or ended.reason == UNCHANGED_TEXT
    # An article that no source names is not news.
    if row.priority <= UNNAMED_PRIORITY or not (missing or is_article):
        return None
    dated = row.dated or moment(ended.published)
    is_listed = row.priority > 0 or (missing and row.found_in == Kind.PAGE)
    found = row.found_at.timestamp() if is_listed else 0.0
    return (max(dated, found) if missing else dated or found) or None


def _end(ended: VisitEnd, *, source: bool, news: bool) -> End:
    """Classify the end of a visit. A response that a source should not give counts as a failure of the source."""
    if ended.outcome == "failed" and ended.reason in REFUSED:
        return End.REFUSED
    if ended.outcome == "failed":
        return End.FAILED
    if not source:
        return End.READ
    if ended.reason in GONE:
        return End.GONE
    if ended.outcome == "drop" and is_fault(ended.reason or ""):
        return End.FAILED
    if news:
        return End.NEWS
    return End.MOVED if ended.reason == REDIRECT else End.NOTHING
