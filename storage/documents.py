"""The *processed* transaction, which turns fetched pages into documents or drops, and reading documents back."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from storage import duplicates
from storage.database import chunks, insert_many, insert_rows, upsert
from storage.duplicates import Standing
from storage.found import MAX_HOPS, Found, add_links
from storage.records import Document, Drop, Lease, Processed, UrlState
from storage.schema import document, document_text, fetch, storable, url
from storage.visits import UNCHANGED_TEXT, Ended, settle

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlalchemy.engine import Connection

    from storage.schedule import Schedule

Item = tuple[int, Lease, Processed]
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def public_id(url: str, version: int) -> str:
    """Return the id of a document, the same for ever: 32 hex digits of the SHA-256 of its canonical URL and version."""
    return hashlib.sha256(f"{url}\n{version}".encode()).hexdigest()[:32]


def day_of(published: str | None, fetched_at: datetime) -> str:
    """Return the ISO day a document is selected by: the one it states, else the one (UTC) it was fetched on."""
    stated = _DAY.match(published or "")
    return stated.group() if stated else fetched_at.astimezone(UTC).date().isoformat()


@dataclass(frozen=True, slots=True)
class Target:
    """A fetch to give an outcome: its row as it is before, and the document it already has (on re-extraction)."""

    fetch_id: int
    url_id: int
    url: str
    site: str
    fetched_at: datetime
    version: int | None
    document_id: int | None


@dataclass(slots=True)
class Versions:
    """Decides version numbers: the next one for a new text, none for a text like the newest of its URL."""

    newest_text: dict[int, str]
    highest: dict[int, int]

    def next_version(self, target: Target, text: str) -> int | None:
        """Return the version a text gets; None when it is what the newest version says already."""
        if self.newest_text.get(target.url_id) == text:
            return None
        version = target.version or self.highest.get(target.url_id, 0) + 1
        self.highest[target.url_id] = max(version, self.highest.get(target.url_id, 0))
        self.newest_text[target.url_id] = text
        return version


@dataclass(slots=True)
class Outcomes:
    """What a group comes to, decided before anything is written."""

    new: list[tuple[Target, int, Document]] = field(default_factory=list)
    replaced: list[tuple[Target, Document]] = field(default_factory=list)
    dropped: list[tuple[Target, Drop]] = field(default_factory=list)


def write_processed(connection: Connection, group: Sequence[Item], schedule: Schedule, *, again: bool = False) -> None:
    """Give fetches their outcome: documents or drops, found links, URL states, fingerprints and duplicate sets.

    Fetches that have an outcome are passed over. ``again`` (re-extraction) replaces the outcome of the same fetch
    instead, keeps version and public id, and leaves the frontier alone.
    """
    items = {fetch_id: (lease, processed) for fetch_id, lease, processed in group}
    targets = _targets(connection, items, again=again)
    outcomes = decide(targets, items, _versions(connection, targets))
    _store_new(connection, outcomes.new)
    _replace(connection, outcomes.replaced)
    _store_drops(connection, outcomes.dropped)
    if not again:
        add_links(connection, list(_found(targets, items)))
        _finish(connection, schedule, outcomes, items)


def decide(targets: Sequence[Target], items: dict[int, tuple[Lease, Processed]], versions: Versions) -> Outcomes:
    """Decide what each fetch of a group comes to; pure, in the order of the fetches."""
    outcomes = Outcomes()
    for target in targets:
        lease, processed = items[target.fetch_id]
        made = processed.document
        if made is None:
            outcomes.dropped.append((target, drop_of(processed, lease)))
        elif target.document_id is not None:
            outcomes.replaced.append((target, made))
        elif (version := versions.next_version(target, storable(made.text))) is not None:
            outcomes.new.append((target, version, made))
        else:
            outcomes.dropped.append((target, Drop(UNCHANGED_TEXT, "", made.language.language)))
    return outcomes


def drop_of(processed: Processed, lease: Lease) -> Drop:
    """Return the drop of a page without a document, with a note when its redirect leads too far to be followed."""
    drop = processed.drop or Drop("empty")
    if lease.hops >= MAX_HOPS and any(link.redirect for link in processed.links):
        note = f"not followed: more than {MAX_HOPS} redirects"
        return Drop(drop.reason, f"{drop.detail}; {note}" if drop.detail else note, drop.language)
    return drop


def _targets(connection: Connection, fetch_ids: Iterable[int], *, again: bool) -> list[Target]:
    statement = (
        sa.select(fetch.c.id, fetch.c.url_id, url.c.url, url.c.site, fetch.c.fetched_at, fetch.c.version, document.c.id)
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


def _versions(connection: Connection, targets: Sequence[Target]) -> Versions:
    versions = Versions({}, {})
    numbers = sa.select(fetch.c.url_id, sa.func.max(fetch.c.version)).group_by(fetch.c.url_id)
    texts = (
        sa.select(document.c.url_id, document_text.c.text)
        .join(document_text, document_text.c.document_id == document.c.id)
        .order_by(document.c.url_id, document.c.version)
    )
    for part in chunks(sorted({target.url_id for target in targets})):
        there = numbers.where(fetch.c.url_id.in_(part), fetch.c.version.is_not(None))
        versions.highest.update((url_id, highest) for url_id, highest in connection.execute(there))
    for part in chunks(sorted(versions.highest)):
        # In the order of versions, so that the newest is what stays.
        rows = connection.execute(texts.where(document.c.url_id.in_(part)))
        versions.newest_text.update((url_id, text) for url_id, text in rows)
    return versions


def _store_new(connection: Connection, new: Sequence[tuple[Target, int, Document]]) -> None:
    if not new:
        return
    print_ids = duplicates.register(connection, [made.fingerprint for _, _, made in new])
    rows = [
        _document_row(target, made)
        | {
            "public_id": public_id(target.url, version),
            "url_id": target.url_id,
            "version": version,
            "fetch_id": target.fetch_id,
            "fingerprint_id": print_id,
            "site": target.site,
        }
        for (target, version, made), print_id in zip(new, print_ids, strict=True)
    ]
    ids = insert_rows(connection, document, rows)
    texts = [{"document_id": new_id} | _text_row(made) for new_id, (_, _, made) in zip(ids, new, strict=True)]
    insert_many(connection, upsert(connection, document_text), texts)
    _set_outcomes(connection, [_document_outcome(target, version, made) for target, version, made in new])
    standings = [
        (print_id, Standing(-row["chars"], target.url, version, new_id))
        for print_id, row, new_id, (target, version, _) in zip(print_ids, rows, ids, new, strict=True)
    ]
    duplicates.place(connection, standings)


def _replace(connection: Connection, replaced: Sequence[tuple[Target, Document]]) -> None:
    if not replaced:
        return
    before = _prints_of(connection, [target.document_id for target, _ in replaced if target.document_id])
    print_ids = duplicates.register(connection, [made.fingerprint for _, made in replaced])
    for (target, made), print_id in zip(replaced, print_ids, strict=True):
        row = _document_row(target, made) | {"fingerprint_id": print_id}
        connection.execute(sa.update(document).where(document.c.id == target.document_id).values(row))
        text = sa.update(document_text).where(document_text.c.document_id == target.document_id)
        connection.execute(text.values(_text_row(made)))
    _set_outcomes(connection, [_document_outcome(target, target.version, made) for target, made in replaced])
    duplicates.refresh(connection, {*before, *print_ids})


def _store_drops(connection: Connection, dropped: Sequence[tuple[Target, Drop]]) -> None:
    gone = [target.document_id for target, _ in dropped if target.document_id is not None]
    if gone:
        before = _prints_of(connection, gone)
        for part in chunks(gone):
            connection.execute(sa.delete(document_text).where(document_text.c.document_id.in_(part)))
            connection.execute(sa.delete(document).where(document.c.id.in_(part)))
        duplicates.refresh(connection, before)
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


def _found(targets: Sequence[Target], items: dict[int, tuple[Lease, Processed]]) -> Iterator[Found]:
    for target in targets:
        lease, processed = items[target.fetch_id]
        yield from (Found(link, lease, target.fetched_at) for link in processed.links)


def _finish(
    connection: Connection, schedule: Schedule, outcomes: Outcomes, items: dict[int, tuple[Lease, Processed]]
) -> None:
    """Settle the URLs of a group with when they are due again."""
    new = [(target, "document", None, made.metadata.published) for target, _, made in outcomes.new]
    dropped = [(target, "drop", drop.reason, None) for target, drop in outcomes.dropped]
    ended = [
        Ended(
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


def _document_outcome(target: Target, version: int | None, made: Document) -> dict[str, Any]:
    return {
        "of_fetch": target.fetch_id,
        "new_outcome": "document",
        "why": None,
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
    guess, stated = made.language, made.metadata
    return {
        "language": guess.language,
        "language_confidence": guess.confidence,
        "script": guess.script,
        "script_share": guess.script_share,
        "chars": len(made.text),
        "day": day_of(stated.published, target.fetched_at),
        "title": stated.title,
        "author": stated.author,
        "published": stated.published,
        "published_text": stated.published_text,
        "canonical": stated.canonical,
        "directives": " ".join(stated.directives),
        "extractor": made.extractor,
        "extractor_version": made.extractor_version,
        "extractor_reason": made.extractor_reason,
        "encoding": made.encoding,
        "encoding_source": made.encoding_source,
        "replaced": made.replaced,
        "site_model": made.site_model,
        "processed_at": datetime.now(UTC),
        "confidence": made.confidence,
        "published_calendar": stated.published_calendar,
        "published_source": stated.published_source,
        "published_confidence": stated.published_confidence,
    }


def _text_row(made: Document) -> dict[str, Any]:
    return {
        "text": made.text,
        "kinds": made.kinds or None,
        "captions": made.captions,
        "comments": made.comments,
    }
