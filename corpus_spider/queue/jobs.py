"""Jobs of the queue: the tables of Procrastinate, in a schema of their own beside that of the corpus.

This module and `corpus_spider.queue.worker` are the only ones that know Procrastinate. A job is a convenience: what
keeps two crawls of a site apart are the site locks.
"""

from __future__ import annotations

import os
import re
import time
from collections import defaultdict
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpus_spider.queue.batches import Batch, SiteLoad, batches
from storage.errors import ConfigError
from storage.locking import lock_sessions
from storage.locking.locks import lock_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    import psycopg
    from procrastinate import App

    from corpus_spider.config.model import Config
    from storage.corpus import Corpus
    from storage.database.transactions import Database

QUEUE = TASK = "crawl"
AGAIN = "again"
"""Queue of the batches of dead workers. Each worker has a slot for it alone, so that they wait for no other batch."""
NEW_SITE_PAGES = 200
"""Expected pages of a site without an earlier run."""
QUIET_SECONDS, UNCONNECTED_SECONDS = 30.0, 6.0
"""Seconds without a sign of life after which a worker is reported as dead: with and without a session."""
MAX_FAILED_DAYS = 30
"""Days after which failed jobs are forgotten."""
_LOCK = 0x636F72707573
"""Advisory lock of the one process that makes or changes the tables."""
_TABLES = "SELECT obj_description(to_regnamespace(current_schema()), 'pg_namespace'), to_regclass('procrastinate_jobs')"
_MACHINES = """
CREATE TABLE IF NOT EXISTS machine (
    worker_id bigint PRIMARY KEY REFERENCES procrastinate_workers (id) ON DELETE CASCADE,
    host text NOT NULL,
    process integer NOT NULL,
    slots integer NOT NULL,
    started timestamptz NOT NULL DEFAULT now()
)
"""
_ALIVE = """
INSERT INTO procrastinate_workers (id) OVERRIDING SYSTEM VALUE VALUES (%s)
ON CONFLICT (id) DO UPDATE SET last_heartbeat = now()
"""
_INTRODUCE = "INSERT INTO machine (worker_id, host, process, slots) VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING"
_WORKERS = """
SELECT min(id), host, process, sum(slots), min(started), extract(epoch FROM now() - max(last_heartbeat))::float
FROM procrastinate_workers JOIN machine ON worker_id = id GROUP BY host, process ORDER BY min(started), min(id)
"""
"""A worker has two numbers: the other one is for batches of dead workers."""
_JOBS = """
SELECT id, status::text, args -> 'sites', attempts,
    (SELECT min(a.worker_id) FROM machine a JOIN machine b USING (host, process) WHERE b.worker_id = jobs.worker_id),
    scheduled_at, (SELECT max(at) FROM procrastinate_events WHERE job_id = jobs.id AND type = 'started')
FROM procrastinate_jobs jobs WHERE task_name = %s AND status IN ('todo', 'doing', 'failed')
ORDER BY status, priority DESC, id
"""
_UNCOUNTED = "UPDATE procrastinate_jobs SET attempts = attempts - 1 WHERE id = %s"
_DEAD = """
UPDATE procrastinate_workers SET last_heartbeat = 'epoch' WHERE id = ANY(%s) AND id NOT IN (
    SELECT a.worker_id FROM machine a JOIN machine b USING (host, process) JOIN procrastinate_workers w
    ON w.id = b.worker_id WHERE w.last_heartbeat >= now() - make_interval(secs => %s)
)
"""
"""Both numbers of a worker end together: who has taken its batches over looks no further."""


@dataclass(frozen=True)
class QueuedBatch:
    """A batch in the queue. ``state``: ``todo``, ``doing`` or ``failed``. ``attempts``: earlier ones.

    ``worker``: number of the worker that crawls it. ``not_before``: it waits until then. ``started``: its last attempt.
    ``pages_per_minute``: of the crawl that works on it now.
    """

    job: int
    state: str
    sites: tuple[str, ...]
    attempts: int
    worker: int | None
    not_before: datetime | None
    started: datetime | None
    pages_per_minute: float | None = None

    @property
    def has_failed(self) -> bool:
        """Whether it is not tried again."""
        return self.state == "failed"


@dataclass(frozen=True)
class QueueWorker:
    """A worker. ``quiet_seconds``: since its last sign of life. ``pages_per_minute``: of all its crawls.

    ``connected``: whether it has its session with the database.
    """

    worker: int
    machine: str
    process: int
    slots: int
    started: datetime
    quiet_seconds: float
    pages_per_minute: float = 0.0
    connected: bool = True

    @property
    def is_dead(self) -> bool:
        """Whether it died, or has been cut off from the database for long."""
        return self.quiet_seconds > (QUIET_SECONDS if self.connected else UNCONNECTED_SECONDS)


@dataclass(frozen=True)
class QueueState:
    """Workers and batches, and the batches that `crawl --queue` has added just now."""

    workers: tuple[QueueWorker, ...]
    batches: tuple[QueuedBatch, ...]
    added: tuple[Batch, ...] = ()


def connection_options(corpus: Corpus) -> dict[str, Any]:
    """Return options of a connection to the tables of the queue. Raises ConfigError for a SQLite corpus."""
    if corpus.database.is_sqlite:
        raise ConfigError(
            "the queue needs a corpus in PostgreSQL",
            where=corpus.name,
            do="`corpus-spider move` copies a corpus to PostgreSQL. One machine needs no queue: `corpus-spider crawl`.",
        )
    return _options(corpus.database)


def _options(database: Database) -> dict[str, Any]:
    options = database.connection_options()
    path = f"{options.get('options', '')} -c search_path={_schema(database)}"
    return options | {"options": path.strip()}


def _schema(database: Database) -> str:
    """Return the quoted name of the schema of the queue."""
    return '"' + f"{database.schema()}_queue".replace('"', '""') + '"'


def pending_release(database: Database) -> str:
    """Return the release of Procrastinate to which `open_tables` would change the tables of a queue, or ""."""
    if database.is_sqlite or find_spec("procrastinate") is None:
        return ""
    with closing(database.session(lambda made: made, **_options(database))) as session:
        version, table = session.execute(_TABLES).fetchone() or (None, None)
    return _release() if table and any(_changes(version or "0")) else ""


def require_library() -> None:
    """Raise ConfigError if Procrastinate is not installed."""
    try:
        import procrastinate  # noqa: F401 - whether it can be imported
    except ImportError as error:
        do = "Install the extra `queue`: make queue, or pip install 'corpus-spider[queue]'."
        raise ConfigError("the queue needs Procrastinate, which is not installed", do=do) from error


def open_tables(corpus: Corpus, *, read_only: bool = False) -> psycopg.Connection[Any]:
    """Return a connection to the tables of the queue. Make them, or change them to this release, unless ``read_only``.

    Raises ConfigError for a SQLite corpus, or without Procrastinate.
    """
    require_library()
    options = connection_options(corpus)
    session = corpus.database.session(lambda made: made, **options)
    if read_only:
        return session
    with alone(session):
        session.execute(f"CREATE SCHEMA IF NOT EXISTS {_schema(corpus.database)}".encode())
        version, table = session.execute(_TABLES).fetchone() or (None, None)
        for statements in _changes(version if table else None):
            session.execute(statements.encode())
        session.execute(_MACHINES)
        session.execute(f"COMMENT ON SCHEMA {_schema(corpus.database)} IS 'procrastinate {_release()}'".encode())
    return session


@contextmanager
def alone(session: psycopg.Connection[Any]) -> Iterator[None]:
    """Let no other process change the tables, add batches or queue them again in the block."""
    session.execute("SELECT pg_advisory_lock(%s)", (_LOCK,))
    try:
        yield
    finally:
        session.execute("SELECT pg_advisory_unlock(%s)", (_LOCK,))


def _changes(version: str | None) -> Iterator[str]:
    """Yield the SQL that brings the tables of a release of Procrastinate to the installed one. None: no tables yet."""
    from procrastinate.schema import SchemaManager

    if version is None:
        yield SchemaManager.get_schema()
        return
    made_by = _numbers(version)
    for file in sorted(Path(SchemaManager.get_migrations_path()).glob("*.sql")):
        if _numbers(file.name.partition("_")[0]) > made_by:
            yield file.read_text("utf-8")


def _release() -> str:
    from importlib.metadata import version

    return version("procrastinate")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:3])


def site_loads(config: Config, corpus: Corpus) -> list[SiteLoad]:
    """Return what a crawl of each configured site that is due needs, by its last run."""
    names = config.site_names
    due = corpus.frontier.due_sites(names, time.time())
    hosts, fetched = corpus.frontier.site_hosts(names), corpus.runs.last_fetched(names)
    return [
        SiteLoad(
            site.name,
            frozenset(config.site_model(site).hosts) | hosts.get(site.name, set()),
            fetched.get(site.name, NEW_SITE_PAGES),
            config.site_delay(site),
        )
        for site in config.sites
        if site.name in due
    ]


def enqueue(config: Config, corpus: Corpus, *, dry_run: bool = False) -> QueueState:
    """Add the configured sites that are due to the queue, in batches, but none that is queued or crawled already."""
    with closing(open_tables(corpus, read_only=dry_run)) as session, alone(session):
        before = state_of(session)
        there = {site for batch in before.batches if not batch.has_failed for site in batch.sites}
        waiting = [load for load in site_loads(config, corpus) if load.name not in there]
        added = tuple(batches(waiting, sum(worker.slots for worker in before.workers)))
        if added and not dry_run:
            add(corpus, added)
        after = state_of(session)
    return QueueState(after.workers, after.batches, added)


def add(corpus: Corpus, added: Iterable[Batch]) -> None:
    """Add batches to the queue."""
    from procrastinate import App, SyncPsycopgConnector

    connector = SyncPsycopgConnector(conninfo="", kwargs=connection_options(corpus), min_size=1, max_size=1)
    with App(connector=connector).open() as app:
        for batch in added:
            # The longest batch first: it would end last.
            app.configure_task(TASK, queue=QUEUE, priority=round(batch.seconds)).defer(sites=list(batch.sites))


def queue_state(corpus: Corpus) -> QueueState:
    """Return the workers and batches, with the rates of those at work."""
    with closing(open_tables(corpus, read_only=True)) as session:
        found = state_of(session)
    rates = corpus.runs.pages_per_minute([each.sites[0] for each in found.batches if each.state == "doing"])
    at_work = {each.job: rates.get(each.sites[0]) for each in found.batches if each.state == "doing"}
    batches = tuple(replace(each, pages_per_minute=at_work.get(each.job)) for each in found.batches)
    of_worker: defaultdict[int | None, float] = defaultdict(float)
    for batch in batches:
        of_worker[batch.worker] += batch.pages_per_minute or 0
    return QueueState(tuple(replace(each, pages_per_minute=of_worker[each.worker]) for each in found.workers), batches)


def known_queue(corpus: Corpus) -> QueueState | None:
    """Return the workers and batches, without rates. None without a queue. It needs no Procrastinate."""
    if corpus.database.is_sqlite:
        return None
    with closing(corpus.database.session(lambda made: made, **_options(corpus.database))) as session:
        found = state_of(session)
    return found if found.workers or found.batches else None


def state_of(session: psycopg.Connection[Any]) -> QueueState:
    """Return the workers and batches; none if there are no tables yet."""
    if session.execute("SELECT to_regclass('machine')").fetchone() == (None,):
        return QueueState((), ())
    workers = [QueueWorker(*row) for row in session.execute(_WORKERS)]
    keys = _worker_keys(session, [worker.worker for worker in workers])
    connected = {keys[key] for key in lock_sessions.held(session, keys)}
    return QueueState(
        tuple(replace(worker, connected=worker.worker in connected) for worker in workers),
        tuple(
            QueuedBatch(job, state, tuple(sites), attempts, worker, not_before, started)
            for job, state, sites, attempts, worker, not_before, started in session.execute(_JOBS, (TASK,))
        ),
    )


def introduce(session: psycopg.Connection[Any], machine: str, worker: int, slots: int) -> None:
    """Record a worker, this one, as `show_life`. The lock shows that it lives: it ends with the session."""
    show_life(session, machine, worker, slots)
    session.execute("SELECT pg_try_advisory_lock(%s)", tuple(_worker_keys(session, [worker])))


def show_life(session: psycopg.Connection[Any], machine: str, worker: int, slots: int) -> None:
    """Record a sign of life, the machine and the process of a worker, also if other workers have given it up."""
    session.execute(_ALIVE, (worker,))
    session.execute(_INTRODUCE, (worker, machine, os.getpid(), slots))


def mark_dead(session: psycopg.Connection[Any], quiet_seconds: float) -> None:
    """Give up workers without a session that gave no sign of life for so long, sooner than those with one."""
    keys = _worker_keys(session, [row[0] for row in session.execute("SELECT worker_id FROM machine")])
    alive = lock_sessions.held(session, keys)
    if gone := [worker for key, worker in keys.items() if key not in alive]:
        session.execute(_DEAD, (gone, quiet_seconds))


def uncount(session: psycopg.Connection[Any], job: int | None) -> None:
    """Take back the count of an attempt: it says nothing about the batch."""
    session.execute(_UNCOUNTED, (job,))


def _worker_keys(session: psycopg.Connection[Any], workers: Iterable[int]) -> dict[int, int]:
    """Return the workers by the keys of their locks."""
    schema = session.execute("SELECT current_schema()").fetchone() or ("",)
    return {lock_key(str(worker), str(schema[0]), "worker"): worker for worker in workers}


def app_of(corpus: Corpus) -> App:
    """Return Procrastinate's application on the tables of the queue, with up to three connections."""
    from procrastinate import App, PsycopgConnector

    options = connection_options(corpus)
    return App(connector=PsycopgConnector(conninfo="", kwargs=options, min_size=1, max_size=3))
