"""Parse robots.txt (RFC 9309): URLs that a crawler may fetch, crawl delay, and the comparison of path patterns.

Crawl-delay is in no RFC. It is read as a rule of its group, as Bing does. Unknown records do not end a group (2.2.4).
Mistakes are read as Google's parser and protego read them. A rule with an absolute URL concerns the host of that URL
only: read as a path, ``Disallow: https://staging.example.org/`` would close the whole site.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pipelines.urls.url import host_of

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_BYTES = 500 * 1024
"""Bytes of a file that are read (RFC 9309, 2.5)."""
MAX_CRAWL_DELAY = 120.0
"""Seconds. A host with a longer delay is not crawled, as in Common Crawl's news crawler."""

_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_LINE_ENDS = re.compile("[\r\n\v\f\x85\u2028\u2029]+")
"""Line ends of all kinds (UAX #14, BK to NL). A rule after an unknown line end would be lost."""
_UNSEEN = dict.fromkeys(map(ord, "\x00\u200b\ufeff"))
"""Invisible characters. A byte order mark is in the middle of concatenated files, and twice in files saved twice."""
_ESCAPED = re.compile(r"%[0-9A-Fa-f]{2}|[^\x21\x23-\x3b=\x3f-\x5b\x5d_a-z~]")
_SPECIAL = str.maketrans({"*": "%2A", "$": "%24"})
_AGENT = re.compile(r"[\w.-]+")
_ANY_AGENT = re.compile(r"\*(?:\s|$)")
"""All crawlers: a star alone, or before white space. ``*SomeBot`` names one crawler."""
_PRODUCT = re.compile(r"([A-Za-z][\w.-]*)/")
_BROWSERS = frozenset({"mozilla", "applewebkit", "chrome", "safari", "gecko", "firefox"})
_SECONDS = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")
_ADDRESS = re.compile(r"^https?://[^/]*", re.IGNORECASE)
_DIRECTIVE = re.compile(
    r"(?:(?P<agent>user(?:-|\s+)?agent)|(?P<allow>allow)|(?P<delay>crawl(?:-|\s+)delay)|(?P<sitemap>site-?map)"
    r"|(?P<disallow>disallow|dissallow|dissalow|disalow|diasllow|disallaw))[\w-]*(?:\s*:|\s|$)",
    re.IGNORECASE,
)
"""The name of a record, spelled in one of the known ways, as the start of a word, and the colon or white space."""


def path_of(url: str) -> str:
    """Return the path and query of a URL, normalised for the comparison with patterns."""
    parts = urlsplit(url)
    return _normalised(((parts.path or "/") + (f"?{parts.query}" if parts.query else "")).translate(_SPECIAL))


def _normalised(text: str) -> str:
    """Remove percent-encoding where it is not needed, and add it where it is (RFC 9309, 2.2.2)."""
    return _ESCAPED.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    found = match.group()
    if len(found) == 3 and found[0] == "%":
        octet = int(found[1:], 16)
        return chr(octet) if octet in _UNRESERVED else found.upper()
    return "".join(f"%{octet:02X}" for octet in found.encode("utf-8", "surrogateescape"))


@dataclass(frozen=True, slots=True)
class PathPattern:
    """The start of a path, with ``*`` for any characters and ``$`` for the end (RFC 9309, 2.2.3)."""

    pieces: tuple[str, ...]
    anchored: bool
    length: int
    """Octets. The longest matching pattern decides."""

    @classmethod
    def of(cls, text: str) -> PathPattern:
        """Read a pattern as written. A missing first slash is added, and a whole URL counts as its path."""
        path = _normalised(_ADDRESS.sub("", text, count=1))
        path = path if path.startswith(("/", "*")) else f"/{path}"
        bare = re.sub(r"\*+", "*", path.removesuffix("$")).replace("$", "%24")
        return cls(tuple(bare.split("*")), path.endswith("$"), len(path))

    def matches(self, path: str) -> bool:
        """Return whether a path from `path_of` matches, in linear time for each piece."""
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


@dataclass(frozen=True, slots=True)
class _PathRule:
    pattern: PathPattern
    allows: bool
    host: str | None
    """Host of a rule that is written as an absolute URL, empty if that URL is not valid. None: the file's host."""

    @classmethod
    def of(cls, text: str, *, allows: bool) -> _PathRule:
        return cls(PathPattern.of(text), allows, host_of(text) if _ADDRESS.match(text) else None)


@dataclass(slots=True)
class _RuleGroup:
    """The rules of the crawlers that are named together."""

    rules: list[_PathRule] = field(default_factory=list)
    delay: float | None = None


@dataclass(slots=True)
class Robots:
    """The rules of one host."""

    groups: dict[str, list[_RuleGroup]] = field(default_factory=dict)
    """Groups by crawler name. Crawlers that are named together share a group, so memory is linear in the file."""
    sitemaps: list[str] = field(default_factory=list)
    _merged: dict[str, _RuleGroup] = field(default_factory=dict)

    def can_fetch(self, url: str, user_agent: str) -> bool:
        """Return whether a URL may be fetched. The longest matching rule decides; of equal ones, the allowing one."""
        path, host = path_of(url), host_of(url)
        if path == "/robots.txt":
            return True
        rules = (rule for rule in self._group(user_agent).rules if rule.host in {None, host})
        return next((rule.allows for rule in rules if rule.pattern.matches(path)), True)

    def crawl_delay(self, user_agent: str) -> float | None:
        """Return the seconds between requests that a crawler must keep, or None if the file has no crawl delay."""
        return self._group(user_agent).delay

    def _group(self, user_agent: str) -> _RuleGroup:
        token = product_token(user_agent)
        name = token if token in self.groups else "*"
        if name not in self._merged:
            # RFC 9309, 2.2.1: groups of one name are combined.
            groups = list({id(group): group for group in self.groups.get(name, ())}.values())
            rules = [rule for group in groups for rule in group.rules]
            rules.sort(key=lambda rule: (rule.pattern.length, rule.allows), reverse=True)
            delay = max((group.delay for group in groups if group.delay is not None), default=None)
            self._merged[name] = _RuleGroup(rules, delay)
        return self._merged[name]


@lru_cache(maxsize=64)
def product_token(user_agent: str) -> str:
    """Return a crawler's product token in lower case, by which rules name it. Browsers' tokens are skipped."""
    products = [name.lower() for name in _PRODUCT.findall(re.sub(r"https?://\S*", "", user_agent))]
    named = next((name for name in products if name not in _BROWSERS), "")
    word = _AGENT.match(user_agent)
    return named or (word.group().lower() if word else "")


def parse_robots(body: bytes) -> Robots:
    """Read the first 500 KiB of a robots.txt, without the line that this limit cuts. Any bytes are accepted."""
    robots = Robots()
    current, naming = _RuleGroup(), False
    for directive, value in _records(body):
        if directive == "agent":
            current = current if naming else _RuleGroup()
            naming = True
            # As in protego, other stars are ignored.
            agent = _AGENT.match(value.lstrip("*"))
            if _ANY_AGENT.match(value):
                robots.groups.setdefault("*", []).append(current)
            elif agent:
                robots.groups.setdefault(agent.group().lower(), []).append(current)
        elif directive == "sitemap" and value:
            robots.sitemaps.append(value)
        elif directive == "delay":
            naming = False
            if seconds := _SECONDS.match(value):
                current.delay = max(current.delay or 0.0, float(seconds.group()))
        elif directive in {"allow", "disallow"}:
            naming = False
            if value:
                current.rules.append(_PathRule.of(value, allows=directive == "allow"))
    return robots


def _records(body: bytes) -> Iterator[tuple[str, str]]:
    """Yield the known records: a group of `_DIRECTIVE` and the value."""
    for line in _lines(body):
        bare = line.partition("#")[0].strip()
        record = _DIRECTIVE.match(bare)
        if record is not None and record.lastgroup is not None:
            yield record.lastgroup, bare[record.end() :].strip()


def _lines(body: bytes) -> list[str]:
    kept = body[:MAX_BYTES]
    if len(body) > MAX_BYTES and body[MAX_BYTES : MAX_BYTES + 1] not in (b"\n", b"\r"):
        kept = kept[: max(kept.rfind(b"\n"), kept.rfind(b"\r")) + 1]
    if kept.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        text = kept.decode("utf-16", "replace")
    else:
        text = kept.decode("utf-8", "surrogateescape")
    return _LINE_ENDS.split(text.translate(_UNSEEN))
