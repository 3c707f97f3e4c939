"""One page outside any crawl: from the web, a file or standard input, through the same function as a crawl's pages.

The web is asked as a crawl would ask: by name, if robots.txt allows it, from public addresses only, within a size and a
time (:mod:`corpus_spider.connection`).
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
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from corpus_spider.config_values import language_code, web_address
from corpus_spider.connection import Manners, NotPublicError, Wire
from corpus_spider.sections import Site
from storage.errors import ConfigError, CorpusError
from storage.records import Capture, Kind

if TYPE_CHECKING:
    from collections.abc import Callable
    from http.client import HTTPResponse
    from urllib.parse import SplitResult

    from corpus_spider.config import Config
    from corpus_spider.console import Console
    from pipelines.robots import Robots
    from storage.records import Document, Drop

CHUNK = 2**16


class NotFetchedError(CorpusError):
    """A page that was asked for by hand could not be had, or may not be (exit 7)."""

    exit_code = 7


@dataclass(frozen=True, slots=True)
class Wanted:
    """How to read one page: extractor, languages, URL it came from, and whether private hosts may be asked."""

    extractor: str = "auto"
    languages: tuple[str, ...] = ()
    url: str = ""
    allow_private: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """What text there is on a page, however short, and why a crawl would make none of it, where it would not."""

    document: Document | None
    drop: Drop | None


EXTRACTOR_WORDS = {
    "auto": "scored, and others where it has little confidence, with the reason recorded; the default",
    "density": "maximum-sum segment over text blocks, with weights for links and classes",
    "scored": "text blocks scored by weights learned from pages with their true text",
    "trafilatura": "the library of that name",
    "bte": "improved Body Text Extraction (Phan Thi Ha and Ha Hai Nam, 2013)",
    "bte-original": "Body Text Extraction as first published (Finn et al., 2001)",
    "r2l": "R2L main content extraction for right-to-left scripts (Mohammadzadeh et al., 2011)",
    "r2l-nepl": "R2L to the letter of the paper",
    "dana": "DANA, successor of R2L (Mohammadzadeh et al., 2011)",
    "dana-paper": "DANA to the letter of the paper",
    "blocks": "block detection for Thai pages (Thanadechteemapat and Fung, 2011)",
    "ccb": "content code blurring (Gottron, 2008)",
    "accb-40": "content code blurring that leaves link tags out, reach 40",
    "tccb-18": "content code blurring by words, reach 18",
    "tccb-25": "content code blurring by words, reach 25",
    "fe": "FeatureExtractor (Debnath et al., 2005)",
    "kfe": "K-FeatureExtractor (Debnath et al., 2005)",
    "licea": "language independent content extraction by density (Moreno et al., 2009)",
    "lqf-25": "link quota filter, 25 % (Mantratzis et al., 2005)",
    "lqf-50": "link quota filter, 50 %",
    "lqf-75": "link quota filter, 75 %",
    "dsc": "document slope curves (Pinto et al., 2002)",
    "boilerpy3": "the library of that name, its article extractor",
    "justext": "the library of that name",
    "newspaper4k": "the library of that name",
    "readability": "the library readability-lxml",
    "resiliparse": "the library of that name, its main content",
}


def extractors() -> list[dict[str, str]]:
    """Return name, version, purpose (``corpora`` or ``evaluation``) and one line of description of every extractor."""
    from pipelines.extractors import EXTRACTORS, peers

    return [
        {
            "name": one.name,
            "version": one.version,
            "for": "evaluation" if one.evaluation_only else "corpora",
            "description": EXTRACTOR_WORDS.get(one.name, ""),
        }
        for one in (*EXTRACTORS.values(), *peers.installed())
    ]


def show_extractors(console: Console, *, as_json: bool) -> None:
    """Write what extractors there are, as a table or as JSON."""
    listed = extractors()
    if as_json:
        console.json(listed)
    else:
        console.table("Extractors", tuple(listed[0]), [tuple(one.values()) for one in listed])


def extract(target: str, wanted: Wanted, config: Config) -> Reading:
    """Fetch or read one page and process it as a crawl would, and for any text there is.

    Raises ConfigError (no such extractor, language or file) or NotFetchedError.
    """
    from pipelines.extractors import get
    from pipelines.process import process

    get(wanted.extractor)
    for wrong in filter(None, map(language_code, wanted.languages)):
        raise ConfigError(wrong, where="--language")
    private = ("*:*",) if wanted.allow_private else config.crawl.allow_private
    if is_address(target):
        manners = Manners(config.user_agent, config.crawl.timeout, config.crawl.max_body, private)
        capture = fetch(target, manners)
    else:
        capture = read(target, config.crawl.max_body, wanted.url)
    model = replace(config.site_model(Site()), extractor=wanted.extractor, languages=wanted.languages)
    found = process(capture, replace(model, min_chars=1))
    return Reading(found.document, found.drop or process(capture, model).drop)


def is_address(target: str) -> bool:
    """Tell a web address from a file name. Raises ConfigError for an address that is not of the web."""
    if target.lower().startswith(("http://", "https://")):
        return True
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", target):
        raise ConfigError(
            "cannot be fetched: only http and https",
            where=target,
            do="Give the path of a file as it is, without file://.",
        )
    return False


def read(target: str, limit: int, url: str = "") -> Capture:
    """Read a file, or standard input for ``-``, as if it had been fetched from ``url``.

    Raises ConfigError when it cannot be read or is larger than ``limit`` bytes, or ``url`` is no web address.
    """
    if url and (wrong := web_address(url)):
        raise ConfigError(f"{wrong}; only http and https", where="--url")
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
    return Capture(url or _file_url(target), datetime.now(UTC), 200, (), (), body)


def _instead_of(path: Path) -> str:
    """Return what to name in the place of a file that cannot be read."""
    if path.is_dir():
        each = 'do corpus-spider extract -q "$page" > "${page%.html}.txt"; done'
        return f"Name a file in it; for all of them: for page in {shlex.quote(str(path))}/*.html; {each}"
    return "" if path.exists() else "Name a file that is there, or a web address with its https://."


def _file_url(target: str) -> str:
    return "about:blank" if target == "-" else Path(target).resolve().as_uri()


def fetch(url: str, manners: Manners) -> Capture:
    """Fetch a page, following up to five redirects. Raises NotFetchedError saying what stood in the way."""
    from pipelines.urls import MAX_REDIRECTS, REDIRECTS, fetchable, redirect_target

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
    what = "redirects too often or to where nothing can be fetched" if fetchable(url) else "is no address of a page"
    raise NotFetchedError(what, where=url)


def refuse(url: str, manners: Manners, ports: set[int]) -> None:
    """Raise NotFetchedError for a URL that is not of the public web; ``ports`` may be asked beside 80 and 443."""
    from corpus_spider.middlewares.guard import proxy_hosts, refusal

    reason = refusal(url, manners.allow_private, ports, proxy_hosts())
    if reason:
        do = _if_yours(urlsplit(url)) if reason == "private_address" else ""
        raise NotFetchedError(f"refused: {reason.replace('_', ' ')}", where=url, do=do)


def _if_yours(parts: SplitResult) -> str:
    place = parts.netloc if parts.port else f"{parts.netloc}:{443 if parts.scheme == 'https' else 80}"
    return f"If it is yours: corpus-spider -s crawl.allow_private={place} …, or the same in corpus.toml."


def _advice(parts: SplitResult, error: Exception) -> str:
    """Say what may help where nothing answered."""
    if isinstance(error, NotPublicError):
        return _if_yours(parts)
    if getattr(error, "reason", "") == "WRONG_VERSION_NUMBER":
        return f"What answers there is no https: try http://{parts.netloc}/."
    return "See that the address is right and can be reached from this machine."


def robots_of(url: str, manners: Manners, ask: Callable[[str, Manners], Capture] | None = None) -> Robots:
    """Ask for the robots.txt of a URL's host with ``ask`` (``exchange``), following redirects; return its rules.

    Raises NotFetchedError when it cannot be had or not be read whole: for now everything is disallowed then (RFC 9309).
    """
    from corpus_spider.middlewares.robots import UnreachableError, rules_of
    from corpus_spider.middlewares.well_known import NotHadError, whole_body
    from pipelines.urls import MAX_REDIRECTS, REDIRECTS, redirect_target

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
            raise NotFetchedError("its robots.txt leads to where nothing can be fetched", where=url)
        target = address.fetchable
    try:
        return rules_of(answer.status, whole_body(answer))
    except (UnreachableError, NotHadError) as error:
        raise NotFetchedError(f"its robots.txt cannot be had ({error})", where=url, do="Try again later.") from None


def obey(rules: Robots, url: str, manners: Manners) -> None:
    """Raise NotFetchedError when the rules forbid a URL."""
    if not rules.can_fetch(url, manners.user_agent):
        raise NotFetchedError(
            "robots.txt does not allow it", where=url, do="Save the page with a browser and extract the file."
        )


def exchange(url: str, manners: Manners) -> Capture:
    """Ask once, without following redirects. Raises NotFetchedError when there is no answer."""
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
        raise NotFetchedError(f"cannot be fetched: {what}", where=url, do=_advice(parts, error)) from None
    capture = Capture(
        url, datetime.now(UTC), response.status, tuple(headers.items()), tuple(response.getheaders()), body, Kind.PAGE
    )
    return replace(capture, truncated="time" if wire.expired else truncated)


def _body(response: HTTPResponse, limit: int) -> tuple[bytes, str | None]:
    """Read the body up to the limit; say in the words of WARC-Truncated why it is not whole."""
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
