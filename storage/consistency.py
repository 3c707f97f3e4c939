"""Consistency checks. Each query returns the rows that violate a rule. Read-only."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.database.schema import (
    band,
    document,
    document_text,
    duplicate_set,
    fetch,
    fingerprint,
    original,
    recurring_line,
    removal,
    removed_document,
    run,
    site_model,
    url,
    warc_file,
)
from storage.documents.succession import HAS_SUCCESSOR
from storage.errors import CorpusError, DamageError, DatabaseError, DiskError, LockedError
from storage.frontier.leases import SETTLED
from storage.reasons import REMOVED
from storage.records import UrlState
from storage.removal.removal_record import returned
from storage.reporting import counted, unseen
from storage.warc.redact import NOTHING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.engine import Connection
    from sqlalchemy.sql.expression import Select

    from storage.reporting import Progress

ERRORS = tuple(error.exit_code for error in (CorpusError, DiskError, DatabaseError, LockedError, DamageError))
"""Exit codes of runs that may have been unable to release their leases."""
MAX_REPORTED_ROWS = 20
"""Reported rows per rule."""
STEP = "rules of the database checked"

INTERRUPTED = "an interrupted removal; `corpus-spider remove` finishes it"
RETURNED = "a removed text that is in the corpus again; `corpus-spider remove` removes it"


def problems(connection: Connection, on_progress: Progress = unseen) -> list[str]:
    """Return one line for each violation, at most `MAX_REPORTED_ROWS` per rule.

    ``on_progress`` gets the number of finished rules.
    What an interrupted removal has still to do is one line, and no violation of the other rules of removals.
    """
    is_interrupted = connection.execute(REMOVAL_RULES[INTERRUPTED].limit(1)).first() is not None
    left = REMOVAL_RULES.keys() - {INTERRUPTED} if is_interrupted else set()
    total = len(RULES) + 2
    on_progress(STEP, 0, total)
    found = [*_engine_problems(connection)]
    for number, (rule, query) in enumerate(RULES.items(), 1):
        on_progress(STEP, number, total)
        if rule not in left:
            found += [f"{rule}: {row[0]}" for row in connection.execute(query.limit(MAX_REPORTED_ROWS))]
    on_progress(STEP, total - 1, total)
    declared = set(connection.execute(_DECLARED).scalars())
    again = (each for each in returned(connection) if each.public_id not in declared)
    return found + [f"{RETURNED}: {each.public_id} ({each.url})" for each in islice(again, MAX_REPORTED_ROWS)]


def _engine_problems(connection: Connection) -> Iterator[str]:
    if connection.dialect.name != "sqlite":
        return
    for row in connection.exec_driver_sql("PRAGMA integrity_check(20)"):
        if row[0] != "ok":
            yield f"SQLite integrity check: {row[0]}"
    for row in connection.exec_driver_sql("PRAGMA foreign_key_check"):
        yield f"row without its parent row: {row[0]} {row[1]}"
    number = connection.execute(_BLOBS).scalar_one()
    if number:
        yield f"bytes instead of text: {counted(number, 'document')}"


_original = fetch.alias("original_fetch")
_any_fetch = fetch.alias("any_fetch")
_newest = (
    sa.select(sa.func.max(_any_fetch.c.id)).where(_any_fetch.c.url_id == url.c.id).correlate(url).scalar_subquery()
)
_members = (
    sa.select(sa.func.count())
    .select_from(document.join(fingerprint, fingerprint.c.id == document.c.fingerprint_id))
    .where(fingerprint.c.set_id == duplicate_set.c.id, document.c.superseded.is_(False))
    .correlate(duplicate_set)
    .scalar_subquery()
)

_BLOBS = sa.select(sa.func.count()).select_from(document_text).where(sa.func.typeof(document_text.c.text) != "text")

# The id of the learned model follows the 12 digits of the rules and a hyphen.
_learned = sa.func.substr(document.c.site_model, 14)

_later, _main = document.alias("later"), url.alias("main")
_overtaken = sa.exists().where(_main.c.url == document.c.canonical, _later.c.url_id == _main.c.id)
_succeeded = sa.or_(HAS_SUCCESSOR, _overtaken)

# The next run takes back the leases of a run that ended with an error, as after a kill.
_gave_back = sa.and_(run.c.finished.is_not(None), sa.func.coalesce(run.c.exit_code, 0).not_in(ERRORS))

_IS_INTERRUPTED = sa.and_(removal.c.finished.is_(None), removal.c.deferred.is_(False))
_DECLARED = (
    sa.select(removed_document.c.public_id)
    .join(removal, removal.c.id == removed_document.c.removal_id)
    .where(_IS_INTERRUPTED)
)

REMOVAL_RULES: dict[str, Select[tuple[object]]] = {
    "a removed document that is still there": sa.select(document.c.public_id).where(
        document.c.public_id.in_(sa.select(removed_document.c.public_id))
    ),
    "a text without a document": sa.select(document_text.c.document_id)
    .outerjoin(document, document.c.id == document_text.c.document_id)
    .where(document.c.id.is_(None)),
    "a fingerprint without a document": sa.select(fingerprint.c.id)
    .outerjoin(document, document.c.fingerprint_id == fingerprint.c.id)
    .where(document.c.id.is_(None)),
    INTERRUPTED: sa.select(removal.c.reason).where(_IS_INTERRUPTED),
    "a removed page with its original; `corpus-spider remove` redacts it": sa.select(fetch.c.uri).where(
        fetch.c.reason == REMOVED, fetch.c.payload_digest != NOTHING
    ),
    "a WARC file that a redacted copy has replaced; `corpus-spider remove` deletes it": sa.select(
        warc_file.c.name
    ).where(warc_file.c.state == "replaced"),
    "a removed page that is still fetched": sa.select(url.c.url).where(
        url.c.reason == REMOVED, sa.or_(url.c.state != UrlState.FAILED, url.c.due_again.is_not(None))
    ),
    "a removed page with a text": sa.select(url.c.url)
    .join(document, document.c.url_id == url.c.id)
    .where(url.c.reason == REMOVED),
    "recurring lines of a site whose texts were all removed; `corpus-spider remove` deletes them": sa.select(
        recurring_line.c.site
    )
    .distinct()
    .where(~sa.exists().where(document.c.site == recurring_line.c.site))
    .where(sa.exists().where(url.c.site == recurring_line.c.site, SETTLED, url.c.reason == REMOVED)),
}

RULES: dict[str, Select[tuple[object]]] = {
    "a document whose fetch has another outcome": sa.select(document.c.public_id)
    .join(fetch, fetch.c.id == document.c.fetch_id)
    .where(sa.or_(fetch.c.outcome.is_(None), fetch.c.outcome != "document")),
    "a fetch with the outcome document but without a document": sa.select(fetch.c.uri)
    .outerjoin(document, document.c.fetch_id == fetch.c.id)
    .where(fetch.c.outcome == "document", document.c.id.is_(None)),
    "a document whose site model is missing": sa.select(document.c.public_id)
    .outerjoin(site_model, site_model.c.id == _learned)
    .where(_learned != "", site_model.c.id.is_(None)),
    "a duplicate set of the wrong size": sa.select(duplicate_set.c.id).where(duplicate_set.c.size != _members),
    "a duplicate set without its representative": sa.select(duplicate_set.c.id)
    .outerjoin(document, document.c.id == duplicate_set.c.representative_id)
    .where(duplicate_set.c.size > 0, sa.or_(document.c.id.is_(None), document.c.superseded)),
    "a superseded document without a successor": sa.select(document.c.public_id).where(
        document.c.superseded, ~_succeeded
    ),
    "two current versions of one page": sa.select(document.c.public_id).where(
        document.c.superseded.is_(False), HAS_SUCCESSOR
    ),
    "a revisit without its response": sa.select(fetch.c.uri)
    .outerjoin(_original, _original.c.id == fetch.c.original_id)
    .where(fetch.c.outcome == "unchanged", sa.or_(_original.c.id.is_(None), _original.c.original_id.is_not(None))),
    "a validator without its response": sa.select(original.c.url_id)
    .outerjoin(fetch, fetch.c.id == original.c.fetch_id)
    .where(fetch.c.id.is_(None)),
    "a key of the duplicate index without its fingerprint": sa.select(band.c.fingerprint_id)
    .outerjoin(fingerprint, fingerprint.c.id == band.c.fingerprint_id)
    .where(fingerprint.c.id.is_(None)),
    **REMOVAL_RULES,
    "a URL in an unknown state": sa.select(url.c.url).where(url.c.state.notin_([state.value for state in UrlState])),
    "a URL leased by a run that has ended": sa.select(url.c.url)
    .outerjoin(run, run.c.id == url.c.leased_by)
    .where(url.c.state == UrlState.LEASED, sa.or_(run.c.id.is_(None), _gave_back)),
    "a fetched URL without a page to process": sa.select(url.c.url)
    .select_from(url.outerjoin(fetch, fetch.c.id == _newest))
    .where(url.c.state == UrlState.FETCHED, sa.or_(fetch.c.id.is_(None), fetch.c.outcome.is_not(None))),
    "a page to process whose URL is not waiting for it": sa.select(url.c.url)
    .join(fetch, fetch.c.url_id == url.c.id)
    .where(fetch.c.outcome.is_(None), url.c.state != UrlState.FETCHED),
}
