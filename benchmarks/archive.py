"""Compare the CPU time and memory of `import` with loops of FastWARC and an extractor, for a page of an archive.

    python benchmarks/archive.py GOLD_DIR [--pages 150] [--repeat 4] [--rounds 3] [--workers 1 2]

The pages are real ones, one from each site, each several times with a space more each time. Two archives have half of
them each. `import` reads both with so many workers. A loop has a process for each worker, which reads its archives:
FastWARC, then trafilatura with metadata, resiliparse or turbohtml's main content, then the language (CLD2) and a hash
of the text. All ways take turns.

A way is a new program. Its figures include its start, which is measured too, with an archive of one page. CPU
time is that of all its processes, and of the first one alone: the *parent* of an import. Memory is the highest sum of
their proportional set sizes (PSS). Printed are the medians of the rounds.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from archive_loop import READERS
from page import one_of_each_site

from corpus_spider.lab.gold import load_gold
from storage.records import Capture
from storage.warc import WarcInfo, WarcWriter

if TYPE_CHECKING:
    from collections.abc import Sequence

SITES = 10
CONFIG = """
[corpus]
name = "benchmark"
contact = "benchmark@example.org"

[crawl]
workers = {workers}
"""
SITE = """
[[site]]
name = "press{number}"
sitemaps = ["https://press{number}.example/sitemap.xml"]
"""
LOOP = Path(__file__).resolve().with_name("archive_loop.py")
SECONDS_BETWEEN_SAMPLES, SECONDS_BETWEEN_WAITS = 0.1, 0.005
PR_SET_CHILD_SUBREAPER = 36  # prctl(2)


class Measured(NamedTuple):
    """CPU seconds of all processes of a program and of its first ones, seconds, and the peak of memory in MiB."""

    cpu: float
    parent: float
    seconds: float
    memory: float


def measured(commands: Sequence[Sequence[str]], folder: Path) -> Measured:
    """Run programs at once in a folder, and measure them until the last of their processes has ended."""
    before = {*descendants(os.getpid())}
    begun, peak, ended = time.monotonic(), [0.0], threading.Event()
    running = [subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL).pid for command in commands]

    def sample() -> None:
        while not ended.wait(SECONDS_BETWEEN_SAMPLES):
            peak[0] = max(peak[0], sum(map(proportional_mib, {*descendants(os.getpid())} - before)))

    sampler = threading.Thread(target=sample, daemon=True)
    sampler.start()
    spent: dict[int, float] = {}
    # Orphans, such as a fork server and its workers, are children of this process then.
    while {*descendants(os.getpid())} - before:
        pid, status, usage = os.wait4(-1, os.WNOHANG)
        spent[pid] = usage.ru_utime + usage.ru_stime
        if pid in running and status:
            sys.exit(f"a program ended with {os.waitstatus_to_exitcode(status)}")
        if not pid:
            time.sleep(SECONDS_BETWEEN_WAITS)
    ended.set()
    sampler.join()
    parent = sum(spent[pid] for pid in running)
    return Measured(sum(spent.values()), parent, time.monotonic() - begun, peak[0])


def descendants(pid: int) -> list[int]:
    """Return the ids of all processes below one."""
    found = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                found += [int(child), *descendants(int(child))]
    return found


def proportional_mib(pid: int) -> float:
    """Return the proportional set size of a process in MiB; 0.0 if it has ended."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    return 0.0


def write(folder: Path, name: str, pages: Sequence[tuple[int, bytes]]) -> str:
    """Write an archive and return its path."""
    now, headers = datetime.now(UTC), (("Content-Type", "text/html"),)
    with closing(WarcWriter(folder, name, WarcInfo("benchmark"), 1 << 40)) as writer:
        for number, body in pages:
            url = f"https://press{number % SITES}.example/{number}"
            writer.append([Capture(url, now, 200, (), headers, body)], [None])
    return str(next(folder.glob(f"{name}*.warc.gz")))


def run(way: str, archives: Sequence[str], workers: int, folder: Path) -> Measured:
    """Measure a way in a new folder."""
    folder.mkdir()
    return measured(commands(way, archives, workers, folder), folder)


def commands(way: str, archives: Sequence[str], workers: int, folder: Path) -> list[list[str]]:
    """Return the programs of a way, each with its archives."""
    if way == "import":
        sites = "".join(SITE.format(number=number) for number in range(SITES))
        (folder / "corpus.toml").write_text(CONFIG.format(workers=workers) + sites)
        return [[sys.executable, "-m", "corpus_spider", "import", "--quiet", *archives]]
    shares = [archives[at::workers] for at in range(workers)]
    return [[sys.executable, str(LOOP), way, *share] for share in shares if share]


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path)
    parser.add_argument("--pages", type=int, default=150)
    parser.add_argument("--repeat", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    options = parser.parse_args()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    captures = list(one_of_each_site(load_gold(options.gold)))
    bodies = [capture.body for capture, _ in captures[:: max(1, len(captures) // options.pages)][: options.pages]]
    pages = list(enumerate(body + b" " * turn for turn in range(options.repeat) for body in bodies))
    found: dict[tuple[str, int], list[tuple[Measured, Measured]]] = {}
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        archives = [write(work, part, pages[at::2]) for at, part in enumerate(("even", "odd"))]
        short = [write(work, "short", pages[:1])]
        for turn in range(options.rounds):
            for workers in options.workers:
                for way in ("import", *READERS):
                    start = run(way, short, workers, work / f"{way}-{workers}-{turn}-start")
                    whole = run(way, archives, workers, work / f"{way}-{workers}-{turn}")
                    found.setdefault((way, workers), []).append((start, whole))
    report(found, len(pages), options.rounds)


def report(found: dict[tuple[str, int], list[tuple[Measured, Measured]]], pages: int, rounds: int) -> None:
    """Print a line for each way and number of workers."""
    print(f"{pages} pages, {rounds} rounds. CPU in ms a page, with the start")
    print(f"{'way':<12}{'workers':>8}{'CPU':>8}{'parent':>8}{'start s':>9}{'pages/s':>9}{'MiB':>6}{'import / way':>14}")
    for (way, workers), turns in found.items():
        wholes, ours = [whole for _, whole in turns], [whole for _, whole in found["import", workers]]
        cpu, parent = (1000 * statistics.median(each[at] for each in wholes) / pages for at in (0, 1))
        start = statistics.median(begun.cpu for begun, _ in turns)
        rate = pages / statistics.median(each.seconds for each in wholes)
        memory = statistics.median(each.memory for each in wholes)
        ratio = statistics.median(own.cpu / other.cpu for own, other in zip(ours, wholes, strict=True))
        print(f"{way:<12}{workers:>8}{cpu:8.2f}{parent:8.2f}{start:9.2f}{rate:9.1f}{memory:6.0f}{ratio:14.2f}")


if __name__ == "__main__":
    main()
