"""Many nights at sites that never end, and at honest papers that look like them. Everything is real but the network."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from corpus_spider.crawling.dispatcher import Dispatcher, DispatchLimits
from corpus_spider.crawling.session import try_suspended
from pipelines.runtime.page_pipeline import PagePipeline, PipelineSettings
from pipelines.text.minhash import fingerprint
from storage import Corpus
from storage.records import (
    Capture,
    Document,
    Drop,
    Fetched,
    Kind,
    LanguageGuess,
    Link,
    Metadata,
    Processed,
    SiteModel,
)
from storage.runs.allowance import FIRST_NIGHT
from storage.warc import OriginalStore, WarcInfo, WarcWriter
from tests.corpus_spider import endless_sites as sites
from tests.corpus_spider.running import PATIENCE, often

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from storage.records import Lease
    from tests.corpus_spider.endless_sites import Paper

MOST_A_NIGHT, MOST_IN_TEN_NIGHTS = 500, 2000


@dataclass
class Workers:
    """Read the pages of an invented site, as the worker processes read real ones."""

    paper: Paper
    night: int = 0
    size: int = 2

    def submit(self, capture: Capture, *_: object, **__: object) -> Future[Processed]:
        page = self.paper.answer(sites.path_of(capture.url), self.night)
        kind = Kind.SITEMAP if page.is_index else Kind.PAGE
        links = [link(target, kind) for target in page.links]
        if page.moved_to:
            links = [link(page.moved_to, Kind.PAGE, redirect=True)]
        made = document(capture.url) if page.has_text and capture.kind is Kind.PAGE else None
        reason = "redirect" if page.moved_to else "listing" if capture.kind is Kind.PAGE else capture.kind.value
        done: Future[Processed] = Future()
        done.set_result(Processed(made, None if made else Drop(reason), tuple(links)))
        return done


def link(target: str, kind: Kind, *, redirect: bool = False) -> Link:
    url = sites.whole(target)
    return Link(url, url, url.split("/")[2], kind, redirect)


def document(url: str) -> Document:
    text = " ".join(sites.words(url, 30))
    guess = LanguageGuess("en", 1.0, "Latn", 1.0)
    return Document(text, guess, Metadata(), "x", "1", "", "utf-8", "bom", 0.0, fingerprint(text))


@dataclass
class Nights:
    """Crawl a site night after night. The dates of all visits are those of the nights."""

    corpus: Corpus
    folder: Path
    paper: Paper
    per_host: int = 16
    """Leases of a host at once. More than those of a crawl, so that a night takes less time."""
    texts: list[int] = field(default_factory=list)
    """New texts of each night."""
    requests: list[int] = field(default_factory=list)
    """Requests of each night."""
    suspended: list[int] = field(default_factory=list)
    """URLs that are suspended after each night."""

    def run(self, nights: int, *, release: bool = False) -> None:
        for _ in range(nights):
            asyncio.run(self.crawl(release=release))

    async def crawl(self, *, release: bool) -> None:
        night, frontier, runs = len(self.texts), self.corpus.frontier, self.corpus.runs
        shift = timedelta(days=night)
        frontier.seed(self.paper.seeds())
        if release:
            frontier.release_suspended(["s"])
        frontier.wake(["s"], (datetime.now(UTC) + shift).timestamp(), sources=True)
        run_id = runs.start("{}", ["s"])
        allowances = {} if release else runs.allowances(run_id)
        try_suspended(self.corpus, allowances)
        settings = PipelineSettings(
            OriginalStore(self.folder / "warc"),
            {"s": SiteModel("s")},
            run_id,
            allowances=allowances,
            suspended=frontier.suspended(["s"]),
            largest_backlogs=runs.largest_backlogs(["s"]),
        )
        workers: Any = Workers(self.paper, night)
        with (
            closing(WarcWriter(self.folder / "warc", f"night{night}", WarcInfo("test"))) as archive,
            PagePipeline(self.corpus, archive, workers, settings) as pipeline,
        ):
            dispatcher = Dispatcher(
                pipeline, DispatchLimits(run_id, ("s",), per_host=self.per_host, pause_patience=0, patience=0)
            )
            tasks = set()
            async with asyncio.timeout(4 * PATIENCE):
                async for lease in dispatcher.leases():
                    task = asyncio.ensure_future(self.page(pipeline, lease, shift))
                    tasks.add(task)
                    task.add_done_callback(tasks.discard)
            await asyncio.gather(*tasks)
            assert pipeline.error is None
        frontier.release(["s"])
        runs.recount(["s"])
        runs.finish(run_id, 0, "{}")
        [counters] = runs.by_site(["s"], run_id=run_id)
        self.texts.append(counters.articles)
        self.requests.append(counters.fetched)
        self.suspended.append(counters.suspended)

    async def page(self, pipeline: PagePipeline, lease: Lease, shift: timedelta) -> None:
        capture = Capture(lease.fetch_url, datetime.now(UTC) + shift, 200, (), (), b"page", lease.kind)
        fetch_id = await pipeline.archive(Fetched(capture, lease))
        if pipeline.hold(fetch_id):
            await pipeline.store(fetch_id, lease, await pipeline.process(capture, lease.site, fetch_id))


@pytest.fixture
def nights(corpus: Corpus, tmp_path: Path) -> Callable[[Paper], Nights]:
    """Make the nights of a paper, on both databases."""
    return lambda paper: Nights(corpus, tmp_path, paper)


@pytest.fixture
def sqlite_nights(tmp_path: Path) -> Iterator[Nights]:
    """Nights on SQLite, for what takes long. The test sets the paper."""
    with Corpus.open(tmp_path / "corpus.db", create=True) as corpus:
        yield Nights(corpus, tmp_path, sites.daily(1))


def is_held(crawled: Nights) -> bool:
    """Return whether each night stays within its bound, and says how much waits."""
    return max(crawled.texts) <= MOST_A_NIGHT and sum(crawled.texts) <= MOST_IN_TEN_NIGHTS and all(crawled.suspended)


def test_a_tarpit_of_texts_is_held_back(nights: Callable[[Paper], Nights]) -> None:
    """On both databases. It gives half as many texts in the second night, and the others wait."""
    crawled = nights(sites.TARPITS["own sitemap that stays"])
    crawled.run(2)
    assert crawled.texts == [FIRST_NIGHT, FIRST_NIGHT // 2]
    assert crawled.suspended[0] < crawled.suspended[1]


def test_a_tarpit_of_lists_is_held_back(sqlite_nights: Nights) -> None:
    """Lists are read until the backlog is long."""
    sqlite_nights.paper = sites.TARPITS["lists of lists"]
    sqlite_nights.run(2)
    assert is_held(sqlite_nights)


@pytest.mark.hostile
@pytest.mark.parametrize("name", sites.TARPITS)
def test_a_tarpit_gives_at_most_two_thousand_texts_in_ten_nights(sqlite_nights: Nights, name: str) -> None:
    """With any claims of its links, dates, lists, feeds, sitemaps and hosts."""
    sqlite_nights.paper = sites.TARPITS[name]
    sqlite_nights.run(10)
    assert is_held(sqlite_nights), sqlite_nights.texts


@pytest.mark.hostile
@pytest.mark.parametrize("name", sites.TARPITS)
def test_a_tarpit_in_a_paper_is_held_back_and_the_paper_is_not(sqlite_nights: Nights, name: str) -> None:
    """It opens in the fourth night of a paper with 40 articles a night.

    All articles are stored, unless a feed of the paper itself names the tarpit. With fifty pages of it a night, more
    news than `MAX_GROWING_NEWS` is named, and a tenth of the articles waits. In the first such night a sitemap of the
    tarpit may be read before the start page, which names 20 articles that no feed names.
    """
    # As a crawl does: the start page is read before the pages that a sitemap of the tarpit names.
    sqlite_nights.per_host = 2
    sqlite_nights.paper = sites.daily(40)
    sqlite_nights.run(3)
    sqlite_nights.paper = sites.in_a_paper(sites.TARPITS[name], sites.daily(40))
    sqlite_nights.run(10)
    stored = [each.url for each in sqlite_nights.corpus.documents()]
    articles = len([url for url in stored if "/news/" in url and url.endswith(".html")])
    assert articles >= {"feed": 13 * 36, "feed of hundreds": 300}.get(name, 13 * 40 - 20)
    trapped = [texts - 40 for texts in sqlite_nights.texts[3:]]
    assert max(trapped) <= MOST_A_NIGHT
    assert sum(trapped) <= MOST_IN_TEN_NIGHTS
    assert all(sqlite_nights.suspended[3:])


def test_a_new_paper_is_whole_after_two_nights(nights: Callable[[Paper], Nights]) -> None:
    """The second night sees that the site ends, and lets in what waits, more than its allowance."""
    crawled = nights(sites.monthly_sitemaps(800))
    crawled.run(2)
    assert crawled.texts == [FIRST_NIGHT, 800 - FIRST_NIGHT]
    assert crawled.suspended[0] > FIRST_NIGHT // 2 > crawled.suspended[1] == 0


@pytest.mark.hostile
@pytest.mark.parametrize(
    "paper",
    [
        sites.listed(3000),
        sites.listed(3000, sections=1),
        sites.listed(3000, sections=10, a_page=100),
        sites.in_a_sitemap(3000),
        sites.monthly_sitemaps(3000),
        sites.linked(3000),
    ],
    ids=["sections", "one list", "long lists", "a sitemap", "sitemaps of months", "articles that name articles"],
)
def test_a_new_paper_of_three_thousand_articles_is_whole_by_the_third_night(
    sqlite_nights: Nights, paper: Paper
) -> None:
    """Without a setting."""
    sqlite_nights.paper = paper
    sqlite_nights.run(3)
    assert (sum(sqlite_nights.texts), sqlite_nights.suspended[2]) == (3000, 0)


def test_a_paper_of_four_hundred_articles_a_night_is_never_held_back(sqlite_nights: Nights) -> None:
    """Thirty nights in `make test-hostile`, two in other runs."""
    sqlite_nights.paper = sites.daily(400)
    count = often(2, 30)
    sqlite_nights.run(count)
    assert sqlite_nights.texts == [400] * count
    assert sqlite_nights.suspended == [0] * count


def test_the_news_of_a_paper_with_an_endless_archive_comes_in_every_night(nights: Callable[[Paper], Nights]) -> None:
    """Only articles lead to the archive. It waits, and its number is reported."""
    crawled = nights(sites.daily(120, before=4000))
    crawled.run(3)
    news = [each.url for each in crawled.corpus.documents() if int(each.url.split("/news/")[1].split("-")[0]) >= 4000]
    assert len(news) == 3 * 120
    assert crawled.suspended[2] > 0


def test_a_released_backlog_is_stored_whole(nights: Callable[[Paper], Nights]) -> None:
    """The command that each report names lets it go, also when the site looks endless."""
    count = often(900, 20_000)
    crawled = nights(sites.in_a_sitemap(count, related=0))
    crawled.run(1)
    assert crawled.suspended[0] > 0
    crawled.run(1, release=True)
    assert (sum(crawled.texts), crawled.suspended[1]) == (count, 0)
