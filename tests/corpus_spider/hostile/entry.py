"""Entries of the hostile bench: the response of one address, and its expected outcome in a crawl."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.corpus_spider.local_paper import WORDS

if TYPE_CHECKING:
    from tests.corpus_spider.hostile.server import Wire

Reply = Callable[["Wire"], bytes | None]
Answer = bytes | Reply

DOCUMENT = "document"
HTML = "text/html; charset=utf-8"
CLOSE = b"Connection: close\r\n"


@dataclass(frozen=True, slots=True)
class Entry:
    """One behaviour. ``outcome``: ``document``, or the word by which the page was dropped or the request failed, or ""
    for an address that must not be asked for at all. ``*``: any; ``|`` between two, where the order of arrival decides.
    """

    row: str
    """Row of the fault matrix: H1 to H15, S1 to S5."""
    path: str
    answer: Answer
    outcome: str = DOCUMENT
    most: int = 1
    """Requests at most, of this address and of all below it when ``tree``."""
    tree: bool = False
    """Whether the address is the start of a whole tree of addresses, answered alike."""
    links: str = ""
    """The link to it as the index page writes it; "" for a plain one."""
    heavy: bool = False
    """Left to ``make test-hostile``."""
    bytes: int = 0
    """Bytes of body that may be sent at most before the crawler hangs up; 0: any."""
    text: str = ""
    """The address whose text it has, if not its own."""
    leads: str = ""
    """Another address that must be a document after the crawl."""

    @property
    def name(self) -> str:
        """Row and path: the name of its test."""
        return f"{self.row}{self.path}"


def mark(path: str) -> str:
    """Return a word that only the text of this address has."""
    return "dấu" + "".join(letter for letter in path.lower() if letter.isalnum())


def paragraphs(path: str) -> list[str]:
    """Return the true text of an address, unlike that of any other."""
    chance = random.Random(path)
    texts = [" ".join(chance.choices(WORDS, k=60)).capitalize() + "." for _ in range(4)]
    texts[1] = f"{mark(path).capitalize()} {texts[1]}"
    return texts


def story(path: str, head: str = "", foot: str = "") -> bytes:
    """Return an article's page as bytes of UTF-8."""
    body = "".join(f"<p>{text}</p>" for text in paragraphs(path))
    return (
        f"<!doctype html><html lang=vi><head><meta charset=utf-8><title>Bài {path} - Báo Thử</title>{head}</head>"
        f"<body><article><h1>Bài {path}</h1>{body}</article>{foot}</body></html>"
    ).encode()


def http(body: bytes = b"", status: str = "200 OK", headers: dict[str, str] | None = None, kind: str = HTML) -> bytes:
    """Return a whole answer. ``headers`` may replace Content-Length; an empty value leaves a header out."""
    made = {"Content-Type": kind, "Content-Length": str(len(body))} | (headers or {})
    lines = "".join(f"{name}: {value}\r\n" for name, value in made.items() if value)
    return f"HTTP/1.1 {status}\r\n{lines}".encode("utf-8", "surrogateescape") + CLOSE + b"\r\n" + body


def page(path: str, **headers: str) -> bytes:
    """Return the answer of a plain article."""
    return http(story(path), headers={name.replace("_", "-"): value for name, value in headers.items()})


def moved(location: str, status: str = "302 Found") -> Reply:
    """Answer with a redirect. ``{port}`` and ``{canary}`` in the location stand for the two servers' ports."""
    return lambda wire: http(status=status, headers={"Location": wire.filled(location)})


def chunked(*chunks: bytes, end: bytes = b"0\r\n\r\n", **headers: str) -> bytes:
    """Return an answer in chunks."""
    named = {"Content-Length": "", "Transfer-Encoding": "chunked"} | headers
    return http(headers=named) + b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + end
