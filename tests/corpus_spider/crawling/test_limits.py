"""Time limit of a crawl: it waits for responses in progress, and not for the delay of a host."""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from corpus_spider.crawling.dispatcher import Dispatcher
from pipelines.runtime.page_pipeline import FEW_LINKS, MAX_SITEMAPS
from storage.records import Drop, Kind, Link, Processed
from tests.corpus_spider.crawling.test_dispatcher import Bench, crawl, fetched, limits, page
from tests.corpus_spider.hostile import bench as hostile
from tests.corpus_spider.hostile import server
from tests.corpus_spider.hostile.entry import Entry, http, story
from tests.corpus_spider.local_paper import Newspaper, corpus_toml, served
from tests.corpus_spider.running import PATIENCE, ROOT, ended, environment, run, start, until, well

if TYPE_CHECKING:
    from pathlib import Path

    from storage.records import Fetched, Lease
    from tests.corpus_spider.hostile.server import Wire

DELAY = 120.0
"""Seconds between two requests, longer than a crawl of these tests may take."""


def tries(folder: Path) -> set[int]:
    """Return how often the URLs were tried that are not settled."""
    with sqlite3.connect(folder / "corpus.db") as database:
        rows = database.execute("SELECT DISTINCT attempts FROM url WHERE state IN ('pending', 'leased')")
        return {attempts for (attempts,) in rows}


def finish(folder: Path, newspaper: Newspaper) -> None:
    """Crawl what is left, and see that nothing was asked for twice or forgotten."""
    (folder / "corpus.toml").write_text(corpus_toml(newspaper))
    well(folder, "crawl", "--now")
    assert {newspaper.asked[f"/article/{index}"] for index in range(newspaper.articles)} == {1}


def test_a_time_limit_does_not_wait_for_the_delay_of_a_host(tmp_path: Path, newspaper: Newspaper) -> None:
    """What was handed out and waits for its turn goes back as if it had not been: a run of two hours with a delay of
    two minutes went on for minutes.
    """
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper, delay=DELAY))
    began = time.monotonic()
    done = run(tmp_path, "crawl", "--time-limit", "4s", "--json")
    assert time.monotonic() - began < DELAY / 2
    assert done.returncode == 12, done.stderr
    assert json.loads(done.stdout)["failed"] == {}
    assert tries(tmp_path) == {0}
    finish(tmp_path, newspaper)


def test_a_limit_of_bytes_holds_for_the_last_pages_of_a_limit_of_pages(tmp_path: Path) -> None:
    """It was not looked at any more once all those pages were handed out, hundreds where there are many hosts."""
    with served(Newspaper(articles=120)) as newspaper:
        settings = {"delay": 1.0, "per_host": 40, "page_limit": 40, "size_limit": 8000}
        (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper, **settings))
        assert run(tmp_path, "crawl").returncode == 12
        assert newspaper.asked.total() < 25


def test_a_signal_does_not_wait_for_the_delay_of_a_host(tmp_path: Path, newspaper: Newspaper) -> None:
    """It ends by itself, before its deadline ends it."""
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper, delay=DELAY))
    crawl = start(tmp_path, "crawl")
    until(lambda: newspaper.asked.total() > 0, crawl.poll)
    crawl.send_signal(signal.SIGTERM)
    assert ended(crawl) == 11
    assert crawl.stderr is not None
    assert "not everything in flight" not in crawl.stderr.read()
    finish(tmp_path, newspaper)


def test_scrapy_s_own_end_of_a_run_does_not_wait_for_the_delay_of_a_host(tmp_path: Path, newspaper: Newspaper) -> None:
    """`scrapy crawl news` takes the signal itself."""
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper, delay=DELAY))
    command = [sys.executable, "-m", "scrapy", "crawl", "news", "-s", f"CORPUS_CONFIG={tmp_path / 'corpus.toml'}"]
    with subprocess.Popen(command, cwd=ROOT, env=environment(), stderr=subprocess.DEVNULL) as crawl:
        until(lambda: newspaper.asked.total() > 0, crawl.poll)
        began = time.monotonic()
        crawl.send_signal(signal.SIGTERM)
        crawl.wait(PATIENCE)
    assert time.monotonic() - began < DELAY / 2
    finish(tmp_path, newspaper)


def test_an_error_does_not_wait_for_the_delay_of_a_host(tmp_path: Path) -> None:
    """What was handed out was asked for, one by one, although it could not be stored any more."""
    with served(Newspaper(articles=120)) as newspaper:
        (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper, delay=1.0, per_host=40))
        crawl = start(tmp_path, "crawl")
        until(lambda: newspaper.asked.total() > 6, crawl.poll)
        for file in tmp_path.glob("corpus.db*"):
            file.unlink()
        asked = newspaper.asked.total()
        assert ended(crawl) == 4
        assert newspaper.asked.total() < asked + 20


LARGE, HOSTS = 900_000, 8
WITH_LITTLE_ROOM = f"""
import sys
from corpus_spider.extensions import capture
capture.MOST_AT_ONCE = {2 * LARGE}
from corpus_spider.cli.app import run
sys.exit(run(["crawl", "--json"]))
"""
one_at_a_time = threading.Lock()


def all_at_once(wire: Wire) -> None:
    """Send a large page, of which the end comes when all hosts of the site have begun to send theirs; but one after
    the other who is asked again.
    """
    padding = 0 if wire.path == "/small" else LARGE
    whole = http(story(wire.path, foot=f"<!--{'x' * padding}-->"))
    if wire.number > 1:
        with one_at_a_time:
            wire.send(whole)
            wire.socket.recv(1)  # the crawler hangs up when it has all of it; what is sent may wait in the sockets
        return
    wire.send(whole[:-100])
    pages = {f"/{number}" for number in range(HOSTS)} | {"/small"}
    until(lambda: pages <= wire.site.asked.keys(), lambda: wire.site.asked, 30)
    wire.send(whole[-100:])


def test_large_pages_of_ever_more_hosts_take_bounded_memory(tmp_path: Path) -> None:
    """What takes more than its share is asked for once more: one site with 280 hosts had a crawl take 3 GiB."""
    paths = [*(f"/{number}" for number in range(HOSTS)), "/small"]
    link = '<a href="http://h{}.many.localhost:{{port}}{}">page</a>'
    entries = tuple(Entry("H1", path, all_at_once, links=link.format(path[1:], path)) for path in paths)
    with server.served({"many": server.Site("many", entries)}) as bench:
        (tmp_path / "corpus.toml").write_text(hostile.corpus_toml(bench, retries="3", timeout="60"))
        command = [sys.executable, "-c", WITH_LITTLE_ROOM]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=PATIENCE, check=False
        )
    assert json.loads(done.stdout)["failed"].keys() == {"truncated_time"}, done.stderr
    found = {path: page.outcome for site in hostile.results(tmp_path).values() for path, page in site.items()}
    assert {found[path] for path in paths} == {"document"}
    assert bench.sites["many"].asked["/small"] == 1


def test_no_more_pages_are_read_back_from_the_archive_at_once_than_workers_take(tmp_path: Path) -> None:
    """What a page takes in memory its packed record does not tell: 64 of 10 MiB were taken for some kilobytes."""

    async def scenario(bench: Bench) -> None:
        bench.seed(12)
        pipeline = bench.pipeline(held=0)
        for lease in bench.corpus.frontier.lease(bench.run, {"h0.example": 12}, 1.0):
            await page(pipeline, fetched(lease))
        bench.workers.gate.clear()
        pipeline = bench.pipeline()
        pipeline.waiting = bench.corpus.fetches.count_unprocessed()
        crawling = asyncio.ensure_future(crawl(pipeline, Dispatcher(pipeline, limits(bench))))
        while len(bench.workers.given) < 2 * bench.workers.size:
            await asyncio.sleep(0.01)
        bench.workers.gate.set()
        assert len(pipeline.held) == 12
        assert len(bench.workers.given) == 2 * bench.workers.size
        await crawling

    with closing(Bench(tmp_path)) as bench:
        asyncio.run(scenario(bench))
        assert len(bench.workers.done) == 12


def sitemap(lease: Lease) -> Fetched:
    """Return an exchange of the lease as if it were that of a sitemap."""
    exchange = fetched(lease)
    return replace(
        exchange, lease=replace(lease, kind=Kind.SITEMAP), capture=replace(exchange.capture, kind=Kind.SITEMAP)
    )


def named(links: int) -> Processed:
    """Return what a worker says of a sitemap of so many links."""
    return Processed(
        drop=Drop("sitemap"), links=(Link("http://a.example/1", "http://a.example/1", "a.example"),) * links
    )


def test_no_more_sitemaps_are_read_at_once_than_what_they_name_has_room_for(tmp_path: Path) -> None:
    """What is read of a sitemap does not show in its size: of 120 that came packed, what they name took 4.5 GB. Pages
    do not wait for them.
    """

    async def scenario(bench: Bench) -> None:
        bench.seed(12)
        pipeline = bench.pipeline()
        *maps, last = bench.corpus.frontier.lease(bench.run, {"h0.example": 12}, 1.0)
        exchanges = [*(sitemap(lease) for lease in maps), fetched(last)]
        bench.workers.gate.clear()
        bench.workers.answer = named(FEW_LINKS + 1)
        reading = asyncio.gather(*(page(pipeline, exchange) for exchange in exchanges))
        while last.fetch_url not in bench.workers.given:
            await asyncio.sleep(0.01)
        assert len(bench.workers.given) == MAX_SITEMAPS + 1
        bench.workers.gate.set()
        await reading

    with closing(Bench(tmp_path)) as bench:
        asyncio.run(scenario(bench))
        assert len(bench.workers.done) == 12


@pytest.mark.parametrize(("links", "read"), [(FEW_LINKS, 6), (FEW_LINKS + 1, MAX_SITEMAPS)])
def test_a_short_sitemap_keeps_no_other_waiting_until_it_is_stored(tmp_path: Path, links: int, read: int) -> None:
    """Six hundred papers with a short one each waited for three hundred commits before their pages were fetched."""

    async def scenario(bench: Bench) -> None:
        bench.seed(6)
        pipeline = bench.pipeline()
        bench.workers.answer = named(links)
        maps = [sitemap(lease) for lease in bench.corpus.frontier.lease(bench.run, {"h0.example": 6}, 1.0)]
        reading = [
            asyncio.ensure_future(pipeline.process(each.capture, "s", number)) for number, each in enumerate(maps)
        ]
        while sum(each.done() for each in reading) < read:
            await asyncio.sleep(0.01)
        for _ in range(10):
            # Each task that is ready now requests a worker.
            await asyncio.sleep(0)
        assert len(bench.workers.given) == read
        for each in reading:
            each.cancel()

    with closing(Bench(tmp_path)) as bench:
        asyncio.run(asyncio.wait_for(scenario(bench), PATIENCE))


def test_sitemaps_that_wait_for_their_turn_when_a_run_ends_are_left_to_the_next(tmp_path: Path) -> None:
    """They woke when those before them were stored, asked workers that were gone, and each left a traceback."""

    async def scenario(bench: Bench) -> None:
        bench.seed(6)
        pipeline = bench.pipeline()
        bench.workers.gate.clear()
        leases = bench.corpus.frontier.lease(bench.run, {"h0.example": 6}, 1.0)
        reading = asyncio.gather(*(page(pipeline, sitemap(lease)) for lease in leases), return_exceptions=True)
        while len(bench.workers.given) < MAX_SITEMAPS:
            await asyncio.sleep(0.01)
        pipeline.closing = True
        bench.workers.gate.set()
        ends = [type(end) for end in await reading]
        assert sorted(end.__name__ for end in ends) == ["CancelledError"] * 4 + ["NoneType"] * MAX_SITEMAPS
        assert pipeline.error is None
        assert bench.corpus.fetches.count_unprocessed() == 4

    with closing(Bench(tmp_path)) as bench:
        asyncio.run(scenario(bench))


@pytest.mark.parametrize("kind", [Kind.PAGE, Kind.SITEMAP])
@pytest.mark.parametrize("bound", [64, 4])
def test_pages_that_wait_to_be_read_do_not_hold_up_a_run_whose_time_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: int, kind: Kind
) -> None:
    """Those that a worker has begun are finished, those in memory or in the WARC left to the next run: with 120
    sitemaps of 50 000 links a minute became four, and with pages that take a worker's whole time it may be hours.
    """
    monkeypatch.setattr("corpus_spider.crawling.dispatcher.READ_SECONDS", 0.1)

    async def over(bench: Bench) -> int:
        pipeline, begun = bench.pipeline(bound), bench.workers.gate
        dispatcher = Dispatcher(pipeline, limits(bench, per_host=4))
        crawling = asyncio.ensure_future(crawl(pipeline, dispatcher, fetched if kind is Kind.PAGE else sitemap))
        while dispatcher.handed_out <= 20:
            await asyncio.sleep(0.01)
        dispatcher._end_of_time()
        while not pipeline.leaving:
            await asyncio.sleep(0.01)
        begun.set()
        assert len(await crawling) > 20
        assert (pipeline.error, dispatcher.limit_reached, pipeline.held) == (None, "time_limit", {})
        return pipeline.counts.drops["seen"]

    async def next_run(bench: Bench) -> None:
        pipeline = bench.pipeline()
        bench.corpus.frontier.release(["s"])
        pipeline.waiting = bench.corpus.fetches.count_unprocessed()
        await crawl(pipeline, Dispatcher(pipeline, limits(bench)))

    with closing(Bench(tmp_path)) as bench:
        bench.seed(40)
        bench.workers.gate.clear()
        assert asyncio.run(over(bench)) == bench.workers.size
        asyncio.run(next_run(bench))
        assert sorted(bench.workers.done) == sorted(set(bench.workers.done))
        assert len(bench.workers.done) == 40


def test_a_host_is_not_asked_for_more_pages_than_can_be_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the workers are behind, as many pages of a place without an end were asked for as the backlog takes; other
    hosts are asked on.
    """
    monkeypatch.setattr("corpus_spider.crawling.dispatcher.MOST_UNREAD", 10)

    async def scenario(bench: Bench) -> None:
        bench.seed(60)
        bench.seed(8, hosts=8)
        pipeline = bench.pipeline()
        dispatcher = Dispatcher(pipeline, limits(bench, per_host=2))
        crawling = asyncio.ensure_future(crawl(pipeline, dispatcher))
        while pipeline.unread["h0.example"] < 10 or len(pipeline.unread) < 8 or dispatcher._out:
            await asyncio.sleep(0.01)
        assert pipeline.unread["h0.example"] <= 10 + 2
        assert "h0.example" in dispatcher._active
        assert "h0.example" not in dispatcher._quotas()
        bench.workers.gate.set()
        assert len(await crawling) == 67
        assert not pipeline.unread

    with closing(Bench(tmp_path)) as bench:
        bench.workers.gate.clear()
        asyncio.run(asyncio.wait_for(scenario(bench), PATIENCE))
