"""Process one page outside a crawl: from the web, a file or standard input, with the same function as a crawl.

Requests obey the rules of a crawl: user agent, robots.txt, public addresses only, limits of size and time
(:mod:`corpus_spider.network.connection`).
"""

from __future__ import annotations

import re
import shlex
import sys
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from http.client import HTTPException, IncompleteRead
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict
from urllib.parse import urlsplit

from corpus_spider.config.sections import SiteSettings
from corpus_spider.config.values import language_code, web_address
from corpus_spider.exit_codes import NONE_SUCCEEDED
from corpus_spider.network.connection import Manners, NotPublicError, Wire
from storage import plugins
from storage.errors import ConfigError, CorpusError
from storage.fields import FIELDS
from storage.records import Capture, Kind

if TYPE_CHECKING:
    from collections.abc import Callable
    from http.client import HTTPResponse
    from urllib.parse import SplitResult

    from corpus_spider.config.model import Config
    from corpus_spider.terminal.console import Console
    from pipelines.urls.robots_txt import Robots
    from storage.records import Document, Drop, Processed, SiteModel

CHUNK = 2**16
CANNOT_FETCH, ROBOTS_UNREAD = "cannot be fetched", "robots.txt could not be read"
"""Beginnings of the errors of a host that gave no response."""
TOO_MANY_REDIRECTS = "too many redirects, or a redirect to an invalid address"


IN_A_BROWSER = "Open the address in a browser, and name the one that it ends at."


class NotFetchedError(CorpusError):
    """A page that the user named could not be fetched, or is forbidden."""

    exit_code = NONE_SUCCEEDED


@dataclass(frozen=True, slots=True)
class ExtractRequest:
    """Options of `extract`: extractor, languages, URL of a file, and whether private hosts are allowed."""

    extractor: str = ""
    """Empty: what the configuration says for the site of the page, else ``auto``."""
    languages: tuple[str, ...] = ()
    url: str = ""
    allow_private: bool = False


@dataclass(frozen=True, slots=True)
class PageReading:
    """The text of a page, however short, and the reason if a crawl would drop it."""

    document: Document | None
    drop: Drop | None


ListedExtractor = TypedDict("ListedExtractor", {"name": str, "version": str, "for": str, "description": str})


def extractors() -> list[ListedExtractor]:
    """Return name, version, purpose (``corpora`` or ``evaluation``) and description of every extractor."""
    from pipelines.extractors.lab import peers
    from pipelines.extractors.registry import EXTRACTORS, get

    return [
        {
            "name": one.name,
            "version": one.version,
            "for": "evaluation" if one.evaluation_only else "corpora",
            "description": one.description,
        }
        for one in (*EXTRACTORS.values(), *peers.installed(), *map(get, plugins.named(plugins.EXTRACTORS)))
    ]


def show_extractors(console: Console, *, as_json: bool) -> None:
    """Write the list of extractors as a table or JSON."""
    listed = extractors()
    if as_json:
        console.json(listed)
    else:
        console.table("Extractors", tuple(listed[0]), [tuple(one.values()) for one in listed])


def extract(target: str, wanted: ExtractRequest, config: Config) -> PageReading:
    """Fetch or read one page, process it as a crawl would, and extract its text however short.

    Raises ConfigError (unknown extractor, invalid language, missing file) or NotFetchedError.
    """
    from pipelines.page.process import process

    checked(wanted)
    capture = capture_of(target, wanted, config)
    return reading(capture, model_for(config, capture.url, wanted), process)


def checked(wanted: ExtractRequest, place: str = "--language") -> None:
    """Raise ConfigError for an unknown extractor or an invalid language. ``place`` names the languages in the error."""
    from pipelines.extractors.registry import get

    if wanted.extractor:
        get(wanted.extractor)
    for wrong in filter(None, map(language_code, wanted.languages)):
        raise ConfigError(wrong, where=place, do="`corpus-spider help language` shows where languages are used.")


def reading(capture: Capture, model: SiteModel, process: Callable[[Capture, SiteModel], Processed]) -> PageReading:
    """Process a page as a crawl would. If that drops it, process it again for its text, however short."""
    found = process(capture, model)
    if found.drop is None:
        return PageReading(found.document, None)
    of_any_size = process(capture, replace(model, min_chars=1))
    return PageReading(of_any_size.document, of_any_size.drop or found.drop)


def fields_of(document: Document) -> dict[str, object]:
    """Return the values of a text outside a corpus, under the field names of an export."""
    return {field.name: field.made(document) for field in FIELDS if field.note.made and field.note.of_page}


def capture_of(target: str, wanted: ExtractRequest, config: Config) -> Capture:
    """Fetch a URL, or read a file or standard input. Raises ConfigError or NotFetchedError."""
    if is_address(target):
        return fetch(target, manners(config, allow_private=wanted.allow_private))
    return read(target, config.crawl.max_body, wanted.url)


def model_for(config: Config, url: str, wanted: ExtractRequest) -> SiteModel:
    """Return the model for a page: that of the site at its URL, if one is configured, with what is wanted.

    An extractor that is named reads the text itself: no rule selects it.
    """
    site = config.site_at(url)
    model = config.site_model(site or SiteSettings())
    languages = wanted.languages or (model.languages if site else ())
    if not wanted.extractor:
        return replace(model, languages=languages)
    return replace(model.with_extractor(wanted.extractor), languages=languages)


def manners(config: Config, *, allow_private: bool = False) -> Manners:
    """Return the manners of one request: those of a crawl, and on demand with private addresses."""
    private = ("*:*",) if allow_private else config.crawl.allow_private
    return Manners(config.user_agent, config.crawl.timeout, config.crawl.max_body, private)


def is_address(target: str) -> bool:
    """Return whether the target is a URL, not a file name. Raises ConfigError for other schemes than http(s)."""
    if target.lower().startswith(("http://", "https://")):
        return True
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", target):
        raise ConfigError(
            "cannot be fetched: only http and https",
            where=target,
            do="For a file give its path, without file://.",
        )
    return False


def read(target: str, limit: int, url: str = "") -> Capture:
    """Read a file, or standard input for ``-``, as if it was fetched from ``url``.

    Raises ConfigError if it cannot be read, is larger than ``limit`` bytes, or ``url`` is not http(s).
    """
    if url and (wrong := web_address(url)):
        raise ConfigError(f"{wrong}; only http and https", where="--url", do="Use --url https://news.example.org/page.")
    try:
        if target == "-":
            body = sys.stdin.buffer.read(limit + 1)
        else:
            with Path(target).open("rb") as stream:
                body = stream.read(limit + 1)
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", where=target, do=_instead_of(Path(target))) from None
    if len(body) > limit:
        raise ConfigError(f"is larger than {limit} bytes", where=target, do="Raise crawl.max_body to read it.")
    file_url = "about:blank" if target == "-" else Path(target).resolve().as_uri()
    return Capture(url or file_url, datetime.now(UTC), 200, (), (), body)


def _instead_of(path: Path) -> str:
    """Return advice for a file that cannot be read."""
    if path.is_dir():
        return f"Name a file. All files of a folder: corpus-spider extract {shlex.quote(str(path))} -o texts/"
    return "" if path.exists() else "Name an existing file, or a web address with its https://."


def fetch(url: str, manners: Manners) -> Capture:
    """Fetch a page and follow up to five redirects. Raises NotFetchedError with the reason."""
    from pipelines.urls.url import MAX_REDIRECTS, REDIRECTS, fetchable, redirect_target

    target = fetchable(url)
    ports = {port for port in [urlsplit(target or "").port] if port}
    for _ in range(MAX_REDIRECTS + 1):
        if target is None:
            break
        refuse(target, manners, ports)
        obey(robots_of(target, manners), target, manners)
        capture = exchange(target, manners)
        location = capture.header("Location")
        if capture.status not in REDIRECTS or not location:
            return capture
        address = redirect_target(location, target)
        target = address.fetchable if address else None
    what = TOO_MANY_REDIRECTS if fetchable(url) else "is not the address of a page"
    raise NotFetchedError(what, where=url, do=IN_A_BROWSER)


def refuse(url: str, manners: Manners, ports: set[int]) -> None:
    """Raise NotFetchedError for a URL that is not on the public web. ``ports`` are allowed besides 80 and 443."""
    from corpus_spider.middlewares.guard import proxy_hosts, refusal

    reason = refusal(url, manners.allow_private, ports, proxy_hosts())
    if reason:
        do = _if_yours(urlsplit(url)) if reason == "private_address" else ""
        raise NotFetchedError(f"refused: {reason.replace('_', ' ')}", where=url, do=do)


def _if_yours(parts: SplitResult) -> str:
    place = parts.netloc if parts.port else f"{parts.netloc}:{443 if parts.scheme == 'https' else 80}"
    return f"If the host is yours: corpus-spider -s crawl.allow_private={place} …, or the same in corpus.toml."


def _advice(parts: SplitResult, error: Exception) -> str:
    """Return advice after a failed connection."""
    if isinstance(error, NotPublicError):
        return _if_yours(parts)
    if getattr(error, "reason", "") == "WRONG_VERSION_NUMBER":
        return f"The server does not speak https. Try http://{parts.netloc}/."
    return "Check the address, and that this machine can reach it."


def robots_of(url: str, manners: Manners, ask: Callable[[str, Manners], Capture] | None = None) -> Robots:
    """Fetch the robots.txt of a URL's host with ``ask`` (default: ``exchange``), follow redirects, return its rules.

    Raises NotFetchedError if it cannot be read completely: RFC 9309 then forbids every URL for the time being.
    """
    from corpus_spider.middlewares.robots import UnreachableError, rules_of
    from corpus_spider.middlewares.well_known import UnreadableFileError, whole_body
    from pipelines.urls.url import MAX_REDIRECTS, REDIRECTS, redirect_target

    parts = urlsplit(url)
    target = f"{parts.scheme}://{parts.netloc}/robots.txt"
    for _ in range(MAX_REDIRECTS + 1):
        refuse(target, manners, {port for port in [parts.port] if port})
        answer = (ask or exchange)(target, manners)
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
        while size <= limit and (part := response.read(CHUNK)):
            parts.append(part)
            size += len(part)
    except IncompleteRead as error:
        return b"".join([*parts, error.partial])[:limit], "disconnect"
    if size > limit:
        return b"".join(parts)[:limit], "length"
    return b"".join(parts), "disconnect" if response.length else None
