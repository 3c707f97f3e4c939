"""Malformed feeds: the reader that finds entries where the first finds none, and hostile feeds."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import feedparser
import pytest
from hypothesis import given, settings

from pipelines.decoding.decode import decode
from pipelines.discovery import feeds
from pipelines.discovery.feeds import feed_links
from pipelines.discovery.malformed_feeds import MAX_CHARS, MAX_TAGS, second_reading
from storage.records import SiteModel
from tests.pipelines.pieces import pieces

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipelines.discovery.feed_entries import FeedEntry

URL = "https://example.com/feeds/all.xml"
MODEL = SiteModel(hosts=("example.com",))
NOW = datetime(2026, 11, 21, tzinfo=UTC)
ITEM = "<item><title>A</title><link>https://example.com/a</link></item>"
SECOND = ITEM.replace("/a<", "/b<")
RDF = "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='{}'>{}</rdf:RDF>"
RSS_09 = RDF.format("http://channel.netscape.com/rdf/simple/0.9/", "<channel/>" + ITEM)
RSS_10 = RDF.format("http://purl.org/rss/1.0/", "<item rdf:about='https://example.com/a'/>")
ATOM = "<feed xmlns='http://www.w3.org/2005/Atom'><entry>{}</entry></feed>"
CDF = "<CHANNEL HREF='https://example.com/'><TITLE>{}</TITLE><ITEM HREF='https://example.com/a'><TITLE>A</TITLE></ITEM></CHANNEL>"


def rss(items: str, root: str = "<rss version='2.0'>") -> str:
    return f"{root}<channel><title>x</title>{items}</channel></rss>"


def found(body: str | bytes) -> list[str]:
    raw = body.encode() if isinstance(body, str) else body
    return [link.url.removeprefix("https://example.com") for link in feed_links(raw, URL, MODEL, now=NOW)]


def second(body: str | bytes) -> list[str]:
    text = body if isinstance(body, str) else decode(body).text
    return [entry.address.canonical.removeprefix("https://example.com") for entry in second_reading(text, URL, NOW)]


@pytest.fixture
def only_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the first reader alone."""

    def nothing(_text: str, _url: str, _now: datetime) -> Iterator[FeedEntry]:
        return iter(())

    monkeypatch.setattr(feeds, "second_reading", nothing)


BOTH = [
    RSS_09,
    rss(ITEM),
    rss(ITEM, "<!DOCTYPE rss PUBLIC '-//Netscape//DTD RSS 0.91//EN' 'http://x.example/rss.dtd'><rss version='0.91'>"),
    ATOM.format("<link href='https://example.com/a'/>"),
    ATOM.replace("2005/Atom", "atom/ns#").format("<link rel='alternate' href='https://example.com/a'/>"),
    rss(ITEM.replace("A", "&nbsp;&hellip; < A & B")),
]
FIRST_ONLY = [
    RSS_10,
    '{"version": "https://jsonfeed.org/version/1.1", "items": [{"url": "https://example.com/a"}]}',
    rss("<item><link>https://example.com/a<title>A</title></item>"),
    rss("<item><atom:link href='https://example.com/a'/></item>"),
    "<rss xmlns:r='x'><r:item><r:link>https://example.com/a</r:link></r:item></rss>",
    rss("<!-- x " + ITEM),
    rss("<title><![CDATA[x</title>" + ITEM),
]
SECOND_ONLY = [
    CDF.format("x"),
    CDF.format("x & y<BR>"),
    f"<?xml version='1.0'?><channel><title>x</title>{ITEM}</channel>",
    ITEM,
    rss(ITEM, "<rrs version='2.0'>"),
    rss(ITEM, "on='2.0'>"),
    rss(ITEM, f"<!--{'x' * 20_000}--><rss>"),
    f"<html><body><div><channel>{ITEM}</channel></div>",
    "<feed><entry><link href=https://example.com/a></entry></feed>",
    rss("<item><l&ink>https://example.com/x</l&ink><link>https://example.com/a</link></item>"),
]


@pytest.mark.usefixtures("only_first")
@pytest.mark.parametrize("body", BOTH + FIRST_ONLY)
def test_what_the_first_reader_reads_alone(body: str) -> None:
    """RSS 0.9 to 2.0, Atom and JSON, with undeclared prefixes, open elements and entities of HTML, need no second."""
    assert found(body) == ["/a"]


@pytest.mark.parametrize("body", BOTH + SECOND_ONLY)
def test_what_feedparser_reads(body: str) -> None:
    """The usual forms too, and CDF, channels and items without a root, roots misspelt, cut or late."""
    assert second(body) == ["/a"]


@pytest.mark.parametrize("body", FIRST_ONLY)
def test_what_feedparser_does_not_read(body: str) -> None:
    """JSON, addresses that stand in rdf:about only, undeclared prefixes, and much that is broken."""
    assert second(body) == []


@pytest.mark.usefixtures("only_first")
@pytest.mark.parametrize("body", SECOND_ONLY)
def test_what_the_first_reader_does_not_read(body: str) -> None:
    """These are why there is a second reading."""
    assert found(body) == []


@pytest.mark.parametrize("body", [*BOTH, *FIRST_ONLY, *SECOND_ONLY])
def test_together_they_read_all(body: str) -> None:
    """Whichever reader it takes, a feed gives its links."""
    assert found(body) == ["/a"]


@pytest.mark.parametrize("charset", ["utf-16", "utf-32", "koi8-r", "windows-1251"])
def test_it_reads_what_is_decoded_already(charset: str) -> None:
    """What a feed declares of its encoding is not asked again."""
    words = "новости культуры и спорта сегодня в городе " * 5
    body = f"<?xml version='1.0' encoding='{charset}'?><channel><title>{words}</title>{ITEM}{SECOND}</channel>"
    assert found(body.encode(charset)) == ["/a", "/b"]


def test_its_entries_are_dated() -> None:
    """The date of publication, where it is not after the fetch."""
    body = "".join(
        ITEM.replace("</item>", f"<pubDate>{date}</pubDate></item>").replace("/a<", f"/{at}<")
        for at, date in enumerate(["Fri, 20 Nov 2026 08:30:00 +0700", "1 Jan 2031 00:00:00 +0000", "soon"])
    )
    assert [entry.dated for entry in second_reading(body, URL, NOW)] == ["2026-11-20T01:30:00Z", None, None]


CUTS = ["<item><link>/bc", "<item><link><![CDATA[/bc", "<item><link>/b</link", "<entry><link href='/b"]


@pytest.mark.parametrize("cut", CUTS)
def test_an_address_that_breaks_off_is_none(cut: str) -> None:
    """Not taken for a whole one by either reader."""
    assert found(f"<channel>{cut}") in ([], ["/b"])
    assert second(f"<channel>{ITEM}{cut}") in (["/a"], ["/a", "/b"])


def test_feedparser_is_fed_with_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Never with a text, which it would open as a file or ask for as an address."""
    given, parse = [], feedparser.parse

    def noted(source: object, **options: Any) -> Any:
        given.append(source)
        return parse(source, **options)

    monkeypatch.setattr(feedparser, "parse", noted)
    assert found(f"file:///etc/passwd\n{ITEM}") == ["/a"]
    assert [type(source) for source in given] == [io.BytesIO]


@pytest.mark.parametrize(
    "body",
    [
        "<html><body><a href='/a'>no feed</a>",
        "<channel>" + "<a>" * MAX_TAGS + ITEM,
        "<channel>" + "<item>" * (MAX_TAGS + 1),
        f"<channel><b {' '.join(f'a{number}=' for number in range(20_000))}/>{ITEM}",
        "<channel>" + ITEM + "x" * MAX_CHARS,
        "{" * 100_000 + "<item",
    ],
)
def test_it_is_not_asked_for_what_is_no_feed_or_too_much(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its time grows with the tags: 700 000 of them would take it longer than a page may take."""
    monkeypatch.delattr(feedparser, "parse")
    assert second(body) == []


@pytest.mark.parametrize(
    "body",
    [
        "<channel><item>" + "<b>" * (MAX_TAGS - 10) + "<link>https://example.com/a</link></item>",
        "<channel><item " + "a='b' " * 50_000 + ">",
        "<channel><item><title>" + "&" * 200_000,
        "<channel><item><pubDate>" + "1:" * 200_000,
        "<channel><item>" + "<a xmlns:b='c'>" * 10_000,
        "<!DOCTYPE x [<!ENTITY a '" + "a" * 50_000 + "'>]><channel><item><link>/" + "&a;" * 50_000,
        "<!DOCTYPE x [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><channel><item><link>&a;</link></item></channel>",
    ],
)
def test_hostile_feeds_end(body: str) -> None:
    """Nested, long, of many attributes, entities or name spaces: they end, and name no page of ours."""
    assert [url for url in second(body) if url != "/a" and "&" not in url] == []


PIECES = pieces(
    """<item> </item> <entry> <link> </link> <link_href='/a'/> <guid> </guid> /a &amp; & &#xD800; <b <![CDATA[ ]]>
    <!-- --> <channel> <content_type='xhtml'> </content> <media:content_url='x'> <geo:lat> <georss:point> 1 <source>
    </source> <author> a@b.c <category> <dc:date> <pubDate> 2026 <itunes:image_href='x'/> <a_xml:base='[' <gml:pos>""",
    *("\t", "\ud800"),
)


@settings(max_examples=300, deadline=None)
@given(PIECES)
def test_any_text_is_safe(text: str) -> None:
    """An exception of feedparser on some text ends the reading of that text only."""
    assert all(entry.address for entry in second_reading("<item>" + text, URL, NOW))
