"""Places without an end (row H8): each is held to a budget."""

from __future__ import annotations

import random
import re
from itertools import combinations
from typing import TYPE_CHECKING

from tests.corpus_spider.hostile.entry import Entry, http, paragraphs, story

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.corpus_spider.hostile.server import Wire

MOST = 300
"""Pages of one trap that a crawl may ask for."""


def listing(title: str, targets: Iterable[str]) -> bytes:
    """Return a page of links."""
    links = "".join(f'<li><a href="{target}">{target.rpartition("/")[2]}</a></li>' for target in targets)
    return http(f"<html lang=vi><title>{title}</title><body><h1>{title}</h1><ul>{links}</ul></body></html>".encode())


def _tail(wire: Wire) -> list[str]:
    return [part for part in wire.path.partition("?")[0].split("/")[2:] if part]


def calendar(wire: Wire) -> bytes:
    """A calendar of every month, before and after."""
    year, month = map(int, [*re.findall(r"\d+", wire.path), "2026", "11"][:2])
    days = [f"/calendar/{year}/{month}/{day}" for day in range(1, 29)]
    around = [
        f"/calendar/{year + (month == 12)}/{month % 12 + 1}",
        f"/calendar/{year - (month == 1)}/{(month - 2) % 12 + 1}",
    ]
    return listing(f"{year}/{month}", days + around + [f"/calendar/{year + 1}/{month}"])


def events(wire: Wire) -> bytes:
    """A calendar whose day is a parameter, with no list pages a crawler knows by name."""
    day = int((re.findall(r"tag=(\d+)", wire.path) or ["0"])[0])
    return listing(
        f"day {day}", [f"/events/?tag={day + 1}&v=w", f"/events/?tag={day - 1}&v=d", f"/events/?tag={day + 30}&v=m"]
    )


def session(wire: Wire) -> bytes:
    """The same three pages under a new identifier in each link."""
    new = f"{random.Random(wire.path).getrandbits(60):x}"
    links = "".join(f'<a href="/session/{new}/{page}">{page}</a>' for page in "abc")
    return http(story("/session/" + (_tail(wire) or ["a"])[-1], foot=links))


def parameter(wire: Wire) -> bytes:
    """The same page under a new value of a parameter in each link."""
    chance = random.Random(wire.path)
    links = "".join(f'<a href="/parameter/?view={chance.getrandbits(50)}">{number}</a>' for number in range(5))
    return http(story("/parameter/", foot=links))


def deeper(wire: Wire) -> bytes:
    """Links that are relative and should not be: paths grow."""
    return http(story("/deeper/", foot='<a href="alpha/">a</a><a href="beta/">b</a><a href="gamma/">c</a>'))


def repeated(wire: Wire) -> bytes:
    """A folder in itself."""
    return http(story("/repeated/", foot='<a href="css/css/">a</a><a href="js/css/">b</a>'))


def facets(wire: Wire) -> bytes:
    """Every set of filters is a page."""
    chosen = sorted(set(re.findall(r"f(\d+)=1", wire.path)), key=int)
    sets = [sorted({*chosen, str(more)}, key=int) for more in range(14)]
    return listing("facets " + ",".join(chosen), ["/facets/?" + "&".join(f"f{one}=1" for one in each) for each in sets])


def orders(wire: Wire) -> bytes:
    """The same list in every order, page length and direction."""
    words = [f"sort={a}&dir={b}&per={c}&view={d}" for a in range(8) for b in "ud" for c in range(5) for d in range(6)]
    return listing("orders", [f"/orders/?{word}" for word in words])


def pages(wire: Wire) -> bytes:
    """A list of pages that does not end, with the same articles on each."""
    number = int((re.findall(r"/p/(\d+)", wire.path) or ["1"])[0])
    return listing(f"page {number}", [f"/pages/p/{number + step}" for step in (1, 2, 3, 10)])


def nothing(wire: Wire) -> bytes:
    """Say in kind words that there is nothing, with status 200 and new links."""
    chance = random.Random(wire.path)
    links = "".join(f'<a href="/nothing/{chance.getrandbits(40):x}/{step}.html">{step}</a>' for step in range(12))
    text = "<p>Xin lỗi, chúng tôi không có gì ở đây. Mời bạn xem những mục khác của chúng tôi.</p>"
    return http(f"<html><head><title>Báo Thử</title></head><body>{text * 3}{links}</body></html>".encode())


def near(wire: Wire) -> bytes:
    """Each page is the same article except for one word, with links to more of them."""
    chance = random.Random(wire.path)
    links = "".join(f'<a href="/near/{chance.getrandbits(40):x}.html">bài</a> ' for _ in range(6))
    words = " ".join(paragraphs("/near/")).split()
    words[chance.randrange(len(words))] = f"chữ{chance.getrandbits(20)}"
    texts = "".join(f"<p>{' '.join(words[at : at + 60])}</p>" for at in range(0, len(words), 60))
    return http(
        f"<html lang=vi><title>Bài</title><body><article><h1>Bài</h1>{texts}</article>{links}</body></html>".encode()
    )


def words(wire: Wire) -> bytes:
    """A search page for every pair of words."""
    names = ["mua", "nang", "gio", "bao", "song", "nui", "bien", "rung", "hoa", "la", "cay", "qua"]
    return listing(
        "search", [f"/words/{a}-{b}-{random.Random(wire.path).randrange(99)}" for a, b in combinations(names, 2)]
    )


def gallery(wire: Wire) -> bytes:
    """Picture after picture, without text."""
    number = int((re.findall(r"(\d+)", wire.path) or ["0"])[0])
    links = "".join(f'<a href="/gallery/{number * 3 + step}.html"><img src="/{step}.jpg"></a>' for step in range(1, 4))
    return http(f"<html><title>{number}</title><body>{links}</body></html>".encode())


def hosts(wire: Wire) -> bytes:
    """The same page at hosts without end, each of which names three more."""
    asked = wire.head.lower().partition("\nhost:")[2].partition(".")[0]
    chance = random.Random(asked)
    links = "".join(
        f'<a href="http://{chance.getrandbits(40):x}.hosts.localhost:{wire.bench.port}/hosts/">bài</a>'
        for _ in range(3)
    )
    return http(story("/hosts/", foot=links))


TRAPS = {
    "calendar": calendar,
    "events": events,
    "session": session,
    "parameter": parameter,
    "deeper": deeper,
    "repeated": repeated,
    "facets": facets,
    "orders": orders,
    "pages": pages,
    "nothing": nothing,
    "near": near,
    "words": words,
    "gallery": gallery,
    "hosts": hosts,
}
ENTRIES = tuple(Entry("H8", f"/{name}/", answer, "*", MOST, tree=True, heavy=True) for name, answer in TRAPS.items())
