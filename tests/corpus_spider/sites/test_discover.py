"""Discovery of a site's sources, and checks of them, at a local server."""

from __future__ import annotations

import gzip
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from corpus_spider.config.model import Config
from corpus_spider.config.sections import CorpusSettings, CrawlSettings
from corpus_spider.sites.discover import MAX_REQUESTS, Discovery, discover, stale
from corpus_spider.sites.page_request import NotFetchedError
from corpus_spider.sites.polite_client import Pace, PoliteClient, RequestLimitError, manners_of
from storage.errors import ConfigError
from tests.corpus_spider.site_answers import HTML, TODAY, XML, alternate, index, page, put, rss, urlset

if TYPE_CHECKING:
    from tests.corpus_spider.local_paper import Answer, Newspaper


def configured(paper: Newspaper) -> Config:
    allowed = (f"127.0.0.1:{paper.port}",)
    return Config(
        CorpusSettings(contact="tests@example.org"), CrawlSettings(delay=0.0, allow_private=allowed, timeout=60.0)
    )


def look(paper: Newspaper, budget: int = MAX_REQUESTS) -> Discovery:
    return discover(f"{paper.origin}/", configured(paper), lambda _: None, budget)


def verdicts(paper: Newspaper, found: Discovery) -> dict[str, tuple[str, str, int, str]]:
    return {
        one.url.removeprefix(paper.origin): (one.kind, one.form, one.entries, one.refused)
        for one in found.findings
        if one.kind != "section"
    }


def test_every_source_is_found_and_read_or_refused_with_its_reason(paper: Newspaper) -> None:
    """Sources of every form, stated in every way, each with what it is; and bad ones each with what is wrong."""
    paper.extra["/"] = lambda: page(
        alternate("/good.rss")
        + alternate("/atom", "application/atom+xml")
        + alternate("/json", "application/feed+json")
        + alternate("/comments/feed")
        + alternate("/closed/x.rss"),
        "<a href=/rss>RSS</a> <a href=/feed/copy>copy</a> <a href=/news-1.html>Tin</a>",
    )
    paper.robots = (
        200,
        {},
        f"User-agent: *\nDisallow: /closed/\nSitemap: {paper.origin}/sitemap.gz\nSitemap: {paper.origin}/plain.txt\n"
        f"Sitemap: {paper.origin}/gone.xml\nSitemap: {paper.origin}/i.xml".encode(),
    )
    links = "".join(f"<a href=/rss/{name}.rss>{name}</a>" for name in ("old", "empty", "html", "bomb", "away"))
    put(
        paper,
        good_rss=rss("/1", "/2"),
        atom=(200, XML, f"<feed><entry><link href='/3'/><updated>{TODAY}</updated></entry></feed>".encode()),
        json=(200, {}, b'{"version": "https://jsonfeed.org/version/1.1", "items": [{"url": "/4"}]}'),
        rss=page("", links),
        feed__copy=rss("/1", "/2"),
        rss__old_rss=rss("/5", day="2001-01-01"),
        rss__empty_rss=rss(),
        rss__html_rss=(200, {"Content-Type": "application/pdf"}, b"%PDF-1.4 x"),
        rss__bomb_rss=(200, {"Content-Encoding": "gzip"}, gzip.compress(b" " * 40 * 2**20)),
        rss__away_rss=rss("https://elsewhere.example/1"),
        sitemap_gz=(200, {"Content-Type": "application/gzip"}, gzip.compress(urlset(f"{paper.origin}/6")[2])),
        plain_txt=(200, {"Content-Type": "text/plain"}, f"{paper.origin}/7\n{paper.origin}/8\n".encode()),
        i_xml=index(f"{paper.origin}/a.xml", f"{paper.origin}/news.xml"),
        news_xml=urlset(
            f"{paper.origin}/9",
            extra=f"<news:news><news:publication_date>{TODAY}</news:publication_date></news:news>",
        ),
    )
    found = look(paper)
    assert verdicts(paper, found) == {
        "/good.rss": ("feed", "RSS", 2, ""),
        "/atom": ("feed", "Atom", 1, ""),
        "/json": ("feed", "JSON Feed", 1, ""),
        "/closed/x.rss": ("none", "", 0, "robots.txt forbids this page"),
        "/sitemap.gz": ("sitemap", "sitemap", 1, ""),
        "/plain.txt": ("sitemap", "text sitemap", 2, ""),
        "/gone.xml": ("none", "", 0, "status 404"),
        "/i.xml": ("sitemap", "sitemap index", 2, ""),
        "/rss/old.rss": ("feed", "RSS", 1, "nothing since 2001-01-01"),
        "/rss/empty.rss": ("feed", "RSS", 0, "no entries on this site"),
        "/rss/html.rss": ("none", "", 0, "is application/pdf"),
        "/rss/bomb.rss": ("none", "", 0, "body too_large"),
        "/rss/away.rss": ("feed", "RSS", 0, "no entries on this site"),
        "/feed/copy": ("feed", "RSS", 2, f"the same entries as {paper.origin}/good.rss"),
    }
    newest = {one.url.removeprefix(paper.origin): one.newest for one in found.findings}
    assert newest["/good.rss"] == newest["/i.xml"] == TODAY
    assert found.language == "vi"
    assert found.site()["feeds"] == tuple(f"{paper.origin}/{name}" for name in ("good.rss", "atom", "json"))
    assert "sitemaps" not in found.site()
    assert found.archives == tuple(f"{paper.origin}/{name}" for name in ("sitemap.gz", "plain.txt", "i.xml"))
    assert found.requests == paper.asked.total() <= MAX_REQUESTS
    assert "/closed/x.rss" not in paper.asked


def test_usual_places_are_tried_where_nothing_is_named(paper: Newspaper) -> None:
    """A site that names nothing may have a feed and a sitemap all the same."""
    paper.extra["/"] = page
    put(paper, feed=rss("/1"), sitemap__index_xml=(404, {}, b""))
    paper.extra["/sitemap_index.xml"] = lambda: urlset(f"{paper.origin}/2")
    found = look(paper)
    assert found.usable("feed") == (f"{paper.origin}/feed",)
    assert found.usable("sitemap") == (f"{paper.origin}/sitemap_index.xml",)
    assert len(found.findings) == 2
    put(paper, feed=(404, {}, b""))
    assert look(paper).site()["sitemaps"] == (f"{paper.origin}/sitemap_index.xml",)


@pytest.mark.parametrize("head", [alternate("/rss"), ""])
def test_feeds_are_found_on_a_page_that_stands_where_a_feed_is_stated_or_guessed(paper: Newspaper, head: str) -> None:
    """Many papers have a page of all their feeds at /rss; one that the head states is reported as a page."""
    paper.extra["/"] = lambda: page(head)
    put(paper, rss=page("", "<a href=/rss/sport.rss>Thể thao</a>"), rss__sport_rss=rss("/1"))
    found = look(paper)
    assert found.usable("feed") == (f"{paper.origin}/rss/sport.rss",)
    assert verdicts(paper, found).get("/rss") == (("none", "", 0, "is a page") if head else None)


@pytest.mark.parametrize(("asked", "reported"), [("", True), ("?sid=12345{}", False)])
def test_what_articles_are_called_is_reported_where_the_feed_calls_them_so_too(
    paper: Newspaper, asked: str, reported: bool
) -> None:
    """A front page that numbers its visitors would have all that the feed names left out."""
    called = [f"/doi-tuyen-viet-nam-ve-nuoc-{4000 + number}.html" for number in range(10)]
    links = [
        f"<h3><a href={path}{asked.format(at)}>Đội tuyển Việt Nam {at} về nước</a></h3>"
        for at, path in enumerate(called)
    ]
    paper.extra["/"] = lambda: page("", "".join(links))
    put(paper, feed=rss(*called))
    assert bool(look(paper).patterns) is reported


def test_sections_are_start_pages_where_there_is_nothing_else(paper: Newspaper) -> None:
    """Without feed and sitemap a crawl starts from the front page and the sections, not from articles or service.

    They are asked for: none that is not there, leads elsewhere or is no page, and each once.
    """
    links = (
        "/the-thao",
        "/gone",
        "/moved",
        "/film.htm",
        "/kinh-te.htm",
        "/kinh-te.htm",
        "/gioi-thieu/about-us",
        "/tin-hom-nay-rat-la-dai",
        "/bai-1234",
    )
    paper.extra["/"] = lambda: page("", "".join(f"<a href={path}>x</a>" for path in links))
    put(paper, gone=(404, HTML, b"no"), film_htm=rss())
    paper.extra |= {"/the-thao": page, "/kinh-te.htm": page, "/moved": lambda: (301, {"Location": "/the-thao"}, b"")}
    found = look(paper)
    reported = {one.url.removeprefix(paper.origin): one.refused for one in found.findings if one.kind == "section"}
    assert reported["/gone"] == "status 404"
    assert reported["/moved"] == f"redirects to {paper.origin}/the-thao"
    assert reported["/film.htm"] == "is not a page"
    assert (paper.asked["/kinh-te.htm"], paper.asked["/gone"]) == (1, 1)
    site = found.site()
    assert site["start"] == tuple(f"{paper.origin}{path}" for path in ("/", "/kinh-te.htm", "/the-thao"))
    assert "feeds" not in site


@pytest.mark.parametrize(("stated", "language"), [("vi-VN", "vi"), ("heb", "he"), ("vietnamese", "")])
def test_the_language_of_a_page_is_taken_as_texts_are_known_by_it(paper: Newspaper, stated: str, language: str) -> None:
    paper.extra["/"] = lambda: (200, HTML, f"<html lang={stated}><body><p>a".encode())
    assert look(paper).language == language


def test_a_site_below_a_path_is_confined_to_it(paper: Newspaper) -> None:
    """Of a broadcaster with many languages only the wanted one is crawled."""
    paper.extra["/arabic"] = lambda: page(alternate("/arabic/rss.xml"))
    put(paper, arabic__rss_xml=rss("/arabic/1", "/arabic/2"))
    found = discover(f"{paper.origin}/arabic", configured(paper), lambda _: None)
    assert found.name == "127.0.0.1-arabic"
    assert found.allow == ("^https?://[^/]+/arabic(/|$)",)


def test_sections_that_are_not_needed_are_named_and_not_asked_for(paper: Newspaper) -> None:
    """Where there is a feed, a crawl does not need them; where the requests are spent, they stay as they are named."""
    paper.extra["/"] = lambda: page(alternate("/a.rss"), "<a href=/sport>Sport</a><a href=/city>City</a>")
    put(paper, a_rss=rss("/1"))
    assert [one.asked for one in look(paper).findings if one.kind == "section"] == [False, False]
    assert "/sport" not in paper.asked
    paper.extra |= {"/": lambda: page("", "<a href=/sport>Sport</a><a href=/city>City</a>"), "/sport": page}
    few = look(paper, budget=15)
    asked = [(one.url.removeprefix(paper.origin), one.asked) for one in few.findings if one.kind == "section"]
    assert sorted(path for path, _ in asked) == ["/city", "/sport"]
    assert few.requests <= 15


def test_requests_are_bounded(paper: Newspaper) -> None:
    """A page that states hundreds of feeds costs no more requests than are allowed."""
    paper.extra["/"] = lambda: page("".join(alternate(f"/{number}.rss") for number in range(300)))
    assert look(paper, budget=5).requests == paper.asked.total() == 5


def test_a_site_whose_robots_forbid_everything_is_left_alone(paper: Newspaper) -> None:
    """Only robots.txt is fetched."""
    paper.robots = (200, {}, b"User-agent: *\nDisallow: /")
    with pytest.raises(NotFetchedError, match="forbids"):
        look(paper)
    assert dict(paper.asked) == {"/robots.txt": 1}


def test_private_addresses_are_refused(paper: Newspaper) -> None:
    """A page may state what it likes: an address outside the public web is not fetched, directly or by a redirect."""
    paper.extra["/"] = lambda: page(
        alternate("http://10.0.0.1/a.rss") + alternate(f"http://localhost:{paper.port}/b.rss") + alternate("/moved.rss")
    )
    paper.extra["/moved.rss"] = lambda: (302, {"Location": "http://169.254.169.254/latest"}, b"")
    refused = {one.url: one.refused for one in look(paper).findings}
    assert refused["http://10.0.0.1/a.rss"] == "refused: private address"
    assert refused[f"{paper.origin}/moved.rss"] == "refused: private address"
    assert refused[f"http://localhost:{paper.port}/b.rss"]
    assert "/b.rss" not in paper.asked


def test_no_request_is_sent_without_a_contact(paper: Newspaper) -> None:
    """As in a crawl, somebody must answer for the requests."""
    with pytest.raises(ConfigError, match="contact"):
        discover(f"{paper.origin}/", Config(), lambda _: None)
    assert not paper.asked


def test_clients_of_one_pace_keep_the_delay_between_them(paper: Newspaper) -> None:
    """Two newspapers of one host are searched at once. The host sees one polite crawler."""
    waited: list[float] = []
    pace = Pace()
    for _ in range(2):
        PoliteClient(manners_of(configured(paper)), 50.0, 10, sleep=waited.append, pace=pace).get(f"{paper.origin}/")
    assert len(waited) == 3
    assert min(waited) > 40


def test_the_delay_and_the_crawl_delay_are_kept(paper: Newspaper) -> None:
    """Between two requests to a host lies the delay, or what robots.txt asks for when that is more."""
    waited: list[float] = []
    client = PoliteClient(manners_of(configured(paper)), 50.0, 10, sleep=waited.append)
    client.get(f"{paper.origin}/a")
    paper.robots = (200, {}, b"User-agent: *\nCrawl-delay: 110")
    other = PoliteClient(manners_of(configured(paper)), 50.0, 10, sleep=waited.append)
    other.get(f"{paper.origin}/a")
    # What has passed since the answer need not be waited for.
    assert [0 < seconds <= 50 for seconds in waited] == [True, False], waited
    assert 60 < waited[1] <= 110, waited


def test_a_host_that_asks_for_a_pause_is_not_asked_again(paper: Newspaper) -> None:
    """After status 429 the client keeps away."""
    paper.extra["/busy"] = lambda: (429, {"Retry-After": "60"}, b"")
    client = PoliteClient(manners_of(configured(paper)), 0.0, 10)
    assert client.get(f"{paper.origin}/busy").status == 429
    with pytest.raises(NotFetchedError, match="pause"):
        client.get(f"{paper.origin}/a")
    assert "/a" not in paper.asked


@pytest.mark.parametrize(
    ("robots", "reason"),
    [
        ((302, {"Location": "/rules"}, b""), "forbids"),
        ((503, {}, b""), "could not be read"),
        ((200, {"Content-Length": "999"}, b"User-agent: *"), "could not be read"),
    ],
)
def test_robots_txt_that_moved_or_broke_off_still_counts(paper: Newspaper, robots: Answer, reason: str) -> None:
    """Redirects are followed; an incomplete file forbids everything, and is fetched once."""
    paper.robots = robots
    paper.extra["/rules"] = lambda: (200, {}, b"User-agent: *\nDisallow: /a")
    client = PoliteClient(manners_of(configured(paper)), 0.0, 10)
    for _ in range(2):
        with pytest.raises(NotFetchedError, match=reason):
            client.get(f"{paper.origin}/a")
    assert paper.asked["/robots.txt"] == 1
    assert "/a" not in paper.asked


def test_robots_txt_counts_as_a_request(paper: Newspaper) -> None:
    """The bound holds for everything that is sent."""
    client = PoliteClient(manners_of(configured(paper)), 0.0, 1)
    with pytest.raises(RequestLimitError):
        client.get(f"{paper.origin}/a")
    assert paper.asked.total() == 1


@pytest.mark.parametrize(
    ("newest", "expected"), [("2026-11-01", "nothing since 2026-11-01"), ("2026-11-19", ""), (None, "")]
)
def test_old_sources_are_reported(newest: str | None, expected: str) -> None:
    """Only a date that is known and old tells against a source."""
    from datetime import timedelta

    assert stale(newest, timedelta(days=10), datetime(2026, 11, 21, tzinfo=UTC)) == expected


@pytest.mark.parametrize(("wanted", "language"), [(("vi", "en"), "en"), (("vi",), "")])
def test_a_language_that_is_not_wanted_is_not_proposed(
    paper: Newspaper, wanted: tuple[str, ...], language: str
) -> None:
    """Templates say en of papers in any language; held to it, a site would give no text."""
    paper.extra["/"] = lambda: (200, HTML, b"<html lang=en><body><p>a")
    config = configured(paper)
    config = replace(config, corpus=replace(config.corpus, languages=wanted))
    assert discover(f"{paper.origin}/", config, lambda _: None).language == language
