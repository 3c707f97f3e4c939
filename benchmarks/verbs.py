"""Measure how the time of each verb grows with the number of documents.

    python benchmarks/verbs.py [--sizes 30000,300000] [--folder WORK] [--verb NAME ...] [--database URL]

Builds a corpus of each size with `benchmarks/export.py`, or takes the one that the folder has; a million documents in
PostgreSQL need 10 GB and some minutes. Each verb runs in a process of its own. A verb that changes the corpus gets a
copy. ``--database`` is the URL of a PostgreSQL server on which databases can be created; the default is SQLite. The
databases of the corpora are dropped at the end, unless ``--folder`` keeps the corpora.

Printed is a table in Markdown. CPU: seconds of CPU time (user and system) by size, of one document first, of the
program and of a PostgreSQL server on this machine. Then seconds by the clock at the largest size, and the memory of the
program. Growth: CPU time per document at the largest size over that at the smallest, without the start, of program and
server together, and the same for memory. The gate is 1.5. A verb without a second of CPU time more than for one
document, or without 20 MiB more, has none. What else runs on the server is counted too: switch autovacuum off.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import psycopg
from export import SITES, STORED, make

if TYPE_CHECKING:
    from collections.abc import Iterator

TEXT_BYTES, REMOVALS = 5500, 10
PR_SET_CHILD_SUBREAPER = 36  # prctl(2)
LEAST_SECONDS = 1.0
"""CPU time at the largest size below which a verb has no growth: it is noise."""
READING: dict[str, tuple[str, ...]] = {
    "status": ("status",),
    "status --json": ("status", "--json"),
    "health": ("health",),
    "dropped": ("dropped",),
    "dropped, one site": ("dropped", "--site", "s0"),
    "show": ("show", "https://s0.example/news/0-article.html"),
    "doctor": ("doctor",),
    "check": ("check",),
    "index": ("index", "--rebuild"),
    "words": ("words", "--language", "en", "--limit", "100"),
    "words --against": ("words", "--site", "s0", "--language", "en", "--against", "rest"),
    "search": ("search", "harbour", "--limit", "20"),
    "learn": ("learn", "--dry-run"),
    "learn, one site": ("learn", "--site", "s0", "--dry-run"),
    "reextract": ("reextract", "--dry-run"),
    "reextract, one site": ("reextract", "--site", "s0", "--dry-run"),
    "prune --dry-run": ("prune", "--dry-run"),
    "remove --dry-run": ("remove", "--dry-run", "--reason", "asked", "--domain", "s1.example"),
    "export --dry-run": ("export", "--dry-run"),
    **{
        f"export {name}": ("export", "--overwrite", "-o", f"{{out}}/out.{name}")
        for name in ("jsonl.zst", "parquet", "prevert", "vert")
    },
    "export txt": ("export", "--overwrite", "-o", "{out}/texts/"),
    "export --release": ("export", "--release", "-o", "{out}/release/"),
    "crawl --dry-run": ("crawl", "--dry-run"),
}
VERBS = READING | {
    "backup": ("backup", "{out}/backup"),
    "remove": ("remove", "--yes", "--reason", "asked", "--from", "{folder}/requests.txt"),
    "remove deferred": ("remove", "--yes", "--reason", "asked", "--from", "{folder}/requests.txt", "--defer-vacuum"),
    "move to SQLite": ("move", "sqlite:///{out}/moved.db"),
}
LEAST_MEMORY = 20.0
"""MiB above those of one document below which a verb has no growth."""
OTHERS = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
CHANGING = ("remove", "remove deferred")
"""Verbs that get a copy of the corpus."""


@dataclass(frozen=True, slots=True)
class Time:
    """Seconds of CPU time of all processes, of the database server, and by the clock, and MiB of memory at most."""

    cpu: float
    server: float
    wall: float
    memory: float


def measured(folder: Path, arguments: tuple[str, ...], database: str) -> Time:
    """Run a verb on the corpus in a folder, whose database is SQLite if ``database`` is empty; return its time."""
    variables = os.environ | ({"DATABASE_URL": database} if database else {})
    command = [sys.executable, "-m", "corpus_spider", "-c", str(folder), "-q", *arguments]
    own, before, start = children(), server_seconds(database), time.perf_counter()
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said, env=variables)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        cpu = used.ru_utime + used.ru_stime + seconds_of_orphans(own)
        said.seek(0)
        # `health` reports sites that were never crawled with 8, and `doctor` warnings with 1.
        if process.returncode not in {0, 1, 8}:
            raise SystemExit(f"{' '.join(command)}: exit code {process.returncode}\n{said.read().decode()}")
    wall = time.perf_counter() - start
    return Time(cpu, server_seconds(database) - before, wall, used.ru_maxrss / 1024)


def children() -> set[int]:
    """Return the ids of the child processes of this one."""
    return {int(pid) for task in Path("/proc/self/task").iterdir() for pid in (task / "children").read_text().split()}


def seconds_of_orphans(own: set[int]) -> float:
    """Wait for the processes that an ended program left, such as its fork server; return their CPU seconds.

    ``own``: children that were there before the program.
    """
    seconds = 0.0
    while left := children() - own:
        for pid in left:
            _, _, used = os.wait4(pid, 0)
            seconds += used.ru_utime + used.ru_stime
    return seconds


def server_seconds(database: str) -> float:
    """Return the CPU seconds of the ended processes of a PostgreSQL server on this machine; 0 for any other."""
    if not database:
        return 0.0
    # In a transaction the server would always show the same sessions.
    with psycopg.connect(database, autocommit=True) as connection:
        (own,) = connection.execute("SELECT pg_backend_pid()").fetchone() or (0,)
        try:
            # Other sessions end a moment after their program.
            while connection.execute(OTHERS).fetchone() != (0,):
                time.sleep(0.1)
            parent = Path(f"/proc/{own}/stat").read_text().rpartition(")")[2].split()[1]
            fields = Path(f"/proc/{parent}/stat").read_text().rpartition(")")[2].split()
        except FileNotFoundError:
            return 0.0
    return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")


def run(name: str, folder: Path, size: int, database: str) -> Time:
    """Run a verb by its name."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as aside:
        out = Path(aside)
        if name not in CHANGING:
            return measured(folder, arguments_of(name, folder, out), database)
        shutil.copytree(folder, out / "corpus")
        folder = out / "corpus"
        addresses = (f"https://s{each}.example/news/{each}-article.html" for each in range(min(size, SITES)))
        named = [address for address, _ in zip(addresses, range(REMOVALS), strict=False)]
        (folder / "requests.txt").write_text("\n".join(named), encoding="utf-8")
        if not database:
            return measured(folder, arguments_of(name, folder, out), "")
        with copied_database(database) as copy:
            return measured(folder, arguments_of(name, folder, out), copy)


def arguments_of(name: str, folder: Path, out: Path) -> tuple[str, ...]:
    """Return the arguments of a verb."""
    return tuple(each.format(folder=folder, out=out) for each in VERBS[name])


def database_of(server: str, name: str) -> str:
    """Return the URL of a database on a server."""
    return urlsplit(server)._replace(path=f"/{name}").geturl()


def create_database(server: str, name: str) -> str:
    """Create a database on a server, unless it has one of this name; return its URL."""
    with psycopg.connect(server, autocommit=True) as connection:
        if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (name,)).fetchone():
            connection.execute(f"CREATE DATABASE {name} ENCODING 'UTF8' TEMPLATE template0")
    return database_of(server, name)


def drop_database(server: str, name: str) -> None:
    """Drop a database."""
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


@contextmanager
def copied_database(database: str) -> Iterator[str]:
    """Copy a database for the block; gives its URL."""
    name = urlsplit(database).path.strip("/")
    server = database_of(database, "postgres")
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}_copy TEMPLATE {name} STRATEGY file_copy")
    try:
        yield database_of(server, f"{name}_copy")
    finally:
        drop_database(server, f"{name}_copy")


def report(name: str, times: list[Time], sizes: list[int]) -> None:
    """Print a line of the table. The first time is that of one document."""
    small, large = (
        (
            max(0.01, time.cpu + time.server - times[0].cpu - times[0].server) / size,
            max(1, time.memory - times[0].memory) / size,
        )
        for time, size in ((times[1], sizes[0]), (times[-1], sizes[-1]))
    )
    is_noise = times[-1].cpu + times[-1].server - times[0].cpu - times[0].server < LEAST_SECONDS
    growth = "" if is_noise else f"{large[0] / small[0]:.2f}"
    memory = "" if times[-1].memory - times[0].memory < LEAST_MEMORY else f"{large[1] / small[1]:.2f}"
    cells = [
        name,
        *(f"{each.cpu:.1f} + {each.server:.1f}" for each in times),
        f"{times[-1].wall:.1f}",
        *(f"{each.memory:.0f}" for each in times),
        growth,
        memory,
    ]
    print(f"| {' | '.join(cells)} |", flush=True)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="30000,300000", help="numbers of documents, separated by commas")
    parser.add_argument("--folder", type=Path, help="folder of the corpora (default: a temporary folder)")
    parser.add_argument("--verb", action="append", choices=VERBS, help="measure only this verb; repeatable")
    parser.add_argument("--database", metavar="URL", default="", help="a PostgreSQL server (default: SQLite)")
    parser.add_argument("--bytes", type=int, default=TEXT_BYTES, help="of a text")
    parser.add_argument("--sites", type=int, default=SITES)
    parser.add_argument("--stored", type=int, default=STORED, help="documents that are no copies")
    options = parser.parse_args()
    # The processes that a program leaves become ours.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    sizes = sorted(int(size) for size in options.sizes.split(","))
    every = [1, *sizes]
    with tempfile.TemporaryDirectory() as aside:
        above = options.folder or Path(aside)
        databases = {size: options.database and create_database(options.database, f"verbs_{size}") for size in every}
        try:
            for size, database in databases.items():
                make(above / str(size), size, options.bytes, options.sites, database, options.stored)
            heads = ["verb", *(f"CPU, {size:,}" for size in every), "clock", *(f"MiB, {size:,}" for size in every)]
            heads += ["growth of CPU", "growth of memory"]
            print(f"| {' | '.join(heads)} |\n|{' --- |' * len(heads)}")
            for name in options.verb or VERBS:
                report(name, [run(name, above / str(size), size, databases[size]) for size in every], sizes)
        finally:
            if options.database and not options.folder:
                for size in every:
                    drop_database(options.database, f"verbs_{size}")


if __name__ == "__main__":
    main()
