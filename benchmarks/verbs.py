"""Measure how the time of each verb grows with the number of documents.

    python benchmarks/verbs.py [--sizes 30000,300000] [--folder WORK] [--verb NAME ...] [--postgresql URL]

Builds a corpus of each size with `benchmarks/export.py`, or takes the one that the folder has; 300,000 documents need
4 GB and twelve minutes. Each verb runs in a process of its own. A verb that changes the corpus gets a copy. With
``--postgresql``, a URL of a server on which databases can be created, each corpus is also moved there, and the verbs
that read are measured there too; the CPU time of the server is not counted.

Printed are seconds of CPU time (user and system) by size, of one document first; seconds by the clock at the largest
size; memory at the smallest and the largest; and the growth: CPU time per document at the largest size over that at the
smallest, without the start. The gate is 1.1.
"""

from __future__ import annotations

import argparse
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

import psycopg
from export import SITES, make

if TYPE_CHECKING:
    from collections.abc import Iterator

TEXT_BYTES, GATE, REMOVALS = 5500, 1.1, 10
READING: dict[str, tuple[str, ...]] = {
    "status": ("status",),
    "health": ("health",),
    "check": ("check",),
    "export --dry-run": ("export", "--dry-run"),
    **{
        f"export {name}": ("export", "--overwrite", "-o", f"{{out}}/out.{name}")
        for name in ("jsonl.zst", "parquet", "prevert", "vert")
    },
    "export txt": ("export", "--overwrite", "-o", "{out}/texts/"),
    "crawl --dry-run": ("crawl", "--dry-run"),
}
VERBS = READING | {
    "backup": ("backup", "{out}/backup"),
    "remove": ("remove", "--yes", "--reason", "asked", "--from", "{folder}/requests.txt"),
    "remove deferred": ("remove", "--yes", "--reason", "asked", "--from", "{folder}/requests.txt", "--defer-vacuum"),
    "move to SQLite": ("move", "sqlite:///{out}/moved.db"),
}
CHANGING = ("remove", "remove deferred")
"""Verbs that get a copy of the corpus."""


@dataclass(frozen=True, slots=True)
class Time:
    """Seconds of CPU time of all processes and by the clock, and MiB of memory at most."""

    cpu: float
    wall: float
    memory: float


def measured(folder: Path, arguments: tuple[str, ...], database: str | None) -> Time:
    """Run a verb on the corpus in a folder, or in another database, and return its time."""
    variables = os.environ | ({"DATABASE_URL": database} if database else {})
    command = [sys.executable, "-m", "corpus_spider", "-c", str(folder), "-q", *arguments]
    start = time.perf_counter()
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said, env=variables)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        # `health` reports sites that were never crawled with 8.
        if process.returncode not in {0, 8}:
            raise SystemExit(f"{' '.join(command)}: exit code {process.returncode}\n{said.read().decode()}")
    return Time(used.ru_utime + used.ru_stime, time.perf_counter() - start, used.ru_maxrss / 1024)


def run(name: str, folder: Path, size: int, database: str | None = None) -> Time:
    """Run a verb by its name."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as aside:
        out = Path(aside)
        if name in CHANGING:
            shutil.copytree(folder, out / "corpus")
            folder = out / "corpus"
            addresses = (f"https://s{each % SITES}.example/news/{each}-article.html" for each in range(size))
            named = [address for address, _ in zip(addresses, range(REMOVALS), strict=False)]
            (folder / "requests.txt").write_text("\n".join(named), encoding="utf-8")
        arguments = tuple(each.format(folder=folder, out=out) for each in VERBS[name])
        return measured(folder, arguments, database)


@contextmanager
def emptied_database(server: str, size: int) -> Iterator[str]:
    """Create a database on a server; drop it at the end."""
    name = f"verbs_{size}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name}")
        connection.execute(f"CREATE DATABASE {name} ENCODING 'UTF8' TEMPLATE template0")
        try:
            yield psycopg.conninfo.make_conninfo(server, dbname=name)
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def as_url(conninfo: str) -> str:
    """Return the URL of a database from a connection string."""
    parts = psycopg.conninfo.conninfo_to_dict(conninfo)
    user = f"{parts['user']}@" if "user" in parts else ""
    return f"postgresql://{user}{parts.get('host', 'localhost')}:{parts.get('port', 5432)}/{parts['dbname']}"


def report(name: str, times: list[Time], sizes: list[int]) -> None:
    """Print a line of the table. The first time is that of one document."""
    start, *measures = times
    small = max(0.01, measures[0].cpu - start.cpu) / sizes[0]
    large = max(0.01, measures[-1].cpu - start.cpu) / sizes[-1]
    listed = "  ".join(f"{each.cpu:8.2f}" for each in times)
    clock = f"clock {times[-1].wall:7.1f}  memory {measures[0].memory:4.0f} to {measures[-1].memory:4.0f} MiB"
    print(f"{name:<24} {listed}  {clock}  growth {large / small:.2f} (gate: {GATE:g})", flush=True)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="30000,300000", help="numbers of documents, separated by commas")
    parser.add_argument("--folder", type=Path, help="folder of the corpora (default: a temporary folder)")
    parser.add_argument("--verb", action="append", choices=VERBS, help="measure only this verb; repeatable")
    parser.add_argument("--postgresql", metavar="URL", help="a server for databases with the same corpora")
    options = parser.parse_args()
    sizes = sorted(int(size) for size in options.sizes.split(","))
    every = [1, *sizes]
    with tempfile.TemporaryDirectory() as aside:
        folders = {size: (options.folder or Path(aside)) / str(size) for size in every}
        for size, folder in folders.items():
            make(folder, size, TEXT_BYTES)
        for name in options.verb or VERBS:
            report(name, [run(name, folders[size], size) for size in every], sizes)
        if not options.postgresql:
            return
        found: dict[str, list[Time]] = {}
        for size, folder in folders.items():
            with emptied_database(options.postgresql, size) as conninfo:
                database = as_url(conninfo)
                moved = measured(folder, ("move", database), None)
                found.setdefault("move to PostgreSQL", []).append(moved)
                for name in options.verb or READING:
                    if name in READING:
                        found.setdefault(f"{name} (PostgreSQL)", []).append(run(name, folder, size, database))
        for name, times in found.items():
            report(name, times, sizes)


if __name__ == "__main__":
    main()
