"""Feeds: the pages they name, in any format, encoding and state."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from urllib.parse import unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.discovery.feeds import MAX_ENTRIES, feed_links
from storage.records import Kind, SiteModel
from tests.pipelines.pieces import pieces

URL = "https://example.com/feeds/all.xml"
MODEL = SiteModel(hosts=("example.com",))


def found(body: str | bytes, content_type: str | None = None) -> list[str]:
    raw = body.encode() if isinstance(body, str) else body
    links = feed_links(raw, URL, MODEL, content_type)
    assert all(link.kind is Kind.PAGE for link in links)
    return [link.url.removeprefix("https://example.com") for link in links]


def rss(items: str, channel: str = "") -> str:
    return f'<?xml version="1.0"?><rss version="2.0"><channel><link>https://example.com/</link>{channel}{items}</channel></rss>'


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ("<item><link>https://example.com/a</link></item><item><link>/b</link></item>", ["/a", "/b"]),
        ("<item><title>x</title><link> \n https://example.com/a?utm_source=rss \n</link></item>", ["/a"]),
        ("<item><link><![CDATA[https://example.com/a?x=1&y=2]]></link></item>", ["/a?x=1&y=2"]),
        ("<item><link>https://example.com/a?x=1&amp;y=2</link></item>", ["/a?x=1&y=2"]),
        ("<item><link>https://example.com/a?x=1&y=2&copy=3</link></item>", ["/a?x=1&y=2&copy=3"]),
        ("<item><guid>https://example.com/a</guid></item>", ["/a"]),
        ("<item><guid isPermaLink='true'>/a</guid></item>", ["/a"]),
        ("<item><guid isPermaLink='false'>https://example.com/a</guid></item>", ["/a"]),
        ("<item><guid isPermaLink='false'>https://example.com/a</guid><link>/b</link></item>", ["/b"]),
        ("<item><guid>tag:example.com,2024:1</guid></item>", []),
        ("<item><guid>https://example.com/g</guid><link>https://example.com/a</link></item>", ["/a"]),
        ("<item><link>javascript:x</link><guid>https://example.com/g</guid></item>", ["/g"]),
        (
            "<item><link>https://feeds.example.org/~r/1</link><feedburner:origLink>https://example.com/a</feedburner:origLink></item>",
            ["/a"],
        ),
        ("<item><enclosure url='https://example.com/a.mp3'/><comments>https://example.com/c</comments></item>", []),
        ("<item><link>https://other.example.org/a</link></item><item><link>file:///etc/passwd</link></item>", []),
        ("<item><link>https://count.example.org/1</link><guid>https://example.com/a</guid></item>", ["/a"]),
        ("<item><link>https://count.example.org/1</link><guid isPermaLink='false'>/a</guid></item>", []),
        ("<item><guid ispermalink='false'>/a</guid></item>", []),
        ("<item><link>https://count.example.org/?to=https%3A%2F%2Fexample.com%2Fa&amp;n=1</link></item>", ["/a"]),
        ("<item><link>https://example.com/a.pdf</link><guid>https://example.com/a</guid></item>", ["/a"]),
        (
            "<item><link>example.com/a</link></item><item><link>www.example.org/b</link></item>",
            ["/a", "/feeds/www.example.org/b"],
        ),
        ("<item><link>https://example.com/\n\t\ta\n</link></item>", ["/a"]),
        ("<item><link/><atom:link xmlns:atom='x' href='/a'/></item><item><link> </link></item>", ["/a"]),
        ("<item><link>/a</link></item><item><link>/a#x</link></item>", ["/a"]),
        ("<item><link>/&#97;&#x62;&#38;</link></item>", ["/ab&"]),
        ("<item><link>/&#xD8&#0;00;</link></item>", ["/&#xD8\ufffd00;"]),
        ("<item><link>/&#xD800;&#0;&#x110000;&#99999999;</link></item>", ["/\ufffd\ufffd\ufffd\ufffd"]),
        ("<item><!-- <![CDATA[ --><link>/a&#x00D800;</link></item>", ["/a\ufffd"]),
        ("<item><description>&nbsp;&hellip; R&D <b>bold</description><link>/a</link></item>", ["/a"]),
        ("<item><title>\x0c\x01</title><link>/a</link></item>", ["/a"]),
        ("<item><link>/b</link><title>x <b>y</title></item><item><link>/c</link></item>", ["/b", "/c"]),
        ("<item><title>x <b>y <i>z</title><link>/a</link></item><item><link>/b</link></item>", ["/a", "/b"]),
    ],
)
def test_rss(items: str, expected: list[str]) -> None:
    """Items of RSS give the addresses of their pages, also where the XML is not well-formed."""
    assert [unquote(url) for url in found(rss(items))] == [url.partition("#")[0] for url in expected]


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("<link href='https://example.com/a'/>", ["/a"]),
        ("<link rel='self' href='/self'/><link rel='alternate' href='/a'/>", ["/a"]),
        ("<link type='application/json' href='/j'/><link type='text/html' href='/a'/>", ["/a"]),
        ("<link rel='enclosure' href='/x'/>", []),
        ("<link rel='http://www.iana.org/assignments/relation/alternate' href='/a'/>", ["/a"]),
        ("<link rel='alternate bookmark' href='/a'/>", ["/a"]),
        ("<link rel='alternate' href='a'/>", ["/feeds/a"]),
        ("<source><link href='/s'/></source><link href='/a'/>", ["/a"]),
        ("<source><link href='/s'/></source>", []),
        ("<link rel='self' href='/a'/>", ["/a"]),
        ("<content type='text/html' src='/a'/>", ["/a"]),
    ],
)
def test_atom(entry: str, expected: list[str]) -> None:
    """Entries of Atom give their alternate link, the HTML one where there are several."""
    assert (
        found(f'<feed xmlns="http://www.w3.org/2005/Atom"><link href="/self"/><entry>{entry}</entry></feed>')
        == expected
    )


def test_xml_base() -> None:
    """Relative links resolve against xml:base where a feed has one, never against one that is not http(s)."""
    entry = "<entry xml:base='{}'><link href='a'/></entry>"
    feed = f"<feed xml:base='https://example.com/x/'>{entry.format('y/')}{entry.format('file:///etc/')}</feed>"
    assert found(feed) == ["/x/y/a", "/feeds/a"]


def test_rdf() -> None:
    """RSS 1.0 has its items beside the channel, and their address in rdf:about too."""
    items = "<item rdf:about='https://example.com/a'><link>https://example.com/a</link></item><item rdf:about='/b'/>"
    namespaces = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"'
    assert found(f"<rdf:RDF {namespaces}><channel rdf:about='/c'/>{items}</rdf:RDF>") == ["/a", "/b"]


def test_the_address_of_an_item_is_found_behind_any_number_of_attributes() -> None:
    """Each is looked at once: to look each value up would take time that grows with the square of their number."""
    many = " ".join(f"a{number}='x'" for number in range(60_000))
    assert found(rss(f"<item {many} rdf:about='/b'/>")) == ["/b"]


@pytest.mark.parametrize(
    ("feed", "expected"),
    [
        (
            {"items": [{"url": "https://example.com/a"}, {"url": "/b"}, {"id": "https://example.com/c"}]},
            ["/a", "/b", "/c"],
        ),
        ({"items": [{"id": "7"}, {"url": 7}, {}, None, [], {"url": "", "id": "x"}]}, []),
        ({"items": [{"id": "1", "external_url": "/a"}, {"url": "/b", "external_url": "/c"}]}, ["/a", "/b"]),
        ({"items": {"url": "/a"}}, []),
        ({"items": None}, []),
        ([{"url": "/a"}], []),
    ],
)
def test_json_feed(feed: object, expected: list[str]) -> None:
    """JSON Feed gives the addresses of its items; values of the wrong type are passed over."""
    assert found("\ufeff" + json.dumps(feed)) == expected


@pytest.mark.parametrize("charset", ["utf-8", "utf-8-sig", "utf-16", "windows-1251", "koi8-r"])
def test_encodings(charset: str) -> None:
    """Addresses in letters beyond ASCII are read in the encoding the feed is in, declared or marked."""
    words = "новости культуры и спорта сегодня в городе " * 5
    text = rss(f"<item><title>{words}</title><link>https://example.com/новости</link></item>")
    declared = text.replace('"1.0"?', f'"1.0" encoding="{charset.removesuffix("-sig")}"?')
    assert found(declared.encode(charset)) == ["/%D0%BD%D0%BE%D0%B2%D0%BE%D1%81%D1%82%D0%B8"]


@pytest.mark.parametrize(
    "cut", ["<item><link>/bc", "<item><link><![CDATA[/bc", "<item><link>/b</link", "<item><li", "<it", "<item>"]
)
def test_a_feed_that_breaks_off_gives_whole_addresses_only(cut: str) -> None:
    """An address that the document's end cuts short is not taken for one; those before it are."""
    body = rss("<item><link>/a</link></item>").partition("</channel>")[0] + cut
    assert [url for url in found(body) if url != "/b"] == ["/a"]


def test_junk_before_the_root() -> None:
    """White space and a script's complaint before the XML do not hide the feed."""
    assert found("\n<b>Warning</b>: x in <b>y.php</b>\n" + rss("<item><link>/a</link></item>")) == ["/a"]


ENTITY_BOMB = "<!ENTITY a 'aaaaaaaaaa'>" + "".join(
    f"<!ENTITY {chr(98 + level)} '{f'&{chr(97 + level)};' * 10}'>" for level in range(12)
)


@pytest.mark.parametrize(
    "entities",
    [ENTITY_BOMB, "<!ENTITY m SYSTEM 'file:///etc/passwd'>", "<!ENTITY % m SYSTEM 'http://127.0.0.1:9/x'>%m;"],
)
def test_entities_are_never_expanded(entities: str) -> None:
    """A DTD is not read: entities stay the few characters they are written with, and the other items are found."""
    items = "<item><title>&m;</title><link>/x&m;</link></item><item><link>/a</link></item>"
    assert found(f"<!DOCTYPE rss [{entities}]>{rss(items)}") == ["/x&m;", "/a"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\x00" * 1000,
        b"<html><body><a href='/a'>not a feed</a>",
        b"<rss>" + b"<item>" * 100_000,
        b"<rss><channel>" + b"<a>" * 100_000,
        b"<rss>" + b"<![CDATA[" * 100_000,
        b"<rss><item><title>" + b"&" * 500_000,
        b"<rss>" + b"<!--" * 100_000,
        b'{"items":' * 100_000,
        b"[" * 100_000,
        b"<rss><item " + b"a='b' " * 100_000 + b"/></rss>",
    ],
)
def test_hostile_feeds_give_nothing(body: bytes) -> None:
    """What is no feed, or built to break a parser, gives nothing and takes no time to speak of."""
    assert found(body) == []


def test_entries_are_capped() -> None:
    """A feed of very many entries gives its first `MAX_ENTRIES`."""
    items = "".join(f"<item><link>/{number}</link></item>" for number in range(MAX_ENTRIES + 50))
    assert len(found(rss(items))) == MAX_ENTRIES


PIECES = pieces(
    "<rss> <feed> <item> </item> <entry> <link> </link> <link_href='_'/> /a <![CDATA[ ]]> & &amp; &#0; &#xD800;"
    " <!DOCTYPE_x_[ { \"items\" : [ <a:b _xmlns:a='b' <b",
    *("\t", "\0", "\ud800"),
)


@settings(max_examples=400, deadline=None)
@given(st.one_of(st.binary(), PIECES.map(lambda text: text.encode("utf-8", "surrogatepass"))))
def test_any_bytes_are_safe(body: bytes) -> None:
    """Any bytes give links in scope, or none, never an exception."""
    assert all(link.host == "example.com" for link in feed_links(body, URL, MODEL, "text/xml; charset=nonsense"))


NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (rss("<item><link>/a</link><pubDate>Fri, 20 Nov 2026 08:30:00 +0700</pubDate></item>"), "2026-11-20T01:30:00Z"),
        (rss("<item><link>/a</link><dc:date>2026-11-20</dc:date></item>"), "2026-11-20"),
        (rss("<item><link>/a</link><pubDate>20/11/2026 08:30</pubDate></item>"), "2026-11-20"),
        (rss("<item><link>/a</link><pubDate>1 Jan 2031 00:00:00 +0000</pubDate></item>"), None),
        (rss("<item><link>/a</link><pubDate>yesterday</pubDate></item>"), None),
        (
            rss("<item><description><b>x</description><link>/a</link><pubDate>20 Nov 2026</pubDate></item>"),
            "2026-11-20",
        ),
        (
            (
                "<feed><entry><link href='/a'/><updated>2026-11-21T01:00:00Z</updated>"
                "<published>2026-11-20T01:00:00.5+07:00</published></entry></feed>"
            ),
            "2026-11-19T18:00:00Z",
        ),
        (
            (
                "<feed><entry><link href='/a'/><source><updated>2020-01-01</updated></source>"
                "<updated>2026-11-20T10:00:00Z</updated></entry></feed>"
            ),
            "2026-11-20T10:00:00Z",
        ),
        ('{"items": [{"url": "/a", "date_published": "2026-11-20T10:00:00Z"}]}', "2026-11-20T10:00:00Z"),
        ('{"items": [{"url": "/a", "date_published": 7, "date_modified": "2026-11-20"}]}', "2026-11-20"),
        ('{"items": [{"url": "/a"}]}', None),
    ],
)
def test_entries_are_dated(body: str, expected: str | None) -> None:
    """A link carries the date its entry states, that of publication before that of a change, none from the future."""
    assert [link.dated for link in feed_links(body.encode(), URL, MODEL, now=NOW)] == [expected]
