"""Dispatcher with a real pipeline, archive and database: it always ends, and for the right reason."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from corpus_spider.crawling.dispatcher import Dispatcher, DispatchLimits
from corpus_spider.crawling.host_backoff import FAILURES, HostPauses
from pipelines.runtime.page_pipeline import PagePipeline, PipelineSettings
from pipelines.runtime.worker_process import FAULTS
from pipelines.runtime.workers import WorkerPool
from pipelines.runtime.writer import Writer
from storage import Corpus
from storage.errors import DatabaseError
from storage.fetches.fetch_log import Fetches
from storage.records import (
    Capture,
    Drop,
    Failure,
    Fetched,
    Kind,
    Link,
    Processed,
    Seed,
    SiteModel,
    UrlState,
)
from storage.warc import OriginalStore, WarcInfo, WarcWriter
from tests.corpus_spider.running import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from storage.records import Lease


@dataclass
class Workers:
    """Stands in for the worker processes: answers when its gate is open, with one answer or an error."""

    gate: threading.Event = field(default_factory=threading.Event)
    error: Exception | None = None
    done: list[str] = field(default_factory=list)
    threads: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(2))
    size: int = 2
    given: list[str] = field(default_factory=list)
    answer: Processed = field(default_factory=lambda: Processed(drop=Drop("seen")))

    def submit(
        self, capture: Capture, model: SiteModel, crashes: int, on_crash: Callable[[], object], **_: bool
    ) -> Future[Processed]:
        self.given.append(capture.url)
        return self.threads.submit(self._work, capture)

    def _work(self, capture: Capture) -> Processed:
        assert self.gate.wait(PATIENCE)
        if self.error is not None:
            raise self.error
        self.done.append(capture.url)
        return self.answer


class CountingPool(WorkerPool):
    """Real workers, and how many were needed."""

    started = 0

    def _started(self) -> object:
        self.started += 1
        return super()._started()


@dataclass
class Bench:
    """A page pipeline on a SQLite corpus, and what became of each lease."""

    folder: Path
    workers: Workers = field(default_factory=Workers)

    def __post_init__(self) -> None:
        self.corpus = Corpus.open(self.folder / "corpus.db", create=True)
        self.run = self.corpus.runs.start("{}")
        self.archive = WarcWriter(self.folder / "warc", "test", WarcInfo("test"))
        self.pipelines = list[PagePipeline]()
        self.workers.gate.set()

    def seed(self, count: int, *, hosts: int = 1, site: str = "s") -> None:
        urls = [f"http://h{number % hosts}.example/{site}/{number}" for number in range(count)]
        self.corpus.frontier.seed([Seed(url, url, site, url.split("/")[2], Kind.PAGE) for url in urls])

    def pipeline(self, held: int = 64, pool: WorkerPool | None = None) -> PagePipeline:
        models = {site: SiteModel(site) for site in "st"}
        settings = PipelineSettings(OriginalStore(self.folder / "warc"), models, self.run, max_held=held)
        self.pipelines.append(PagePipeline(self.corpus, self.archive, pool or self.workers, settings))  # type: ignore[arg-type]
        return self.pipelines[-1]

    def close(self) -> None:
        self.workers.gate.set()
        for pipeline in self.pipelines:
            pipeline.close()
        self.archive.close()
        self.corpus.close()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path)
    yield bench
    bench.close()


def fetched(lease: Lease) -> Fetched:
    return Fetched(Capture(lease.fetch_url, datetime.now(UTC), 200, (), (), b"page"), lease)


async def page(pipeline: PagePipeline, exchange: Fetched) -> None:
    """Take one page through the stages as the crawl does."""
    fetch_id = await pipeline.archive(exchange)
    assert exchange.lease is not None
    if exchange.reason is None and pipeline.hold(fetch_id):
        await pipeline.store(
            fetch_id, exchange.lease, await pipeline.process(exchange.capture, exchange.lease.site, fetch_id)
        )


async def crawl(
    pipeline: PagePipeline, dispatcher: Dispatcher, answer: Callable[[Lease], Fetched | Failure] = fetched
) -> list[Lease]:
    """Feed every lease back through the pipeline until the dispatcher ends; return the leases in order."""
    leases, tasks = [], []
    async with asyncio.timeout(PATIENCE):
        async for lease in dispatcher.leases():
            leases.append(lease)
            outcome = answer(lease)
            handled = pipeline.fail(outcome) if isinstance(outcome, Failure) else page(pipeline, outcome)
            tasks.append(asyncio.ensure_future(handled))
    await asyncio.gather(*tasks, return_exceptions=True)
    return leases


def limits(bench: Bench, **more: float) -> DispatchLimits:
    return DispatchLimits(bench.run, ("s",), **more)  # type: ignore[arg-type]


def test_each_url_is_handed_out_once_and_each_page_processed_once(bench: Bench) -> None:
    async def scenario() -> None:
        bench.seed(60, hosts=3)
        pipeline = bench.pipeline()
        leases = await crawl(pipeline, Dispatcher(pipeline, limits(bench, per_host=4)))
        assert len({lease.url for lease in leases}) == len(leases) == 60

    asyncio.run(scenario())
    assert sorted(bench.workers.done) == sorted(set(bench.workers.done))
    assert len(bench.workers.done) == 60


def test_hosts_take_turns(bench: Bench) -> None:
    """What is handed out at once has a URL of each host before the second of any."""

    async def scenario() -> list[str]:
        bench.seed(12, hosts=3)
        pipeline = bench.pipeline()
        dispatcher = Dispatcher(pipeline, limits(bench, per_host=4))
        # The first of a host is given alone.
        dispatcher._met = {f"h{number}.example" for number in range(3)}
        hosts: list[str] = []
        async with asyncio.timeout(PATIENCE), contextlib.aclosing(dispatcher.leases()) as leases:
            while len(hosts) < 12:
                hosts.append((await anext(leases)).host)
        return hosts

    hosts = asyncio.run(scenario())
    assert [set(hosts[at : at + 3]) for at in range(0, 12, 3)] == [{"h0.example", "h1.example", "h2.example"}] * 4


@pytest.mark.parametrize("dated", [None, "2019-12-31"], ids=["undated", "dated"])
def test_the_sitemaps_of_an_archive_take_turns_with_the_pages_they_name(bench: Bench, dated: str | None) -> None:
    """600 sitemaps of ten undated pages each: neither kind waits for the end of the other."""
    host, root = "h0.example", "http://h0.example/index.xml"

    def named(kind: Kind, day: str | None, urls: list[str]) -> Processed:
        rank = -1 if kind is Kind.SITEMAP else 0
        return Processed(
            drop=Drop("sitemap"), links=tuple(Link(url, url, host, kind, False, day, None, rank) for url in urls)
        )

    @dataclass
    class Archive(Workers):
        def submit(self, capture: Capture, *_: object, **__: object) -> Future[Processed]:  # type: ignore[override]
            done: Future[Processed] = Future()
            if "page" in capture.url:
                done.set_result(self.answer)
            elif capture.url == root:
                done.set_result(named(Kind.SITEMAP, dated, [f"http://{host}/map{number}" for number in range(600)]))
            else:
                done.set_result(named(Kind.PAGE, None, [f"{capture.url}.page{number}" for number in range(10)]))
            return done

    async def scenario() -> list[Lease]:
        bench.workers = Archive()
        bench.corpus.frontier.seed([Seed(root, root, "s", host, Kind.SITEMAP)])
        pipeline = bench.pipeline()
        return await crawl(pipeline, Dispatcher(pipeline, limits(bench, per_host=1, page_limit=100)))

    kinds = [lease.kind for lease in asyncio.run(scenario())]
    assert 5 <= kinds.count(Kind.SITEMAP) <= 50
    assert set(kinds[-30:]) == {Kind.SITEMAP, Kind.PAGE}


def test_queued_pages_out_of_scope_are_not_fetched(bench: Bench) -> None:
    """The rules of the site model of today decide about pages that were queued under other rules."""

    async def scenario() -> list[Lease]:
        bench.seed(1)
        pipeline = bench.pipeline()
        models = {"s": SiteModel("s", hosts=("h0.example",), allow=("/news/",))}
        pipeline.settings = replace(pipeline.settings, models=models)
        urls = [f"http://h0.example/{path}/{number}" for path in ("sport", "news") for number in range(20)]
        bench.workers.answer = Processed(drop=Drop("seen"), links=tuple(Link(url, url, "h0.example") for url in urls))
        return await crawl(pipeline, Dispatcher(pipeline, limits(bench, per_host=4)))

    assert {lease.url.split("/")[3] for lease in asyncio.run(scenario())} == {"s", "news"}
    assert bench.corpus.frontier.counts()["s"] == {UrlState.DONE: 21, UrlState.OUT_OF_SCOPE: 20}


def test_pages_beyond_the_bound_wait_in_the_warc_and_are_taken_up_again(bench: Bench) -> None:
    """While the workers stand still more pages come than memory may hold; every page is processed, once."""

    async def scenario() -> PagePipeline:
        bench.seed(40)
        bench.workers.gate.clear()
        pipeline = bench.pipeline(held=4)

        def answer(lease: Lease) -> Fetched:
            if pipeline.counts.spilled >= 8:
                bench.workers.gate.set()
            return fetched(lease)

        await crawl(pipeline, Dispatcher(pipeline, limits(bench, per_host=4)), answer)
        return pipeline

    pipeline = asyncio.run(scenario())
    assert pipeline.counts.spilled >= 8
    assert pipeline.counts.drops["seen"] == 40
    assert len(bench.workers.done) == len(set(bench.workers.done)) == 40
    assert bench.corpus.fetches.count_unprocessed() == 0


def test_memory_is_full_when_the_bodies_are_heavy_however_few_they_are(bench: Bench) -> None:
    pipeline = bench.pipeline()
    assert pipeline.hold(1, 30 * 2**20)
    assert pipeline.room
    assert pipeline.hold(2, 40 * 2**20)
    assert not pipeline.room
    assert not pipeline.hold(3, 1)
    assert asyncio.run(pipeline.drain()) == 0
    assert (pipeline.waiting, pipeline.counts.spilled) == (1, 1)


def test_a_full_backlog_stops_the_fetching_until_it_is_worked_off(bench: Bench) -> None:
    """It neither grows beyond its limit nor brings the crawl to a standstill."""

    async def scenario() -> PagePipeline:
        bench.seed(40)
        bench.workers.gate.clear()
        pipeline = bench.pipeline(held=2)
        dispatcher = Dispatcher(pipeline, limits(bench, per_host=2, backlog=6))
        crawling = asyncio.ensure_future(crawl(pipeline, dispatcher))
        async with asyncio.timeout(PATIENCE):
            while pipeline.waiting + len(pipeline.held) < 6 or dispatcher._out:
                await asyncio.sleep(0.01)
        assert dispatcher.handed_out <= 6 + 2
        assert dispatcher._quotas() == {}
        bench.workers.gate.set()
        assert len(await crawling) == 40
        return pipeline

    assert asyncio.run(scenario()).counts.drops["seen"] == 40
    assert bench.corpus.fetches.count_unprocessed() == 0


def test_pages_that_a_dead_run_left_are_processed(bench: Bench) -> None:
    async def interrupted() -> None:
        bench.seed(10)
        pipeline = bench.pipeline(held=0)
        leases = bench.corpus.frontier.lease(bench.run, {"h0.example": 10}, 1.0)
        for lease in leases:
            await page(pipeline, fetched(lease))

    async def resumed() -> None:
        pipeline = bench.pipeline(held=4)
        pipeline.waiting = bench.corpus.fetches.count_unprocessed()
        assert pipeline.waiting == 10
        assert await crawl(pipeline, Dispatcher(pipeline, limits(bench))) == []

    asyncio.run(interrupted())
    asyncio.run(resumed())
    assert len(bench.workers.done) == len(set(bench.workers.done)) == 10


def test_workers_that_cannot_be_had_end_the_run_with_an_error_and_lose_nothing(bench: Bench) -> None:
    """The pages stay in the WARC for the next run. The crawl does not wait for workers without limit."""

    async def scenario() -> PagePipeline:
        bench.seed(6)
        bench.workers.error = OSError("no more processes")
        pipeline = bench.pipeline()
        leases = await crawl(pipeline, Dispatcher(pipeline, limits(bench)))
        assert leases
        return pipeline

    pipeline = asyncio.run(scenario())
    assert isinstance(pipeline.error, OSError)
    assert bench.corpus.fetches.count_unprocessed() == pipeline.counts.pages > 0


def test_a_database_that_fails_while_the_backlog_is_read_ends_the_run_with_its_error(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise DatabaseError("gone")

    async def scenario() -> PagePipeline:
        bench.seed(2)
        pipeline = bench.pipeline()
        pipeline.waiting = 1
        monkeypatch.setattr(Fetches, "unprocessed", refuse)
        await crawl(pipeline, Dispatcher(pipeline, limits(bench)))
        return pipeline

    assert isinstance(asyncio.run(scenario()).error, DatabaseError)


@pytest.mark.parametrize("page_limit", [1, 7, 20])
def test_no_more_pages_are_handed_out_than_the_limit_says(bench: Bench, page_limit: int) -> None:
    async def scenario() -> Dispatcher:
        bench.seed(30, hosts=2)
        pipeline = bench.pipeline()
        dispatcher = Dispatcher(pipeline, limits(bench, per_host=4, page_limit=page_limit))
        assert len(await crawl(pipeline, dispatcher)) == page_limit
        return dispatcher

    assert asyncio.run(scenario()).limit_reached == "page_limit"
    assert len(bench.workers.done) == page_limit


@pytest.mark.parametrize("page_limit", [1, 3])
def test_a_limit_ends_the_run_of_sites_that_share_a_host(bench: Bench, page_limit: int) -> None:
    """Each site gets the host's quota. The run once waited without limit for the leases above the quota."""

    async def scenario() -> list[Lease]:
        for site in "st":
            bench.seed(5, site=site)
        pipeline, wanted = bench.pipeline(), replace(limits(bench, page_limit=page_limit), sites=("s", "t"))
        return await crawl(pipeline, Dispatcher(pipeline, wanted))

    assert len(asyncio.run(scenario())) == page_limit


@pytest.mark.parametrize("limit", [{"time_limit": 1e-9}, {"size_limit": 1}, {"page_limit": 1}])
def test_a_limit_ends_the_run_and_the_next_one_goes_on(bench: Bench, limit: dict[str, float]) -> None:
    """Time, bytes or pages: what is out is finished, the rest stays pending."""

    async def scenario() -> None:
        bench.seed(40)
        pipeline = bench.pipeline()
        dispatcher = Dispatcher(pipeline, limits(bench, **limit))
        leases = await crawl(pipeline, dispatcher)
        assert dispatcher.limit_reached == next(iter(limit))
        assert len(leases) < 40
        bench.corpus.frontier.release(["s"])
        rest = await crawl(pipeline, Dispatcher(pipeline, limits(bench)))
        assert len(leases) + len(rest) == 40

    asyncio.run(scenario())


@pytest.mark.parametrize(("before", "cost"), [(0, 2), (1, 1), (2, 0)])
def test_a_page_costs_two_workers_at_most_after_any_kill(
    bench: Bench, before: int, cost: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each worker it costs is counted in the database before the next one tries, and earlier runs' count too."""
    monkeypatch.setenv(FAULTS, "1")

    async def scenario(pool: WorkerPool) -> Processed:
        bench.seed(1)
        (lease,) = bench.corpus.frontier.lease(bench.run, {"h0.example": 1}, 1.0)
        pipeline = bench.pipeline(pool=pool)
        capture = replace(fetched(lease).capture, body=b"fault:crash")
        fetch_id = await pipeline.archive(Fetched(capture, lease))
        for _ in range(before):
            bench.corpus.fetches.add_crash(fetch_id)
        outcome = await pipeline.process(capture, "s", fetch_id, before)
        assert bench.corpus.fetches.unprocessed()[0].crashes == 2
        return outcome

    with closing(CountingPool(1)) as pool:
        drop = asyncio.run(scenario(pool)).drop
    assert drop is not None
    assert drop.reason == "worker_crash"
    assert pool.started == cost


def test_hosts_that_keep_us_waiting_take_no_place_from_others(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many silent hosts as there are places: all pages of the others are handed out while they are silent."""
    monkeypatch.setattr("corpus_spider.crawling.dispatcher.SLOW_SECONDS", 0.05)
    bench.seed(60, hosts=10)
    silent, held = {f"h{number}.example" for number in range(6)}, []

    async def run() -> int:
        pipeline, answered = bench.pipeline(), 0
        dispatcher = Dispatcher(pipeline, limits(bench, total=4))
        tasks = []
        async with asyncio.timeout(PATIENCE):
            async for lease in dispatcher.leases():
                held.extend([lease] * (lease.host in silent))
                answered += lease.host not in silent
                tasks += [] if lease.host in silent else [asyncio.ensure_future(page(pipeline, fetched(lease)))]
                if answered == 24:
                    dispatcher.stop()
        await asyncio.gather(*tasks)
        return answered

    assert asyncio.run(run()) == 24
    assert len(held) <= 12


def test_hosts_without_number_are_not_all_waited_for_at_once(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is a slow one while its first request waits for its turn: a crawl of thousands held them all in memory, and
    went on for hours after its time limit.
    """
    monkeypatch.setattr("corpus_spider.crawling.dispatcher.SLOW_SECONDS", 0.01)
    bench.seed(200, hosts=200)

    async def run() -> list[Lease]:
        dispatcher = Dispatcher(bench.pipeline(), limits(bench, total=4, most=20))

        async def wait() -> None:
            for _ in range(100):
                dispatcher.pipeline.changed.set()
                await asyncio.sleep(0.02)
            dispatcher.stop()

        waiting = asyncio.ensure_future(wait())
        held = [lease async for lease in dispatcher.leases()]
        await waiting
        return held

    assert len(asyncio.run(run())) == 20


@pytest.mark.parametrize("trouble", [HostPauses.failed, HostPauses.pause])
def test_a_host_is_doubtful_until_it_answers(trouble: Callable[[HostPauses, str], None]) -> None:
    """One request without an answer is enough."""
    pauses = HostPauses(3)
    assert not pauses.doubtful("a")
    trouble(pauses, "a")
    assert pauses.doubtful("a")
    pauses.answered("a")
    assert not pauses.doubtful("a")


def test_a_host_is_paused_after_as_many_requests_without_a_response_as_stated() -> None:
    """A response in between begins the count again."""
    pauses = HostPauses(3)
    for _ in range(FAILURES - 1):
        pauses.failed("a")
    assert not pauses.left("a")
    pauses.answered("a")
    for _ in range(FAILURES - 1):
        pauses.failed("a")
    assert not pauses.left("a")
    pauses.failed("a")
    assert pauses.left("a") > 0


def test_what_comes_after_the_writer_has_closed_is_cancelled(bench: Bench) -> None:
    """A caller never waits for a write that will not happen."""
    writer = Writer(bench.run, bench.archive, bench.corpus)
    writer.close()
    assert writer.call(lambda: None).cancelled()


def test_a_crawl_without_its_database_recalls_its_leases_until_it_answers(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another crawl may have its hosts by then. With the answer it goes on, and fetches every page once."""
    monkeypatch.setattr("corpus_spider.crawling.dispatcher.CUT_OFF_SECONDS", 0.01)
    answers, done = threading.Event(), list[str]()

    async def scenario() -> list[Lease]:
        bench.seed(6)
        pipeline = bench.pipeline()
        dispatcher = Dispatcher(pipeline, limits(bench))

        def recall() -> None:
            done.append("recalled")
            answers.set()

        dispatcher.recall, dispatcher.go_on = recall, lambda: done.append("goes on")
        pipeline.writer.call(lambda: answers.wait(PATIENCE))
        return await crawl(pipeline, dispatcher, lambda lease: waited(lease) if not done[1:] else fetched(lease))

    def waited(lease: Lease) -> Failure:
        return Failure(lease, "cut_off", 1.0, of_host=True)

    leases = asyncio.run(scenario())
    assert done[:2] == ["recalled", "goes on"]
    assert {lease.url for lease in leases} == set(bench.workers.done)
    assert len(bench.workers.done) == 6
