"""Source types: the kind of source at a URL, and the sources that a page links."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.discovery.candidates import (
    MAX_STATED,
    linked_feeds,
    named_feeds,
    section_pages,
    stated_feeds,
    stated_sitemaps,
    usual,
)
from pipelines.discovery.sources import SourceFormat, read_source
from pipelines.markup.page_view import PageView
from storage.records import Capture, Kind, SiteModel

URL = "https://example.com/x"
MODEL = SiteModel(hosts=("example.com",))
NOW = datetime(2026, 11, 21, tzinfo=UTC)
STARTS = ("", "<rss>", "<urlset>", "<sitemapindex>", '{"version":"jsonfeed.org/version')


def capture(body: bytes, kind: Kind = Kind.PAGE, status: int = 200, **headers: str) -> Capture:
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Capture(URL, NOW, status, (), named, body, kind)


@pytest.mark.parametrize(
    ("answer", "form", "entries", "refused"),
    [
        (capture(b"<rss><channel><item><link>/a</link></item></channel></rss>"), SourceFormat.RSS, 1, ""),
        (capture(b"<feed><entry><link href='/a'/></entry></feed>"), SourceFormat.ATOM, 1, ""),
        (capture(b"<rdf:RDF xmlns:rdf='x'><item rdf:about='/a'/></rdf:RDF>"), SourceFormat.RDF, 1, ""),
        (capture(b'{"version":"https://jsonfeed.org/version/1","items":[{"url":"/a"}]}'), SourceFormat.JSON, 1, ""),
        (
            capture(b'{"version":"https:\\/\\/jsonfeed.org\\/version\\/1.1","items":[{"url":"\\/a"}]}'),
            SourceFormat.JSON,
            1,
            "",
        ),
        (
            capture(b"<!DOCTYPE html><body><!-- <rdf:RDF xmlns:rdf='x'><rdf:Description/></rdf:RDF> -->"),
            SourceFormat.PAGE,
            0,
            "",
        ),
        (capture(b"<?xml version='1.0'?><CHANNEL><ITEM HREF='/a'/></CHANNEL>"), SourceFormat.OTHER, 1, ""),
        (capture(b"<?xml version='1.0'?><channel><x>y</x></channel>"), None, 0, "is text/xml"),
        (capture(b'{"items":[{"url":"/a"}]}'), None, 0, "is application/json"),
        (capture(b"<urlset><url><loc>/a</loc></url></urlset>"), SourceFormat.SITEMAP, 1, ""),
        (capture(gzip.compress(b"<urlset><url><loc>/a</loc></url></urlset>")), SourceFormat.SITEMAP, 1, ""),
        (capture(b"<sitemapindex><sitemap><loc>/a.xml</loc></sitemap></sitemapindex>"), SourceFormat.INDEX, 1, ""),
        (capture(b"https://example.com/a\n", content_type="text/plain"), SourceFormat.TEXT, 1, ""),
        (capture(b"https://example.com/a\n", Kind.SITEMAP), SourceFormat.TEXT, 1, ""),
        (capture(b"<!doctype html><html><body>x</body></html>"), SourceFormat.PAGE, 0, ""),
        (
            capture(b"<html><body>not here</body></html>", Kind.SITEMAP, content_type="text/html"),
            SourceFormat.PAGE,
            0,
            "",
        ),
        (capture(b"<rss><channel></channel></rss>"), SourceFormat.RSS, 0, "no entries on this site"),
        (capture(b" \n"), None, 0, "empty"),
        (capture(b"x", status=404), None, 0, "status 404"),
        (capture(gzip.compress(b"x" * 99)[:-9], content_encoding="gzip"), None, 0, "body truncated"),
        (capture(b"%PDF-1.7 x"), None, 0, "is application/pdf"),
    ],
)
def test_what_an_address_holds(answer: Capture, form: SourceFormat | None, entries: int, refused: str) -> None:
    """The content decides, not the request or the declaration; or the reason why it is of no use."""
    source = read_source(answer, MODEL)
    assert (source.form, len(source.links), source.refused) == (form, entries, refused)


@pytest.mark.parametrize(
    ("head", "language"),
    [
        ("<rss><channel><language>vi-vn</language>", "vi"),
        ("<rss><channel><dc:language>FA</dc:language>", "fa"),
        ("<rss><channel><language><![CDATA[vi]]></language>", "vi"),
        ("<feed xml:lang='ar'>", "ar"),
        ("<rss><channel>", ""),
    ],
)
def test_the_language_a_feed_states(head: str, language: str) -> None:
    """By its first part, in two or three letters."""
    assert read_source(capture(f"{head}<item><link>/a</link></item>".encode()), MODEL).language == language


@settings(max_examples=200, deadline=None)
@given(
    st.binary(max_size=400),
    st.sampled_from(["", "<rss>", "<urlset>", "<sitemapindex>", '{"version":"jsonfeed.org/version']),
)
def test_any_bytes_are_something_or_refused(body: bytes, start: str) -> None:
    """Nothing breaks the reading, and what has neither form nor page has a reason."""
    source = read_source(capture(start.encode() + body), MODEL)
    assert source.form is not None or source.refused


def paths(addresses: list[object]) -> list[str]:
    return [str(getattr(one, "fetchable", "")).removeprefix("https://example.com") for one in addresses]


HEAD = """
<link rel="alternate" type="application/rss+xml" href="/rss.xml">
<link rel=ALTERNATE type="application/atom+xml; x" href=a>
<link rel="alternate" type="application/rss+xml" href="/rss.xml">
<link rel=stylesheet type="application/rss+xml" href=/b>
<link rel="alternate" hreflang=en href=/en>
<link rel=alternate type=text/xml title=RSS href=/old>
<link rel=alternate type="application/rss+xml" href="/comments/feed/">
<link rel="alternate" type="application/feed+json" href="https://feeds.example.net/j">
"""
LINKS = """
<a href=/rss>1</a><a href=/feeds/sport>2</a><a href=/tin.rss>3</a><a href="/?feed=rss2">4</a>
<a href=//rss.example.com/1>5</a><a href=/feedback>6</a><a href=/article/feeding-the-poor>7</a>
<a href=https://other.example/rss>8</a><a href=/comments/feed>9</a><a href=/ar/rss.aspx?id=1>10</a><a href=/press>11</a>
"""


def test_feeds_are_stated_in_the_head() -> None:
    """Every form, once, on any host; not those of comments."""
    assert paths([*stated_feeds(PageView(HEAD), URL)]) == ["/rss.xml", "/a", "/old", "https://feeds.example.net/j"]


def test_links_that_look_like_feeds() -> None:
    """By the words of the address, on the site only."""
    assert paths([*linked_feeds(PageView(LINKS), URL, MODEL)]) == [
        "/rss",
        "/feeds/sport",
        "/tin.rss",
        "/?feed=rss2",
        "https://rss.example.com/1",
        "/ar/rss.aspx?id=1",
    ]


def test_a_crawl_takes_few_feeds_of_its_site_from_a_page() -> None:
    """Those in the head; without one those that it links to."""
    stated, linked = (named_feeds(PageView(html), URL, MODEL) for html in (HEAD + LINKS, LINKS * 9))
    assert [link.url.removeprefix("https://example.com") for link in stated] == ["/rss.xml", "/a", "/old"]
    assert len(linked) == 6
    assert {link.kind for link in (*stated, *linked)} == {Kind.FEED}
    assert len(named_feeds(PageView("".join(f"<a href=/rss/{each}>" for each in range(99))), URL, MODEL)) == MAX_STATED


@pytest.mark.parametrize(
    ("robots", "expected"),
    [
        ("Sitemap: https://example.com/s.xml # news\r\nSITEMAP:/t.xml", ["/s.xml", "/t.xml"]),
        ("\ufeffSitemap: <https://example.com/s.xml>", ["/s.xml"]),
        ("Sitemap: 'https://example.com/s.xml' example.com/t.xml", ["/s.xml", "/t.xml"]),
        ("Sitemap: https://other.example/s.xml\nSitemap:\nSitemap: file:///etc/passwd", []),
        ("Sitemap: /s.xml\n" * 99, ["/s.xml"]),
    ],
)
def test_sitemaps_that_a_robots_txt_names(robots: str, expected: list[str]) -> None:
    """On the hosts of the site, each once, however the line is written."""
    links = stated_sitemaps(robots.encode(), URL, MODEL)
    assert [link.url.removeprefix("https://example.com") for link in links] == expected
    assert all(link.kind is Kind.SITEMAP for link in links)


def test_sections_are_short_paths_of_the_site() -> None:
    """Those linked to most often first; no article, no service, no file."""
    links = (
        "/sport",
        "/kinh-te.html",
        "/kinh-te.html",
        "/vi/the-gioi/",
        "/a-headline-of-many-words",
        "/news/12345",
        "/login",
    )
    links += ("/x.pdf", "/about-us", "/?page=2", "https://other.example/sport", "/a/b/c/d")
    page = "".join(f"<a href='{link}'>x</a>" for link in links)
    assert paths([*section_pages(PageView(page), URL, MODEL)]) == ["/kinh-te.html", "/sport", "/vi/the-gioi/"]


@pytest.mark.parametrize(
    ("link", "text", "section"),
    [
        ("/category/3", "Thế giới", True),
        ("/section/1/pakistan", "پاکستان", True),
        ("/taxonomy/term/7", "رياضة", True),
        ("/cat-15/sports", "کھیل", True),
        ("/news24/city", "City", True),
        ("/c45", "Health", True),
        ("/tin/4711", "Đọc tiếp", False),
        ("/category/3", "A headline that says what has happened, and where", False),
        ("/category/3", "", False),
        ("/2026/11", "November", False),
        ("/world-cup-2026", "World Cup", False),
        ("/item/73512", "Video", False),
        ("/bai-1234", "Tin", False),
        ("/1", "1", False),
        ("/a/1/b/2/c", "C", False),
        ("/list.asp?cat=3", "Kinh tế", True),
        ("/index.php?section=world", "World", True),
        ("/list.asp?page=2", "Next", False),
        ("/list.asp?cat=3&page=2", "Next", False),
        ("/page/2", "2", False),
        ("/show.asp?id=73512", "Video", False),
    ],
)
def test_sections_with_numbers_are_distinguished_from_articles(link: str, text: str, *, section: bool) -> None:
    """By the shapes that articles have, and by what the link says: a name."""
    page = f"<a href='{link}'>{text}</a>"
    found = section_pages(PageView(page), URL, MODEL, [r"^https?://[^/]+/tin/\d{3,}$"])
    assert paths([*found]) == ([link] if section else [])


def test_usual_places_are_on_the_same_host() -> None:
    """Of a page anywhere on the site."""
    assert paths([*usual("https://example.com/vi/tin", ("/rss", "/feed"))]) == ["/rss", "/feed"]
