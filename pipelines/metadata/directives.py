"""Robots directives of a page: its meta elements and its X-Robots-Tag headers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from storage.reservations import RESERVING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from selectolax.lexbor import LexborHTMLParser

    from storage.records import Capture

MAX_METAS = 1000
"""Meta elements of a page that are read."""
US = frozenset({"robots", "*", "corpus-spider"})
"""Names of robots that address this crawler."""
_NOTED = US | {"googlebot"}
_UNTIL = "unavailable_after"
_VALUED = frozenset({"max-snippet", "max-image-preview", "max-video-preview", _UNTIL})
_CLOCK = re.compile(r"\d:\d\d")
# The standard separates directives by commas. Some sites use the separators of other lists.
_BETWEEN_DIRECTIVES = re.compile(r"[,;\"']")
_DIRECTIVE = re.compile(r"[a-z][a-z_-]{1,30}(?::[\w.+-]{1,40})?")
_MAX_DIRECTIVES = 30


def robots_headers(capture: Capture) -> tuple[str, ...]:
    """Return the values of the X-Robots-Tag headers of an answer."""
    return tuple(value for name, value in capture.response_headers if name.lower() == "x-robots-tag")


def noted_directives(tree: LexborHTMLParser, headers: Iterable[str]) -> tuple[str, ...]:
    """Return the directives of a page and its X-Robots-Tag headers for every robot, Google's or this crawler."""
    # Reservations come first, so that many other directives do not displace them.
    stated = _stated(tree, headers, _NOTED)
    return tuple(sorted(sorted(stated, key=lambda one: (one not in RESERVING, one))[:_MAX_DIRECTIVES]))


def may_follow(tree: LexborHTMLParser, headers: Iterable[str]) -> bool:
    """Return whether no directive for every robot, or for this crawler, forbids following the links of a page."""
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
    """Yield the directives of a robots meta element or an X-Robots-Tag, in lower case. ``none`` is noindex, nofollow.

    In a header, ``otherbot: noindex`` addresses that robot only, until the next name (Google: robots meta tag, section
    "Using the X-Robots-Tag HTTP header").
    """
    agent, before = "robots", ""
    for part in _BETWEEN_DIRECTIVES.split(text[:2000].lower()):
        name, colon, rest = (piece.strip() for piece in part.partition(":"))
        if before == _UNTIL and _CLOCK.search(part):
            # The rest of a date in HTTP's format, which has a comma after the day of the week.
            name = part = ""
        elif colon and name not in _VALUED:
            agent, part = name, rest
        before = name
        if agent in agents:
            words = part.split()
            if name in _VALUED:
                # The day of `unavailable_after` is dropped: its formats have commas and colons.
                words = [name if name == _UNTIL else f"{name}:{rest.replace(' ', '')}"]
            directives = [word for word in words if _DIRECTIVE.fullmatch(word)]
            yield from directives
            yield from ("noindex", "nofollow") if "none" in directives else ()
