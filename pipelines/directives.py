"""What a page asks of robots: its meta elements, and the X-Robots-Tag headers of its answer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from storage.reservations import RESERVING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from selectolax.lexbor import LexborHTMLParser

    from storage.records import Capture

MAX_METAS = 1000
US = frozenset({"robots", "*", "corpus-spider"})
_NOTED = US | {"googlebot"}
_UNTIL = "unavailable_after"
_VALUED = frozenset({"max-snippet", "max-image-preview", "max-video-preview", _UNTIL})
_CLOCK = re.compile(r"\d:\d\d")
# Commas, says the standard; others write lists as they do elsewhere.
_BETWEEN_DIRECTIVES = re.compile(r"[,;\"']")
_DIRECTIVE = re.compile(r"[a-z][a-z_-]{1,30}(?::[\w.+-]{1,40})?")
_MAX_DIRECTIVES = 30


def robots_headers(capture: Capture) -> tuple[str, ...]:
    """Return the values of the X-Robots-Tag headers of an answer."""
    return tuple(value for name, value in capture.response_headers if name.lower() == "x-robots-tag")


def noted_directives(tree: LexborHTMLParser, headers: Iterable[str]) -> tuple[str, ...]:
    """Collect the directives for every robot, for Google's or for us, of the page and its X-Robots-Tag headers."""
    # Those that reserve something first, so that no number of others keeps them out.
    stated = _stated(tree, headers, _NOTED)
    return tuple(sorted(sorted(stated, key=lambda one: (one not in RESERVING, one))[:_MAX_DIRECTIVES]))


def may_follow(tree: LexborHTMLParser, headers: Iterable[str]) -> bool:
    """Return whether the links of a page may be followed: neither it nor its answer tells every robot, or us, not to."""
    return "nofollow" not in _stated(tree, headers, US)


def _stated(tree: LexborHTMLParser, headers: Iterable[str], agents: Collection[str]) -> set[str]:
    found: set[str] = set()
    for node in tree.css("meta[name][content]")[:MAX_METAS]:
        if (node.attributes.get("name") or "").strip().lower() in agents:
            found.update(robots_directives(node.attributes.get("content") or ""))
    for header in headers:
        found.update(robots_directives(header, agents))
    return found


def robots_directives(text: str, agents: Collection[str] = _NOTED) -> Iterator[str]:
    """Yield the directives of a robots meta element or an X-Robots-Tag, lower-case; ``none`` is noindex and nofollow.

    In a header, ``otherbot: noindex`` speaks to that robot alone until the next name (Google: robots meta tag, section
    "Using the X-Robots-Tag HTTP header").
    """
    agent, before = "robots", ""
    for part in _BETWEEN_DIRECTIVES.split(text[:2000].lower()):
        name, colon, rest = (piece.strip() for piece in part.partition(":"))
        if before == _UNTIL and _CLOCK.search(part):
            # The rest of a date as HTTP writes it, with the day of the week before a comma.
            name = part = ""
        elif colon and name not in _VALUED:
            agent, part = name, rest
        before = name
        if agent in agents:
            words = [_valued(name, rest)] if name in _VALUED else part.split()
            directives = [word for word in words if _DIRECTIVE.fullmatch(word)]
            yield from directives
            yield from ("noindex", "nofollow") if "none" in directives else ()


def _valued(name: str, value: str) -> str:
    """Write a directive with its value; a day to vanish on is not kept, for its formats have commas and colons."""
    return name if name == _UNTIL else f"{name}:{value.replace(' ', '')}"
