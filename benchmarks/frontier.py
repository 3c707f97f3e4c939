"""Frontier of an old corpus: time of an operation among a million known URLs, and of a night with nothing due.

    python -m benchmarks.frontier [--urls 1000000] [--postgresql | --database postgresql://USER@HOST/EMPTY]

The benchmark builds a corpus of twenty sites. Each has five feeds, and articles that were read long ago. One article in
200 will be recrawled. Figures:

- median CPU and wall time of each operation, in milliseconds. The gate is a CPU time below five: a busy machine and its
  disk disturb the wall time.
- seconds until `crawl` finds that nothing is due. The gate is sixty.

Each operation runs some forty times; a crawl does it thousands of times. PostgreSQL makes a new plan for each of the
first ten. ``--postgresql`` starts a server of its own from the installed programs. The CPU time of its processes counts
too.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from storage.corpus import Corpus
from storage.database.schema import host, url
from storage.database.transactions import insert_many
from storage.frontier.new_links import FoundLink, base_row
from storage.records import Failure, Kind, Lease, Link, Seed, UrlState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SITES, FEEDS, LINKS, ROUNDS = 20, 5, 40, 41
OPERATION_MS, NIGHT_SECONDS = 5.0, 60.0
NAMES = [f"site{number}" for number in range(SITES)]
NOW = time.time()
LATER = NOW + 7 * 86_400.0
"""Within the longest interval of the schedule: a later time counts as that of a wrong clock, and is due at once."""
CORPUS = '[corpus]\nname = "frontier"\ncontact = "benchmark@example.org"\ndatabase = "{}"\n'
SITE = '[[site]]\nname = "{}"\nfeeds = {}\n'


def host_of(site: str) -> str:
    """Return the host of a site."""
    return f"{site}.example"


def seeds() -> list[Seed]:
    """Return the feeds of all sites."""
    feeds = [(site, f"https://{host_of(site)}/feed{number}") for site in NAMES for number in range(FEEDS)]
    return [Seed(feed, feed, site, host_of(site), Kind.FEED) for site, feed in feeds]


def articles(urls: int) -> Iterator[dict[str, Any]]:
    """Yield the rows of articles that were read, by turns of the sites."""
    found = datetime.now(UTC) - timedelta(days=90)
    for number in range(urls):
        site = NAMES[number % SITES]
        address = f"https://{host_of(site)}/article/{number}"
        again = LATER if number // SITES % 200 == 0 else None
        yield base_row(address, address, site, host_of(site)) | {
            "kind": Kind.PAGE,
            "state": UrlState.DONE,
            "seed": False,
            "priority": 0,
            "depth": 3,
            "hops": 0,
            "attempts": 1,
            "found_at": found,
            "dated": 1.7e9 + number,
            "due_again": again,
            "reads": 1,
            "read_at": 1.0,
        }


def fill(corpus: Corpus, urls: int) -> None:
    """Put hosts and articles into the frontier."""
    rows = articles(urls)
    while part := [row for row, _ in zip(rows, range(10_000), strict=False)]:
        corpus.database.write(lambda connection, part=part: insert_many(connection, sa.insert(url), part))
    hosts = [{"site": site, "name": host_of(site), "paused_until": 0.0} for site in NAMES]
    corpus.database.write(lambda connection: insert_many(connection, sa.insert(host), hosts))
    if not corpus.database.is_sqlite:
        # A server does it by itself a minute later.
        corpus.database.write(lambda connection: connection.execute(sa.text("ANALYZE")))


@dataclass(frozen=True, slots=True)
class Bench:
    """A corpus, one of its runs, and the operations on its frontier. ``near``: its server runs on this machine."""

    corpus: Corpus
    run: int
    links: Iterator[int]
    near: bool = False

    def sleep(self) -> None:
        """Have everything be read, sources and articles, and be due some day."""
        awake = sa.update(url).where(url.c.site.in_(NAMES), url.c.state == sa.literal_column("'pending'"))
        rest = awake.values(state=UrlState.DONE, due_again=LATER)
        self.release()
        self.corpus.database.write(lambda connection: connection.execute(rest))

    def wake(self) -> None:
        """Have every source be due."""
        self.sleep()
        self.corpus.frontier.wake(NAMES, NOW, sources=True)

    def release(self) -> None:
        """Give back what is leased."""
        self.corpus.frontier.release(NAMES)

    def lease(self, hosts: int, quota: int) -> list[Lease]:
        """Take some URLs of some hosts."""
        quotas = {host_of(site): quota for site in NAMES[:hosts]}
        return self.corpus.frontier.lease(self.run, quotas, NOW, sites=NAMES)

    def fail(self, lease: Lease) -> None:
        """Give a URL back to be asked for again."""
        self.corpus.frontier.fail(self.run, [Failure(lease, "timeout", retry_at=NOW)])

    def add(self) -> None:
        """Put in the links of a page, all of them new."""
        parent = Lease(1, "https://site0.example/", "https://site0.example/", NAMES[0], host_of(NAMES[0]), Kind.PAGE)
        new = [f"https://{parent.host}/new/{next(self.links)}" for _ in range(LINKS)]
        self.corpus.frontier.add([FoundLink(Link(address, address, parent.host), parent) for address in new])

    def operations(self) -> Iterator[tuple[str, Callable[[], object], Callable[[], object]]]:
        """Yield each operation's name, what is done before it, and the operation."""
        frontier, held = self.corpus.frontier, list[Lease]()
        yield "seed one source again", self.sleep, lambda: frontier.seed(seeds()[:1])
        yield "seed a site's five again", self.sleep, lambda: frontier.seed(seeds()[:FEEDS])
        yield "seed all hundred again", self.sleep, lambda: frontier.seed(seeds())
        yield "wake, nothing due", self.sleep, lambda: frontier.wake(NAMES, NOW)
        yield "wake the sources of a site", self.sleep, lambda: frontier.wake(NAMES[:1], NOW, sources=True)
        yield "wake all hundred sources", self.sleep, lambda: frontier.wake(NAMES, NOW, sources=True)
        yield "hosts that have work", self.wake, lambda: frontier.hosts(NAMES, NOW)
        yield "when the next is due", self.wake, lambda: frontier.next_due(NAMES)
        yield "lease 2 of a host", self.wake, lambda: self.lease(1, 2)
        yield "lease 40 of 20 hosts", self.wake, lambda: self.lease(SITES, 2)
        yield "fail one", lambda: held.extend(self.lease(1, 1)), lambda: self.fail(held.pop())
        yield "release 40", lambda: self.lease(SITES, 2), self.release
        yield f"add {LINKS} new links", self.sleep, self.add

    def servers(self) -> list[Path]:
        """Return where the kernel keeps the CPU times of the server processes that work for us."""
        if not self.near:
            return []
        mine = sa.text("SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid IS NOT NULL")
        pids = self.corpus.database.read(lambda connection: connection.execute(mine).scalars().all())
        return [Path(f"/proc/{pid}/schedstat") for pid in pids]


def cpu_seconds(servers: list[Path]) -> float:
    """Return the CPU time of this process and of some others."""
    return time.process_time() + sum(int(server.read_text().split()[0]) for server in servers) / 1e9


def milliseconds(bench: Bench, before: Callable[[], object], operation: Callable[[], object]) -> tuple[float, float]:
    """Return the median CPU and wall time of an operation."""
    cpu, wall = [], []
    for _ in range(ROUNDS):
        before()
        servers = bench.servers()
        begun = cpu_seconds(servers), time.perf_counter()
        operation()
        wall.append(1000 * (time.perf_counter() - begun[1]))
        cpu.append(1000 * (cpu_seconds(servers) - begun[0]))
    return median(cpu), median(wall)


@contextmanager
def own_server() -> Iterator[str]:
    """Run a PostgreSQL server; yield the URL of an empty database."""
    from tests.conftest import NOT_INSTALLED, PostgresServer, find_programs

    programs = find_programs()
    if programs is None:
        raise SystemExit(NOT_INSTALLED)
    with tempfile.TemporaryDirectory(prefix="corpus-postgres-") as folder:
        server = PostgresServer(programs, Path(folder))
        server.create()
        server.start()
        try:
            yield server.url(server.new_database())
        finally:
            server.stop()


def idle_night(folder: Path, database: str) -> float:
    """Return the seconds a crawl takes in which nothing is due."""
    feeds = {site: [seed.url for seed in seeds() if seed.site == site] for site in NAMES}
    sites = "".join(SITE.format(site, str(feeds[site]).replace("'", '"')) for site in NAMES)
    (folder / "corpus.toml").write_text(CORPUS.format(database) + sites)
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-m", "corpus_spider", "crawl", "-q"], cwd=folder, check=True)
    return time.perf_counter() - begun


def main() -> int:
    """Print the figures; return 1 when one is beyond its limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--urls", type=int, default=1_000_000)
    parser.add_argument("--database", default="")
    parser.add_argument("--postgresql", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, own_server() if options.postgresql else nullcontext("") as own:
        database = own or options.database or f"sqlite:///{folder}/corpus.db"
        slowest = operations(database, options.urls, near=bool(own))
        night = idle_night(Path(folder), database)
    print(f"{'a night with nothing to do':30} {night:8.1f} s")
    return int(slowest > OPERATION_MS or night > NIGHT_SECONDS)


def operations(database: str, urls: int, *, near: bool) -> float:
    """Print what each operation takes; return the CPU time of the slowest in milliseconds. All is read at the end."""
    slowest = 0.0
    with Corpus.open(database, create=True) as corpus:
        fill(corpus, urls)
        corpus.frontier.seed(seeds())
        bench = Bench(corpus, corpus.runs.start("{}"), count(), near)
        for name, before, operation in bench.operations():
            cpu, wall = milliseconds(bench, before, operation)
            slowest = max(slowest, cpu)
            print(f"{name:30} {cpu:8.2f} ms CPU {wall:8.2f} ms", flush=True)
        bench.sleep()
    return slowest


if __name__ == "__main__":
    sys.exit(main())
