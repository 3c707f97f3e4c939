"""URLs after a change of the link rules: queued ones that they now refuse, and refused ones that they now allow.

Whether a browser renders the pages of a site is one of its link rules: a rendered page has other links.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.database.schema import fetch, site, url
from storage.database.transactions import chunks, upsert
from storage.frontier.leases import LEASE_COLUMNS, PENDING, SETTLED, lease_of
from storage.frontier.new_links import CLEAN_SLATE
from storage.reasons import SCRIPT_ONLY
from storage.records import UrlState

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from sqlalchemy.engine import Connection

    from storage.records import Lease

ROWS = 1000
"""Rows that are read at a time. A queue may have millions."""
_other = fetch.alias("other")


@dataclass(frozen=True, slots=True)
class RuleChange:
    """Ids of the URLs of a site that its changed link rules take out of the queue, and of those that they let in.

    Those let in were refused, or were pages without text that a browser renders now.
    """

    taken_out: list[int] = field(default_factory=list)
    let_in: list[int] = field(default_factory=list)


def followed(connection: Connection) -> dict[str, str]:
    """Return for each site the digest of the link rules that its queue follows. Empty: unknown."""
    statement = sa.select(site.c.name, site.c.link_rules).where(site.c.link_rules.is_not(None))
    return {row.name: row.link_rules for row in connection.execute(statement)}


def note_followed(connection: Connection, digests: Mapping[str, str]) -> None:
    """Store the digests of the link rules that the queues of these sites follow, by site."""
    insert = upsert(connection, site)
    values = {"link_rules": insert.excluded.link_rules}
    rows = [{"name": name, "link_rules": digest} for name, digest in sorted(digests.items())]
    if rows:
        connection.execute(insert.on_conflict_do_update(index_elements=["name"], set_=values), rows)


def compare(
    connection: Connection,
    sites: Collection[str],
    is_in_scope: Callable[[Lease, bool], bool],
    rendered: Collection[str] = (),
) -> dict[str, RuleChange]:
    """Return for each site the queued URLs that are no longer in scope, and those that are in scope again.

    The second argument of ``is_in_scope`` says whether the URL was read before. ``rendered``: those of the sites whose
    pages a browser renders. Nothing is changed.
    """
    changes = {site: RuleChange() for site in sites}
    pending, refused = PENDING, sa.and_(SETTLED, url.c.state == UrlState.OUT_OF_SCOPE)
    for state in (pending, refused):
        statement = sa.select(*LEASE_COLUMNS).where(url.c.site.in_(sites), state)
        for row in connection.execute(statement.execution_options(yield_per=ROWS)):
            if is_in_scope(lease_of(row), row.reads > 0) is (state is refused):
                change = changes[row.site]
                (change.let_in if state is refused else change.taken_out).append(row.lease_id)
    if not (now_rendered := set(rendered).intersection(sites)):
        return changes
    last = sa.select(sa.func.max(_other.c.id)).where(_other.c.url_id == url.c.id).scalar_subquery()
    empty = sa.select(url.c.id, url.c.site).join(fetch, fetch.c.url_id == url.c.id)
    empty = empty.where(url.c.site.in_(now_rendered), url.c.state == UrlState.DONE)
    empty = empty.where(fetch.c.outcome == "drop", fetch.c.reason == SCRIPT_ONLY, fetch.c.id == last)
    for url_id, name in connection.execute(empty):
        changes[name].let_in.append(url_id)
    return changes


def follow(connection: Connection, changes: Mapping[str, RuleChange], rules: Mapping[str, str]) -> None:
    """Set the URLs to out of scope, with the digest of their site's ``rules`` as reason, or to pending."""
    for name, change in changes.items():
        out = {"state": UrlState.OUT_OF_SCOPE, "reason": rules.get(name, "")}
        _set(connection, change.taken_out, PENDING, out)
        _set(connection, change.let_in, url.c.state.in_([UrlState.OUT_OF_SCOPE, UrlState.DONE]), CLEAN_SLATE)


def _set(
    connection: Connection, url_ids: list[int], still: sa.ColumnElement[bool], values: Mapping[str, object]
) -> None:
    for part in chunks(url_ids):
        connection.execute(sa.update(url).where(url.c.id.in_(part), still).values(values))
