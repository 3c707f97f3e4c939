"""Request one page outside a crawl, with the rules of a crawl.

These are user agent, robots.txt, public addresses only, and limits of size and time
(:mod:`corpus_spider.network.connection`).
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from http.client import HTTPException, IncompleteRead
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from corpus_spider.exit_codes import NONE_SUCCEEDED
from corpus_spider.network.connection import Manners, NotPublicError, Wire, if_yours
from storage.errors import CorpusError
from storage.reasons import PRIVATE_ADDRESS
from storage.records import Capture, Kind

if TYPE_CHECKING:
    from collections.abc import Callable
    from http.client import HTTPResponse
    from urllib.parse import SplitResult

    from corpus_spider.config.model import Config
    from pipelines.urls.robots_txt import Robots

CHUNK_BYTES = 2**16
CANNOT_FETCH, ROBOTS_UNREAD = "cannot be fetched", "robots.txt could not be read"
"""Beginnings of the errors of a host that gave no response."""
IN_A_BROWSER = "Open the address in a browser, and name the one that it ends at."


class NotFetchedError(CorpusError):
    """A page that the user named could not be fetched, or is forbidden."""

    exit_code = NONE_SUCCEEDED


def manners(config: Config, *, allow_private: bool = False) -> Manners:
    """Return the manners of one request: those of a crawl, and on demand with private addresses."""
    private = ("*:*",) if allow_private else config.crawl.allow_private
    return Manners(config.user_agent, config.crawl.timeout, config.crawl.max_body, private)


def fetch(url: str, manners: Manners) -> Capture:
    """Fetch a page and follow up to five redirects. Raises NotFetchedError with the reason."""
    from pipelines.urls.url import fetchable

    ports = {port for port in [urlsplit(fetchable(url) or "").port] if port}
    return follow(url, manners, ports, lambda target: robots_of(target, manners, exchange), exchange)


def follow(
    url: str,
    manners: Manners,
    ports: set[int],
    rules: Callable[[str], Robots],
    ask: Callable[[str, Manners], Capture],
) -> Capture:
    """Fetch a page and its redirects. ``rules``: robots.txt of the host of a URL. ``ask``: makes one request."""
    from pipelines.urls.url import MAX_REDIRECTS, REDIRECTS, fetchable, redirect_target

    target = fetchable(url)
    for _ in range(MAX_REDIRECTS + 1):
        if target is None:
            break
        refuse(target, manners, ports)
        obey(rules(target), target, manners)
        capture = ask(target, manners)
        location = capture.header("Location")
        if capture.status not in REDIRECTS or not location:
            return capture
        address = redirect_target(location, target)
        target = address.fetchable if address else None
    is_page = fetchable(url) is not None
    what = "too many redirects, or a redirect to an invalid address" if is_page else "is not the address of a page"
    raise NotFetchedError(what, where=url, do=IN_A_BROWSER)


def refuse(url: str, manners: Manners, ports: set[int]) -> None:
    """Raise NotFetchedError for a URL that is not on the public web. ``ports`` are allowed besides 80 and 443."""
    from corpus_spider.middlewares.guard import proxy_hosts, refusal

    reason = refusal(url, manners.allow_private, ports, proxy_hosts())
    if reason:
        do = if_yours(urlsplit(url)) if reason == PRIVATE_ADDRESS else ""
        raise NotFetchedError(f"refused: {reason.replace('_', ' ')}", where=url, do=do)


def _advice(parts: SplitResult, error: Exception) -> str:
    """Return advice after a failed connection."""
    if isinstance(error, NotPublicError):
        return if_yours(parts)
    if getattr(error, "reason", "") == "WRONG_VERSION_NUMBER":
        return f"The server does not speak https. Try http://{parts.netloc}/."
    return "Check the address, and that this machine can reach it."


def robots_of(url: str, manners: Manners, ask: Callable[[str, Manners], Capture]) -> Robots:
    """Fetch the robots.txt of a URL's host with ``ask``, follow redirects, return its rules.

    Raises NotFetchedError if it cannot be read completely: RFC 9309 then forbids every URL for the time being.
    """
    from corpus_spider.middlewares.robots import UnreachableError, rules_of
    from corpus_spider.middlewares.well_known import UnreadableFileError, whole_body
    from pipelines.urls.url import MAX_REDIRECTS, REDIRECTS, redirect_target

    parts = urlsplit(url)
    target = f"{parts.scheme}://{parts.netloc}/robots.txt"
    for _ in range(MAX_REDIRECTS + 1):
        refuse(target, manners, {port for port in [parts.port] if port})
        answer = ask(target, manners)
        location = answer.header("Location")
        if answer.status not in REDIRECTS or not location:
            break
        address = redirect_target(location, target)
        if address is None:
            raise NotFetchedError("robots.txt redirects to an invalid address", where=url, do=IN_A_BROWSER)
        target = address.fetchable
    try:
        return rules_of(answer.status, whole_body(answer))
    except (UnreachableError, UnreadableFileError) as error:
        raise NotFetchedError(f"{ROBOTS_UNREAD} ({error})", where=url, do="Try again later.") from None


def obey(rules: Robots, url: str, manners: Manners) -> None:
    """Raise NotFetchedError if the rules forbid a URL."""
    if not rules.can_fetch(url, manners.user_agent):
        raise NotFetchedError(
            "robots.txt forbids this page", where=url, do="Save the page with a browser and extract the file."
        )


def exchange(url: str, manners: Manners) -> Capture:
    """Make one request, without following redirects. Raises NotFetchedError if there is no response."""
    parts = urlsplit(url)
    headers = {
        "Host": parts.netloc,
        "User-Agent": manners.user_agent,
        "Accept": "text/html,application/xhtml+xml,*/*;q=0.8",
        "Accept-Encoding": "gzip, deflate",
        "Connection": "close",
    }
    try:
        with closing(Wire(parts, manners)) as wire:
            wire.connection.request("GET", wire.target, headers=headers | wire.headers)
            response = wire.connection.getresponse()
            body, truncated = _body(response, manners.max_body)
    except (OSError, HTTPException) as error:
        what = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise NotFetchedError(f"{CANNOT_FETCH}: {what}", where=url, do=_advice(parts, error)) from None
    capture = Capture(
        url, datetime.now(UTC), response.status, tuple(headers.items()), tuple(response.getheaders()), body, Kind.PAGE
    )
    return replace(capture, truncated="time" if wire.expired else truncated)


def _body(response: HTTPResponse, limit: int) -> tuple[bytes, str | None]:
    """Read the body up to the limit. Return it with the WARC-Truncated reason if it is incomplete."""
    parts: list[bytes] = []
    size = 0
    try:
        while size <= limit and (part := response.read(CHUNK_BYTES)):
            parts.append(part)
            size += len(part)
    except IncompleteRead as error:
        return b"".join([*parts, error.partial])[:limit], "disconnect"
    if size > limit:
        return b"".join(parts)[:limit], "length"
    return b"".join(parts), "disconnect" if response.length else None
