"""One crawl of benchmarks/crawl.py, measured from within: python benchmarks/crawl_runs.py VARIANT PORT FOLDER.

Prints a JSON line: seconds from the spider's opening to the end of everything (for ours the last commit), CPU seconds
of this process and of the workers meanwhile, how long the event loop was kept from its work, memory by pages fetched.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import resource
import statistics
import sys
import threading
import time
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from crawl_site import HOSTS, host
from scrapy import signals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from corpus_spider.config.model import Config

BEAT = 0.01
SETTINGS = {"CONCURRENT_REQUESTS": 64, "CONCURRENT_REQUESTS_PER_DOMAIN": 8, "LOG_LEVEL": "ERROR"}
"""Of the comparisons; all else as Scrapy has it. Logging every page, as it does by default, costs a few per cent."""

CONFIG = """
[corpus]
name = "benchmark"
contact = "benchmark@example.org"

[crawl]
delay = 0.0
per_host = 8
concurrency = 64
allow_private = ["127.1.0.*:{port}"]
"""
SITE = """
[[site]]
name = "paper-{number}"
sitemaps = ["http://{host}:{port}/sitemap.xml"]
"""


class Meter:
    """An extension that looks at clock, CPU time, memory and the event loop while a crawl runs."""

    latest: Meter

    def __init__(self) -> None:
        Meter.latest = self
        self.started = self.cpu = 0.0
        self.pages = 0
        self.late: list[float] = []
        self.memory: list[tuple[int, float]] = []

    @classmethod
    def from_crawler(cls, crawler: Any) -> Self:
        """Begin when the spider opens."""
        meter = cls()
        crawler.signals.connect(meter.begin, signals.spider_opened)
        crawler.signals.connect(meter.count, signals.response_received)
        return meter

    def begin(self) -> None:
        """Start clocks and heartbeat."""
        self.started, self.cpu = time.perf_counter(), time.process_time()
        self.beat()

    def count(self) -> None:
        """Count a page, and look at the memory now and then."""
        self.pages += 1
        if self.pages % 100 == 0:
            self.memory.append((self.pages, resident()))

    def beat(self, due: float | None = None) -> None:
        """Note how late the event loop comes to what was due."""
        now = time.perf_counter()
        if due is not None:
            self.late.append(now - due)
        asyncio.get_running_loop().call_later(BEAT, self.beat, now + BEAT)

    def report(self, **more: Any) -> dict[str, Any]:
        """Return what was seen so far."""
        late = sorted(self.late)
        return {
            "seconds": time.perf_counter() - self.started,
            "cpu": time.process_time() - self.cpu,
            "late_p99": late[int(0.99 * len(late))] if late else 0.0,
            "late_max": late[-1] if late else 0.0,
            "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "slope": slope(self.memory),
        } | more


def resident() -> float:
    """Return the resident memory of this process in MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def slope(memory: list[tuple[int, float]]) -> float:
    """Return MiB per 10 000 pages over the second half of a crawl."""
    late = memory[len(memory) // 2 :]
    if len(late) < 3:
        return 0.0
    return 10_000 * statistics.linear_regression([pages for pages, _ in late], [mib for _, mib in late]).slope


def scrapy_run(variant: str, port: int, folder: Path) -> dict[str, Any]:
    """Crawl with Scrapy's defaults, downloading only (``bare``) or with the afternoon's pipeline (``naive``)."""
    import naive_spider
    from scrapy.crawler import CrawlerProcess

    spider = {"bare": naive_spider.SitemapPages, "naive": naive_spider.NaivePages}[variant]
    settings: dict[str, Any] = SETTINGS | {"EXTENSIONS": {Meter: 0}, "NAIVE_FOLDER": folder}
    if variant == "naive":
        settings["ITEM_PIPELINES"] = {naive_spider.NaivePipeline: 100}
    process = CrawlerProcess(settings)
    process.crawl(spider, sitemaps=[f"http://{host(at)}:{port}/sitemap.xml" for at in range(HOSTS)])
    process.start()
    return Meter.latest.report(pages=Meter.latest.pages - HOSTS)


def our_run(variant: str, port: int, folder: Path) -> dict[str, Any]:
    """Crawl with the program: in full, or (``fetch``) with sitemaps read and pages left alone by the workers."""
    from corpus_spider import settings
    from corpus_spider.config.loader import load
    from corpus_spider.crawling import open_corpus, runner
    from corpus_spider.exit_codes import SICK

    # A site with some pages and no article counts as sick.
    expected = {0, SICK} if variant == "fetch" else {0}
    if variant == "fetch":
        leave_pages(open_corpus)
    path = folder / "corpus.toml"
    sites = "".join(SITE.format(number=at, host=host(at), port=port) for at in range(HOSTS))
    path.write_text(CONFIG.format(port=port) + sites)
    settings.EXTENSIONS[Meter] = 0  # type: ignore[index]
    config = load(path)
    with indexed(config) if variant == "indexed" else nullcontext():
        code, summary = runner.crawl(config, log_level="ERROR", quiet=True, release=True)
    assert code in expected, summary
    workers = summary["worker_cpu_seconds"]
    counts = {name: summary[name] for name in ("documents", "dropped", "failed", "spilled")}
    stages = summary["seconds"]
    return Meter.latest.report(pages=summary["pages"] - HOSTS, workers=workers, counts=counts, stages=stages)


@contextmanager
def indexed(config: Config) -> Iterator[None]:
    """Refresh the search index again and again in another process, which begins when the corpus is there."""
    process = multiprocessing.get_context("spawn").Process(target=index_for_ever, args=(config,))
    process.start()
    try:
        yield
    finally:
        process.terminate()
        process.join()


def index_for_ever(config: Config) -> None:
    """Refresh the search index until a signal ends this process."""
    from corpus_spider.search.index.builder import refresh_aside

    while True:
        if (config.folder / "corpus.db").exists():
            refresh_aside(config.database_url, config.index_folder, threading.Event())
        time.sleep(0.1)


def leave_pages(module: Any) -> None:
    """Have pages come back from the workers at once, as drops, without having been sent there; nothing else changes."""
    from pipelines.runtime.workers import WorkerPool
    from storage.records import Drop, Kind, Processed

    class Pool(WorkerPool):
        """Workers that are given sitemaps only."""

        def submit(
            self,
            capture: Any,
            model: Any,
            crashes: int = 0,
            on_crash: Callable[[], object] = lambda: None,
            *,
            links_wanted: bool = False,
            again_later: bool = False,
        ) -> Future[Processed]:
            """Answer at once for a page."""
            if capture.kind is not Kind.PAGE:
                return super().submit(
                    capture, model, crashes, on_crash, links_wanted=links_wanted, again_later=again_later
                )
            answered: Future[Processed] = Future()
            answered.set_result(Processed(drop=Drop("not_extracted")))
            return answered

    module.WorkerPool = Pool


def main() -> None:
    """Run the variant."""
    variant, port, folder = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    run = scrapy_run if variant in {"bare", "naive"} else our_run
    print(json.dumps(run(variant, port, folder)))


if __name__ == "__main__":
    main()
