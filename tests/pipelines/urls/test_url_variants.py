"""URL variants of one page: those that the URL alone reveals, and those that it does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.discovery.links import main_page_link, page_links
from pipelines.urls.url import canonicalise, fetchable, is_secondary, parse, plain_path, twin
from storage.records import SiteModel

if TYPE_CHECKING:
    from pipelines.urls.url import Address

SITE = "https://www.example.org"
MODEL = SiteModel("example", hosts=("example.org",))


@pytest.mark.parametrize(
    ("form", "page"),
    [
        ("/a-1?amp=1", "/a-1"),
        ("/a-1?amp", "/a-1"),
        ("/a-1?x=2&amp=true&y=3", "/a-1?x=2&y=3"),
        ("/a-1?outputType=amp", "/a-1"),
        ("/a-1?amp_js_v=0.1&usqp=mq331AQ", "/a-1"),
        ("/a-1?print=1", "/a-1"),
        ("/a-1?view=print", "/a-1"),
        ("/a-1?printable=yes", "/a-1"),
        ("/a-1?mobile=1", "/a-1"),
        ("/news/a-1/amp", "/news/a-1"),
        ("/news/a-1/amp/", "/news/a-1/"),
        ("/news/a-1/AMP/", "/news/a-1/"),
        ("/news/2031/print", "/news/2031"),
        ("/amp/news/a-1", "/news/a-1"),
        ("/news/a-1.amp", "/news/a-1"),
        ("/news/a-1.amp.html", "/news/a-1.html"),
        ("/amp/a-1/amp", "/a-1"),
    ],
)
def test_forms_of_a_page_are_known_by_its_address(form: str, page: str) -> None:
    """The key is that of the page, and the request is for the linked URL."""
    assert canonicalise(SITE + form) == SITE + page
    assert fetchable(SITE + form) == SITE + form


@pytest.mark.parametrize(
    "path",
    [
        "/amp",
        "/amp/",
        "/print/",
        "/glossary/amp",
        "/amplifiers/a-1",
        "/news/amp-1",
        "/a-1?amp=12",
        "/a-1?output=video",
        "/a-1?m=1",
        "/a-1?view=2",
        "/sprint/a-1",
        "/blueprint",
    ],
)
def test_what_only_looks_a_little_like_a_form_is_a_page(path: str) -> None:
    """A word about amperes or prints is no form of another page."""
    assert canonicalise(SITE + path) == SITE + path


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(["amp", "print", "a-1", "", "b.amp", "c.amp.html", "AMP", "x"]), max_size=7))
def test_a_plain_path_is_plain(segments: list[str]) -> None:
    """Taking the forms off twice changes nothing more, and what is left is a path."""
    path = plain_path("/" + "/".join(segments))
    assert plain_path(path) == path
    assert path.startswith("/")


def address(url: str) -> Address:
    found = parse(url)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://m.example.org/a?utm_source=x", f"{SITE}/a"),
        ("https://amp.example.org/a", f"{SITE}/a"),
        ("https://example.org/a", f"{SITE}/a"),
        ("http://www.example.org/a", f"{SITE}/a"),
        (f"{SITE}/a", None),
        ("https://sport.example.org/a", None),
        ("https://m.sport.example.org/a", None),
        ("https://m.org/a", None),
    ],
)
def test_the_twin_of_an_address_is_at_the_host_of_the_page(url: str, expected: str | None) -> None:
    """Hosts for mobile devices and AMP, with and without www, plain or encrypted; other subdomains are other places."""
    assert twin(address(url), address(f"{SITE}/")) == expected


@pytest.mark.parametrize(
    ("host", "expected"), [("m.example.org", True), ("amp.a.example", True), ("m.org", False), ("www.m.org", False)]
)
def test_secondary_hosts_are_reported_by_their_name(host: str, expected: bool) -> None:
    """The first label says it, when more than a domain is left."""
    assert is_secondary(host) is expected


def test_links_name_the_page_and_its_twin() -> None:
    """The page's own address is fetched when a page links to both it and its AMP form; amphtml is not followed."""
    page = """<link rel=amphtml href=/start-1/amp><a href="/a-1?amp=1">amp</a><a href=/a-1>page</a>
              <a href=//m.example.org/b-2>mobile</a>"""
    found = page_links(page, f"{SITE}/start-1", MODEL)
    assert [(link.url, link.fetch_url, link.twin) for link in found] == [
        (f"{SITE}/a-1", f"{SITE}/a-1", None),
        ("https://m.example.org/b-2", "https://m.example.org/b-2", f"{SITE}/b-2"),
    ]


@pytest.mark.parametrize(
    ("url", "canonical", "expected"),
    [
        ("https://m.example.org/a", f"{SITE}/a", [f"{SITE}/a"]),
        ("https://m.example.org/a", "https://elsewhere.example/a", []),
        ("https://m.example.org/a", "https://m.example.org/b", []),
        ("https://m.example.org/a", None, []),
        (f"{SITE}/a", "https://news.example.org/a", []),
    ],
)
def test_a_page_on_a_mobile_host_leads_to_the_page_it_is(url: str, canonical: str | None, expected: list[str]) -> None:
    """Only from hosts that are named as secondary, and only within the site: elsewhere it would double the requests."""
    assert [link.url for link in main_page_link(url, canonical, MODEL)] == expected
