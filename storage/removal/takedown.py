"""Remove texts on request, step by step.

1. *Declare*, in one transaction: tombstones, ids, marked URLs.
2. *Withdraw* the pages, a few hundred at a time: documents, texts, fingerprints.
3. *Redact* the originals, file by file: rewrite the WARC file beside the old one, move all pointers in one transaction,
delete the old file.
4. *Finish*: clear removed data from SQLite's file.

Each step finds its remaining work in the database. An interrupted removal is finished by running all steps again.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from storage.blocklist.author_keys import earlier_author_keys
from storage.blocklist.tombstones import Blocklist, blocklist, refused
from storage.database.schema import (
    fetch,
    host,
    machine_removal,
    recurring_line,
    removal,
    removed_document,
    url,
    warc_file,
)
from storage.database.transactions import chunks, upsert
from storage.documents.own_lines import PageLines
from storage.documents.recurring_lines import keep, read_texts
from storage.documents.withdrawal import withdraw
from storage.documents.writer import take_turn
from storage.failpoints import reach
from storage.fetches.fetches import POINTER_COLUMNS, pointer_of
from storage.fetches.file_retention import give_up
from storage.fetches.machines import IN_USE, is_here
from storage.fetches.warc_files import REPLACED
from storage.frontier.leases import SETTLED
from storage.reasons import REMOVED
from storage.removal.affected_pages import RequestKind, affected_pages
from storage.removal.removal_record import declare, kept_value, lift, take_back
from storage.removal.secure_delete import forget, room
from storage.reporting import unseen
from storage.warc.redact import NOTHING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from sqlalchemy.engine import Connection

    from storage.database.transactions import Database
    from storage.records import Pointer
    from storage.removal.affected_pages import AffectedPages, RemovalRequest
    from storage.removal.removal_record import LiftReport
    from storage.reporting import Progress
    from storage.warc.redact import RedactedFile

GROUP = 200
"""Fetches withdrawn in one transaction."""
LOOKED_UP = "requests looked up"
_UNSCRUBBED = sa.and_(fetch.c.reason == REMOVED, fetch.c.payload_digest != NOTHING)
_NOTHING_LEFT = {"payload_digest": NOTHING, "mime": None, "ip": None, "truncated": "unspecified"}


@dataclass(frozen=True, slots=True)
class RemovedDocument:
    """A removed document, as listed for owners of older exports."""

    id: str
    asked: datetime
    kind: str


@dataclass(frozen=True, slots=True)
class GoneMachine:
    """A machine that is gone for good: its lost WARC files, and pages in them that the next crawls fetch again."""

    machine: str
    files: int
    pages: int


@dataclass(frozen=True, slots=True)
class Removals:
    """Removal of texts on request. Reached as ``corpus.removals``. The caller holds the locks of all sites."""

    database: Database
    machine: str = ""

    def sites(self) -> list[str]:
        """Return every site in the frontier, to lock them."""
        statement = sa.select(host.c.site).distinct().order_by(host.c.site)
        return self.database.read(lambda connection: list(connection.execute(statement).scalars()))

    def blocklist(self) -> Blocklist:
        """Return all blocked pages, domains and authors."""
        return self.database.read(blocklist)

    def affected(self, request: RemovalRequest) -> AffectedPages:
        """Return the pages that a request would remove. Changes nothing."""
        return self.database.read(lambda connection: affected_pages(connection, request))

    def done_before(self, request: RemovalRequest) -> datetime | None:
        """Return the time of the first equal request that removed texts; None if there was none."""
        earlier = earlier_author_keys(request.value) if request.kind is RequestKind.AUTHOR else set()
        values = {kept_value(request), *earlier}
        same = removal.c.kind == request.kind.value, removal.c.value.in_(values), removal.c.documents > 0
        statement = sa.select(sa.func.min(removal.c.asked)).where(*same)
        return self.database.read(lambda connection: connection.execute(statement).scalar())

    def declare(self, request: RemovalRequest) -> AffectedPages:
        """Declare one request."""
        return self.declare_all([request])[0]

    def declare_all(
        self,
        requests: Sequence[RemovalRequest],
        check: Callable[[RemovalRequest, AffectedPages], None] = lambda _, __: None,
        on_progress: Progress = unseen,
    ) -> list[AffectedPages]:
        """Add the tombstones of requests and record their documents. From then on nothing of them comes in again.

        All requests are declared in one transaction, each with a record of its own. ``check`` gets each request with
        its pages before. If it raises an error, nothing is changed.
        """
        tokens = [uuid.uuid4().hex for _ in requests]

        def work(connection: Connection) -> list[AffectedPages]:
            # A text stored meanwhile is either found here or blocked by the tombstones.
            take_turn(connection)
            found = []
            for number, request in enumerate(requests):
                on_progress(LOOKED_UP, number, len(requests))
                found.append(affected_pages(connection, request))
                check(request, found[-1])
            for token, request, each in zip(tokens, requests, found, strict=True):
                declare(connection, token, request, each)
            _note_machines(connection, self.machine)
            return found

        affected = self.database.write(work)
        reach("in_removal")
        return affected

    def undo(self, removal_id: int, reason: str) -> LiftReport:
        """Lift the tombstones of a removal. The caller holds the locks of all sites. Errors as for `lift`."""

        def work(connection: Connection) -> LiftReport:
            take_turn(connection)
            return lift(connection, removal_id, reason)

        return self.database.write(work)

    def kept_away(self, addresses: Collection[str]) -> set[str]:
        """Return the addresses that are blocked."""
        return self.database.read(lambda connection: refused(connection, addresses))

    def declare_returned(self) -> list[str]:
        """Assign blocked documents that are in the corpus to their removal; return their ids."""

        def work(connection: Connection) -> list[str]:
            take_turn(connection)
            if found := take_back(connection):
                _note_machines(connection, self.machine)
            return found

        return self.database.write(work)

    def withdraw(self, on_progress: Progress = unseen) -> int:
        """Remove all documents of declared removals; return the number of fetches."""
        total, after = 0, 0
        while withdrawn := self.database.write(partial(_withdraw_some, after=after)):
            total, after = total + len(withdrawn), withdrawn[-1]
            on_progress("pages withdrawn", total, None)
            reach("in_removal")
        return total

    def ask_machines(self) -> None:
        """Let each machine with a WARC folder of its own empty its originals. The texts are withdrawn now."""

        def work(connection: Connection) -> None:
            if self.machine:
                named = warc_file.c.machine.is_not(None)
                left = sa.select(warc_file.c.machine).join(fetch, fetch.c.warc_id == warc_file.c.id)
                _note(connection, left.where(_UNSCRUBBED, named), renew=False)
                old = sa.select(warc_file.c.machine).where(warc_file.c.state == REPLACED, named)
                _note(connection, old, renew=False)
                waits = machine_removal.c.asked.is_(None)
                connection.execute(sa.update(machine_removal).where(waits).values(asked=datetime.now(UTC)))
            else:
                # The files of all machines are in one place now.
                connection.execute(sa.delete(machine_removal))

        self.database.write(work)

    def asked(self) -> datetime | None:
        """Return when this machine was asked to empty its originals; None if it was not, or has done so."""
        statement = sa.select(machine_removal.c.asked).where(machine_removal.c.machine == self.machine)
        return self.database.read(lambda connection: connection.execute(statement).scalar()) if self.machine else None

    def waiting_machines(self) -> list[str]:
        """Return the machines that have not yet emptied their originals."""
        statement = sa.select(machine_removal.c.machine).order_by(machine_removal.c.machine)
        return self.database.read(lambda connection: list(connection.execute(statement).scalars()))

    def carried_out(self, asked: datetime | None = None) -> None:
        """Record that this machine has emptied its originals. The last machine finishes the removals.

        ``asked``: the request that it has carried out. A later one stays. Without it the caller holds all locks, so
        that there is no later one, and finishes the removals itself.
        """

        def work(connection: Connection) -> None:
            take_turn(connection)
            own = machine_removal.c.machine == self.machine
            connection.execute(
                sa.delete(machine_removal).where(own if asked is None else own & (machine_removal.c.asked == asked))
            )
            if asked is not None:
                _finish_if_last(connection)

        if self.machine:
            self.database.write(work)
            reach("in_removal")

    def give_up_machine(self, machine: str) -> GoneMachine | None:
        """Record that a machine and its WARC files are lost; None if no file is there. The next crawls fetch its pages.

        Files that turn up all the same are deleted when that machine opens the corpus again.
        """

        def work(connection: Connection) -> GoneMachine | None:
            take_turn(connection)
            files, pages = give_up(connection, machine)
            gone = machine_removal.c.machine == machine
            waited = connection.execute(sa.delete(machine_removal).where(gone)).rowcount
            if not (files or waited):
                return None
            _forget_lost(connection, files)
            _finish_if_last(connection)
            return GoneMachine(machine, len(files), pages)

        return self.database.write(work)

    def unscrubbed(self) -> dict[str, list[Pointer]]:
        """Return the originals on this machine that still have to be redacted, by WARC file."""
        statement = sa.select(fetch.c.id, *POINTER_COLUMNS).join(warc_file, warc_file.c.id == fetch.c.warc_id)
        statement = statement.where(_UNSCRUBBED, is_here(self.machine))
        found: dict[str, list[Pointer]] = {}
        rows = self.database.read(lambda connection: connection.execute(statement.order_by(fetch.c.id)).all())
        for row in rows:
            found.setdefault(row.warc, []).append(pointer_of(row))
        return found

    def move(self, name: str, scrubbed: RedactedFile) -> None:
        """Point every fetch of a WARC file to its redacted copy, and mark the old file as replaced."""
        self.database.write(lambda connection: _move(connection, name, scrubbed))
        reach("in_removal")

    def give_up(self, name: str) -> None:
        """Record that a WARC file is lost, so that nothing in it needs redaction."""
        file = sa.select(warc_file.c.id).where(warc_file.c.name == name).scalar_subquery()
        gone = fetch.c.warc_id == file, fetch.c.reason == REMOVED
        statement = sa.update(fetch).where(*gone).values(_NOTHING_LEFT)
        self.database.write(lambda connection: connection.execute(statement))

    def replaced_files(self) -> list[str]:
        """Return the WARC files on this machine that a redacted copy has replaced."""
        replaced = warc_file.c.state == REPLACED, is_here(self.machine)
        statement = sa.select(warc_file.c.name).where(*replaced).order_by(warc_file.c.name)
        return self.database.read(lambda connection: list(connection.execute(statement).scalars()))

    def forget_file(self, name: str) -> None:
        """Delete the row of a replaced WARC file, once the file is deleted."""
        statement = sa.delete(warc_file).where(warc_file.c.name == name, warc_file.c.state == REPLACED)
        self.database.write(lambda connection: connection.execute(statement))

    def relearn(self, on_progress: Progress = unseen) -> None:
        """Learn the recurring lines of sites with removed texts again, so that no line of a removed text stays."""
        gone = sa.select(url.c.site).where(SETTLED, url.c.reason == REMOVED)
        known = sa.select(recurring_line.c.site).where(recurring_line.c.site.in_(gone)).distinct()
        sites = self.database.read(lambda connection: list(connection.execute(known).scalars()))
        for number, site in enumerate(sites):
            on_progress("recurring lines of sites learned", number, len(sites))
            self.database.write(partial(_learn_lines, site=site))

    def finish(self, *, defer: bool = False, leave_open: bool = False, on_progress: Progress = unseen) -> bool:
        """Clear SQLite's journal and free pages, and mark all removals as finished, unless ``leave_open``.

        ``defer``: leave the free pages to a later call, and mark the removals as deferred. Return whether some are.
        Raises DatabaseError while another program reads the journal, DiskError without room for a new file.
        """
        rewrite = self.has_to_rewrite()
        if self.database.is_sqlite:
            forget(self.database, rewrite=rewrite and not defer, on_progress=on_progress)
        waits = rewrite and defer
        if leave_open:
            return waits
        values: dict[str, Any] = {"deferred": True} if waits else {"finished": datetime.now(UTC), "deferred": False}
        statement = sa.update(removal).where(removal.c.finished.is_(None)).values(values)
        self.database.write(lambda connection: connection.execute(statement))
        return waits

    def has_to_rewrite(self) -> bool:
        """Return whether unfinished removals need a new SQLite file."""
        some = sa.select(removal.c.id).where(removal.c.finished.is_(None), removal.c.pages > 0).limit(1)
        read = self.database.read
        return self.database.is_sqlite and read(lambda connection: connection.execute(some).first()) is not None

    def room(self) -> int:
        """Return the free bytes that a rewriting of the database needs; 0 for PostgreSQL."""
        return room(self.database)

    def is_interrupted(self) -> bool:
        """Return whether a removal is unfinished and not deferred."""
        some = sa.select(removal.c.id).where(removal.c.finished.is_(None), removal.c.deferred.is_(False)).limit(1)
        return self.database.read(lambda connection: connection.execute(some).first()) is not None

    def deferred(self) -> list[int]:
        """Return the ids of the removals that were deferred."""
        statement = sa.select(removal.c.id).where(removal.c.deferred).order_by(removal.c.id)
        return self.database.read(lambda connection: list(connection.execute(statement).scalars()))

    def documents(self) -> list[RemovedDocument]:
        """Return the removed documents, by id."""
        statement = sa.select(removed_document.c.public_id, removal.c.asked, removal.c.kind)
        statement = statement.join(removal, removal.c.id == removed_document.c.removal_id)
        ordered = statement.order_by(removed_document.c.public_id)
        return self.database.read(lambda connection: [RemovedDocument(*row) for row in connection.execute(ordered)])


def _note_machines(connection: Connection, machine: str) -> None:
    """Note that this machine and each machine with WARC files has to carry out removals, once texts are withdrawn.

    A file that the database does not know yet, or a torn tail, may hold a removed page. So all are noted.
    """
    if machine:
        _note(connection, sa.select(sa.literal(machine)), renew=True)
        _note(connection, sa.select(warc_file.c.machine).where(warc_file.c.machine.is_not(None), IN_USE), renew=True)


def _note(connection: Connection, machines: sa.Select[Any], *, renew: bool) -> None:
    names = set(connection.execute(machines.distinct()).scalars())
    insert = upsert(connection, machine_removal)
    if renew:
        insert = insert.on_conflict_do_update(index_elements=["machine"], set_={"asked": None})
    else:
        insert = insert.on_conflict_do_nothing()
    if names:
        connection.execute(insert, [{"machine": name, "asked": None} for name in sorted(names)])


def _finish_if_last(connection: Connection) -> None:
    """Mark the removals as finished if no machine has to carry them out any more."""
    if connection.execute(sa.select(machine_removal.c.machine).limit(1)).first() is None:
        values = {"finished": datetime.now(UTC), "deferred": False}
        connection.execute(sa.update(removal).where(removal.c.finished.is_(None)).values(values))


def _forget_lost(connection: Connection, warc_ids: Collection[int]) -> None:
    """Record that the originals to empty in these files are lost."""
    for part in chunks(sorted(warc_ids)):
        lost = fetch.c.warc_id.in_(part), fetch.c.reason == REMOVED
        connection.execute(sa.update(fetch).where(*lost).values(_NOTHING_LEFT))


def _learn_lines(connection: Connection, site: str) -> None:
    keep(connection, site, read_texts(connection, site, PageLines()).recurring)


# As a literal, so that SQLite uses the partial index.
_IS_REMOVED = url.c.reason == sa.literal_column(f"'{REMOVED}'")


def _withdraw_some(connection: Connection, after: int) -> list[int]:
    """Remove up to `GROUP` fetches of marked URLs, and return the ids of their URLs.

    ``after``: id of the last URL of the group before, of which some fetches may be left. SQLite overwrites deleted data
    at once.
    """
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA secure_delete=ON")
    take_turn(connection)
    left = sa.select(fetch.c.id, fetch.c.url_id).join(url, url.c.id == fetch.c.url_id)
    left = left.where(url.c.state == "failed", _IS_REMOVED, url.c.id >= after)
    left = left.where(sa.func.coalesce(fetch.c.reason, "") != REMOVED).order_by(url.c.id, fetch.c.id).limit(GROUP)
    rows = connection.execute(left).all()
    withdraw(connection, [row.id for row in rows])
    return [row.url_id for row in rows]


def _move(connection: Connection, name: str, scrubbed: RedactedFile) -> None:
    there = connection.execute(sa.select(warc_file).where(warc_file.c.name == name)).first()
    if there is None or there.state == REPLACED:
        return
    row = {"name": scrubbed.name, "run_id": there.run_id, "state": "closed", "bytes": scrubbed.size}
    row |= {"machine": there.machine}
    insert = upsert(connection, warc_file)
    connection.execute(insert.on_conflict_do_update(index_elements=["name"], set_={"bytes": scrubbed.size}), row)
    new_id = connection.execute(sa.select(warc_file.c.id).where(warc_file.c.name == scrubbed.name)).scalar_one()
    statement = sa.select(fetch.c.id, fetch.c.warc_offset, fetch.c.warc_length).where(fetch.c.warc_id == there.id)
    changes = [
        {"of_fetch": row.id, "new_offset": at, "new_length": length}
        for row in connection.execute(statement)
        for at, length in [scrubbed.moved(row.warc_offset, row.warc_length)]
    ]
    moved = {"warc_id": new_id, "warc_offset": sa.bindparam("new_offset"), "warc_length": sa.bindparam("new_length")}
    connection.execute(sa.update(fetch).where(fetch.c.id == sa.bindparam("of_fetch")).values(moved), changes)
    gone = fetch.c.warc_id == new_id, fetch.c.reason == REMOVED
    connection.execute(sa.update(fetch).where(*gone).values(_NOTHING_LEFT))
    connection.execute(sa.update(warc_file).where(warc_file.c.id == there.id).values(state=REPLACED))
