"""robots.txt as RFC 9309 has it: what a crawler may ask for, and how often; and how its path patterns are compared.

Crawl-delay is in no RFC. It is read as a rule of its group, as those who use it do (Bing); records that nobody knows
take no part in the grouping (2.2.4).
"""

from __future__ import annotations

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_BYTES = 500 * 1024
"""What is read of a file (RFC 9309, 2.5)."""
MAX_CRAWL_DELAY = 120.0
"""Seconds; a host that asks for more is not crawled, as Common Crawl's news crawler has it."""

_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_LINE_ENDS = re.compile("[\r\n\v\f\x85\u2028\u2029]+")
"""What ends a line anywhere (UAX #14, BK to NL): a rule behind one that is none to us would be lost."""
_UNSEEN = dict.fromkeys(map(ord, "\x00\u200b\ufeff"))
"""A byte order mark stands in the middle where files were put together, and twice where one program has saved what
another had.
"""
_ESCAPED = re.compile(r"%[0-9A-Fa-f]{2}|[^\x21\x23-\x3b=\x3f-\x5b\x5d_a-z~]")
_SPECIAL = str.maketrans({"*": "%2A", "$": "%24"})
_AGENT = re.compile(r"[\w.-]+")
_PRODUCT = re.compile(r"([A-Za-z][\w.-]*)/")
_BROWSERS = frozenset({"mozilla", "applewebkit", "chrome", "safari", "gecko", "firefox"})
_SECONDS = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")
_ADDRESS = re.compile(r"https?://[^/]*", re.IGNORECASE)
_DIRECTIVES = {
    "user-agent": "agent",
    "useragent": "agent",
    "user agent": "agent",
    "allow": "allow",
    "disallow": "disallow",
    "dissallow": "disallow",
    "disalow": "disallow",
    "crawl-delay": "delay",
    "sitemap": "sitemap",
    "site-map": "sitemap",
}


def path_of(url: str) -> str:
    """Return the path and query of a URL in the form in which paths are compared."""
    parts = urlsplit(url)
    return _normalised(((parts.path or "/") + (f"?{parts.query}" if parts.query else "")).translate(_SPECIAL))


def _normalised(text: str) -> str:
    """Undo percent-encoding where it is not needed, and do it where it is (RFC 9309, 2.2.2)."""
    return _ESCAPED.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    found = match.group()
    if len(found) == 3 and found[0] == "%":
        octet = int(found[1:], 16)
        return chr(octet) if octet in _UNRESERVED else found.upper()
    return "".join(f"%{octet:02X}" for octet in found.encode("utf-8", "surrogateescape"))


@dataclass(frozen=True, slots=True)
class PathPattern:
    """The start of a path, with ``*`` for any characters and ``$`` for its end (RFC 9309, 2.2.3)."""

    pieces: tuple[str, ...]
    anchored: bool
    length: int
    """How specific it is, in octets."""

    @classmethod
    def of(cls, text: str) -> PathPattern:
        """Read a pattern as written; one without its first slash is given it, a whole URL is taken for its path."""
        path = _normalised(_ADDRESS.sub("", text, count=1))
        path = path if path.startswith(("/", "*")) else f"/{path}"
        bare = re.sub(r"\*+", "*", path.removesuffix("$")).replace("$", "%24")
        return cls(tuple(bare.split("*")), path.endswith("$"), len(path))

    def matches(self, path: str) -> bool:
        """Return whether a path of `path_of` is meant; linear in its length for each piece."""
        first, *rest = self.pieces
        if not path.startswith(first):
            return False
        at = len(first)
        if not rest:
            return not self.anchored or at == len(path)
        *middle, last = rest
        for piece in middle:
            found = path.find(piece, at)
            if found < 0:
                return False
            at = found + len(piece)
        return path.endswith(last) and len(path) - len(last) >= at if self.anchored else path.find(last, at) >= 0


@dataclass(slots=True)
class _Group:
    """The rules for the crawlers that are named together."""

    rules: list[tuple[PathPattern, bool]] = field(default_factory=list)
    delay: float | None = None


@dataclass(slots=True)
class Robots:
    """The rules of one host."""

    groups: dict[str, list[_Group]] = field(default_factory=dict)
    """By name; those named together share a group, so that a file holds as many rules as it has lines."""
    sitemaps: list[str] = field(default_factory=list)
    _merged: dict[str, _Group] = field(default_factory=dict)

    def can_fetch(self, url: str, user_agent: str) -> bool:
        """Return whether a URL may be asked for: the longest rule that matches decides, of equal ones the kinder."""
        path = path_of(url)
        if path == "/robots.txt":
            return True
        return next((allowed for rule, allowed in self._group(user_agent).rules if rule.matches(path)), True)

    def crawl_delay(self, user_agent: str) -> float | None:
        """Return the seconds that a crawler is asked to leave between requests; None when it is not asked to."""
        return self._group(user_agent).delay

    def _group(self, user_agent: str) -> _Group:
        token = product_token(user_agent)
        name = token if token in self.groups else "*"
        if name not in self._merged:
            self._merged[name] = _merge(self.groups.get(name, ()))
        return self._merged[name]


@lru_cache(maxsize=64)
def product_token(user_agent: str) -> str:
    """Return the name that rules call a crawler by, lower-case: its product token, no browser's it may start with."""
    products = [name.lower() for name in _PRODUCT.findall(re.sub(r"https?://\S*", "", user_agent))]
    named = next((name for name in products if name not in _BROWSERS), "")
    word = _AGENT.match(user_agent)
    return named or (word.group().lower() if word else "")


def parse_robots(body: bytes) -> Robots:
    """Read a robots.txt, whatever it holds: the first 500 KiB count, without the line that they cut. Pure."""
    robots = Robots()
    current, naming = _Group(), False
    for line in _lines(body):
        name, value = _record(line)
        if name == "agent":
            current = current if naming else _Group()
            naming = True
            if (agent := _agent(value)) is not None:
                robots.groups.setdefault(agent, []).append(current)
        elif name == "sitemap" and value:
            robots.sitemaps.append(value)
        elif name in {"allow", "disallow", "delay"}:
            naming = False
            _add(current, name, value)
    return robots


def _merge(groups: Iterable[_Group]) -> _Group:
    """Return all rules of some groups (RFC 9309, 2.2.1), the longest first, of equal ones the kinder, and their longest
    delay.
    """
    different = list({id(group): group for group in groups}.values())
    rules = [rule for group in different for rule in group.rules]
    rules.sort(key=lambda rule: (rule[0].length, rule[1]), reverse=True)
    return _Group(rules, max((group.delay for group in different if group.delay is not None), default=None))


def _lines(body: bytes) -> list[str]:
    kept = body[:MAX_BYTES]
    if len(body) > MAX_BYTES and body[MAX_BYTES : MAX_BYTES + 1] not in (b"\n", b"\r"):
        kept = kept[: max(kept.rfind(b"\n"), kept.rfind(b"\r")) + 1]
    if kept.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        text = kept.decode("utf-16", "replace")
    else:
        text = kept.decode("utf-8", "surrogateescape")
    return _LINE_ENDS.split(text.translate(_UNSEEN))


def _record(line: str) -> tuple[str, str]:
    """Return what a line is, and its value; as Google's parser does, white space will do for the colon."""
    bare = line.partition("#")[0].strip()
    name, colon, value = bare.partition(":")
    if not colon:
        name, _, value = bare.partition(" ")
    return _DIRECTIVES.get(" ".join(name.lower().split()), ""), value.strip()


def _agent(value: str) -> str | None:
    if value.startswith("*"):
        return "*"
    word = _AGENT.match(value)
    return word.group().lower() if word else None


def _add(group: _Group, name: str, value: str) -> None:
    if name == "delay":
        if seconds := _SECONDS.match(value):
            group.delay = max(group.delay or 0.0, float(seconds.group()))
    elif value:
        group.rules.append((PathPattern.of(value), name == "allow"))
