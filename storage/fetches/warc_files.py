"""`corpus.warc`: the WARC files of a corpus as the database knows them. Their bytes: ``storage.warc``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.database.schema import fetch, warc_file
from storage.fetches import file_retention, machines, missing_files
from storage.fetches.fetches import POINTER_COLUMNS, pointer_of, warc_ids

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Collection
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from storage.database.transactions import Database
    from storage.fetches.file_retention import AgedFile
    from storage.records import Pointer

REPLACED = "replaced"
"""State of a WARC file after removals rewrote it: a copy without the removed records has taken its place."""
_original = fetch.alias("original_fetch")


@dataclass(frozen=True, slots=True)
class WarcFile:
    """A WARC file. ``state``: ``open``, ``closed``, ``removed`` or ``replaced``. ``size``: bytes, once closed.

    ``machine``: the machine that has it; "" if each machine of the corpus reaches it.
    """

    name: str
    run_id: int | None
    state: str
    size: int | None
    machine: str = ""


@dataclass(frozen=True, slots=True)
class WarcFiles:
    """WARC files and the records in them. Reached as ``corpus.warc``. Safe to call from any thread."""

    database: Database
    machine: str = ""

    def files(self) -> list[WarcFile]:
        """Return all WARC files, by name."""
        statement = sa.select(warc_file).order_by(warc_file.c.name)
        rows = self.database.read(lambda connection: connection.execute(statement).all())
        return [WarcFile(row.name, row.run_id, row.state, row.bytes, row.machine or "") for row in rows]

    def register(self, run_id: int | None, name: str) -> None:
        """Register a WARC file before it is written. Idempotent."""
        self.database.write(lambda connection: warc_ids(connection, run_id, [name], self.machine))

    def expected(self) -> list[str]:
        """Return the names of the WARC files that should be in the folder of this machine."""
        return self.database.read(lambda connection: missing_files.expected(connection, self.machine))

    def elsewhere(self) -> dict[str, str]:
        """Return the machine of each WARC file that is in the folder of another machine."""
        return self.database.read(lambda connection: machines.elsewhere(connection, self.machine))

    def take_over(self, names: Collection[str]) -> None:
        """Record that the files in this folder are on this machine. Does nothing if machines have no names."""
        if self.machine:
            self.database.write(lambda connection: machines.take_over(connection, self.machine, names))

    def count_elsewhere(self, sites: Collection[str]) -> Counter[str]:
        """Count the pages of these sites that wait to be processed on another machine, by machine."""
        return self.database.read(lambda connection: machines.count_waiting(connection, self.machine, sites))

    def mark_missing(self, names: Collection[str], now: datetime, *, others_there: bool = False) -> None:
        """Record files that are missing since ``now``. Their pages wait. ``others_there``: all others are there."""
        self.database.write(
            lambda connection: missing_files.mark_missing(
                connection, self.machine, names, now, others_there=others_there
            )
        )

    def count_waiting(self, sites: Collection[str]) -> Counter[str]:
        """Count the pages of these sites that wait for a missing file, by file."""
        return self.database.read(lambda connection: missing_files.count_waiting(connection, sites))

    def fetch_again(self, sites: Collection[str], before: datetime) -> int:
        """Set pages that wait for files missing since ``before`` to pending. The caller holds the sites' locks."""
        return self.database.write(lambda connection: missing_files.fetch_again(connection, sites, before))

    def left_sites(self) -> list[str]:
        """Return the sites with pages that only this machine can process; none if it reaches all files."""
        return self.database.read(lambda connection: machines.left_sites(connection, self.machine))

    def read_sources_again(self, sites: Collection[str]) -> int:
        """Set sources that wait to be processed on another machine to pending. The caller holds the sites' locks."""
        if not self.machine:
            return 0
        return self.database.write(lambda connection: machines.read_sources_again(connection, self.machine, sites))

    def close(self, name: str, size: int) -> None:
        """Record the final size in bytes of a WARC file. Idempotent. Removed and replaced files keep their state."""

        def work(connection: Connection) -> None:
            warc_ids(connection, None, [name], self.machine)
            there = warc_file.c.state.not_in((file_retention.REMOVED, REPLACED))
            closed = sa.update(warc_file).where(warc_file.c.name == name, there)
            connection.execute(closed.values(state="closed", bytes=size, machine=self.machine or None))

        self.database.write(work)

    def aged(self) -> list[AgedFile]:
        """Return the closed WARC files of this machine that still exist, with the time of their last record."""
        return self.database.read(lambda connection: file_retention.aged_files(connection, self.machine))

    def remove(self, name: str, why: str) -> None:
        """Mark a WARC file as removed by a retention rule, before it is deleted.

        Pages whose last answer was in it are fetched in full next time.
        """
        self.database.write(lambda connection: file_retention.mark_removed(connection, name, why))

    def pointers(self, name: str) -> list[tuple[int, Pointer]]:
        """Return (fetch id, pointer) of every fetch in one WARC file, by offset."""
        query = (
            sa.select(fetch.c.id, *POINTER_COLUMNS)
            .join(warc_file, warc_file.c.id == fetch.c.warc_id)
            .where(warc_file.c.name == name)
            .order_by(fetch.c.warc_offset)
        )
        rows = self.database.read(lambda connection: connection.execute(query).all())
        return [(row.id, pointer_of(row)) for row in rows]

    def revisits(self, name: str) -> dict[int, str]:
        """Return the id of the record with the payload for each revisit record in one WARC file, by offset."""
        query = (
            sa.select(fetch.c.warc_offset, _original.c.record_id)
            .join(warc_file, warc_file.c.id == fetch.c.warc_id)
            .join(_original, _original.c.id == fetch.c.original_id)
            .where(warc_file.c.name == name)
        )
        rows = self.database.read(lambda connection: connection.execute(query).all())
        return {row.warc_offset: row.record_id for row in rows}
