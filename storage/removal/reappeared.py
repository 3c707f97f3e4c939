"""Find removed texts that are in the corpus again.

They were put back by hand or by another program, or missed by an earlier release that knew fewer spellings.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import sqlalchemy as sa

from storage.blocklist.author_keys import author_keys
from storage.blocklist.tombstones import (
    AUTHOR,
    DOMAIN,
    PAGE,
    domains_of,
    loose_key,
    mark_removed,
    page_key,
    refused,
    standing,
)
from storage.database.schema import document, removal, removed_document, tombstone, url
from storage.database.transactions import insert_many, upsert

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.engine import Connection

PAGE_OF_ROWS = 500


class BlockedDocument(NamedTuple):
    """A blocked document."""

    public_id: str
    url_id: int
    url: str
    author: str | None


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
