"""Links of pages: in scope, once each, in order, also on hostile pages."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.discovery import links
from pipelines.discovery.links import MAX_LINKS, page_anchors, page_links, redirect_link
from pipelines.discovery.scope import scope_of
from pipelines.markup.page_view import PageView
from pipelines.urls.url import parse
from storage.records import Capture, Kind, Link, SiteModel
from tests.pipelines.pieces import pieces

URL = "https://www.example.com/news/today.html"
MODEL = SiteModel(hosts=("example.com",))


def found(html: str, model: SiteModel = MODEL, url: str = URL) -> list[str]:
    return [link.url for link in page_links(html, url, model)]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<a href="a.html">', ["https://www.example.com/news/a.html"]),
        ('<a href="/a?x=1&amp;y=2">', ["https://www.example.com/a?x=1&y=2"]),
        ('<map><area href="/a"></map>', ["https://www.example.com/a"]),
        ('<a href="/a"><a href="/a#b"><a href="//www.example.com/a?utm_source=x">', ["https://www.example.com/a"]),
        ('<a href="/b"><a href="/a"><a href="/b">', ["https://www.example.com/b", "https://www.example.com/a"]),
        ('<a href="today.html"><a href="#top"><a href=""><a href>', []),
        ('<a rel="external NoFollow" href="/a"><a rel="external" href="/b">', ["https://www.example.com/b"]),
        ('<meta name="Robots" content="noindex, NoFollow"><a href="/a">', []),
        ('<meta name="robots" content="none"><a href="/a">', []),
        ('<meta name="robots" content="index"><a href="/a">', ["https://www.example.com/a"]),
        ('<a download href="/a"><iframe src="/b"></iframe><link href="/c">', []),
        ('<base href="/x/"><a href="a">', ["https://www.example.com/x/a"]),
        ('<base href="https://sport.example.com/x/"><a href="a">', ["https://sport.example.com/x/a"]),
        ('<base href="https://evil.example.org/"><a href="a">', []),
        ('<base href="javascript:alert(1)//"><a href="/a">', ["https://www.example.com/a"]),
        ('<base href="file:///etc/"><a href="passwd">', ["https://www.example.com/news/passwd"]),
        ('<a href="file:///etc/passwd"><a href="javascript:x()"><a href="mailto:a@example.com"><a href="tel:1">', []),
        (
            '<a href="/photo.JPG"><a href="/a.pdf?x=1"><a href="/style.css"><a href="/a.php">',
            ["https://www.example.com/a.php"],
        ),
        ('<a href="http://example.com.evil.org/"><a href="http://notexample.com/"><a href="http://127.0.0.1/">', []),
        ('<a href="https://user:pass@www.example.com/a">', ["https://www.example.com/a"]),
        ("<svg><a href='/a'></a></svg>", ["https://www.example.com/a"]),
        ("", []),
    ],
)
def test_links_of_a_page(html: str, expected: list[str]) -> None:
    """A page's links resolve, are cleaned, kept in order and once, and only where they may be followed."""
    assert found(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<meta http-equiv="refresh" content="0; url=/next">', "https://www.example.com/next"),
        ("<meta http-equiv=Refresh content=\"5;URL='/next'\">", "https://www.example.com/next"),
        ('<meta http-equiv="refresh" content="0,/next">', "https://www.example.com/next"),
        ('<meta http-equiv="refresh" content="300; url=/next">', None),
        ('<meta http-equiv="refresh" content="300">', None),
        ('<meta http-equiv="refresh" content="0; url=today.html">', None),
        ('<meta http-equiv="refresh" content="0; url=https://other.example.org/">', None),
        ('<meta http-equiv="refresh" content="0; url=file:///etc/passwd">', None),
        ('<noscript><meta http-equiv="refresh" content="0; url=/next"></noscript>', None),
        (
            '<meta name="robots" content="nofollow"><meta http-equiv="refresh" content="0; url=/next">',
            "https://www.example.com/next",
        ),
    ],
)
def test_meta_refresh_is_a_redirect(html: str, expected: str | None) -> None:
    """A page that sends its reader on within a minute gives one redirect, first, and only on its own site."""
    links = page_links(html + "<a href='/other'>", URL, MODEL)
    assert [link.url for link in links if link.redirect] == ([expected] if expected else [])
    assert all(link.redirect for link in links[:1]) or expected is None


@pytest.mark.parametrize(
    ("metas", "headers", "followed"),
    [
        ("", ("nofollow",), False),
        ("", ("noindex, NoFollow",), False),
        ("", ("none",), False),
        ("", ("noindex", "all", "nofollow"), False),
        ("", ("corpus-spider: nofollow",), False),
        ("", ("otherbot: noindex, corpus-spider: none",), False),
        ("", ("unavailable_after: Wed, 21 Oct 2020 07:28:00 GMT, nofollow",), False),
        ("<meta name='robots' content='nofollow'>", ("all",), False),
        ("<meta name='Corpus-Spider' content='noindex,nofollow'>", (), False),
        ("", ("noindex, noarchive, follow",), True),
        ("", ("otherbot: nofollow", "googlebot: none"), True),
        ("", ("unavailable_after: 25 Jun 2010 15:00:00 PST", "max-image-preview:none"), True),
        ("<meta name='googlebot' content='nofollow'><meta name='robots' content='max-image-preview:none'>", (), True),
    ],
)
def test_links_are_not_followed_where_page_or_answer_say_so(
    metas: str, headers: tuple[str, ...], followed: bool
) -> None:
    """An X-Robots-Tag is obeyed as the meta tag is, where it speaks to every robot or to us."""
    links = page_links(f"{metas}<a href='/other'>", URL, MODEL, headers)
    assert [link.url for link in links] == (["https://www.example.com/other"] if followed else [])


def test_link_has_key_address_host_and_kind() -> None:
    """A link carries its canonical key, what to ask for, its host and that a page is expected."""
    (link,) = page_links(PageView("<a href='/a?id=1&utm_source=x'>"), URL, MODEL)
    assert link == Link(
        "https://www.example.com/a?id=1", "https://www.example.com/a?id=1&utm_source=x", "www.example.com", Kind.PAGE
    )


def test_the_text_of_a_link_is_what_it_shows() -> None:
    """A style sheet in it makes no headline of the name of a section."""
    html = "<a href=/a><style>.css-1abc{display:block;color:red}</style><b>Politics</b></a><a href=/b><img alt=Map></a>"
    assert [anchor.text for anchor in page_anchors(PageView(html), URL, MODEL)] == ["Politics", "Map"]


def test_links_are_capped() -> None:
    """A page of very many links gives the first `MAX_LINKS` of them."""
    urls = found("".join(f"<a href='/{number}'>" for number in range(3 * MAX_LINKS)))
    assert urls == [f"https://www.example.com/{number}" for number in range(MAX_LINKS)]


@pytest.mark.parametrize(
    ("host", "hosts", "expected"),
    [
        ("example.com", ("example.com",), True),
        ("www.example.com", ("example.com",), True),
        ("a.b.example.com", ("example.com",), True),
        ("example.com", ("www.example.com",), True),
        ("notexample.com", ("example.com",), False),
        ("com", ("example.com",), False),
        ("example.com:8080", ("example.com",), True),
        ("127.0.0.1:8001", ("127.0.0.1:8001",), True),
        ("127.0.0.1:8002", ("127.0.0.1:8001",), False),
        ("127.0.0.1", ("127.0.0.1:8001",), False),
        ("a.localhost:8001", ("localhost:8001",), True),
        ("[::1]:8001", ("[::1]:8001",), True),
        ("[::1]:8002", ("[::1]:8001",), False),
        ("example.com", (), False),
    ],
)
def test_hosts_in_scope(host: str, hosts: tuple[str, ...], expected: bool) -> None:
    """A host is in scope when it is one of the site's or below one; a port in the rule has to match."""
    assert scope_of(SiteModel(hosts=hosts)).has_host(host) is expected


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("paper.example", True),
        ("a.paper.example", True),
        ("e.paper.example", False),
        ("www.e.paper.example:8080", False),
        ("mine.e.paper.example", True),
        ("x.mine.e.paper.example", True),
        ("the.paper.example", True),
    ],
)
def test_a_host_below_that_is_another_sites_is_out_of_scope(host: str, expected: bool) -> None:
    """The nearest host above it that is somebody's decides."""
    hosts = ("paper.example", "mine.e.paper.example")
    assert scope_of(SiteModel(hosts=hosts, elsewhere=("e.paper.example",))).has_host(host) is expected


def in_scope(url: str, model: SiteModel) -> bool:
    address = parse(url)
    return address is not None and scope_of(model).has(address)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/", True),
        ("/2024/05/13/title", True),
        ("/" + "/".join(map(str, range(20))), True),
        ("/" + "/".join(map(str, range(21))), False),
        ("/a/b/a/b/a/b", True),
        ("/a/b/a/b/a/b/a", False),
        ("/a////////b", False),
        ("/title.v2.html", True),
        ("/video.mp4", False),
        ("/archive.tar.GZ", False),
        ("/feed.xml", False),
        ("/example.com", True),
        ("/a.jpg/", True),
    ],
)
def test_traps_and_files_are_not_pages(path: str, expected: bool) -> None:
    """Paths too deep, paths that go round in circles and names of other media are not followed."""
    assert in_scope(f"https://example.com{path}", MODEL) is expected


def test_allow_and_deny() -> None:
    """A page needs an allowed pattern and no denied one; both are searched in the canonical URL."""
    model = SiteModel(hosts=("example.com",), allow=(r"/\d{4}/", "^https://sport"), deny=("/print/",))
    assert in_scope("https://example.com/2024/x", model)
    assert in_scope("https://sport.example.com/x", model)
    assert not in_scope("https://example.com/about", model)
    assert not in_scope("https://example.com/2024/print/x", model)
    assert not in_scope("not a url", model)
    assert not in_scope("https://example.com/x?utm_source=/2024/", model)


def capture(url: str = URL, kind: Kind = Kind.PAGE) -> Capture:
    return Capture(url, datetime(2026, 11, 20, tzinfo=UTC), 301, (), (), b"", kind)


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("/next", "https://www.example.com/next"),
        ("next?id=1&utm_source=x", "https://www.example.com/news/next?id=1"),
        ("http://www.example.com/news/today.html", "http://www.example.com/news/today.html"),
        ("/caf\xc3\xa9", "https://www.example.com/caf%C3%A9"),
        ("/caf\xe9", "https://www.example.com/caf%C3%A9"),
        ("/\ud800", "https://www.example.com/%EF%BF%BD"),
        ("", None),
        ("#top", None),
        (URL, None),
        ("https://other.example.org/", None),
        ("//2130706433/", None),
        ("file:///etc/passwd", None),
        ("data:text/html,x", None),
        ("http://", None),
        ("/denied/x", None),
    ],
)
def test_redirects(location: str, expected: str | None) -> None:
    """A redirect is followed on its site only, need not be allowed by name, and never leads back to itself."""
    model = SiteModel(hosts=("example.com",), allow=("/2024/",), deny=("/denied/",))
    link = redirect_link(capture(), location, model)
    assert (link.url if link else None) == expected
    assert link is None or link.redirect


def test_a_redirect_keeps_what_was_asked_for() -> None:
    """A redirected sitemap is still expected to be a sitemap, with any name."""
    link = redirect_link(capture("https://example.com/sitemap.xml", Kind.SITEMAP), "/maps/all.xml.gz", MODEL)
    assert link is not None
    assert (link.url, link.kind) == ("https://example.com/maps/all.xml.gz", Kind.SITEMAP)


def test_a_redirect_that_only_drops_parameters_is_followed() -> None:
    """A target with the key of the page it comes from is another address to ask for, and no loop."""
    link = redirect_link(capture(URL + "?utm_source=rss"), "/news/today.html", MODEL)
    assert link is not None
    assert link.fetch_url == URL


MARKUP = pieces(
    "<a_href= <base_href= <meta_http-equiv=refresh_content= ' \" > /a // http: 0;url= &#x0; &amp; <noscript> </a [ % 例"
    " <template> <svg> nofollow _rel=",
    *("\t", "\0", "\ud800"),
)


@settings(max_examples=400, deadline=None)
@given(st.one_of(st.text(), MARKUP), st.sampled_from([URL, "", "http://[::1]/", "nonsense"]))
def test_any_page_is_safe(html: str, url: str) -> None:
    """Any text and any address give links in scope, or none, never an exception."""
    for link in page_links(html, url, MODEL):
        assert scope_of(MODEL).has_host(link.host)
        assert link.fetch_url.startswith(("http://", "https://"))


@given(
    st.sampled_from(["/", "//", "http://", "https://", "/\\", "http:///", "/../"]),
    st.text("ab./?#:@\\%2 é", max_size=12),
    st.sampled_from(["https://paper.example/a/b?c=d", "http://paper.example:8080/x/", "https://www.paper.example/"]),
)
def test_a_reference_that_is_remembered_means_the_same_on_all_pages_of_a_host(begin: str, rest: str, page: str) -> None:
    """With any path of the page that has it."""
    scope = scope_of(SiteModel("paper", hosts=("paper.example", "a", "b")))
    links._KNOWN.clear()
    fresh = links._targets([begin + rest], page, scope)
    links._KNOWN.clear()
    links._targets([begin + rest], links._root_of(page), scope)
    assert links._targets([begin + rest], page, scope) == fresh


@pytest.mark.parametrize(
    ("reference", "twin"),
    [
        ("/a-1.html?from=search", "https://example.com/a-1.html"),
        ("/a-1.html?id=7&ref=home-page", "https://example.com/a-1.html?id=7"),
        ("/list?from=20", None),
        ("/a-1.html?from=", None),
        ("/a-1.html", None),
    ],
)
def test_a_parameter_that_names_the_place_of_a_link_leads_to_the_page(reference: str, twin: str | None) -> None:
    """If that page is known, the link is not fetched."""
    html = f'<a href="{reference}">read</a>'
    (link,) = page_links(html, "https://example.com/", SiteModel(hosts=("example.com",)))
    assert link.twin == twin
