"""Sitemaps: pages and further sitemaps, from XML, indexes, text and feeds."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.discovery.sitemaps import MAX_ENTRIES, Sitemap, read_sitemap
from storage.records import Kind, SiteModel

if TYPE_CHECKING:
    from collections.abc import Callable

URL = "https://www.example.com/sitemap.xml"
MODEL = SiteModel(hosts=("example.com",), deny=("/private/",))
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def urlset(*locations: str) -> str:
    records = "".join(f"<url><loc>{location}</loc><lastmod>2024-05-13</lastmod></url>" for location in locations)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {NAMESPACE}>{records}</urlset>'


def index(*locations: str) -> str:
    records = "".join(f"<sitemap><loc>{location}</loc></sitemap>" for location in locations)
    return f"<sitemapindex {NAMESPACE}>{records}</sitemapindex>"


def found(body: str) -> list[tuple[str, str]]:
    return [
        (link.kind.value, link.url.removeprefix("https://www.example.com"))
        for link in read_sitemap(body.encode(), URL, MODEL).links
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (urlset("https://www.example.com/a", " https://www.example.com/b?x=1&amp;y=2\n"), ["/a", "/b?x=1&y=2"]),
        (urlset("https://www.example.com/a?x=1&y=2"), ["/a?x=1&y=2"]),
        (urlset("<![CDATA[https://www.example.com/a?x=1&y=2]]>"), ["/a?x=1&y=2"]),
        (urlset("/a", "b", "", "file:///etc/passwd", "https://other.example.org/a"), ["/a"]),
        (urlset("https://www.example.com/private/a", "https://www.example.com/a.jpg"), []),
        (urlset("https://www.example.com/a", "https://www.example.com/a#b"), ["/a"]),
        ("<urlset><url><loc>https://www.example.com/a</loc></url></urlset>", ["/a"]),
        ("<x:urlset xmlns:x='y'><x:url><x:loc>https://www.example.com/a</x:loc></x:url></x:urlset>", ["/a"]),
        ("<x:urlset><x:url><x:loc>https://www.example.com/a</x:loc></x:url></x:urlset>", ["/a"]),
        ("<URLSET><URL><LOC>https://www.example.com/a</LOC></URL></URLSET>", ["/a"]),
        (
            "<urlset xmlns:i='image'><url><i:image><i:loc>/i</i:loc></i:image><loc>/a</loc></url></urlset>",
            ["/a"],
        ),
        (
            "<urlset xmlns:image='http://www.google.com/schemas/sitemap-image/1.1'><url><image:loc>/i</image:loc><loc>/a</loc></url></urlset>",
            ["/a"],
        ),
        ("https://www.example.com/a\rhttps://www.example.com/b\r", ["/a", "/b"]),
        ("https://www.example.com/a\r\n\r\nhttps://www.example.com/b\nnot a url\n# /c\n", ["/a", "/b"]),
        ("\ufeffhttps://www.example.com/a", ["/a"]),
        ("<rss><channel><item><link>https://www.example.com/a</link></item></channel></rss>", ["/a"]),
        ("<feed><entry><link href='https://www.example.com/a'/></entry></feed>", ["/a"]),
        ("https://www.example.com/a\t2026-11-30\nhttps://www.example.com/b # news\n", ["/a", "/b"]),
        (urlset("www.example.com/a", "example.com.evil.org/b"), ["/a", "/example.com.evil.org/b"]),
        (
            "<urlset><url><loc>https://www.example.com/a</loc></url><url><loc>/b</loc><lastmod>2024-0",
            ["/a", "/b"],
        ),
        ("Sitemap: https://www.example.com/a", []),
        ("", []),
    ],
)
def test_pages(body: str, expected: list[str]) -> None:
    """Every form of sitemap the protocol knows gives its pages, in scope and once each."""
    assert found(body) == [("page", url) for url in expected]


def test_index_gives_sitemaps() -> None:
    """An index gives sitemaps of the site's hosts, with any extension, and never itself."""
    body = index(
        "https://www.example.com/1.xml.gz", "https://news.example.com/2.xml", URL, "https://other.example.org/3.xml"
    )
    assert found(body) == [("sitemap", "/1.xml.gz"), ("sitemap", "https://news.example.com/2.xml")]


@pytest.mark.parametrize(
    "inside",
    [
        "<sitemap>https://www.example.com/1.xml?a&amp;b</sitemap>",
        "<sitemap>\n<![CDATA[ https://www.example.com/1.xml?a&b ]]>\n</sitemap>",
        "<sitemap><url>https://www.example.com/1.xml?a&amp;b</url><lastmod>2024-05-13</lastmod></sitemap>",
        "<sitemap loc='https://www.example.com/1.xml?a&amp;b'/>",
        '<!-- <sitemap url="https://www.example.com/old"/> --><sitemap href="https://www.example.com/1.xml?a&amp;b" />',
        "<loc>https://www.example.com/1.xml?a&amp;b</loc>",
        "<url><loc>https://www.example.com/1.xml?a&amp;b</loc></url>",
        "<sitemap><location>https://www.example.com/1.xml?a&b</location>",
    ],
)
@pytest.mark.parametrize("root", ["sitemapindex", "x:sitemapindex"])
def test_an_index_without_loc_elements_is_read(inside: str, root: str) -> None:
    head = '<?xml version="1.0"?><?xml-stylesheet href="https://www.example.com/main.xsl"?>'
    body = f"{head}<{root} {NAMESPACE} xmlns:x='y'>{inside}</{root}>"
    assert found(body) == [("sitemap", "/1.xml?a&b")]


def test_an_index_that_calls_itself_a_list_of_pages_gives_sitemaps() -> None:
    assert found(index("https://www.example.com/1.xml").replace("sitemapindex", "urlset")) == [("sitemap", "/1.xml")]
    names = ("/1.xml.gz", "/sitemap-2026-11.xml", "/sitemap.php?month=11")
    assert found(urlset(*(f"https://www.example.com{name}" for name in names))) == [("sitemap", name) for name in names]
    assert found(urlset("https://www.example.com/sitemap/a", "https://www.example.com/1.xml")) == [
        ("page", "/sitemap/a")
    ]


@pytest.mark.parametrize("inside", ["", "<sitemap/>", "<sitemap><lastmod>2024-05-13</lastmod></sitemap>", "<sitemap>a"])
def test_an_index_that_names_no_address_is_broken(inside: str) -> None:
    assert read_sitemap(f"<sitemapindex>{inside}</sitemapindex>".encode(), URL, MODEL) == Sitemap((), broken=True)


@pytest.mark.parametrize(
    ("body", "urls", "broken"),
    [
        (urlset("https://www.example.com/a"), 1, False),
        (urlset("https://www.example.com/a", "https://www.example.com/b")[:-40], 2, True),
        (urlset("https://www.example.com/a", "https://www.example.com/bcd").partition("cd<")[0], 1, True),
        (urlset("https://www.example.com/a").replace("</loc>", ""), 1, True),
        (index("https://www.example.com/a.xml")[:-4], 1, True),
        ("<html><body>404</body></html>", 0, True),
        (urlset("https://www.example.com/a") + "trailing <b>", 1, True),
        (index("s2.xml.gz"), 1, False),
        (urlset("a.html", "news/b.html"), 2, False),
        (urlset("a.html", "https://www.example.com/a"), 2, False),
        (urlset("one", "and two"), 0, True),
        (urlset("javascript:a.b()", "c:/d.html"), 0, True),
        (urlset("https://elsewhere.example/a"), 0, False),
        (index("https://elsewhere.example/a.xml"), 0, False),
        (urlset(), 0, False),
    ],
)
def test_broken_sitemaps_give_what_was_read(body: str, urls: int, broken: bool) -> None:
    """XML that breaks off gives the records before the break, and says that it broke."""
    sitemap = read_sitemap(body.encode(), URL, MODEL)
    assert (len(sitemap.links), sitemap.broken) == (urls, broken)


def test_entries_are_capped() -> None:
    """No more entries are read than the protocol allows a file."""
    body = urlset(*(f"https://www.example.com/{number}" for number in range(MAX_ENTRIES + 10)))
    links = read_sitemap(body.encode(), URL, MODEL).links
    assert len(links) == MAX_ENTRIES
    assert {link.kind for link in links} == {Kind.PAGE}


@pytest.mark.parametrize(
    "body",
    [
        b"<urlset>" + b"<a>" * 300_000,
        b"<urlset>" + b"<url><loc>" * 100_000,
        b"<urlset>" + b"<a/>" * 300_000 + b"</urlset>",
        b"<urlset><url>" + b"<a/>" * 300_000 + b"</url></urlset>",
        b"<!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><urlset><url><loc>&e;</loc></url></urlset>",
        b"\x1f\x8b\x08" + b"\x00" * 10_000,
        b"https://" * 100_000,
        b" " * 1_000_000,
    ],
)
def test_hostile_sitemaps_give_nothing(body: bytes) -> None:
    """Depth, width, entities and rubbish give nothing, in bounded time and memory."""
    assert read_sitemap(body, URL, MODEL).links == ()


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.binary(), st.text(alphabet="<>/&;urlsetocsimapndx:'= h\x00é").map(str.encode)))
def test_any_bytes_are_safe(body: bytes) -> None:
    """Any bytes give links in scope, or none, never an exception."""
    wrapped = b"<urlset><url><loc>https://www.example.com/a</loc></url>" + body
    assert all(
        link.host.endswith("example.com")
        for link in read_sitemap(body, URL, MODEL).links + read_sitemap(wrapped, URL, MODEL).links
    )


NEWS = 'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"'
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ("<lastmod>2026-11-20</lastmod>", "2026-11-20"),
        ("<lastmod> 2026-11-20T23:30+07:00 </lastmod>", "2026-11-20T16:30:00Z"),
        ("<lastmod>2026-11-20T00:00:00+00:00</lastmod>", "2026-11-20"),
        ("<lastmod>2026-11-20T08:30:00.123Z</lastmod>", "2026-11-20T08:30:00Z"),
        ("<lastmod>2027-01-01T08:30:00Z</lastmod>", None),
        ("<lastmod>2026-13-45T08:30:00Z</lastmod>", None),
        ("<lastmod>2026</lastmod>", None),
        # To look through 50 000 such texts took longer than a worker may take.
        (f"<lastmod>{'-' * 100} 20 November 2026</lastmod>", None),
        (
            "<lastmod>2026-11-20</lastmod><news:news><news:publication_date>2019-05-13T10:00:00Z</news:publication_date></news:news>",
            "2019-05-13T10:00:00Z",
        ),
        ("<video:video><video:publication_date>2019-05-13</video:publication_date></video:video>", None),
        ("", None),
    ],
)
def test_pages_are_dated(record: str, expected: str | None) -> None:
    """A page has the publication date of its news, else the day it last changed; nothing from the future."""
    body = f"<urlset {NEWS}><url><loc>https://www.example.com/a</loc>{record}</url></urlset>"
    assert [link.dated for link in read_sitemap(body.encode(), URL, MODEL, NOW).links] == [expected]


def test_sitemaps_of_an_index_are_dated() -> None:
    """The sitemaps of an index have dates, so that the newest can be read first."""
    body = "<sitemapindex><sitemap><loc>https://www.example.com/1.xml</loc><lastmod>2026-11-20</lastmod></sitemap></sitemapindex>"
    assert [(link.kind, link.dated) for link in read_sitemap(body.encode(), URL, MODEL, NOW).links] == [
        (Kind.SITEMAP, "2026-11-20")
    ]


@pytest.mark.parametrize(
    ("date_of", "early"),
    [
        (lambda _: "", [*range(25), *range(75, 100)]),
        (lambda _: "2026-11-20", [*range(25), *range(75, 100)]),
        (lambda at: f"{2000 + at // 5}-01-01", [*range(50, 100)]),
        (lambda at: f"{2019 - at // 5}-01-01", [*range(50)]),
    ],
)
def test_of_an_index_of_very_many_the_newest_are_read_first(date_of: Callable[[int], str], early: list[int]) -> None:
    """Where dates do not tell, both ends: a list of the archive begins at one or the other."""
    records = "".join(
        f"<sitemap><loc>https://www.example.com/{at}.xml</loc><lastmod>{date_of(at)}</lastmod></sitemap>"
        for at in range(100)
    )
    links = read_sitemap(f"<sitemapindex>{records}</sitemapindex>".encode(), URL, MODEL, NOW).links
    assert [at for at, link in enumerate(links) if not link.rank] == early


@pytest.mark.parametrize(
    ("languages", "expected"),
    [
        ((), ["/en/a"]),
        (("vi",), ["/en/a", "/vi/a"]),
        (("ar", "en"), ["/en/a", "/ar/a"]),
        (("th",), ["/en/a"]),
        (("he",), ["/en/a", "/iw/a"]),
    ],
)
def test_translations_are_followed_into_wanted_languages(languages: tuple[str, ...], expected: list[str]) -> None:
    """hreflang alternates are pages where the corpus wants their language."""
    alternates = "".join(
        f"<xhtml:link rel='alternate' hreflang='{code}' href='https://www.example.com/{code[:2]}/a'/>"
        for code in ("en", "vi-VN", "ar", "iw-IL", "x-default")
    )
    body = f"<urlset xmlns:xhtml='http://www.w3.org/1999/xhtml'><url><loc>https://www.example.com/en/a</loc>{alternates}</url></urlset>"
    model = SiteModel(hosts=("example.com",), languages=languages)
    links = read_sitemap(body.encode(), URL, model, NOW).links
    assert [link.url.removeprefix("https://www.example.com") for link in links] == expected
