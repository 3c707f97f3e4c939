"""The *processed* transaction: turn fetched pages into documents or drops."""

from __future__ import annotations

import hashlib
import logging
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.database.schema import document, document_text
from storage.database.transactions import chunks, insert_many, insert_rows, serialise, upsert
from storage.documents import duplicates
from storage.documents.decider import Outcomes, Target, Version, decide
from storage.documents.document_rows import document_outcome, document_row, set_outcomes, text_row
from storage.documents.duplicates import DuplicateRank
from storage.documents.known_pages import known_of, targets_of, withheld
from storage.documents.rereading import read_again_row, renew_fuller, renew_statements
from storage.documents.succession import HAS_SUCCESSOR
from storage.documents.withdrawal import prints_of, remove_pages, store_drops
from storage.frontier.new_links import FoundLink, add_links
from storage.frontier.visit_results import VisitEnd, settle
from storage.reasons import REMOVED
from storage.records import Document, Drop, Lease, Processed, UrlState

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from sqlalchemy.engine import Connection

    from storage.database.rejected_rows import NotStorableError
    from storage.frontier.recrawl_schedule import Schedule

logger = logging.getLogger(__name__)

Item = tuple[int, Lease, Processed]
NOT_STORABLE = "not_storable"
_TURN = 0x636F7270_70726F63


def public_id(url: str, version: int) -> str:
    """Return the permanent id of a document: 32 hex digits of the SHA-256 of its canonical URL and version."""
    return hashlib.sha256(f"{url}\n{version}".encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class WriteResult:
    """Result of a group by fetch id: the drops, and how many links no page had named before."""

    drops: Mapping[int, Drop]
    new_links: Mapping[int, int]


def take_turn(connection: Connection) -> None:
    """Wait until no other process changes documents.

    Duplicate sets span all sites, and a removal searches all texts.
    """
    serialise(connection, _TURN)


def write_processed(connection: Connection, group: Sequence[Item], schedule: Schedule, *, again: bool) -> WriteResult:
    """Store the outcomes of fetches: documents or drops, found links, URL states, fingerprints and duplicate sets.

    Fetches with an outcome are skipped. ``again`` (re-extraction) replaces the outcome of the same fetch, keeps version
    and public id, and does not change the frontier.

    The returned drops include pages with an unchanged text and pages that were removed on request.
    """
    items = {fetch_id: (lease, processed) for fetch_id, lease, processed in group}
    targets = targets_of(connection, items, again=again)
    items = withheld(connection, targets, items)
    outcomes = decide(targets, items, known_of(connection, targets, items))
    _store_new(connection, outcomes.new)
    later = {target.url_id for target, version, _ in outcomes.new if again or version.number > 1}
    _supersede(connection, later, outcomes.overtaken)
    _replace(connection, outcomes.replaced)
    # After the texts: a group may hold the visit that brings a text and one that repeats it.
    healed = renew_statements(connection, outcomes.repeated)
    outcomes.dropped = [(target, healed.get(target.fetch_id, drop)) for target, drop in outcomes.dropped]
    store_drops(connection, outcomes.dropped)
    renew_fuller(connection, [*outcomes.new, *outcomes.repeated])
    new_links = Counter[int]()
    if not again:
        new_links = add_links(connection, list(_found(targets, items)))
        _finish(connection, schedule, outcomes, items)
    gone = [target for target, drop in outcomes.dropped if drop.reason == REMOVED]
    remove_pages(connection, {target.url_id for target in gone})
    return WriteResult(
        {target.fetch_id: drop for target, drop in outcomes.dropped},
        {target.fetch_id: new_links[target.url_id] for target in targets if target.url_id in new_links},
    )


def replacements(item: Item, error: NotStorableError) -> tuple[Item, ...]:
    """Return replacements for an outcome that the database refuses: a drop with the links, then one without."""
    fetch_id, lease, processed = item
    logger.warning("the database refused the document of %s: %s", lease.url, error.what[:200])
    drop = Drop(NOT_STORABLE, error.what[:500])
    return tuple((fetch_id, lease, Processed(drop=drop, links=links)) for links in (processed.links, ()))


def _store_new(connection: Connection, new: Sequence[tuple[Target, Version, Document]]) -> None:
    if not new:
        return
    print_ids = duplicates.register(connection, [made.fingerprint for _, _, made in new])
    rows = [
        document_row(target, made)
        | {
            "public_id": public_id(target.url, version.number),
            "url_id": target.url_id,
            "version": version.number,
            "fetch_id": target.fetch_id,
            "fingerprint_id": print_id,
            "site": target.site,
        }
        for (target, version, made), print_id in zip(new, print_ids, strict=True)
    ]
    ids = insert_rows(connection, document, rows)
    texts = [{"document_id": new_id} | text_row(made) for new_id, (_, _, made) in zip(ids, new, strict=True)]
    insert_many(connection, upsert(connection, document_text), texts)
    outcomes = [document_outcome(target, each.number, made, shortened=each.shortened) for target, each, made in new]
    set_outcomes(connection, outcomes)
    standings = [
        (print_id, DuplicateRank(False, -row["chars"], row["published"] is None, target.url, version.number, new_id))
        for print_id, row, new_id, (target, version, _) in zip(print_ids, rows, ids, new, strict=True)
    ]
    duplicates.place(connection, standings)


def _supersede(connection: Connection, versioned: Collection[int], overtaken: Collection[int]) -> None:
    """Mark older and shortened versions of these URLs, and all documents of overtaken pages, as superseded."""
    for url_ids, which in ((versioned, HAS_SUCCESSOR), (overtaken, sa.true())):
        for part in chunks(sorted(url_ids)):
            current = document.c.url_id.in_(part), which, document.c.superseded.is_(False)
            statement = sa.update(document).where(*current).values(superseded=True)
            changed = connection.execute(statement.returning(document.c.fingerprint_id)).scalars().all()
            duplicates.refresh(connection, changed)


def _replace(connection: Connection, replaced: Sequence[tuple[Target, Document]]) -> None:
    if not replaced:
        return
    before = prints_of(connection, [target.document_id for target, _ in replaced if target.document_id])
    print_ids = duplicates.register(connection, [made.fingerprint for _, made in replaced])
    for (target, made), print_id in zip(replaced, print_ids, strict=True):
        row = document_row(target, made) | {"fingerprint_id": print_id}
        row |= read_again_row(connection, target, made.metadata)
        connection.execute(sa.update(document).where(document.c.id == target.document_id).values(row))
        text = sa.update(document_text).where(document_text.c.document_id == target.document_id)
        connection.execute(text.values(text_row(made)))
    # A shortened version stays one: its fuller version is current, and re-extraction changes the texts of both.
    outcomes = [document_outcome(target, target.version, made, shortened=target.shortened) for target, made in replaced]
    set_outcomes(connection, outcomes)
    duplicates.refresh(connection, {*before, *print_ids})


def _found(targets: Sequence[Target], items: dict[int, tuple[Lease, Processed]]) -> Iterator[FoundLink]:
    for target in targets:
        lease, processed = items[target.fetch_id]
        in_text = processed.document is not None
        yield from (FoundLink(link, lease, target.fetched_at, in_text) for link in processed.links)


def _finish(
    connection: Connection, schedule: Schedule, outcomes: Outcomes, items: dict[int, tuple[Lease, Processed]]
) -> None:
    """Set the URLs of a group to done, with their next due time."""
    new = [(target, "document", None, made.metadata.published) for target, _, made in outcomes.new]
    dropped = [(target, "drop", drop.reason, None) for target, drop in outcomes.dropped]
    ended = [
        VisitEnd(
            target.url_id,
            target.fetched_at.timestamp(),
            outcome,
            reason,
            [link.url for link in items[target.fetch_id][1].links],
            published,
        )
        for target, outcome, reason, published in (*new, *dropped)
    ]
    settle(connection, schedule, ended, UrlState.FETCHED)
