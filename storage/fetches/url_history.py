"""History of single URLs: state, visits with outcomes, and URLs without a document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.database.schema import document, fetch, url, warc_file
from storage.database.transactions import among
from storage.fetches.fetches import OUTCOME, POINTER_COLUMNS, UNCHANGED, of_sites, pointer_of, stream_rows
from storage.frontier.leases import PENDING, SETTLED
from storage.reasons import REMOVED
from storage.records import Kind, Pointer, UrlState

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from storage.database.transactions import AnyRow, Database

MOST_VISITS = 50


@dataclass(frozen=True, slots=True)
class PageVisit:
    """One exchange with a URL: the response and its outcome."""

    fetched_at: datetime
    status: int
    outcome: str
    """``document``, ``drop``, ``unchanged``, as in the fetch table; empty while it awaits processing."""
    reason: str
    detail: str
    version: int | None
    warc: str
    offset: int
    length: int
    record_id: str
    payload_digest: str
    recovered: bool
    """Whether an import found its record by a search after damage, or the end of the record."""

    @property
    def pointer(self) -> Pointer | None:
        """Pointer to the response; None for unchanged responses and removed ones."""
        held = self.warc and self.outcome != UNCHANGED and self.reason != REMOVED
        return Pointer(self.warc, self.offset, self.length, self.record_id, self.payload_digest) if held else None


@dataclass(frozen=True, slots=True)
class UrlHistory:
    """A URL in the frontier and its visits, newest first, at most `MOST_VISITS`."""

    url: str
    site: str
    kind: Kind
    state: UrlState
    reason: str
    """Reason of the last failure; empty if the last attempt succeeded."""
    found_at: datetime
    found_from: str
    """The page that named it first; empty for configured URLs and imported pages."""
    depth: int
    """Number of links from a configured URL, which has 0."""
    next_try: float | None
    """Next (or missed) due time, epoch seconds; None for never."""
    visits: tuple[PageVisit, ...]


@dataclass(frozen=True, slots=True)
class PageWithoutDocument:
    """A fetched page without a document, or (``fetched_at`` None) a URL that was given up or waits for a retry."""

    url: str
    site: str
    reason: str
    detail: str = ""
    fetched_at: datetime | None = None
    next_try: float | None = None
    """Time of the next attempt, epoch seconds; None for pages, and for never."""


@dataclass(frozen=True, slots=True)
class WithoutDocument:
    """Pages without a document, URLs that failed, and URLs that wait for another attempt."""

    pages: list[PageWithoutDocument]
    urls: list[PageWithoutDocument]
    waiting: list[PageWithoutDocument]

    @property
    def all(self) -> list[PageWithoutDocument]:
        """All three lists in one."""
        return [*self.pages, *self.urls, *self.waiting]


@dataclass(frozen=True, slots=True)
class DroppedPage:
    """A page without a document, with reason and pointer."""

    fetch_id: int
    url: str
    site: str
    reason: str
    detail: str
    language: str | None
    fetched_at: datetime
    pointer: Pointer


def find_page(connection: Connection, addresses: Sequence[str]) -> UrlHistory | None:
    """Return the page of the first known URL among these canonical URLs; None if all are unknown.

    A URL is also known if a document states it as canonical.
    """
    known = connection.execute(_PAGES.where(among(connection, url.c.url, addresses))).all()
    known = known or connection.execute(_STATED.where(among(connection, document.c.canonical, addresses))).all()
    if not known:
        return None
    row = min(known, key=lambda each: addresses.index(each.url) if each.url in addresses else len(addresses))
    visits = connection.execute(_VISITS.where(fetch.c.url_id == row.id)).all()
    return UrlHistory(
        url=row.url,
        site=row.site,
        kind=Kind(row.kind),
        state=UrlState(row.state),
        reason=row.reason or "",
        found_at=row.found_at,
        found_from=row.found_from or "",
        depth=row.depth,
        next_try=row.next_try if row.state == UrlState.PENDING else row.due_again,
        visits=tuple(
            PageVisit(
                each.fetched_at,
                each.status,
                each.outcome or "",
                each.reason or "",
                each.detail or "",
                each.version,
                each.warc or "",
                each.warc_offset,
                each.warc_length,
                each.record_id,
                each.payload_digest,
                each.recovered,
            )
            for each in visits
        ),
    )


_parent = url.alias("parent")
_PAGES = sa.select(
    *(url.c[name] for name in ("id", "url", "site", "kind", "state", "reason", "found_at", "depth")),
    url.c.next_try,
    url.c.due_again,
    _parent.c.url.label("found_from"),
).outerjoin_from(url, _parent, _parent.c.id == url.c.found_from)
_STATED = _PAGES.join(document, document.c.url_id == url.c.id).order_by(document.c.id.desc()).limit(1)
_VISITS = (
    sa.select(fetch, warc_file.c.name.label("warc"))
    .outerjoin(warc_file, warc_file.c.id == fetch.c.warc_id)
    .order_by(fetch.c.id.desc())
    .limit(MOST_VISITS)
)


def stream_drops(
    database: Database, *, reasons: Collection[str] | None, sites: Collection[str] | None
) -> Iterator[DroppedPage]:
    """Stream the pages that gave no document, oldest fetch first."""
    statement = (
        sa.select(fetch, *POINTER_COLUMNS[:1], url.c.url.label("key"), url.c.site)
        .outerjoin(url, url.c.id == fetch.c.url_id)
        .outerjoin(warc_file, warc_file.c.id == fetch.c.warc_id)
        .where(OUTCOME == "drop")
    )
    if reasons is not None:
        statement = statement.where(fetch.c.reason.in_(reasons))
    return map(_dropped_page, stream_rows(database, statement, sites))


def _dropped_page(row: AnyRow) -> DroppedPage:
    return DroppedPage(
        fetch_id=row.id,
        url=row.key,
        site=row.site,
        reason=row.reason,
        detail=row.detail or "",
        language=row.language,
        fetched_at=row.fetched_at,
        pointer=pointer_of(row),
    )


def dropped_pages(
    connection: Connection, reasons: Collection[str], sites: Collection[str], run_id: int | None, limit: int | None
) -> list[PageWithoutDocument]:
    """Return the pages that gave no document, newest first. Empty ``reasons`` or ``sites`` mean all."""
    # The index of outcome and reason has the newest of one reason at its end. All reasons are most of the newest rows.
    outcome = fetch.c.outcome if len(reasons) == 1 else OUTCOME
    statement = (
        sa.select(url.c.url, url.c.site, fetch.c.reason, fetch.c.detail, fetch.c.fetched_at)
        .join(url, url.c.id == fetch.c.url_id)
        .where(outcome == "drop")
        .order_by(fetch.c.id.desc())
        .limit(limit)
    )
    statement = statement if run_id is None else statement.where(fetch.c.run_id == run_id)
    statement = statement.where(fetch.c.reason.in_(reasons)) if reasons else statement
    statement = statement.where(of_sites(sites)) if sites else statement
    rows = connection.execute(statement)
    return [PageWithoutDocument(row.url, row.site, row.reason or "", row.detail or "", row.fetched_at) for row in rows]


def failed_urls(
    connection: Connection, reasons: Collection[str], sites: Collection[str], limit: int | None
) -> list[PageWithoutDocument]:
    """Return the URLs that were given up, last found first. Empty ``reasons`` or ``sites`` mean all."""
    given_up = _urls(url.c.due_again).where(SETTLED, url.c.state == UrlState.FAILED)
    return _without(connection, given_up, reasons, sites, limit)


def waiting_urls(
    connection: Connection, reasons: Collection[str], sites: Collection[str], limit: int | None
) -> list[PageWithoutDocument]:
    """Return the URLs that failed so far and wait for a retry, last found first. Empty ``reasons`` or ``sites`` mean
    all.
    """
    waiting = _urls(url.c.next_try).where(PENDING, url.c.reason.is_not(None))
    return _without(connection, waiting, reasons, sites, limit)


def _urls(again: sa.Column[float]) -> sa.Select[tuple[str, str, str | None, float | None]]:
    return sa.select(url.c.url, url.c.site, url.c.reason, again.label("again"))


def _without(
    connection: Connection,
    statement: sa.Select[tuple[str, str, str | None, float | None]],
    reasons: Collection[str],
    sites: Collection[str],
    limit: int | None,
) -> list[PageWithoutDocument]:
    statement = statement.where(url.c.reason.in_(reasons)) if reasons else statement
    statement = statement.where(url.c.site.in_(sites)) if sites else statement
    rows = connection.execute(statement.order_by(url.c.id.desc()).limit(limit))
    return [PageWithoutDocument(row.url, row.site, row.reason or "", next_try=row.again) for row in rows]
