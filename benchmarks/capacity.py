"""Unit costs of a crawl, and a plan of machines, disks and costs from them.

    python benchmarks/capacity.py measure GOLD_DIR [--sites 5000] [--batch 50] [--postgresql URL] [--folder WORK]
    python benchmarks/capacity.py queue GOLD_DIR --postgresql URL [--sites 5000] [--pages 20] [--workers 3] ...
    python benchmarks/capacity.py plan [--pages 100] [--core-hour PRICE] [--gigabyte-month PRICE] ...

``measure`` serves pages of a gold set on loopback as 50 newspapers, the sites of one batch of the queue, in a
corpus.toml with so many sites. It crawls them with 1 page each and with 16 pages each, in two corpora. The difference
of the two is the cost of the pages: CPU time of the crawl and its workers, bytes of the WARC files and of the database.
The rest is the start of a batch. ``--postgresql``, a URL of a server on which databases can be created: move both
corpora there, and measure the bytes there too.

``queue`` crawls all sites with so many workers of the queue on this machine, each with one page worker, with 2 pages
each and with ``--pages`` each, in two databases that it creates and drops. CPU time of starts and pages as above.

``plan`` computes from unit costs what 50, 500 and 5,000 newspapers need, and the extraction of one month of Common
Crawl news. Each unit cost is an option. The default is the figure that ``measure`` printed for the 821 pages of a gold
set on two shared cores: 29.8 ms, 2.1 s (7.1 % of the CPU time of 20 pages a site), 24.7 kB, 9.8 kB in SQLite and 8.7 kB
in PostgreSQL. The size of the archives of Common Crawl is an assumption. Without prices of yours no cost is printed.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
from gold_crawl import HEAD, SITE, hosts_of, serve
from psycopg import sql

from storage import Corpus

if TYPE_CHECKING:
    from collections.abc import Iterator

FEW, MANY = 1, 16
"""Pages of each site in the two corpora."""
FEW_OF_QUEUE = 2
"""Pages of each site in the smaller corpus of ``queue``."""
DAY, GIGABYTE, MONTH_DAYS, YEAR_DAYS = 86_400.0, 1e9, 30, 365


@dataclass
class Usage:
    """What a crawl used: CPU seconds, bytes by place."""

    pages: int
    documents: int
    cpu: float
    warc: int
    sqlite: int
    postgresql: int = 0


def crawl(folder: Path, batch: int) -> tuple[dict[str, object], float]:
    """Crawl the sites of one batch. Return the summary and the CPU seconds of the crawl and its workers."""
    sites = [part for number in range(batch) for part in ("--site", f"paper-{number}")]
    command = [sys.executable, "-m", "corpus_spider", "-q", "crawl", "--release-suspended", "--json", *sites]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        printed = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in {0, 8}:
        sys.exit(f"the crawl ended with {process.returncode}")
    summary = json.loads(printed)
    return summary, used.ru_utime + used.ru_stime + summary["worker_cpu_seconds"]


def usage(folder: Path, batch: int, url: str | None) -> tuple[Usage, float]:
    """Crawl, and measure. Return the usage, and the CPU seconds of a second crawl with nothing due."""
    summary, cpu = crawl(folder, batch)
    _, again = crawl(folder, batch)
    warc = sum(path.stat().st_size for path in (folder / "warc").glob("*.warc.gz"))
    with Corpus.open(folder / "corpus.db") as corpus:
        documents = corpus.status().documents
    sqlite = sum(path.stat().st_size for path in folder.glob("corpus.db*"))
    size = in_postgresql(folder, url) if url else 0
    return Usage(int(str(summary["pages"])), documents, cpu, warc, sqlite, size), again


@contextmanager
def new_database(folder: Path, url: str) -> Iterator[str]:
    """Create a database on the server, give its URL, and drop it."""
    name = f"capacity_{os.getpid()}_{folder.name}"
    drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(drop)
        server.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield f"{url.rsplit('/', 1)[0]}/{name}"
        finally:
            server.execute(drop)


def in_postgresql(folder: Path, url: str) -> int:
    """Move the corpus to a new database, and return the bytes of that."""
    with new_database(folder, url) as target:
        subprocess.run([sys.executable, "-m", "corpus_spider", "-q", "move", target], cwd=folder, check=True)
        with psycopg.connect(target) as server:
            row = server.execute("SELECT pg_database_size(current_database())").fetchone()
    assert row is not None
    return int(row[0])


@contextmanager
def newspapers(gold: Path, folder: Path, pages: dict[str, list[str]]) -> Iterator[None]:
    """Serve newspapers with these pages, by name, and write their corpus.toml."""
    hosts = {f"{name}.localhost": ids for name, ids in pages.items()}
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(gold, hosts, theirs), daemon=True)
    server.start()
    port = ours.recv()
    folder.mkdir(parents=True)
    sites = [SITE.format(name=name, host=f"{name}.localhost:{port}", extractor="auto") for name in pages]
    (folder / "corpus.toml").write_text(HEAD.format(port=port) + "".join(sites))
    try:
        yield
    finally:
        server.terminate()
        server.join()


def measure(options: argparse.Namespace) -> None:
    """Crawl both corpora and print the unit costs."""
    gold, work = options.gold.resolve(), options.folder or Path(tempfile.mkdtemp(prefix="capacity-"))
    pages = sorted(page for ids in hosts_of(gold).values() for page in ids)
    used: dict[int, Usage] = {}
    for count in (FEW, MANY):
        papers = {f"paper-{number}": pages[number :: options.batch][:count] for number in range(options.sites)}
        folder = work / f"pages{count}"
        with newspapers(gold, folder, papers):
            used[count], again = usage(folder, options.batch, options.postgresql)
        print(f"{count} pages a site: {used[count]}, nothing due {again:.1f} CPU s", flush=True)
    few, many = used[FEW], used[MANY]
    new_pages, documents = many.pages - few.pages, many.documents - few.documents
    page = (many.cpu - few.cpu) / new_pages
    start = few.cpu - few.pages * page
    print(f"CPU of a page: {1000 * page:.1f} ms")
    print(
        f"CPU of the start and end of a batch of {options.batch} sites, {options.sites} in corpus.toml: {start:.1f} s"
    )
    print(f"  of the CPU of its pages, with 20 a site: {start / (20 * options.batch * page):.1%}")
    print(f"WARC: {(many.warc - few.warc) / new_pages / 1000:.1f} kB a page")
    print(f"SQLite: {(many.sqlite - few.sqlite) / documents / 1000:.1f} kB a document")
    if options.postgresql:
        print(f"PostgreSQL: {(many.postgresql - few.postgresql) / documents / 1000:.1f} kB a document")


def crawl_by_workers(folder: Path, database: str, workers: int) -> tuple[int, float]:
    """Crawl what is due with workers until the queue is empty. Return the pages and the CPU seconds of all."""
    names = {**os.environ, "DATABASE_URL": database}
    command = [sys.executable, "-m", "corpus_spider", "-q", "--set", "crawl.workers=1"]
    subprocess.run([*command, "crawl", "--queue"], cwd=folder, env=names, stdout=subprocess.DEVNULL, check=True)
    run = [*command, "worker", "run", "--until-empty"]
    processes = [subprocess.Popen(run, cwd=folder, env=names) for _ in range(workers)]
    cpu = 0.0
    for process in processes:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in {0, 8}:
            sys.exit(f"a worker ended with {process.returncode}")
        cpu += used.ru_utime + used.ru_stime
    with psycopg.connect(database) as server:
        summaries = [json.loads(row[0]) for row in server.execute("SELECT summary FROM run").fetchall() if row[0]]
    print(f"  {len(summaries)} runs", flush=True)
    return (
        sum(summary["pages"] for summary in summaries),
        cpu + sum(summary["worker_cpu_seconds"] for summary in summaries),
    )


def queue(options: argparse.Namespace) -> None:
    """Crawl all sites by the queue twice, and print the share of the starts."""
    gold, work = options.gold.resolve(), options.folder or Path(tempfile.mkdtemp(prefix="capacity-"))
    pages = sorted(page for ids in hosts_of(gold).values() for page in ids)
    used = dict[int, tuple[int, float]]()
    for count in (FEW_OF_QUEUE, options.pages):
        first = [number * options.pages for number in range(options.sites)]
        papers = {
            f"paper-{number}": [pages[(start + each) % len(pages)] for each in range(count)]
            for number, start in enumerate(first)
        }
        folder, began = work / f"queue{count}", time.monotonic()
        with newspapers(gold, folder, papers), new_database(folder, options.postgresql) as database:
            used[count] = crawl_by_workers(folder, database, options.workers)
        seconds = time.monotonic() - began
        print(f"{count} pages a site: {used[count][0]} pages, {used[count][1]:.0f} CPU s, {seconds:.0f} s", flush=True)
    (few, few_cpu), (many, many_cpu) = used.values()
    page = (many_cpu - few_cpu) / (many - few)
    start = few_cpu - few * page
    print(f"CPU of a page: {1000 * page:.1f} ms")
    print(f"CPU of all starts and ends: {start:.0f} s, {start / (many * page):.1%} of the CPU of the pages")


def plan(options: argparse.Namespace) -> None:
    """Print what each number of newspapers needs."""
    cost = options.core_hour is not None and options.gigabyte_month is not None
    columns = ["newspapers", "pages a night", "CPU hours a night", "cores", "originals, GB a night / year"]
    columns += ["database, GB a year", *(["cost a month"] if cost else [])]
    print("| " + " | ".join(columns) + " |\n" + "| --- " * len(columns) + "|")
    for sites in (50, 500, 5000):
        pages = sites * options.pages
        starts = sites / options.batch * options.start_seconds
        hours = (pages * options.page_ms / 1000 + starts) / 3600
        warc, database = pages * options.warc_kb / 1e6, pages * options.documents * options.database_kb / 1e6
        cells = [f"{sites:,}", f"{pages:,.0f}", f"{hours:.1f}", f"{math.ceil(hours / options.hours)}"]
        cells += [f"{warc:,.2f} / {warc * YEAR_DAYS:,.0f}", f"{database * YEAR_DAYS:,.0f}"]
        if cost:
            kept = (warc + database) * YEAR_DAYS * options.years
            cells.append(f"{hours * MONTH_DAYS * options.core_hour + kept * options.gigabyte_month:,.0f}")
        print("| " + " | ".join(cells) + " |")
    pages = options.archives * options.archive_pages
    hours = pages * options.process_ms / 1000 / 3600
    price = f", {hours * options.core_hour:,.0f} for cores" if cost else ""
    size = options.archives * options.archive_gb
    print(f"One month of Common Crawl news: {options.archives:,.0f} archives, {size:,.0f} GB to download,", end=" ")
    print(f"{pages:,.0f} pages, {hours:,.0f} CPU hours with `process`{price}.")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    measuring = commands.add_parser("measure")
    measuring.add_argument("gold", type=Path)
    measuring.add_argument("--sites", type=int, default=5000, help="sites in corpus.toml")
    measuring.add_argument("--batch", type=int, default=50, help="sites that are crawled")
    measuring.add_argument("--postgresql", metavar="URL")
    measuring.add_argument("--folder", type=Path, help="keep the corpora here (default: a temporary folder)")
    measuring.set_defaults(run=measure)
    queued = commands.add_parser("queue")
    queued.add_argument("gold", type=Path)
    queued.add_argument("--postgresql", metavar="URL", required=True)
    queued.add_argument("--sites", type=int, default=5000, help="sites that are crawled")
    queued.add_argument("--pages", type=int, default=20, help="pages of each site")
    queued.add_argument("--workers", type=int, default=3, help="workers of the queue")
    queued.add_argument("--folder", type=Path, help="keep the originals here (default: a temporary folder)")
    queued.set_defaults(run=queue)
    planning = commands.add_parser("plan", formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    for name, value, text in (
        ("pages", 100.0, "pages of a newspaper that are fetched in a night"),
        ("page-ms", 30.0, "CPU milliseconds of a page"),
        ("batch", 50, "newspapers of a batch of the queue"),
        ("start-seconds", 2.1, "CPU seconds of the start of a batch"),
        ("warc-kb", 25.0, "kB of originals of a page"),
        ("documents", 0.9, "documents of a page"),
        ("database-kb", 9.5, "kB of the database of a document"),
        ("hours", 6.0, "hours of a night"),
        ("years", 1.0, "years that are kept, for the cost"),
        ("archives", 400.0, "archives of a month of Common Crawl news"),
        ("archive-gb", 1.07, "GB of an archive"),
        ("archive-pages", 30_000.0, "pages of an archive"),
        ("process-ms", 18.0, "CPU milliseconds of a page with `process`"),
    ):
        planning.add_argument(f"--{name}", type=type(value), default=value, help=text)
    planning.add_argument("--core-hour", type=float, help="price of an hour of one core")
    planning.add_argument("--gigabyte-month", type=float, help="price of a gigabyte for a month")
    planning.set_defaults(run=plan)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
