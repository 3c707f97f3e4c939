"""Record of the removals: their rows, their tombstones, and the ids of their documents. Called in a transaction.

- Declare a request: nothing of it comes in again.
- Take back removed texts that are in the corpus again. They were put back by hand or by another program, or missed by
an earlier release that knew fewer spellings.
- Lift a removal: its pages may be fetched again. Its texts were deleted and return only by a new crawl. The removal and
the ids of its documents stay on record. A second row of the kind ``undo`` records when and why it was lifted.
"""

from __future__ import annotations

import uuid
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa

from storage.blocklist.author_keys import author_key, author_keys
from storage.blocklist.tombstones import (
    AUTHOR,
    DOMAIN,
    PAGE,
    add_tombstones,
    domains_of,
    loose_key,
    mark_removed,
    page_key,
    refused,
    standing,
)
from storage.database.schema import document, fetch, removal, removed_document, tombstone, url
from storage.database.transactions import chunks, insert_many, upsert
from storage.documents.healing import forget_author
from storage.errors import ConfigError
from storage.frontier.leases import SETTLED
from storage.frontier.new_links import CLEAN_SLATE
from storage.reasons import REMOVED
from storage.removal.affected_pages import RequestKind, is_below

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sqlalchemy.engine import Connection

    from storage.database.transactions import AnyRow
    from storage.removal.affected_pages import AffectedPages, RemovalRequest

MAX_LISTED_IDS = 20
"""Ids in an error message, the newest."""
UNDO = "undo"
"""Kind of the row that records a lifted removal. Its value is the id of that removal."""
PAGE_OF_ROWS = 500


@dataclass(frozen=True, slots=True)
class LiftReport:
    """Result of lifting a removal: what it was, its tombstones, and the URLs that the next crawl fetches."""

    id: int
    kind: str
    value: str
    asked: datetime
    tombstones: int
    pages: int


class BlockedDocument(NamedTuple):
    """A blocked document."""

    public_id: str
    url_id: int
    url: str
    author: str | None


def removal_mark(connection: Connection) -> str:
    """Return a text that changes when a removal is declared and when it is finished."""
    counted = sa.select(sa.func.count(), sa.func.count(removal.c.finished)).select_from(removal)
    declared, finished = connection.execute(counted).one()
    return f"{declared} declared, {finished} finished"


def declare(connection: Connection, token: str, request: RemovalRequest, found: AffectedPages) -> None:
    """Add the row of a request, its tombstones and the ids of its documents, and mark its pages as removed."""
    value = kept_value(request)
    row: dict[str, Any] = {"token": token, "kind": request.kind.value, "value": value, "reason": request.reason}
    row |= {"asked": datetime.now(UTC), "pages": len(found.url_ids), "documents": len(found.documents)}
    connection.execute(upsert(connection, removal).on_conflict_do_nothing(index_elements=["token"]), row)
    removal_id = int(connection.execute(sa.select(removal.c.id).where(removal.c.token == token)).scalar_one())
    add_tombstones(connection, removal_id, _stones(request, value, found))
    rows = [{"public_id": each, "removal_id": removal_id} for each in found.documents]
    insert_many(connection, upsert(connection, removed_document).on_conflict_do_nothing(), rows)
    mark_removed(connection, found.url_ids)
    if request.kind is RequestKind.AUTHOR:
        forget_author(connection, author_key(request.value))
    for part in chunks(found.strays):
        connection.execute(sa.update(fetch).where(fetch.c.id.in_(part)).values(reason=REMOVED))
    found.removal = removal_id


def kept_value(request: RemovalRequest) -> str:
    """Return the stored value of a request: a hash for an author."""
    return author_key(request.value) if request.kind is RequestKind.AUTHOR else request.value


def _stones(request: RemovalRequest, value: str, found: AffectedPages) -> Iterable[tuple[str, str]]:
    pages = [each for each in (*found.urls, *found.unseen) if not is_below(request, each)]
    pages += [value] if request.kind is RequestKind.URL else []
    yield from ((PAGE, key(each)) for each in pages for key in (page_key, loose_key))
    if request.kind is RequestKind.DOMAIN:
        yield DOMAIN, value
    elif request.kind is RequestKind.AUTHOR and value:
        yield AUTHOR, value


_DOCUMENTS = (
    sa.select(document.c.id, document.c.public_id, document.c.url_id, url.c.url, document.c.author)
    .join(url, url.c.id == document.c.url_id)
    .where(document.c.id > sa.bindparam("after"))
    .order_by(document.c.id)
    .limit(PAGE_OF_ROWS)
)


def returned(connection: Connection) -> Iterator[BlockedDocument]:
    """Yield the documents whose address, domain or author has a tombstone, a page of rows at a time."""
    if connection.execute(sa.select(tombstone.c.kind).limit(1)).first() is None:
        return
    after = 0
    while rows := connection.execute(_DOCUMENTS, {"after": after}).all():
        away = refused(connection, {row.url for row in rows})
        keys = {author: author_keys(author) for author in {row.author for row in rows}}
        known = standing(connection, AUTHOR, {key for some in keys.values() for key in some})
        for row in rows:
            if row.url in away or not known.isdisjoint(keys[row.author]):
                yield BlockedDocument(*row[1:])
        after = rows[-1].id


def take_back(connection: Connection) -> list[str]:
    """Assign such documents to their removals, which become unfinished; return their ids."""
    found = list(returned(connection))
    removals = {each.public_id: _removal_of(connection, each) for each in found}
    rows = [{"public_id": each, "removal_id": removal_id} for each, removal_id in removals.items()]
    insert_many(connection, upsert(connection, removed_document).on_conflict_do_nothing(), rows)
    mark_removed(connection, {each.url_id for each in found})
    for removal_id, number in Counter(removals.values()).items():
        # Their number tells `finish` that there is something to clear, also if the request matched nothing at first.
        values = {"finished": None, "deferred": False, "pages": removal.c.pages + number}
        connection.execute(sa.update(removal).where(removal.c.id == removal_id).values(values))
    return list(removals)


def _removal_of(connection: Connection, found: BlockedDocument) -> int:
    """Return the id of the first removal that covers a document."""
    values = {PAGE: {page_key(found.url), loose_key(found.url)}, DOMAIN: set(domains_of(found.url))}
    values[AUTHOR] = author_keys(found.author)
    stones = [sa.and_(tombstone.c.kind == kind, tombstone.c.value.in_(some)) for kind, some in values.items()]
    return int(connection.execute(sa.select(sa.func.min(tombstone.c.removal_id)).where(sa.or_(*stones))).scalar_one())


def lift(connection: Connection, removal_id: int, reason: str) -> LiftReport:
    """Delete the tombstones of a removal and queue its pages. Other removals keep what they block.

    Raises ConfigError for an unknown, unfinished or lifted removal.
    """
    known = {row.id: row for row in connection.execute(sa.select(removal).order_by(removal.c.id))}
    lifted = {int(row.value): row.asked for row in known.values() if row.kind == UNDO}
    there = _require_standing(removal_id, known, lifted)
    blocked = _removed_urls(connection)
    away = refused(connection, blocked.values())
    others = [row for row in known.values() if row.kind != UNDO and row.id not in {removal_id, *lifted}]
    for other in others:
        _hand_over(connection, removal_id, other)
    stones = connection.execute(sa.delete(tombstone).where(tombstone.c.removal_id == removal_id)).rowcount
    still = refused(connection, blocked.values())
    # A page that was dropped for its author later has no tombstone of its own.
    by_author = there.kind == AUTHOR and not connection.execute(_ANY_AUTHOR).first()
    free = [number for number, address in blocked.items() if address not in still and (address in away or by_author)]
    for part in chunks(free):
        connection.execute(sa.update(url).where(url.c.id.in_(part)).values(CLEAN_SLATE | {"hops": 0}))
    now = datetime.now(UTC)
    row = {"token": uuid.uuid4().hex, "kind": UNDO, "value": str(removal_id), "reason": reason, "asked": now}
    connection.execute(sa.insert(removal).values(row | {"finished": now, "pages": len(free), "documents": 0}))
    return LiftReport(removal_id, there.kind, there.value, there.asked, stones, len(free))


_ANY_AUTHOR = sa.select(tombstone.c.value).where(tombstone.c.kind == AUTHOR).limit(1)


def _require_standing(removal_id: int, known: Mapping[int, AnyRow], lifted: Mapping[int, datetime]) -> AnyRow:
    where, there = f"--undo {removal_id}", known.get(removal_id)
    if there is None or there.kind == UNDO:
        numbers = [str(row.id) for row in known.values() if row.kind != UNDO and row.id not in lifted]
        do = (
            f"Removals that can be lifted: {', '.join(numbers[-MAX_LISTED_IDS:])}."
            if numbers
            else "There is no removal."
        )
        raise ConfigError("no removal has this id", where=where, do=do)
    if removal_id in lifted:
        what = f"this removal was lifted on {lifted[removal_id].date().isoformat()}"
        raise ConfigError(what, where=where, do="Nothing is left to do. The next crawl may fetch its pages again.")
    if there.finished is None:
        do = "Run `corpus-spider remove` first. It finishes the removal."
        what = "this removal was deferred" if there.deferred else "this removal was interrupted"
        raise ConfigError(what, where=where, do=do)
    return there


def _removed_urls(connection: Connection) -> dict[int, str]:
    rows = connection.execute(sa.select(url.c.id, url.c.url).where(SETTLED, url.c.reason == REMOVED))
    return {row.id: row.url for row in rows}


def _hand_over(connection: Connection, removal_id: int, other: AnyRow) -> None:
    """Give the tombstones that another removal needs too to that removal. They were stored once, with the first."""
    if other.kind == DOMAIN or other.kind == AUTHOR:
        needed = tombstone.c.kind == other.kind, tombstone.c.value == other.value
    else:
        keys = {page_key(other.value), loose_key(other.value)}
        needed = tombstone.c.kind == PAGE, tombstone.c.value.in_(keys)
    own = sa.update(tombstone).where(tombstone.c.removal_id == removal_id, *needed)
    connection.execute(own.values(removal_id=other.id))
