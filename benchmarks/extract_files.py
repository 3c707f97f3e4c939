"""Compare `corpus-spider extract FOLDER` with the pure page function on the same pages and cores.

    CORPUS_SPIDER_GOLD=GOLD_DIR python benchmarks/extract_files.py [--pages N] [--rounds N]

*pure*: as many plain processes as there are cores call `process` on pages that are in memory. *workers*: `extract_all`
reads the files, hands them to the confined workers, and makes a line of JSON of each text. Both take turns. Each
processes all pages once before, for what is loaded with the first page of a language.

Printed are wall seconds and processor seconds (of all processes) of the fastest round, their ratios, and the start-up
of the command, which is paid once. On a busy machine the processor seconds count.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import subprocess
import sys
import time
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from corpus_spider.config.model import Config
from corpus_spider.sites.extract_output import json_line
from corpus_spider.sites.many_pages import extract_all, sources
from corpus_spider.sites.single_page import ExtractRequest, model_for
from storage.records import Capture

if TYPE_CHECKING:
    from collections.abc import Sequence
    from multiprocessing.synchronize import Barrier

TICKS = os.sysconf("SC_CLK_TCK")


def processor_seconds(pid: int) -> float:
    """Return the seconds that a process and its living descendants have spent on processors."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()  # proc(5)
    children = Path(f"/proc/{pid}/task").glob("*/children")
    descendants = [int(child) for each in children for child in each.read_text().split()]
    return (int(fields[11]) + int(fields[12])) / TICKS + sum(map(processor_seconds, descendants))


def _process(bodies: Sequence[bytes], ready: Barrier, spent: multiprocessing.Queue[float]) -> None:
    from pipelines.page.process import process

    model = model_for(Config(), "about:blank", ExtractRequest())
    captures = [Capture("about:blank", datetime.now(UTC), 200, (), (), body) for body in bodies]
    for capture in captures:
        process(capture, model)
    ready.wait()
    before = time.process_time()
    for capture in captures:
        process(capture, model)
    spent.put(time.process_time() - before)


def pure(bodies: Sequence[bytes], cores: int) -> tuple[float, float]:
    """Return wall and processor seconds of plain processes."""
    context = multiprocessing.get_context("fork")
    ready, spent = context.Barrier(cores + 1), context.Queue()
    started = [context.Process(target=_process, args=(bodies[at::cores], ready, spent)) for at in range(cores)]
    for each in started:
        each.start()
    ready.wait()
    begun = time.monotonic()
    seconds = sum(spent.get() for _ in started)
    wall = time.monotonic() - begun
    for each in started:
        each.join()
    return wall, seconds


def workers(files: Sequence[str]) -> tuple[float, float]:
    """Return wall and processor seconds of the workers and of this process for one turn through the files.

    Pages are read before their turn. So there are three turns of the files, and the time from the second on is taken.
    """
    found = extract_all(sources([*files, *files, *files]), ExtractRequest(), Config(), only_articles=True)
    for _ in files:
        next(found)
    begun, before = time.monotonic(), processor_seconds(os.getpid())
    with Path(os.devnull).open("wb") as nowhere:
        texts = islice(found, len(files))
        nowhere.writelines(json_line(each.source, each.reading.document, each.reading.drop) for each in texts)
    spent = time.monotonic() - begun, processor_seconds(os.getpid()) - before
    found.close()
    return spent


def startup(file: str) -> float:
    """Return the wall seconds of the command for one small page: the best of three."""
    command = [sys.executable, "-m", "corpus_spider", "extract", "-q", file]
    times = []
    for _ in range(3):
        begun = time.monotonic()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        times.append(time.monotonic() - begun)
    return min(times)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=200, metavar="N", help="pages, spread over the folder")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="rounds; the fastest counts")
    options = parser.parse_args()
    folder = Path(os.environ["CORPUS_SPIDER_GOLD"]) / "pages"
    every = sorted(str(path) for path in folder.glob("*.html"))
    files = every[:: max(1, len(every) // options.pages)][: options.pages]
    bodies = [Path(file).read_bytes() for file in files]
    cores = len(os.sched_getaffinity(0))
    rounds = [(pure(bodies, cores), workers(files)) for _ in range(options.rounds)]
    print(f"{len(files)} pages, {sum(map(len, bodies)) / 2**20:.1f} MiB, {cores} cores, {options.rounds} rounds")
    for at, name in enumerate(("wall", "processor")):
        plain, confined = (min(each[way][at] for each in rounds) for way in (0, 1))
        print(f"{name:10} pure {plain:7.2f} s, workers {confined:7.2f} s, ratio {confined / plain:.3f}")
    print(f"one page with start-up: {startup(min(files, key=lambda file: Path(file).stat().st_size)):.2f} s")


if __name__ == "__main__":
    main()
