"""Read usage terms of a page, its answer and its host: robots directives, TDM reservations and licences.

Robots directives are in meta elements of the page and X-Robots-Tag headers of the answer.

Reservations follow the TDM Reservation Protocol (W3C Community Group report of 10 May 2024). They come from tdmrep.json
of the host, header fields of the answer, and meta elements of the page. A later source in this list overrides earlier
ones.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pipelines.urls.robots_txt import PathPattern, path_of
from pipelines.urls.url import fetchable
from storage.reservations import RESERVING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from pipelines.markup.page_view import ReadElement
    from storage.records import Capture, Metadata

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

RESERVATION, POLICY = "tdm-reservation", "tdm-policy"
MAX_BYTES = 2**20
"""Bytes of a tdmrep.json, also after decompression. Known ones have hundreds."""
MAX_RULES = 10_000
MAX_LOCATIONS = 200_000
"""Characters of all patterns together. They are compared with the URL of each page."""
# Links with a licence that are read.
_MAX_LINKS = 200
_LICENCE_HOSTS = frozenset({"creativecommons.org", "www.creativecommons.org"})


def robots_headers(capture: Capture) -> tuple[str, ...]:
    """Return the values of the X-Robots-Tag headers of an answer."""
    return tuple(value for name, value in capture.response_headers if name.lower() == "x-robots-tag")


def noted_directives(metas: Iterable[ReadElement], headers: Iterable[str]) -> tuple[str, ...]:
    """Return the directives of a page and its X-Robots-Tag headers for every robot, Google's or this crawler."""
    # Reservations come first, so that many other directives do not displace them.
    stated = _stated(metas, headers, _NOTED)
    return tuple(sorted(sorted(stated, key=lambda one: (one not in RESERVING, one))[:_MAX_DIRECTIVES]))


def may_follow(metas: Iterable[ReadElement], headers: Iterable[str]) -> bool:
    """Return whether no directive for every robot, or for this crawler, forbids following the links of a page."""
    return "nofollow" not in _stated(metas, headers, US)


def _stated(metas: Iterable[ReadElement], headers: Iterable[str], agents: Collection[str]) -> set[str]:
    found: set[str] = set()
    for _, _, attributes in metas:
        if (attributes.get("name") or "").strip().lower() in agents:
            found.update(robots_directives(attributes.get("content") or ""))
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


@dataclass(frozen=True, slots=True)
class Reservation:
    """A reservation: 1 if text and data mining is reserved, 0 if not, and the absolute URL of its terms."""

    value: int
    policy: str | None = None


@dataclass(frozen=True, slots=True)
class TdmFile:
    """The rules of a tdmrep.json."""

    rules: tuple[tuple[PathPattern, Reservation], ...] = ()

    def of(self, url: str) -> Reservation | None:
        """Return the reservation for a URL by the first rule that matches, or None."""
        path = path_of(url)
        return next((said for pattern, said in self.rules if pattern.matches(path)), None)


def parse_tdmrep(body: bytes, url: str) -> TdmFile:
    """Read a tdmrep.json that was fetched from ``url``. Invalid rules are skipped."""
    try:
        listed = json.loads(body)
    except (ValueError, RecursionError):
        return TdmFile()
    rules, room = [], MAX_LOCATIONS
    for rule in listed[:MAX_RULES] if isinstance(listed, list) else ():
        location = rule.get("location") if isinstance(rule, dict) else None
        room -= len(location) if isinstance(location, str) else 0
        if room < 0:
            break
        said = _reservation(rule.get(RESERVATION), rule.get(POLICY), url) if isinstance(location, str) else None
        if said is not None:
            rules.append((PathPattern.of(str(location).encode("utf-8", "replace").decode()), said))
    return TdmFile(tuple(rules))


def _reservation(value: object, policy: object, base: str) -> Reservation | None:
    """Return a reservation from JSON or text, or None for any other value than 0 and 1."""
    number = {"0": 0, "1": 1}.get(str(value).strip()) if isinstance(value, (int, str)) else None
    if number is None or isinstance(value, bool):
        return None
    return Reservation(number, fetchable(policy, base) if isinstance(policy, str) else None)


def reservation_of_page(metas: dict[str, list[str]], url: str) -> Reservation | None:
    """Return the reservation in the meta elements of a page. ``metas`` are their contents by lower-case name."""
    return _strictest(metas.get(RESERVATION, ()), metas.get(POLICY, ()), url)


def with_answer(stated: Metadata, capture: Capture) -> Metadata:
    """Return the metadata of a page, with the reservation of its answer or host if the page has none itself."""
    if stated.tdm is not None:
        return stated
    in_header = _strictest(_headers(capture, RESERVATION), _headers(capture, POLICY), capture.url)
    terms = capture.terms
    in_file = Reservation(terms.tdm, terms.tdm_policy) if terms is not None and terms.tdm is not None else None
    for source, said in (("header", in_header), ("file", in_file)):
        if said is not None:
            return replace(stated, tdm=said.value, tdm_policy=said.policy, tdm_source=source)
    return stated


def reserved_by_answer(capture: Capture) -> bool:
    """Return whether the headers of an answer reserve the use of its text."""
    said = _strictest(_headers(capture, RESERVATION), (), capture.url)
    asked = {one for value in robots_headers(capture) for one in robots_directives(value)}
    return (said is not None and said.value == 1) or not RESERVING.isdisjoint(asked)


def _headers(capture: Capture, name: str) -> list[str]:
    return [value for header, value in capture.response_headers if header.lower() == name]


def _strictest(values: Iterable[str], policies: Iterable[str], base: str) -> Reservation | None:
    """Return the reservation of one source. If it contradicts itself, the text is reserved."""
    policy = next(iter(policies), None)
    said = [one for value in values if (one := _reservation(value, policy, base))]
    return max(said, key=lambda one: one.value, default=None)


def licence_url(references: Iterable[ReadElement], stated: str, url: str) -> str | None:
    """Return the URL of the licence that a page states for itself.

    Sources in order: rel=license of its head, its JSON-LD (``stated``), rel=license of a link, and the Creative Commons
    licence that it links to, if there is only one.
    """
    head, linked, commons = list[str](), list[str](), list[str]()
    for _, tag, attributes in references:
        reference, relation = attributes.get("href") or "", attributes.get("rel")
        if relation and "license" in relation.lower().split():
            (head if tag == "link" else linked).append(reference)
        if tag == "a" and "creativecommons.org/" in reference:
            commons.append(reference)
    licences = {target for target in _targets(commons, url) if _is_commons_licence(target)}
    named = fetchable(stated, url) if stated else None
    found = (*_targets(head, url)[:1], *([named] if named else []), *_targets(linked, url)[:1])
    return next(iter(found), licences.pop() if len(licences) == 1 else None)


def _is_commons_licence(target: str) -> bool:
    parts = urlsplit(target)
    return parts.hostname in _LICENCE_HOSTS and parts.path.startswith(("/licenses/", "/publicdomain/"))


def _targets(references: list[str], url: str) -> list[str]:
    stated = (reference for reference in references[:_MAX_LINKS] if reference.strip())
    return [target for reference in stated if (target := fetchable(reference, url))]
