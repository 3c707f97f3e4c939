"""Site locks: two crawls never work on the same site of a corpus, and a lock ends with its holder.

The hosts of the sites are locked one by one, when a crawl first requests them: two sites may share a host, and only one
crawl at a time can keep its delay.

SQLite: flock(2) locks on files. The files stay behind empty and have no meaning themselves. PostgreSQL: advisory locks
of one session, which end with its connection. If the network loses a connection, the server notices within half a
minute. A run that lost its connection ends the old session as soon as it has a new one.
"""

from __future__ import annotations

import hashlib
import os
import re
from contextlib import AbstractContextManager, closing, suppress
from typing import TYPE_CHECKING, Self

from storage.disk import disk_error, disk_errors, flocked, locked_byte, unlock_byte
from storage.errors import ConfigError, CorpusError, DatabaseError, LockedError
from storage.locking import lock_sessions

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path
    from types import TracebackType

    import psycopg

    from storage.corpus import Corpus

HOSTS = "hosts"
"""Lock file of all hosts, one byte each. An open file each would be too many: a site may have any number of hosts."""

_held: set[int] = set()


def _let_go_in_child() -> None:
    # A forked worker would inherit the descriptor and keep the lock alive after its parent's death.
    for descriptor in _held:
        os.close(descriptor)
    _held.clear()


os.register_at_fork(after_in_child=_let_go_in_child)


def lock_file(folder: Path, site: str) -> Path:
    """Return the lock file of a site: a readable part of its name, and a digest that distinguishes sites."""
    readable = re.sub(r"[^A-Za-z0-9.-]+", "_", site)[:60]
    return folder / f"{readable}-{hashlib.sha256(site.encode()).hexdigest()[:8]}.lock"


def lock_key(name: str, schema: str, kind: str = "site") -> int:
    """Return the signed 64-bit key of the advisory lock of a site or a host.

    Advisory locks belong to the whole database. The key includes the schema, because each schema may hold a corpus.
    """
    digest = hashlib.sha256(f"corpus-spider schema {schema} {kind} {name}".encode()).digest()
    return int.from_bytes(digest[:8], "big", signed=True)


def host_byte(host: str) -> int:
    """Return the place of a host's lock in the file of all hosts."""
    return int.from_bytes(hashlib.sha256(host.encode()).digest()[:8], "big") >> 2


def held_sites(corpus: Corpus, sites: Iterable[str]) -> set[str]:
    """Return the sites that a crawl of any machine has locked now. The corpus is in PostgreSQL."""
    with closing(corpus.database.session(lambda made: made)) as session:
        schema = lock_sessions.schema_of(session)
        keys = {lock_key(site, schema): site for site in sites}
        return {keys[key] for key in lock_sessions.held(session, keys)}


class SiteLocks(AbstractContextManager["SiteLocks"]):
    """Locks of some sites. Takes all of them at once, or none and raises `LockedError` with the locked sites.

    ``folder``: created if missing, holds the lock files of a SQLite corpus. Use it as a context manager, or call
    `acquire` and `release`.
    """

    def __init__(self, corpus: Corpus, sites: Iterable[str], folder: Path) -> None:
        self._corpus = corpus
        self._sites = tuple(sorted(set(sites)))
        self._folder = folder
        self._descriptors: list[int] = []
        self._hosts: set[str] = set()
        self._hosts_file = -1
        self._schema = ""
        self._session: psycopg.Connection | None = None
        self._socket = -1
        self._identity: lock_sessions.Identity | None = None
        self._lost: list[lock_sessions.Identity] = []
        self._holders = ""

    @classmethod
    def of_all(cls, corpus: Corpus, sites: Iterable[str], folder: Path) -> Self:
        """Return the locks of these sites and of every site in the frontier, for work on the whole corpus."""
        return cls(corpus, {*corpus.removals.sites(), *sites}, folder)

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def acquire(self) -> None:
        """Take all locks, or none and raise `LockedError`. ConfigError if the database cannot hold locks."""
        try:
            taken = self._flock() if self._corpus.database.is_sqlite else self._corpus.database.session(self._advise)
        except CorpusError:
            self.release()
            raise
        if taken:
            self.release()
            held = f"; held by {self._holders}" if self._holders else ""
            raise LockedError(taken, where=self._corpus.name, do=f"Wait for it to end, or crawl other sites{held}.")

    @property
    def sites(self) -> tuple[str, ...]:
        """Names of the sites."""
        return self._sites

    def ensure(self) -> bool:
        """Take the locks again if the database connection with the locks was lost; say whether it was.

        Raises `LockedError` if another crawl took one in the meantime: the caller must stop.
        """
        if self._session is None or self._alive(self._session):
            return False
        hosts = sorted(self._hosts)
        self.release()
        self.acquire()
        self.lock_hosts(hosts)
        return True

    @property
    def hosts(self) -> set[str]:
        """The locked hosts."""
        return set(self._hosts)

    def unlock_hosts(self, hosts: Iterable[str]) -> None:
        """Let other crawls request these hosts. A server has room for some thousand locks."""
        for host in self._hosts.intersection(hosts):
            self._hosts.discard(host)
            if self._session is None:
                unlock_byte(self._hosts_file, host_byte(host))
            else:
                self._unadvise_one(self._session, self._host_key(host))

    def lock_hosts(self, hosts: Collection[str]) -> set[str]:
        """Lock hosts until `release`, and return those of them that are locked now; the others are another crawl's.

        Call it again for a host before each group of requests: a lost connection may have cost its lock. Raises
        `LockedError` as `ensure`.
        """
        new = [host for host in hosts if host not in self._hosts]
        if new:
            self.ensure()
            self._hosts.update(self._flock_hosts(new) if self._session is None else self._advise_hosts(new))
        return self._hosts.intersection(hosts)

    def release(self) -> None:
        """Release all locks. Does nothing if there are none."""
        while self._descriptors:
            descriptor = self._descriptors.pop()
            _held.discard(descriptor)
            os.close(descriptor)
        self._hosts.clear()
        self._hosts_file = -1
        if self._session is not None:
            _held.discard(self._socket)
            if not self._end(self._session) and self._identity is not None:
                # The server may not have noticed the loss: for the server the session lives and holds the locks.
                self._lost.append(self._identity)
            self._session = self._identity = None

    def _flock(self) -> tuple[str, ...]:
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            return tuple(site for site in self._sites if not self._flock_one(lock_file(self._folder, site)))
        except OSError as error:
            raise disk_error(error, self._folder) from error

    def _flock_one(self, path: Path) -> bool:
        descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
        if not flocked(descriptor):
            os.close(descriptor)
            return False
        self._descriptors.append(descriptor)
        _held.add(descriptor)
        return True

    def _flock_hosts(self, hosts: Iterable[str]) -> list[str]:
        """Lock bytes of the file of all hosts by fcntl(2), which locks for a process and not for an open file."""
        path = self._folder / HOSTS
        with disk_errors(path):
            if self._hosts_file < 0:
                self._hosts_file = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
                self._descriptors.append(self._hosts_file)
                _held.add(self._hosts_file)
            return [host for host in hosts if locked_byte(self._hosts_file, host_byte(host))]

    def _advise_hosts(self, hosts: Iterable[str]) -> list[str]:
        import psycopg

        assert self._session is not None
        try:
            return [host for host in hosts if self._advise_one(self._session, self._host_key(host))]
        except psycopg.OperationalError:
            # The connection is lost. `ensure` makes a new one, or ends the crawl.
            return []

    def _host_key(self, host: str) -> int:
        return lock_key(host, self._schema, "host")

    def _advise(self, session: psycopg.Connection) -> tuple[str, ...]:
        # An earlier attempt may have left a lost session.
        self.release()
        self._session, self._socket = session, session.fileno()
        _held.add(self._socket)
        if lock_sessions.is_shared(session, self._corpus.database):
            raise ConfigError(
                "a pooler shares the sessions of the database between programs, so locks do not hold",
                where=self._corpus.name,
                do="Set database to the address of the server itself, or to one with session pooling.",
            )
        self._identity = lock_sessions.introduce(session)
        while self._lost:
            lock_sessions.end(session, self._lost[-1])
            self._lost.pop()
        self._schema = lock_sessions.schema_of(session)
        keys = {site: lock_key(site, self._schema) for site in self._sites}
        taken = tuple(site for site, key in keys.items() if not self._advise_one(session, key))
        self._holders = lock_sessions.holders(session, [keys[site] for site in taken]) if taken else ""
        return taken

    def _advise_one(self, session: psycopg.Connection, key: int) -> bool:
        import psycopg

        try:
            row = session.execute("SELECT pg_try_advisory_lock(%s)", (key,)).fetchone()
        except psycopg.errors.OutOfMemory as error:
            raise DatabaseError(
                "the server has no room for more locks",
                where=self._corpus.name,
                do="Crawl fewer sites at once (--site), or raise max_locks_per_transaction of the server.",
            ) from error
        return row is not None and bool(row[0])

    @staticmethod
    def _unadvise_one(session: psycopg.Connection, key: int) -> None:
        import psycopg

        with suppress(psycopg.OperationalError):
            session.execute("SELECT pg_advisory_unlock(%s)", (key,))

    @staticmethod
    def _alive(session: psycopg.Connection) -> bool:
        import psycopg

        try:
            session.execute("SELECT 1")
        except psycopg.Error:
            return False
        return True

    @staticmethod
    def _end(session: psycopg.Connection) -> bool:
        """Unlock before closing, because a server may notice the end of a session late. Say whether it answered."""
        import psycopg

        try:
            session.execute("SELECT pg_advisory_unlock_all()")
        except psycopg.Error:
            return False
        finally:
            session.close()
        return True
