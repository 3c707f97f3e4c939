"""Feeds and sitemaps that are bombs, loops, or something else (row H13)."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

from tests.corpus_spider.hostile.bombs import bomb
from tests.corpus_spider.hostile.entry import Answer, Entry, http, page, story
from tests.corpus_spider.hostile.pages import PNG

if TYPE_CHECKING:
    from tests.corpus_spider.hostile.server import Wire

XML = "application/xml"
LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
DOCTYPE = f'<!DOCTYPE x [<!ENTITY l0 "ha">{LAUGHS}]>'
QUADRATIC = f'<!DOCTYPE x [<!ENTITY a "{"a" * 50_000}">]>'
SAFE = "/item/"


def feed(*links: str, before: str = "", inside: str = "") -> str:
    """Return an RSS feed that names these addresses."""
    items = "".join(f"<item><title>t</title><link>{link}</link>{inside}</item>" for link in links)
    return f'<?xml version="1.0"?>{before}<rss version="2.0"><channel><title>Báo</title>{items}</channel></rss>'


def sitemap(*links: str, before: str = "", word: str = "url") -> str:
    """Return a sitemap or an index."""
    root = "urlset" if word == "url" else "sitemapindex"
    entries = "".join(f"<{word}><loc>{link}</loc></{word}>" for link in links)
    return (
        f'<?xml version="1.0"?>{before}<{root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</{root}>'
    )


def xml(text: str) -> Answer:
    """Answer with XML; ``{port}`` and ``{canary}`` stand for the ports."""
    return lambda wire: http(wire.filled(text).encode(), kind=XML)


def at(path: str) -> str:
    return f"http://src.localhost:{{port}}{path}"


def next_index(wire: Wire) -> bytes:
    """An index that names the next one, without end."""
    number = int("".join(filter(str.isdigit, wire.path)) or 0)
    return http(
        wire.filled(sitemap(at(f"/chain/{number + 1}.xml"), at(f"/chain/{number + 1}b.xml"), word="sitemap")).encode(),
        kind=XML,
    )


def many(wire: Wire) -> bytes:
    """A sitemap of a hundred thousand addresses that are not there."""
    return http(wire.filled(sitemap(*(at(f"/many/{number}") for number in range(100_000)))).encode(), kind=XML)


def external(name: str) -> str:
    return f'<!DOCTYPE x [<!ENTITY e SYSTEM "{name}"><!ENTITY % p SYSTEM "http://127.0.0.1:{{canary}}/p.dtd">%p;]>'


FEEDS = (
    Entry("H13", "/feed/good", xml(feed(at(f"{SAFE}good"))), "feed", leads=f"{SAFE}good"),
    Entry(
        "H13",
        "/feed/laughs",
        xml(feed(at(f"{SAFE}laughs"), before=DOCTYPE, inside="<description>&l11;</description>")),
        "feed",
    ),
    Entry(
        "H13",
        "/feed/quadratic",
        xml(feed(at(f"{SAFE}quad"), before=QUADRATIC, inside=f"<description>{'&a;' * 20_000}</description>")),
        "feed",
    ),
    Entry(
        "H13",
        "/feed/external",
        xml(
            feed(at(f"{SAFE}external"), before=external("file:///etc/passwd"), inside="<description>&e;</description>")
        ),
        "feed",
    ),
    Entry(
        "H13",
        "/feed/network",
        xml(feed(at(f"{SAFE}network"), before=external("http://127.0.0.1:{canary}/e"), inside="<link>&e;</link>")),
        "feed",
    ),
    Entry(
        "H13",
        "/feed/dtd",
        xml(feed(at(f"{SAFE}dtd"), before='<!DOCTYPE rss SYSTEM "http://127.0.0.1:{canary}/rss.dtd">')),
        "feed",
        leads=f"{SAFE}dtd",
    ),
    Entry(
        "H13",
        "/feed/xinclude",
        xml(
            feed(
                at(f"{SAFE}xi"),
                inside='<x:include xmlns:x="http://www.w3.org/2001/XInclude" href="file:///etc/passwd" parse="text"/>',
            )
        ),
        "feed",
    ),
    Entry(
        "H13",
        "/feed/style",
        xml(
            feed(at(f"{SAFE}style"), before='<?xml-stylesheet href="http://127.0.0.1:{canary}/x.xsl" type="text/xsl"?>')
        ),
        "feed",
        leads=f"{SAFE}style",
    ),
    Entry("H13", "/feed/deep", xml("<rss><channel>" + "<a>" * 50_000), "feed"),
    Entry("H13", "/feed/cut", xml(feed(at(f"{SAFE}cut"))[:-20]), "feed", leads=f"{SAFE}cut"),
    Entry(
        "H13",
        "/feed/unescaped",
        xml(feed(at(f"{SAFE}unescaped"), inside="<description>a & b <br> é</description>")),
        "feed",
        leads=f"{SAFE}unescaped",
    ),
    Entry("H13", "/feed/html", http(story("/feed/html")), "feed"),
    Entry("H13", "/feed/png", http(PNG, kind=XML), "feed"),
    Entry("H13", "/feed/empty", http(b"", kind=XML), "feed"),
    Entry("H13", "/feed/type", http(b"", kind=XML), "feed"),
    Entry(
        "H13",
        "/feed/bomb",
        lambda _: http(bomb("gzip"), headers={"Content-Encoding": "gzip"}, kind=XML),
        "body_too_large",
    ),
    Entry(
        "H13",
        "/feed/titles",
        xml(feed(at(f"{SAFE}titles"), inside="<title>" + "x" * 500_000 + "</title>")),
        "feed",
        leads=f"{SAFE}titles",
    ),
    Entry("H13", "/feed/itself", xml(feed(at("/feed/itself"))), "feed"),
)
SITEMAPS = (
    Entry("H13", "/map/good.xml", xml(sitemap(at(f"{SAFE}mapped"))), "sitemap", leads=f"{SAFE}mapped"),
    Entry(
        "H13",
        "/map/good.xml.gz",
        lambda wire: http(gzip.compress(wire.filled(sitemap(at(f"{SAFE}packed"))).encode()), kind="application/gzip"),
        "sitemap",
        leads=f"{SAFE}packed",
    ),
    Entry("H13", "/map/bomb.xml.gz", lambda _: http(bomb("gzip"), kind="application/gzip"), "body_too_large"),
    Entry(
        "H13",
        "/map/double.xml.gz",
        lambda _: http(gzip.compress(bomb("gzip")), headers={"Content-Encoding": "gzip"}),
        "body_too_large",
    ),
    Entry("H13", "/map/laughs.xml", xml(sitemap(at(f"{SAFE}mlaughs"), "&l11;", before=DOCTYPE)), "sitemap"),
    Entry("H13", "/map/external.xml", xml(sitemap("&e;", before=external("file:///etc/passwd"))), "sitemap"),
    Entry("H13", "/map/self.xml", xml(sitemap(at("/map/self.xml"), word="sitemap")), "sitemap"),
    Entry("H13", "/map/ping.xml", xml(sitemap(at("/map/pong.xml"), word="sitemap")), "sitemap"),
    Entry("H13", "/map/pong.xml", xml(sitemap(at("/map/ping.xml"), word="sitemap")), "sitemap"),
    Entry("H13", "/map/html.xml", http(story("/map/html")), "sitemap"),
    Entry("H13", "/map/empty.xml", http(kind=XML), "sitemap"),
    Entry("H13", "/chain/0.xml", next_index, "sitemap"),
    Entry("H13", "/map/many.xml", many, "truncated_length"),
)
CHAIN = Entry("H13", "/chain/", next_index, "*", most=9, tree=True)
ITEMS = Entry("H13", SAFE, lambda wire: page(wire.path), "*", most=60, tree=True)
ENTRIES = (*FEEDS, *SITEMAPS, CHAIN, ITEMS)
