"""Read what the decision on fetched pages needs: fetches, versions, possible copies, removals. Read-only."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.blocklist.author_keys import author_keys
from storage.blocklist.tombstones import AUTHOR, refused, standing
from storage.database.schema import document, document_text, fetch, fingerprint, scheme, url
from storage.database.transactions import among, chunks
from storage.documents.decider import KnownPages, PossibleCopy, Target, Version, Versions
from storage.documents.shortened import may_be_part
from storage.documents.site_models import learned_model, own_lines
from storage.frontier.new_links import MAX_HOPS
from storage.reasons import REMOVED, SHORTENED
from storage.records import Drop, Fingerprint, Lease, Processed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from sqlalchemy.engine import Connection

    from storage.database.transactions import AnyRow

MAX_COMPARED_PEERS = 100
"""Newest documents with one canonical URL that a page is compared with.

Some templates state one URL on all pages of a site. Comparing all of them would take quadratic time.
"""


def targets_of(connection: Connection, fetch_ids: Iterable[int], *, again: bool) -> list[Target]:
    """Return the fetches to decide on, oldest first: those without an outcome, or (``again``) all of them."""
    statement = (
        sa.select(*_TARGET)
        .join(url, url.c.id == fetch.c.url_id)
        .outerjoin(document, document.c.fetch_id == fetch.c.id)
        .order_by(fetch.c.id)
    )
    if not again:
        statement = statement.where(fetch.c.outcome.is_(None))
    return [
        Target(*row)
        for part in chunks(sorted(fetch_ids))
        for row in connection.execute(statement.where(fetch.c.id.in_(part)))
    ]


_TARGET = (
    *(fetch.c.id, fetch.c.url_id, url.c.url, url.c.site, fetch.c.fetched_at, fetch.c.version, document.c.id),
    sa.func.coalesce(fetch.c.reason, "") == SHORTENED,
    sa.func.coalesce(fetch.c.reason, ""),
)


def known_of(
    connection: Connection, targets: Sequence[Target], items: Mapping[int, tuple[Lease, Processed]]
) -> KnownPages:
    """Read the stored data about the pages of a group."""
    made = [(target, found) for target in targets if (found := items[target.fetch_id][1].document)]
    pages = {found.metadata.canonical or target.url for target, found in made}
    new = {target.url_id: len(found.text) for target, found in made if target.document_id is None}
    lines = own_lines(connection, {learned_model(found.site_model) for _, found in made} - {""})
    compared = {target.url_id for target, found in made if learned_model(found.site_model) in lines}
    targeted = {
        target.url_id
        for target in targets
        for lease, processed in (items[target.fetch_id],)
        if lease.hops and any(link.redirect for link in processed.links)
    }
    versions = _versions(connection, targets, new, compared)
    return KnownPages(versions, _peers(connection, pages), lines, _redirected(connection, targeted))


def _redirected(connection: Connection, url_ids: Collection[int]) -> dict[int, set[str]]:
    """Return the URLs whose redirects led to each URL.

    Configured URLs are left out: each redirect of theirs is followed again.
    """
    source = url.alias("source")
    columns = (url.c.id, source.c.id.label("source_id"), source.c.url, source.c.hops)
    step = sa.select(*columns).join(source, source.c.id == url.c.found_from).where(url.c.seed.is_(False))
    found: dict[int, set[str]] = defaultdict(set)
    places = {url_id: url_id for url_id in url_ids}
    for _ in range(MAX_HOPS):
        rows = {
            row.id: row
            for part in chunks(sorted({*places.values()}))
            for row in connection.execute(step.where(among(connection, url.c.id, part)))
        }
        came = {url_id: rows[at] for url_id, at in places.items() if at in rows}
        for url_id, row in came.items():
            found[url_id].add(row.url)
        places = {url_id: row.source_id for url_id, row in came.items() if row.hops}
    return found


_PRINT = (fingerprint.c.exact, fingerprint.c.sketch, fingerprint.c.shingles, scheme.c.name.label("scheme"))


def _print_of(row: AnyRow) -> Fingerprint:
    return Fingerprint(row.scheme, bytes(row.exact), row.shingles, bytes(row.sketch))


def _printed(statement: sa.Select[tuple[object, ...]]) -> sa.Select[tuple[object, ...]]:
    joined = statement.join(fingerprint, fingerprint.c.id == document.c.fingerprint_id)
    return joined.join(scheme, scheme.c.id == fingerprint.c.scheme_id)


def _versions(
    connection: Connection, targets: Sequence[Target], new: Mapping[int, int], compared: Collection[int]
) -> Versions:
    """Read the versions of the pages of a group.

    ``new``: characters of the new text of a URL. ``compared``: URLs whose last text is compared line by line.
    """
    versions = Versions()
    numbers = sa.select(fetch.c.url_id, sa.func.max(fetch.c.version)).group_by(fetch.c.url_id)
    marked = fetch.c.reason == SHORTENED
    columns = (document.c.id, document.c.url_id, document.c.fetch_id, document.c.version, document.c.chars, *_PRINT)
    stored = sa.select(*columns, marked.label("shortened")).select_from(document)
    stored = _printed(stored.join(fetch, fetch.c.id == document.c.fetch_id))
    for part in chunks(sorted({target.url_id for target in targets})):
        there = numbers.where(fetch.c.url_id.in_(part), fetch.c.version.is_not(None))
        versions.highest.update((url_id, highest) for url_id, highest in connection.execute(there))
    for part in chunks(sorted(versions.highest)):
        rows = connection.execute(stored.where(document.c.url_id.in_(part)).order_by(document.c.fetch_id)).all()
        longer = [row.id for row in rows if row.url_id in new and may_be_part(new[row.url_id], row.chars)]
        last = {row.url_id: row.id for row in rows if row.url_id in compared and row.url_id in new}
        texts: dict[int, str] = {}
        for some in chunks(sorted({*longer, *last.values()})):
            read = sa.select(document_text.c.document_id, document_text.c.text)
            found = connection.execute(read.where(document_text.c.document_id.in_(some)))
            texts.update((number, text) for number, text in found)
        for row in rows:
            version = Version(row.version, _print_of(row), texts.get(row.id, ""), bool(row.shortened))
            versions.stored[row.url_id][row.fetch_id] = version
    return versions


def _peers(connection: Connection, pages: set[str]) -> dict[str, list[PossibleCopy]]:
    columns = (document.c.url_id, url.c.url, document.c.site, document.c.canonical, *_PRINT)
    statement = _printed(sa.select(*columns).select_from(document.join(url, url.c.id == document.c.url_id)))
    current = statement.where(document.c.superseded.is_(False))
    peers: dict[str, dict[int, PossibleCopy]] = defaultdict(dict)
    for part in chunks(sorted(pages)):
        crowded = connection.execute(_CROWDED.where(among(connection, document.c.canonical, part))).scalars().all()
        sparse = among(connection, document.c.canonical, [page for page in part if page not in crowded])
        newest = (
            current.where(document.c.canonical == page).order_by(document.c.id.desc()).limit(MAX_COMPARED_PEERS)
            for page in crowded
        )
        for query in (current.where(among(connection, url.c.url, part)), current.where(sparse), *newest):
            for row in connection.execute(query):
                peer = PossibleCopy(row.url_id, row.url, row.site, _print_of(row))
                for address in {row.url, row.canonical} & pages:
                    peers[address][row.url_id] = peer
    return {address: list(found.values()) for address, found in peers.items()}


_CROWDED = (
    sa.select(document.c.canonical)
    .group_by(document.c.canonical)
    .having(sa.func.count() > sa.literal(MAX_COMPARED_PEERS))
)


def withheld(
    connection: Connection, targets: Sequence[Target], items: Mapping[int, tuple[Lease, Processed]]
) -> dict[int, tuple[Lease, Processed]]:
    """Return the outcomes of a group, with a drop in place of every document that was removed on request."""
    made = {target.fetch_id: items[target.fetch_id][1].document for target in targets}
    canonical = {fetch_id: (each.metadata.canonical or "") if each else "" for fetch_id, each in made.items()}
    authors = {fetch_id: author_keys(each.metadata.author if each else None) for fetch_id, each in made.items()}
    away = refused(connection, {*(target.url for target in targets), *canonical.values()} - {""})
    claimed = _claimants(connection, away.intersection(canonical.values()))
    known = standing(connection, AUTHOR, {key for keys in authors.values() for key in keys})

    def is_removed(target: Target) -> bool:
        # A page belongs to the removal of its canonical URL only if no other page states it.
        claimants = claimed.get(canonical[target.fetch_id])
        alone = claimants is not None and claimants <= {target.url_id}
        return target.url in away or alone or not known.isdisjoint(authors[target.fetch_id])

    removed = {target.fetch_id for target in targets if is_removed(target)}
    return {
        fetch_id: (lease, Processed(drop=Drop(REMOVED)) if fetch_id in removed else processed)
        for fetch_id, (lease, processed) in items.items()
    }


def _claimants(connection: Connection, pages: Collection[str]) -> dict[str, set[int]]:
    """Return the URLs whose current texts state each of these canonical URLs.

    If several do, the address is no page's own, and none of them belongs to its removal.
    """
    found: dict[str, set[int]] = {page: set() for page in pages}
    current = sa.select(document.c.canonical, document.c.url_id).where(document.c.superseded.is_(False))
    for part in chunks(sorted(pages)):
        for row in connection.execute(current.where(among(connection, document.c.canonical, part))):
            found[row.canonical].add(row.url_id)
    return found
