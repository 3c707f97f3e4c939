"""Measure the CPU time of `process` for a page, by its stages, and beside other libraries.

    python benchmarks/page.py GOLD_DIR [--pages 150] [--rounds 3]

The pages are real ones with a URL, one from each site. Their links are followed: each has a site model with its host.
The program and each other library have a process of their own, and take turns on each page. In one process trafilatura
makes the next reader 6 % slower, which no crawl would see. The figure of a reader is the mean over the pages of its
best round. A stage is the difference of two readers, and one goes further than the other.
"""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import time
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import archive_loop

from corpus_spider.lab.gold import load_gold
from pipelines.page.process import process, source_of
from pipelines.urls.url import host_of
from storage.records import Capture, SiteModel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from multiprocessing.connection import Connection

    from corpus_spider.lab.gold import GoldPage

    Readers = Mapping[str, Callable[[Capture, SiteModel], object]]

HEADERS = (("Content-Type", "text/html"),)
VISIT = datetime(2026, 11, 20, 12, tzinfo=UTC)
"""Later than all pages, so no date is doubted."""
STAGES: dict[str, Callable[[Capture, SiteModel], object]] = {
    "metadata": source_of,
    "links": lambda page, model: process(page, model, only_links=True),
    "process": process,
}
"""These go on from one another. Without hosts in the model the stage of links would be almost empty."""


def one_of_each_site(gold: list[GoldPage]) -> Iterator[tuple[Capture, SiteModel]]:
    """Yield the first page with a URL of each site, as a crawl of its host receives it."""
    for page in {page.cluster: page for page in reversed(gold) if page.url}.values():
        capture = Capture(page.url or "", VISIT, 200, (), HEADERS, page.html())
        yield capture, SiteModel(hosts=(host_of(capture.url),))


def _reader(read: Callable[[bytes, str], object]) -> Callable[[Capture, SiteModel], object]:
    return lambda page, _: read(page.body, page.url)


def timed(pipe: Connection, readers: Readers, pages: Sequence[tuple[Capture, SiteModel]]) -> None:
    """Send the CPU seconds of each reader for a page whose number comes, until None comes. Runs in its own process."""
    for read in readers.values():  # tables are built once
        read(*pages[0])
    # As in the workers of a crawl: a collection does not look at the modules again and again.
    gc.freeze()
    while (at := pipe.recv()) is not None:
        seconds = {}
        for name, read in readers.items():
            begun = time.process_time()
            read(*pages[at])
            seconds[name] = time.process_time() - begun
        pipe.send(seconds)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path)
    parser.add_argument("--pages", type=int, default=150)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    pages = list(one_of_each_site(load_gold(options.gold)))
    pages = pages[:: max(1, len(pages) // options.pages)][: options.pages]
    context, pipes = multiprocessing.get_context("fork"), []
    for readers in (STAGES, *({name: _reader(read)} for name, read in archive_loop.READERS.items())):
        pipe, theirs = context.Pipe()
        context.Process(target=timed, args=(theirs, readers, pages), daemon=True).start()
        theirs.close()
        pipes.append(pipe)
    best: dict[str, list[float]] = defaultdict(lambda: [float("inf")] * len(pages))
    for _ in range(options.rounds):
        for at in range(len(pages)):
            for pipe in pipes:
                pipe.send(at)
                for name, seconds in pipe.recv().items():
                    best[name][at] = min(best[name][at], seconds)
    mean = {name: 1000 * sum(seconds) / len(pages) for name, seconds in best.items()}
    print(f"{len(pages)} pages of as many sites, ms of CPU a page, best of {options.rounds} rounds")
    print(f"decode, parse, metadata    {mean['metadata']:6.2f}")
    print(f"links                      {mean['links'] - mean['metadata']:6.2f}")
    print(f"text, language, the rest   {mean['process'] - mean['links']:6.2f}")
    print(f"process                    {mean['process']:6.2f}")
    for name in archive_loop.READERS:
        print(f"{name:<25} {mean[name]:6.2f}, process is {mean['process'] / mean[name]:.2f} of it")


if __name__ == "__main__":
    main()
