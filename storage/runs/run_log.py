"""`corpus.runs`: start and end of crawl runs, and their counters by site."""

from __future__ import annotations

import os
import socket
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.database.schema import run, run_site
from storage.database.transactions import chunks, upsert
from storage.runs import site_runs

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy.engine import Connection

    from storage.database.transactions import Database
    from storage.runs.allowance import Allowance
    from storage.runs.site_runs import SiteRun, UnfinishedRun


@dataclass(frozen=True, slots=True)
class Run:
    """One crawl run. ``finished`` and ``exit_code`` are None if it was killed.

    ``config`` and ``summary`` are JSON. ``host`` is the machine.
    """

    id: int
    started: datetime
    finished: datetime | None
    exit_code: int | None
    config: str
    summary: str | None
    host: str


@dataclass(frozen=True, slots=True)
class Runs:
    """Crawl runs. Reached as ``corpus.runs``; calling it lists runs. Safe to call from any thread."""

    database: Database

    def __call__(self, newest: int | None = None) -> list[Run]:
        """Return the ``newest`` runs, by default every run, oldest first. The configuration of a run may have 1 MB."""
        columns = (run.c.id, run.c.started, run.c.finished, run.c.exit_code, run.c.config, run.c.summary, run.c.host)
        statement = sa.select(*columns).order_by(run.c.id.desc()).limit(newest)
        return self.database.read(lambda connection: [Run(*row) for row in connection.execute(statement)][::-1])

    def start(self, config: str, sites: Collection[str] = ()) -> int:
        """Record the start of a run with its configuration (JSON), and zero counters for its sites. Return its id."""
        token = uuid.uuid4().hex
        row = {"token": token, "started": datetime.now(UTC), "config": config}
        row |= {"pid": os.getpid(), "host": socket.gethostname()}

        def work(connection: Connection) -> int:
            connection.execute(upsert(connection, run).on_conflict_do_nothing(index_elements=["token"]), row)
            run_id = int(connection.execute(sa.select(run.c.id).where(run.c.token == token)).scalar_one())
            site_runs.begin(connection, run_id, sites)
            return run_id

        return self.database.write(work)

    def finish(self, run_id: int, exit_code: int, summary: str) -> None:
        """Record the end of a run with its exit code and summary (JSON)."""
        values = {"finished": datetime.now(UTC), "exit_code": exit_code, "summary": summary}
        statement = sa.update(run).where(run.c.id == run_id).values(values)
        self.database.write(lambda connection: connection.execute(statement))

    def recount(self, sites: Collection[str]) -> None:
        """Compute the counters of runs at these sites that are not final yet. The caller holds the sites' locks."""
        self.database.write(lambda connection: site_runs.recount(connection, sites))

    def allowances(self, run_id: int) -> dict[str, Allowance]:
        """Return the nightly allowance of a run at each of its sites."""
        return self.database.read(lambda connection: site_runs.allowances(connection, run_id))

    def last_summaries(self, sites: Collection[str]) -> dict[str, str]:
        """Return the summary (JSON) of the last run of each of these sites, "" for a run that was killed.

        Sites with the same last run share one text.
        """
        summary = sa.select(run.c.id, sa.func.coalesce(run.c.summary, ""))

        def work(connection: Connection) -> dict[str, str]:
            last_runs = site_runs.newest_runs(connection, sites)
            texts: dict[int, str] = {}
            for part in chunks(sorted(set(last_runs.values()))):
                texts.update(map(tuple, connection.execute(summary.where(run.c.id.in_(part)))))
            return {site: texts[run_id] for site, run_id in last_runs.items()}

        return self.database.read(work)

    def now(self, run_id: int) -> list[SiteRun]:
        """Return the counters of a run at its sites as they are now, also while it goes on. Changes nothing."""
        return self.database.read(lambda connection: site_runs.now(connection, run_id))

    def largest_backlogs(self, sites: Collection[str]) -> dict[str, int]:
        """Return the most URLs that were suspended at the end of a run, since the last run that left none, by site."""
        return self.database.read(lambda connection: site_runs.largest_backlogs(connection, sites))

    def last_fetched(self, sites: Collection[str]) -> dict[str, int]:
        """Return the number of responses in the last run of each of these sites. Sites without a run are left out."""
        last = sa.select(run_site.c.site, sa.func.max(run_site.c.run_id).label("run_id"))
        last_run = last.where(run_site.c.site.in_(sites)).group_by(run_site.c.site).subquery()
        same = sa.and_(run_site.c.site == last_run.c.site, run_site.c.run_id == last_run.c.run_id)
        statement = sa.select(run_site.c.site, run_site.c.fetched).join(last_run, same)
        return self.database.read(lambda connection: dict(map(tuple, connection.execute(statement))))

    def pages_per_minute(self, sites: Collection[str]) -> dict[str, float]:
        """Return the responses a minute of the unfinished run that each of these sites is in. Others are left out."""
        return self.database.read(lambda connection: site_runs.pages_per_minute(connection, sites, datetime.now(UTC)))

    def unfinished(self) -> list[UnfinishedRun]:
        """Return the runs of all machines that go on or were killed, oldest first."""
        return self.database.read(site_runs.unfinished)

    def by_site(self, sites: Collection[str], days: float = 100.0, run_id: int | None = None) -> list[SiteRun]:
        """Return the counters of runs at these sites, oldest first. A hundred nights of 10,000 sites need a gigabyte.

        ``days``: how far back from the last run. ``run_id``: of this run only.
        """
        return self.database.read(lambda connection: site_runs.site_runs(connection, sites, days, run_id))

    def without_answers(self, days: float) -> list[int]:
        """Return the ids of runs with failed attempts and without any response, up to ``days`` before the last run."""
        return self.database.read(lambda connection: site_runs.without_answers(connection, days))

    def newest(self, sites: Collection[str]) -> int | None:
        """Return the id of the newest run at any of these sites, None without one."""
        return self.database.read(lambda connection: site_runs.newest_run(connection, sites))
