"""Redirects of every kind (row H7), and every road to a private address (row S1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.corpus_spider.hostile.entry import DOCUMENT, Answer, Entry, http, moved, story

if TYPE_CHECKING:
    from tests.corpus_spider.hostile.server import Wire

LANDED = "/landed/"
REFUSED = "redirect_refused"


def land(wire: Wire) -> bytes:
    """Give an article at any address."""
    return http(story(wire.path))


def refresh(content: str) -> Answer:
    """Answer with a page that sends its reader on by itself."""
    return lambda wire: http(
        f'<html><meta http-equiv="refresh" content="{wire.filled(content)}"><body>on</body></html>'.encode()
    )


def hop(wire: Wire) -> bytes:
    """Redirect to the next number, without end."""
    base, _, number = wire.path.rpartition("/")
    return http(status="302 Found", headers={"Location": f"{base}/{int(number or 0) + 1}"})


def swing(wire: Wire) -> bytes:
    """Redirect between two addresses."""
    other = "/swing/b" if wire.path.endswith("a") else "/swing/a"
    return http(status="302 Found", headers={"Location": other})


def hops(count: int) -> dict[str, Answer]:
    """Return addresses that lead to an article in so many redirects."""
    return {
        f"/hops{count}/{number}": moved(f"/hops{count}/{number + 1}" if number < count else f"{LANDED}hops{count}")
        for number in range(1, count + 1)
    }


def two_locations(wire: Wire) -> bytes:
    return b"HTTP/1.1 302 Found\r\nLocation: /landed/first\r\nLocation: /landed/second\r\nConnection: close\r\n\r\n"


def raw_location(value: bytes) -> Answer:
    head = b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nConnection: close\r\nLocation: "
    return head + value + b"\r\n\r\n"


def _leads(path: str, location: str, status: str = "302 Found", landed: str = "") -> Entry:
    target = landed or location
    return Entry("H7", path, moved(location, status), "redirect", leads=target)


ENTRIES = (
    Entry("H7", LANDED, land, most=60, tree=True),
    *(_leads(f"/status/{code}", f"{LANDED}{code}", f"{code} Moved") for code in (301, 302, 303, 307, 308)),
    Entry("H7", "/status/300", moved(f"{LANDED}300", "300 Choices"), "http_300"),
    Entry("H7", "/status/304", moved(f"{LANDED}304", "304 Not Modified"), "http_304"),
    Entry("H7", "/status/305", moved("http://127.0.0.1:{canary}/", "305 Use Proxy"), "http_305"),
    Entry("H7", "/status/306", moved(f"{LANDED}306", "306 Switch"), "http_306"),
    Entry("H7", "/status/399", moved(f"{LANDED}399", "399 What"), "http_399"),
    Entry("H7", "/self", moved("/self"), REFUSED),
    Entry("H7", "/self/fragment", moved("/self/fragment#x"), REFUSED),
    Entry("H7", "/swing/a", swing, "redirect", most=6, tree=False),
    Entry("H7", "/forever/0", hop, "redirect"),
    Entry("H7", "/forever/", hop, "redirect", most=7, tree=True),
    Entry("H7", "/hops5/1", moved("/hops5/2"), "redirect", leads=f"{LANDED}hops5"),
    Entry("H7", "/hops6/1", moved("/hops6/2"), "redirect"),
    _leads("/rel/name", "../landed/name", landed=f"{LANDED}name"),
    _leads("/rel/query", "/landed/query?a=1&b=2"),
    _leads("/rel/host", "//redir.localhost:{port}/landed/host", landed=f"{LANDED}host"),
    _leads("/rel/slashes", "/landed/x/../slashes", landed=f"{LANDED}slashes"),
    _leads("/rel/upper", "HTTP://REDIR.LOCALHOST:{port}/landed/upper", landed=f"{LANDED}upper"),
    _leads("/rel/backslash", "\\\\redir.localhost:{port}\\landed\\back", landed=f"{LANDED}back"),
    _leads("/rel/space", "  /landed/space  ", landed=f"{LANDED}space"),
    Entry(
        "H7",
        "/user",
        moved("http://alice:s3cr3t-Pa55@redir.localhost:{port}/landed/user"),
        "redirect",
        leads=f"{LANDED}user",
    ),
    Entry("S4", "/user/away", moved("http://alice:s3cr3t-Pa55@evil.example/x"), REFUSED),
    Entry("S4", "/user/odd", moved("ftp://alice:s3cr3t-Pa55@redir.localhost/x"), REFUSED),
    Entry("H7", "/none", http(status="302 Found"), REFUSED),
    Entry("H7", "/empty", raw_location(b""), REFUSED),
    Entry("H7", "/garbage", raw_location(b"\x01\x02 \xff\xfe ]["), "redirect"),
    Entry("H7", "/brackets", raw_location(b"http://[oops/"), REFUSED),
    Entry("H7", "/two", two_locations, "redirect"),
    Entry("H7", "/utf8", raw_location("/landed/bài".encode()), "redirect", leads="/landed/b%C3%A0i"),
    Entry("H7", "/latin", raw_location("/landed/caf\u00e9".encode("latin-1")), "redirect", leads="/landed/caf%C3%A9"),
    Entry("H7", "/long", raw_location(b"/landed/" + b"x" * 12_000), REFUSED),
    Entry("H7", "/folded", raw_location(b"/landed/fo\r\n lded"), "redirect"),
    Entry("S2", "/to/file", moved("file:///etc/passwd"), REFUSED),
    Entry("S2", "/to/data", moved("data:text/html,<p>x"), REFUSED),
    Entry("S2", "/to/javascript", moved("javascript:alert(1)"), REFUSED),
    Entry("S2", "/to/ftp", moved("ftp://127.0.0.1:{canary}/"), REFUSED),
    Entry("S2", "/to/gopher", moved("gopher://127.0.0.1:{canary}/_x"), REFUSED),
    Entry("S2", "/to/https", moved("https://redir.localhost:{port}/x"), "redirect"),
    Entry("S2", "/to/s3", moved("s3://bucket/key"), REFUSED),
    Entry("S2", "/to/view", moved("view-source:http://127.0.0.1:{canary}/"), REFUSED),
    Entry("H7", "/meta/near", refresh("0; url=/landed/near"), "no_article", leads=f"{LANDED}near"),
    Entry("H7", "/meta/quoted", refresh("0;URL='/landed/quoted'"), "no_article", leads=f"{LANDED}quoted"),
    Entry("H7", "/meta/self", refresh("0; url=/meta/self"), "no_article"),
    Entry("H7", "/meta/number", refresh("5"), "no_article"),
    Entry("H7", "/meta/later", refresh("99999; url=/landed/later"), "no_article"),
    Entry("H7", "/meta/huge", refresh("9" * 5000 + "; url=/landed/huge"), "no_article"),
    Entry("S2", "/meta/file", refresh("0; url=file:///etc/passwd"), "no_article"),
    Entry("S2", "/meta/javascript", refresh("0; url=javascript:alert(1)"), "no_article"),
    Entry("S1", "/meta/canary", refresh("0; url=http://127.0.0.1:{canary}/meta"), "no_article"),
)
MORE = {**hops(5), **hops(6), "/swing/b": swing}

# Spellings of the loopback address and of others that no crawl may reach.
INSIDE = (
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "2130706433",
    "017700000001",
    "0177.0.0.1",
    "0x7f000001",
    "0x7f.1",
    "0x7f.0x0.0x0.0x1",
    "00000177.0.0.1",
    "127.0.0.1.",
    "127.0.0.0x1",
    "127.255.255.254",
    "127。0。0。1",
    "①②⑦.⓪.⓪.①",
    "１２７.0.0.1",
    "%31%32%37.0.0.1",
    "127%2e0%2e0%2e1",
    "0",
    "0.0.0.0",
    "0000",
    "[::]",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:ffff:127.0.0.1]",
    "[::127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b:1::7f00:1]",
    "[2002:7f00:1::]",
    "[2001:0:7f00:1::]",
    "[fe80::1]",
    "[fe80::1%25lo]",
    "[fc00::1]",
    "[fd00::1]",
    "[ff02::1]",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "192.0.2.1",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "x.localhost.evil.localhost.",
    "localhost.localdomain",
    "ip6-localhost",
    "printer.local",
    "metadata.google.internal",
    "router.home.arpa",
    "user@127.0.0.1",
    "redir.localhost@127.0.0.1",
    "redir.localhost:80@127.0.0.1",
    "127.0.0.1#@redir.localhost",
    "127.0.0.1\\@redir.localhost",
    "127.0.0.1\t",
    "127.0.0.1%00.redir.localhost",
    "%6c%6f%63%61%6c%68%6f%73%74",
    "ｌｏｃａｌｈｏｓｔ",
    "loc\u00adalhost",
    "loc\u200balhost",
)


def inside(spelling: str, scheme: str = "http") -> str:
    """Return a URL of the canary, its host in this spelling."""
    return f"{scheme}://{spelling}:{{canary}}/inside"


def everywhere(wire: Wire) -> bytes:
    """Return a page that names an address inside by every road a page has."""
    number = int(wire.path.rpartition("/")[2])
    url = wire.filled(inside(INSIDE[number]))
    head = (
        f'<base href="{url}"><link rel=canonical href="{url}"><link rel=amphtml href="{url}">'
        f'<link rel=next href="{url}"><link rel=alternate hreflang=en href="{url}">'
        f'<meta property="og:url" content="{url}">'
        f'<link rel=alternate type="application/rss+xml" href="{url}"><link rel=tdm-policy href="{url}">'
        f'<meta http-equiv=refresh content="0; url={url}"><meta name=tdm-policy content="{url}">'
        f'<script src="{url}"></script><link rel=stylesheet href="{url}"><link rel=preload href="{url}">'
    )
    foot = f'<a href="{url}">in</a><img src="{url}"><iframe src="{url}"></iframe><form action="{url}"></form>'
    foot += "<a href=rest>r</a>"
    return http(story(wire.path, head, foot), headers={"Link": f"<{url}>; rel=canonical", "Refresh": f"0; url={url}"})


def redirected(wire: Wire) -> bytes:
    number = int(wire.path.rpartition("/")[2])
    return http(status="302 Found", headers={"Location": wire.filled(inside(INSIDE[number]))})


def listed(form: str) -> Answer:
    """Return a feed or a sitemap that names every address inside."""

    def answer(wire: Wire) -> bytes:
        urls = [wire.filled(inside(spelling)).replace("&", "&amp;") for spelling in INSIDE]
        body = "".join(form.format(url=url, number=number) for number, url in enumerate(urls))
        rss = "<item>" in form
        whole = f'<rss version="2.0"><channel>{body}</channel></rss>' if rss else f"<urlset>{body}</urlset>"
        whole = whole if "<sitemap>" not in form else f"<sitemapindex>{body}</sitemapindex>"
        return http(whole.encode(), kind="application/xml")

    return answer


ITEM = "<item><link>{url}</link><guid>{url}</guid><enclosure url='{url}'/><title>n {number}</title></item>"
ROBOTS = lambda wire: http(  # noqa: E731
    (
        "User-agent: *\nDisallow: /none\n" + "".join(f"Sitemap: {wire.filled(inside(each))}\n" for each in INSIDE)
    ).encode(),
    kind="text/plain",
)
S1_ENTRIES = (
    *(Entry("S1", f"/page/{number}", everywhere) for number in range(len(INSIDE))),
    *(Entry("S1", f"/redirect/{number}", redirected, "*") for number in range(len(INSIDE))),
    Entry("S1", "/feed.xml", listed(ITEM), "feed"),
    Entry("S1", "/sitemap.xml", listed("<url><loc>{url}</loc></url>"), "sitemap"),
    Entry("S1", "/index.xml", listed("<sitemap><loc>{url}</loc></sitemap>"), "sitemap"),
)
__all__ = ["DOCUMENT", "ENTRIES", "INSIDE", "MORE", "S1_ENTRIES"]
