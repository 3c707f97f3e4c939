"""The web that benchmarks/crawl.py crawls: hosts on loopback addresses, with pages of our own making in memory.

A page is as heavy as a newspaper's (100 to 330 KB of HTML, mostly navigation, style and inline data, packed by gzip):
one article that is like no other, as a walk over the word pairs of the demonstration's English articles writes it, and
links to forty other pages of its host. Each host has a robots.txt and a sitemap. The server is one process that looks
at the address of the connection and at the path, and sends bytes it has ready.
"""

from __future__ import annotations

import asyncio
import gzip
import random
import re
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from corpus_spider.demo.articles import load

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

HOSTS = 40
ROBOTS = b"User-agent: *\nDisallow: /private/\n"
_WORD = re.compile(r"[A-Za-z']+")


@dataclass(frozen=True, slots=True)
class Web:
    """Answers as bytes by host and path, and how heavy the pages are, as HTML and as sent."""

    answers: dict[str, dict[bytes, bytes]]
    html: int
    sent: int


def host(number: int) -> str:
    """Return the address of a host; all of 127.0.0.0/8 is this machine."""
    return f"127.1.0.{number + 1}"


def make_web(pages: int, port: int) -> Web:
    """Write all the pages, spread evenly over the hosts; the same numbers give the same bytes."""
    words = _Words()
    answers: dict[str, dict[bytes, bytes]] = {}
    html = sent = 0
    for number in range(HOSTS):
        name, own = host(number), range(number, pages, HOSTS)
        frame = _Frame(words, number)
        urls = "".join(f"<url><loc>http://{name}:{port}/news/{page}.html</loc></url>" for page in own)
        sitemap = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{urls}</urlset>'
        answers[name] = {
            b"/robots.txt": _answer("text/plain", ROBOTS),
            b"/sitemap.xml": _answer("application/xml", sitemap.encode()),
        }
        for page in own:
            text = frame.page(page, own).encode()
            body = gzip.compress(text, 6, mtime=0)
            html, sent = html + len(text), sent + len(body)
            answers[name][b"/news/%d.html" % page] = _answer("text/html; charset=utf-8", body, packed=True)
    return Web(answers, html, sent)


def _answer(media: str, body: bytes, *, packed: bool = False) -> bytes:
    packing = "Content-Encoding: gzip\r\n" if packed else ""
    return f"HTTP/1.1 200 OK\r\nContent-Type: {media}\r\n{packing}Content-Length: {len(body)}\r\n\r\n".encode() + body


class _Words:
    """Sentences nobody has written: each word follows the one before somewhere in the demonstration's articles."""

    def __init__(self) -> None:
        self._after: dict[str, list[str]] = defaultdict(list)
        for article in load():
            if article.language == "en":
                words = _WORD.findall(article.true_text)
                for one, next_one in pairwise(words):
                    self._after[one].append(next_one)
        self._all = sorted(self._after)

    def sentence(self, dice: random.Random, length: int) -> str:
        word = dice.choice(self._all)
        words = [word]
        for _ in range(length - 1):
            # Now and then anywhere, so that no sentence of the articles is walked to its end.
            word = dice.choice(self._after.get(word) or self._all) if dice.random() < 0.8 else dice.choice(self._all)
            words.append(word)
        return " ".join(words).capitalize()

    def paragraph(self, dice: random.Random) -> str:
        return ". ".join(self.sentence(dice, dice.randint(8, 24)) for _ in range(dice.randint(2, 5))) + "."


class _Frame:
    """What all pages of a host have in common."""

    def __init__(self, words: _Words, number: int) -> None:
        dice = random.Random(number)
        self._words, self._name = words, f"Paper {number}"
        names = [words.sentence(dice, 2) for _ in range(120)]
        self._menu = "".join(
            f'<li class="menu-item menu-item-{at}"><a class="menu-link" data-track="menu:{at}" href="#{at}">'
            f'<span class="label">{name}</span></a></li>'
            for at, name in enumerate(names)
        )
        self._style = "".join(
            f".c{at:x}-{dice.randrange(1 << 30):x}{{margin:{at % 17}px;padding:{at % 23}px}}" for at in range(600)
        )
        # Inline data is what makes pages heavy: from a quarter to three quarters of them.
        self._data = ",".join(
            f'{{"id":"{dice.getrandbits(160):x}","kind":"teaser","position":{at},"headline":"{dice.choice(names)}",'
            f'"image":{{"width":640,"height":360,"crop":"16x9"}},"tracking":{{"zone":"right","index":{at}}}}}'
            for at in range(dice.randint(250, 1300))
        )

    def page(self, number: int, others: range) -> str:
        """Write one page that links to forty of the others."""
        dice, words = random.Random(1000 + number), self._words
        title = words.sentence(dice, 8)
        text = "".join(f'<p class="text">{words.paragraph(dice)}</p>\n' for _ in range(dice.randint(8, 24)))
        teasers = "".join(
            f'<div class="teaser" data-id="{dice.getrandbits(48):x}"><a href="/news/{other}.html">'
            f'<img src="/i/{other}.jpg" width="320" height="180" alt=""><h3>{words.sentence(dice, 6)}</h3></a>'
            f'<span class="when">{dice.randint(1, 23)} h</span></div>'
            for other in (dice.choice(others) for _ in range(40))
        )
        return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title} - {self._name}</title>
<meta property="og:title" content="{title}"><meta property="og:type" content="article">
<meta property="article:published_time" content="2026-03-{number % 28 + 1:02}T08:00:00Z">
<style>{self._style}</style><script>window.__STATE__={{"items":[{self._data}]}}</script></head>
<body><header><nav><ul class="menu">{self._menu}</ul></nav></header>
<main><article><h1>{title}</h1><div class="byline">By the editors</div><div class="body">
{text}</div></article>
<aside class="related">{teasers}</aside></main>
<footer><ul>{self._menu}</ul><p>{self._name}. All rights reserved.</p></footer></body></html>
"""


class _Server(asyncio.Protocol):
    """Answers GET requests, one after the other on each connection."""

    def __init__(self, web: Web) -> None:
        self._web = web
        self._rest = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: asyncio.WriteTransport = transport  # type: ignore[assignment]
        self._answers = self._web.answers.get(transport.get_extra_info("sockname")[0], {})

    def data_received(self, data: bytes) -> None:
        *requests, self._rest = (self._rest + data).split(b"\r\n\r\n")
        for request in requests:
            path = request.split(b" ", 2)[1]
            self._transport.write(self._answers.get(path, b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"))


def serve(pages: int, pipe: Connection) -> None:
    """Make the web, send its port and how heavy it is, and serve it until the parent ends this process."""

    async def run() -> None:
        loop = asyncio.get_running_loop()
        web = Web({}, 0, 0)
        server = await loop.create_server(lambda: _Server(web), "0.0.0.0", 0, backlog=1024)
        port = server.sockets[0].getsockname()[1]
        web = make_web(pages, port)
        pipe.send((port, web.html, web.sent))
        await server.serve_forever()

    asyncio.run(run())


def capacity(pages: int, port: int, connections: int = 64) -> float:
    """Ask for all the pages as fast as they come, reading and forgetting; return how many the server sends a second."""

    async def ask(part: range) -> None:
        number = part.start % HOSTS
        reader, writer = await asyncio.open_connection(host(number), port, limit=1 << 20)
        for page in part:
            writer.write(b"GET /news/%d.html HTTP/1.1\r\nHost: x\r\n\r\n" % page)
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(int(head.rpartition(b"Content-Length: ")[2]))
        writer.close()

    async def run() -> float:
        loop = asyncio.get_running_loop()
        started = loop.time()
        await asyncio.gather(*(ask(range(at % HOSTS, pages, HOSTS)) for at in range(connections)))
        return loop.time() - started

    asked = sum(len(range(at % HOSTS, pages, HOSTS)) for at in range(connections))
    return asked / asyncio.run(run())
