"""The *processed* transaction: turn fetched pages into documents or drops, and remove documents."""

from __future__ import annotations

import hashlib
import logging
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from storage.blocklist.tombstones import REMOVED, mark_removed
from storage.database.schema import document, document_text, fetch
from storage.database.transactions import chunks, insert_many, insert_rows, serialise, upsert
from storage.documents import duplicates, healing
from storage.documents.decider import Outcomes, Target, Version, decide, known_of, targets_of, withheld
from storage.documents.duplicates import DuplicateRank
from storage.documents.model import day_of
from storage.documents.shortened import SHORTENED
from storage.documents.succession import HAS_SUCCESSOR
from storage.fields import columns
from storage.frontier.new_links import FoundLink, add_links
from storage.frontier.visit_results import UNCHANGED_TEXT, VisitEnd, settle
from storage.records import DOCUMENT, DOCUMENT_TEXT, RIGHTS, Document, Drop, Lease, Processed, UrlState
from storage.reservations import is_reserved

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from sqlalchemy.engine import Connection

    from storage.database.rejected_rows import NotStorableError
    from storage.database.transactions import AnyRow
    from storage.fields import Fields
    from storage.frontier.recrawl_schedule import Schedule
    from storage.records import Metadata

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


def write_processed(
    connection: Connection, group: Sequence[Item], schedule: Schedule, *, again: bool = False
) -> WriteResult:
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
    healed = _renew_statements(connection, outcomes.repeated)
    outcomes.dropped = [(target, healed.get(target.fetch_id, drop)) for target, drop in outcomes.dropped]
    _store_drops(connection, outcomes.dropped)
    _renew_fuller(connection, [*outcomes.new, *outcomes.repeated])
    new_links = Counter[int]()
    if not again:
        new_links = add_links(connection, list(_found(targets, items)))
        _finish(connection, schedule, outcomes, items)
    gone = [target for target, drop in outcomes.dropped if drop.reason == REMOVED]
    _remove_pages(connection, {target.url_id for target in gone})
    return WriteResult(
        {target.fetch_id: drop for target, drop in outcomes.dropped},
        {target.fetch_id: new_links[target.url_id] for target in targets if target.url_id in new_links},
    )


def reread(connection: Connection, group: Sequence[Item]) -> dict[int, tuple[str, ...]]:
    """Update the metadata of documents from pages processed again, and of those that later visits repeated.

    Return the names of the changed fields by fetch id.
    """
    items = {fetch_id: (lease, processed) for fetch_id, lease, processed in group}
    targets = targets_of(connection, items, again=True)
    items = withheld(connection, targets, items)
    fields = {}
    for target in targets:
        processed = items[target.fetch_id][1]
        if processed.drop and processed.drop.reason == REMOVED:
            _remove_pages(connection, [target.url_id])
        elif processed.document and (target.document_id or target.reason == UNCHANGED_TEXT):
            fields[target.fetch_id] = _reread(connection, target, processed.document)
    return {fetch_id: names for fetch_id, names in fields.items() if names}


def _reread(connection: Connection, target: Target, made: Document) -> tuple[str, ...]:
    stated = made.metadata
    of_url = document.c.url_id == target.url_id, document.c.fetch_id <= target.fetch_id
    stored = connection.execute(_STATED.where(*of_url).order_by(document.c.fetch_id.desc()).limit(1)).first()
    if stored is None:
        return ()
    later = healing.healed_by_later(connection, stored.id, target.fetch_id)
    is_own = stored.id == target.document_id
    changed = healing.read_again(stored, stated, later) if is_own else healing.changes(stored, stated)
    known = healing.known_sources(stored, stated) | _rules_row(connection, stored, made) if is_own else {}
    _heal(connection, stored, target.fetch_id, changed, known)
    return tuple(each.field for each in changed)


def _rules_row(connection: Connection, stored: AnyRow, made: Document) -> dict[str, Any]:
    """Return the record of the rules, if today's rules make the stored text too.

    A text that other rules made keeps its record, so that `status` counts it until it is made again.
    """
    if made.rules == stored.rules or made.extractor != stored.extractor:
        return {}
    new = _text_row(made)
    columns = (document_text.c[name] for name in _COMPARED)
    before = connection.execute(sa.select(*columns).where(document_text.c.document_id == stored.id)).one()
    is_same = all((getattr(before, name) or None) == (new[name] or None) for name in _COMPARED)
    return {"rules": made.rules} if is_same else {}


def _heal(
    connection: Connection, stored: AnyRow, fetch_id: int, changed: Sequence[healing.Change], known: dict[str, Any]
) -> None:
    """Store better metadata of a document and columns that are known now, and keep the earlier values."""
    healing.record(connection, stored.id, fetch_id, changed)
    row = known | {name: value for each in changed for name, value in each.values.items()}
    if "published" in row:
        row["day"] = day_of(row["published"], stored.fetched_at)
    if row:
        connection.execute(sa.update(document).where(document.c.id == stored.id).values(row))
    if "published" in row:
        # The earliest document may represent its set.
        duplicates.refresh(connection, {stored.fingerprint_id})


def stand_ins(item: Item, error: NotStorableError) -> tuple[Item, ...]:
    """Return replacements for an outcome that the database refuses: a drop with the links, then one without."""
    fetch_id, lease, processed = item
    logger.warning("the database refused the document of %s: %s", lease.url, error.what[:200])
    drop = Drop(NOT_STORABLE, error.what[:500])
    return tuple((fetch_id, lease, Processed(drop=drop, links=links)) for links in (processed.links, ()))


def withdraw(connection: Connection, fetch_ids: Sequence[int]) -> None:
    """Remove the documents of these fetches with their texts and fingerprints. The outcome becomes a drop."""
    targets = targets_of(connection, fetch_ids, again=True)
    _store_drops(connection, [(target, Drop(REMOVED)) for target in targets])


def _store_new(connection: Connection, new: Sequence[tuple[Target, Version, Document]]) -> None:
    if not new:
        return
    print_ids = duplicates.register(connection, [made.fingerprint for _, _, made in new])
    rows = [
        _document_row(target, made)
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
    texts = [{"document_id": new_id} | _text_row(made) for new_id, (_, _, made) in zip(ids, new, strict=True)]
    insert_many(connection, upsert(connection, document_text), texts)
    outcomes = [_document_outcome(target, each.number, made, shortened=each.shortened) for target, each, made in new]
    _set_outcomes(connection, outcomes)
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


def _reinstate(connection: Connection, urls: Mapping[int, str]) -> None:
    """Mark documents as current again after the documents that superseded them were removed."""
    for part in chunks(sorted(urls)):
        behind = sa.or_(document.c.url_id.in_(part), document.c.canonical.in_([urls[url_id] for url_id in part]))
        statement = sa.update(document).where(behind, document.c.superseded, ~HAS_SUCCESSOR).values(superseded=False)
        changed = connection.execute(statement.returning(document.c.fingerprint_id)).scalars().all()
        duplicates.refresh(connection, changed)


def _replace(connection: Connection, replaced: Sequence[tuple[Target, Document]]) -> None:
    if not replaced:
        return
    before = _prints_of(connection, [target.document_id for target, _ in replaced if target.document_id])
    print_ids = duplicates.register(connection, [made.fingerprint for _, made in replaced])
    for (target, made), print_id in zip(replaced, print_ids, strict=True):
        row = _document_row(target, made) | {"fingerprint_id": print_id}
        row |= _read_again(connection, target, made.metadata)
        connection.execute(sa.update(document).where(document.c.id == target.document_id).values(row))
        text = sa.update(document_text).where(document_text.c.document_id == target.document_id)
        connection.execute(text.values(_text_row(made)))
    # A shortened version stays one: its fuller version is current, and re-extraction changes the texts of both.
    outcomes = [
        _document_outcome(target, target.version, made, shortened=target.shortened) for target, made in replaced
    ]
    _set_outcomes(connection, outcomes)
    duplicates.refresh(connection, {*before, *print_ids})


def _read_again(connection: Connection, target: Target, stated: Metadata) -> dict[str, Any]:
    """Record what an original read again changes in the metadata, and return the columns that keep or get a value."""
    document_id = target.document_id or 0
    stored = connection.execute(_STATED.where(document.c.id == document_id)).one()
    later = healing.healed_by_later(connection, document_id, target.fetch_id)
    changed = healing.read_again(stored, stated, later)
    healing.record(connection, document_id, target.fetch_id, changed)
    kept = {name: getattr(stored, name) for field in later for name in healing.COLUMNS[field]}
    row = kept | {name: value for each in changed for name, value in each.values.items()}
    return row | ({"day": day_of(row["published"], stored.fetched_at)} if "published" in row else {})


def _renew_statements(connection: Connection, repeated: Sequence[tuple[Target, Version, Document]]) -> dict[int, Drop]:
    """Update rights and metadata of documents whose pages repeat the same text (see ``healing``).

    Return the drops of the visits that healed something, by fetch id. Their detail names the fields.
    """
    drops = {}
    for target, version, made in repeated:
        of_text = document.c.url_id == target.url_id, document.c.version == version.number
        stored = connection.execute(_STATED.where(*of_text)).one()
        changed = healing.changes(stored, made.metadata)
        connection.execute(sa.update(document).where(*of_text).values(_rights_row(made)))
        _heal(connection, stored, target.fetch_id, changed, {})
        if changed:
            detail = healing.HEALED + ", ".join(each.field for each in changed)
            drops[target.fetch_id] = Drop(UNCHANGED_TEXT, detail, made.language.language)
    return drops


def _remove_pages(connection: Connection, url_ids: Collection[int]) -> None:
    """Mark pages as removed, with their earlier texts: a later visit may name an author whose texts were removed."""
    mark_removed(connection, url_ids)
    for part in chunks(sorted(url_ids)):
        left = connection.execute(sa.select(document.c.fetch_id).where(document.c.url_id.in_(part))).scalars().all()
        withdraw(connection, left)


_STATED = sa.select(
    *(document.c[name] for name in ("id", "fingerprint_id", "extractor", "rules")),
    *(document.c[name] for names in healing.COLUMNS.values() for name in names),
    fetch.c.fetched_at,
).join(fetch, fetch.c.id == document.c.fetch_id)
"""Stored metadata of documents."""
_COMPARED = ("text", "kinds", "captions", "comments")
"""Parts of a text that rules decide."""


def _renew_fuller(connection: Connection, seen: Sequence[tuple[Target, Version, Document]]) -> None:
    """Update the rights of the current version of pages that were seen shortened. It is exported by today's terms."""
    for target, version, made in seen:
        if version.shortened:
            current = document.c.url_id == target.url_id, document.c.superseded.is_(False)
            connection.execute(sa.update(document).where(*current).values(_rights_row(made)))


def _store_drops(connection: Connection, dropped: Sequence[tuple[Target, Drop]]) -> None:
    gone = [target.document_id for target, _ in dropped if target.document_id is not None]
    if gone:
        before = _prints_of(connection, gone)
        healing.forget(connection, gone)
        for part in chunks(gone):
            connection.execute(sa.delete(document_text).where(document_text.c.document_id.in_(part)))
            connection.execute(sa.delete(document).where(document.c.id.in_(part)))
        duplicates.refresh(connection, before)
        lost = {target.url_id: target.url for target, _ in dropped if target.document_id is not None}
        _reinstate(connection, lost)
    rows = [
        {
            "of_fetch": target.fetch_id,
            "new_outcome": "drop",
            "why": drop.reason,
            "particulars": drop.detail,
            "tongue": drop.language,
            "number": target.version,
        }
        for target, drop in dropped
    ]
    _set_outcomes(connection, rows)


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


def _prints_of(connection: Connection, document_ids: Sequence[int]) -> set[int]:
    prints: set[int] = set()
    for part in chunks(document_ids):
        prints.update(connection.execute(sa.select(document.c.fingerprint_id).where(document.c.id.in_(part))).scalars())
    return prints


def _document_outcome(target: Target, version: int | None, made: Document, *, shortened: bool) -> dict[str, Any]:
    return {
        "of_fetch": target.fetch_id,
        "new_outcome": "document",
        "why": SHORTENED if shortened else None,
        "particulars": None,
        "tongue": made.language.language,
        "number": version,
    }


def _set_outcomes(connection: Connection, rows: Sequence[dict[str, Any]]) -> None:
    if not rows:
        return
    statement = (
        sa.update(fetch)
        .where(fetch.c.id == sa.bindparam("of_fetch"))
        .values(
            outcome=sa.bindparam("new_outcome"),
            reason=sa.bindparam("why"),
            detail=sa.bindparam("particulars"),
            language=sa.bindparam("tongue"),
            version=sa.bindparam("number"),
        )
    )
    connection.execute(statement, list(rows))


def _document_row(target: Target, made: Document) -> dict[str, Any]:
    return {
        **_made(made, columns(DOCUMENT)),
        "day": day_of(made.metadata.published, target.fetched_at),
        "processed_at": datetime.now(UTC),
        "reserved": is_reserved(made.metadata),
        "own_lines": made.own_lines or None,
    }


def _rights_row(made: Document) -> dict[str, Any]:
    return _made(made, columns(DOCUMENT, RIGHTS)) | {"reserved": is_reserved(made.metadata)}


def _text_row(made: Document) -> dict[str, Any]:
    return _made(made, columns(DOCUMENT_TEXT))


def _made(made: Document, fields: Fields) -> dict[str, Any]:
    """Return the values of a document by column."""
    return {field.column: field.made(made) for field in fields}
