"""Pages that are odd, of the wrong type, doubled, at awkward addresses, meant to hurt (H6, H12, H14, H15, S2, S5)."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

from tests.corpus_spider.hostile.entry import HTML, Entry, Reply, http, moved, page, paragraphs, story
from tests.corpus_spider.hostile.net import endless

if TYPE_CHECKING:
    from tests.corpus_spider.hostile.server import Wire


def _png() -> bytes:
    def part(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = part(b"IHDR", struct.pack(">IIBBBBB", 40, 40, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + part(b"IDAT", zlib.compress(bytes(41 * 40))) + part(b"IEND", b"")


PNG, JPEG, PDF = (
    _png(),
    b"\xff\xd8\xff\xe0\x00\x10JFIF" + bytes(range(256)) * 40,
    b"%PDF-1.7\n%\xe2\xe3\n" + b"stream x " * 900,
)
MP4 = b"\x00\x00\x00\x20ftypisom\x00\x00\x02\x00isomiso2avc1mp41"
ZIP = b"PK\x03\x04\x14\x00\x00\x00\x08\x00" + bytes(range(256)) * 20


def odd(path: str, head: str = "", foot: str = "", before: str = "") -> bytes:
    """Return an article with more around it."""
    whole = story(path, head, foot)
    return http(whole.replace(b"<article>", before.encode("utf-8", "surrogatepass") + b"<article>"))


def inside(path: str, opened: str, closed: str = "") -> bytes:
    """Return an article with something in its midst."""
    middle = f"<p>{paragraphs(path)[2]}</p>".encode()
    return http(story(path).replace(middle, opened.encode("utf-8", "replace") + middle + closed.encode()))


def endless_type(kind: str, first: bytes = b"") -> Reply:
    """Send one type without end."""
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n".encode()
    return endless(head + first, bytes(65_536))


H6 = {
    "deep": lambda path: inside(path, "<div>" * 20_000, "</div>" * 20_000),
    "deepfonts": lambda path: inside(path, "<font><b>" * 20_000),
    "unclosed": lambda path: inside(path, "<table><tr><td>" * 3000),
    "attributes": lambda path: inside(path, "<p " + " ".join(f"a{number}=1" for number in range(10_000)) + ">x</p>"),
    "attribute": lambda path: inside(path, f'<p title="{"x" * 600_000}">x</p>'),
    "links": lambda path: odd(
        path, foot="".join(f'<a href="/nolink#{number}">l{number}</a> ' for number in range(20_000))
    ),
    "line": lambda path: odd(path, before=f"<div hidden>{'word ' * 150_000}</div>"),
    "comment": lambda path: inside(path, f"<!-- {'-' * 400_000} -->"),
    "openquote": lambda path: odd(path, foot='<a href="x'),
    "opencomment": lambda path: odd(path, foot="<!-- never closed " + "x" * 10_000),
    "openscript": lambda path: odd(path, foot="<script>var never = '" + "x" * 10_000),
    "cdata": lambda path: inside(path, "<![CDATA[ x ]]>"),
    "entities": lambda path: inside(path, "<p>" + "&amp;&nbsp;&#x110000;&#0;&#xD800;&bogus;&notin" * 2000 + "</p>"),
    "nul": lambda path: inside(path, "<p>a\x00b\x00\x01\x02</p>"),
    "frames": lambda path: odd(path, foot="<iframe srcdoc='<a href=/x>'></iframe>" * 2000),
    "svg": lambda path: inside(path, "<svg>" + "<g>" * 5000),
    "templates": lambda path: inside(path, "<template>" * 2000, "</template>" * 2000),
    "jsonld": lambda path: odd(path, head='<script type="application/ld+json">' + '{"a":[' * 20_000 + "</script>"),
    "jsonnumbers": lambda path: odd(
        path, head='<script type="application/ld+json">{"datePublished": ' + "9" * 50_000 + "}</script>"
    ),
    "base": lambda path: odd(path, head='<base href="javascript:x"><base href="file:///">'),
    "metas": lambda path: odd(path, head='<meta property="article:published_time" content="99999-99-99T99:99">' * 3000),
    "doctype": lambda path: http(b"<!DOCTYPE x [<!ENTITY a '" + b"b" * 5000 + b"'>]>" + story(path)),
    "bom": lambda path: http(b"\xef\xbb\xbf" * 3 + story(path)),
    "twice": lambda path: http(story(path) + story(path)),
    "spaces": lambda path: http(b" \r\n" * 100_000 + story(path)),
    "dates": lambda path: odd(path, before="<time datetime='" + "2026-" * 20_000 + "'>x</time>"),
    "hiddenmarks": lambda path: inside(path, "<p>" + "\u202e\u2066\u200b\ufeff\ue000" * 500 + "</p>"),
    "combining": lambda path: inside(path, "<p>e" + "\u0301" * 500 + "</p>"),
}


def _wrong(path: str, body: bytes, kind: str, outcome: str = "not_html") -> Entry:
    return Entry("H14", f"/type/{path}", http(body, kind=kind), outcome)


def _right(path: str, kind: str) -> Entry:
    return Entry("H14", f"/type/{path}", http(story(f"/type/{path}"), kind=kind))


H14 = (
    _wrong("png", PNG, HTML),
    _wrong("jpeg", JPEG, HTML),
    _wrong("pdf", PDF, HTML),
    _wrong("pdftype", PDF, "application/pdf"),
    _wrong("mp4", MP4 + bytes(50_000), HTML),
    _wrong("zip", ZIP, HTML),
    _wrong("json", b'{"title": "' + b"word " * 900 + b'"}', "application/json"),
    _wrong("css", b"body { color: red }\n" * 200, "text/css"),
    _wrong("script", b"var a = 'word word';\n" * 200, "application/javascript"),
    _wrong("zeros", bytes(500_000), HTML),
    _wrong("random", bytes((i * 7919 + i // 3) % 256 for i in range(20_000)), "application/octet-stream"),
    _wrong("image", PNG, "image/png", "truncated_unspecified"),
    _right("plain", "text/plain"),
    _right("octets", "application/octet-stream"),
    _right("none", ""),
    _right("garbage", "x; y=z/\x7f,,"),
    _right("xhtml", "application/xhtml+xml; charset=UTF-8"),
    _right("case", "TEXT/HTML;CHARSET=utf-8"),
    _right("list", "text/html, image/png"),
    Entry("H14", "/type/film", endless_type("video/mp4", MP4), "truncated_unspecified", bytes=5 * 2**20),
    Entry("H14", "/type/radio", endless_type("audio/mpeg"), "truncated_unspecified", bytes=5 * 2**20),
    Entry("H14", "/type/filmhtml", endless_type(HTML, MP4), "truncated_length", bytes=5 * 2**20),
)
ODD = r"""
file:///etc/passwd javascript:alert(1) data:text/html,x ftp://127.0.0.1:{canary}/ mailto:a@b tel:1 x-y:z
gopher://127.0.0.1:{canary}/ dict://127.0.0.1:{canary}/ jar:http://127.0.0.1:{canary}!/ ws://127.0.0.1:{canary}/
http:///etc/passwd http:/127.0.0.1:{canary}/ http:127.0.0.1:{canary}/ //127.0.0.1:{canary}/ \\\\127.0.0.1:{canary}/ http://
http://[ http://[::1 http://%zz/ http://:80/ http://odd.localhost:0/ http://odd.localhost:99999/ http://xn--/ http://..../
https:// ? # \x00 http://a%20b/ view-source:http://127.0.0.1:{canary}/ //@127.0.0.1:{canary}/
//odd.localhost@127.0.0.1:{canary}/ //odd.localhost:80\@127.0.0.1:{canary}/
""".split()
SCHEMES = '<a href="/url/schemes">s</a>' + "".join(f'<a href="{odd}">s</a>' for odd in (*ODD, f"http://{'a' * 300}/"))
LONG = "/url/" + "x" * 1900
H15 = (
    Entry("H15", "/url/c%C3%A1", page("/url/c%C3%A1"), links='<a href="/url/cá">a</a><a href="/url/c%c3%a1">b</a>'),
    Entry("H15", "/url/caf%E9", page("/url/caf%E9"), links='<a href="/url/caf%e9">a</a>'),
    Entry("H15", "/url/a%20b", page("/url/a%20b"), links='<a href="/url/a b">a</a><a href="  /url/a%20b\n">b</a>'),
    Entry(
        "H15", "/url/dots", page("/url/dots"), links='<a href="/x/../url/./dots#f">a</a><a href="/../../url/dots">b</a>'
    ),
    Entry("H15", "/url/tab", page("/url/tab"), links='<a href="/url/t\tab">a</a><a href="/url\n/tab">b</a>'),
    Entry(
        "H15",
        "/url/tracked",
        page("/url/tracked"),
        tree=True,
        links='<a href="/url/tracked?utm_source=x">a</a><a href="/url/tracked?fbclid=1">b</a>',
    ),
    Entry("H15", LONG, page(LONG)),
    Entry("H15", "/url/" + "y" * 2100, page("/url/y"), "", 0),
    Entry("H15", "/url/%00", page("/url/%00"), links='<a href="/url/%00">a</a>'),
    Entry("H15", "/url/%2F..%2F..%2Fetc", page("/url/%2F..%2F..%2Fetc")),
    Entry("H15", "/url/semi;a=b,c", page("/url/semi;a=b,c")),
    Entry("H15", "/url/pipe%7C%22%3C", page("/url/pipe%7C%22%3C"), links='<a href="/url/pipe|&quot;<">a</a>'),
    Entry("H15", "/url/%F0%9F%98%80", page("/url/%F0%9F%98%80"), links='<a href="/url/😀">a</a>'),
    Entry(
        "S4",
        "/url/secret",
        page("/url/secret"),
        links='<a href="http://alice:hunter2-in-url@odd.localhost:{port}/url/secret">a</a>',
    ),
    Entry("S2", "/url/schemes", page("/url/schemes"), links=SCHEMES),
)
COOKIE = "document.cookie = 'seen=1; path=/'; window.location.reload(true);"
WALLS = (
    Entry("H14", "/wall/script", http(f"<html><body><script>{COOKIE}</script></body></html>".encode()), "firewall"),
    Entry("H14", "/wall/login", http(b"<h1>Log in</h1><form><input type=password></form>"), "paywall"),
    Entry("H14", "/wall/itself", moved("/wall/itself"), "redirect_refused"),
    Entry("H14", "/wall/530", http(b"error code: 1033", "530 X"), "http_530", 2),
)
LOGS = "%0D%0AERROR%20forged%1B%5B31m%E2%80%AE"
S5 = (
    Entry("S5", f"/log/{LOGS}", page(f"/log/{LOGS}")),
    Entry(
        "S5",
        "/log/title",
        http(story("/log/title").replace(b"<title>", b"<title>\r\nERROR forged \x1b[31m\xe2\x80\xae")),
    ),
    Entry("S5", "/log/status", http(story("/log/status"), "403 \x1b[31mforged"), "http_403"),
    Entry("S5", "/log/type", http(story("/log/type"), kind="application/\x1b[31mforged")),
    Entry(
        "S5",
        "/log/coding",
        http(b"\x00\x01\x02", headers={"Content-Encoding": "\x1b[31mforged\x85"}),
        "body_unknown_coding",
    ),
    Entry(
        "S5",
        "/log/location",
        http(status="302 Found", headers={"Location": "http://evil.example/\x1b[31m\x85forged"}),
        "redirect_refused",
    ),
    Entry("S5", "/log/later", http(status="404 Not Found", headers={"Retry-After": "\x1b[31mforged"}), "http_404"),
)
ONE = story("/same/one")
H12 = (
    Entry("H12", "/same/one", http(ONE)),
    Entry("H12", "/same/two", http(ONE), text="/same/one"),
    Entry(
        "H12",
        "/same/print",
        http(story("/same/one", '<link rel="canonical" href="/same/one">')),
        "same_page|superseded",
    ),
    Entry("H12", "/same/liar", odd("/same/liar", '<link rel="canonical" href="/same/one">')),
    Entry("H12", "/same/far", odd("/same/far", '<link rel="canonical" href="http://other.example/x">')),
)
ENTRIES = (
    *(Entry("H6", f"/html/{name}", make(f"/html/{name}")) for name, make in H6.items()),
    *H12,
    *H14,
    *H15,
    *S5,
    *WALLS,
)


def nolink(wire: Wire) -> bytes:
    return http(b"<p>nothing")


MORE = {"/nolink": nolink}
