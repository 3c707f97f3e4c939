"""`corpus-spider sites discover`: find the feeds, sitemaps and sections of a site from its front page.

The candidates, until the limit of requests: feeds in the page's head, sitemaps in robots.txt, links that look like
feeds, and common addresses of kinds that were not found. If a candidate is an HTML page, the feeds it links to follow.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from msgspec import UNSET, UnsetType

from corpus_spider.sites.page_request import NotFetchedError
from corpus_spider.sites.polite_client import Pace, PoliteClient, RequestLimitError, manners_of
from pipelines.discovery.candidates import (
    USUAL_FEEDS,
    USUAL_SITEMAPS,
    linked_feeds,
    section_pages,
    stated_feeds,
    usual,
)
from pipelines.discovery.date_range import archive_template
from pipelines.discovery.links import page_anchors
from pipelines.discovery.list_pages import read_listing
from pipelines.discovery.sources import FEEDS, SITEMAPS, SourceContent, SourceFormat, read_source
from pipelines.markup.page_view import PageView
from pipelines.metadata.rights import robots_headers
from pipelines.urls.url import parse
from storage.reasons import GONE_STATUSES
from storage.records import Kind, SiteModel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from selectolax.lexbor import LexborHTMLParser

    from corpus_spider.config.model import Config
    from corpus_spider.config.writer import Value
    from pipelines.urls.url import Address
    from storage.records import Link

MAX_REQUESTS = 30
SHARES = {"stated": 8, "robots": 8, "linked": 12, "usual": 8, "section": 10}
"""Maximum number of URLs of each origin, so that one origin cannot use up all requests."""
MAX_ENTRY_AGE = timedelta(days=90)
"""A source whose newest entry is older is useless for a crawl of news."""
LOWEST_ERROR_STATUS = 400
"""Lowest error status."""
MAX_FEEDS = 20
OWN_PATH = 0.9
"""Share of a site's entries below the path of its front page. From this share on the site is limited to that path."""


@dataclass(frozen=True, slots=True)
class SourceFinding:
    """A candidate that was examined. ``refused`` is the reason why it is not usable, empty if it is."""

    kind: str
    """``feed``, ``sitemap`` or ``section``; ``none`` for other content."""
    url: str
    form: str = ""
    entries: int = 0
    newest: str | None = None
    language: str = ""
    refused: str = ""
    asked: bool = True
    """Whether it was fetched, or only linked from the front page."""


@dataclass(frozen=True, slots=True)
class FoundSources:
    """Sources of a newspaper. ``site``: keys for corpus.toml. ``articles``: regular expressions of article URLs."""

    url: str
    findings: tuple[SourceFinding, ...]
    articles: tuple[str, ...]
    requests: int
    site: dict[str, str | list[str]]


@dataclass(frozen=True, slots=True)
class DiscoveredSite:
    """Sources of one of several newspapers, or the error if its front page could not be fetched."""

    url: str
    error: str | UnsetType = UNSET
    findings: tuple[SourceFinding, ...] | UnsetType = UNSET
    articles: tuple[str, ...] | UnsetType = UNSET
    requests: int | UnsetType = UNSET
    site: dict[str, str | list[str]] | UnsetType = UNSET


@dataclass(frozen=True, slots=True)
class Discovery:
    """Result of the search."""

    url: str
    """Front page, after redirects."""
    given: str
    """Front page, before redirects."""
    name: str
    language: str
    allow: tuple[str, ...]
    archive: str
    """URL template of the archive by day or month, if the front page links to it."""
    patterns: tuple[str, ...]
    """Regular expressions of the article URLs on the front page. Empty if feeds and sitemaps contain other URLs."""
    findings: tuple[SourceFinding, ...]
    requests: int

    @property
    def found(self) -> FoundSources:
        """What `sites discover` reports."""
        site = {key: list(value) if isinstance(value, tuple) else str(value) for key, value in self.site().items()}
        return FoundSources(self.url, self.findings, self.patterns, self.requests, site)

    def usable(self, kind: str) -> tuple[str, ...]:
        """Return the usable URLs of a kind."""
        return tuple(one.url for one in self.findings if one.kind == kind and not one.refused)

    @property
    def archives(self) -> tuple[str, ...]:
        """Usable sitemaps that are not news sitemaps. They list everything the site has published."""
        return tuple(
            one.url for one in self.findings if one.url in self.usable("sitemap") and one.form != SourceFormat.NEWS
        )

    def site(self) -> dict[str, Value]:
        """Return the keys of a ``[[site]]``.

        Sections are start pages only without feeds and sitemaps. Sitemaps of the whole archive (see ``archives``) are
        included only without feeds.
        """
        feeds = self.usable("feed")[:MAX_FEEDS]
        sitemaps = tuple(url for url in self.usable("sitemap") if not feeds or url not in self.archives)
        start = (self.url,) if feeds or sitemaps else (self.url, *self.usable("section"))
        keys: dict[str, Value] = {
            "name": self.name,
            "language": self.language,
            "start": start,
            "feeds": feeds,
            "sitemaps": sitemaps,
            "archive": self.archive,
            "allow": self.allow,
        }
        return {key: value for key, value in keys.items() if value}


def discover(
    url: str, config: Config, note: Callable[[str], None], budget: int = MAX_REQUESTS, pace: Pace | None = None
) -> Discovery:
    """Find the sources of the site at ``url``. ``note`` gets a message for each request.

    Searches in several threads share ``pace``, so that two of them do not disturb one host.

    Raises ConfigError if there is no contact. Raises NotFetchedError if the front page cannot be fetched, or has an
    error status and nothing else is usable.
    """
    client = PoliteClient(manners_of(config), config.crawl.delay, budget, pace=pace or Pace())
    capture = client.get(url)
    host = urlsplit(capture.url).netloc.removeprefix("www.")
    model = SiteModel(hosts=(host,), languages=config.corpus.languages)
    search = SourceSearch(client, model, note)
    source = read_source(capture, model)
    search.see(capture.url, source)
    view = PageView(source.text)
    search.all(view, capture.url)
    if capture.status >= LOWEST_ERROR_STATUS and not search.found:
        do = "Check the address in a browser."
        raise NotFetchedError(f"status {capture.status}, and no usable source", where=capture.url, do=do)
    anchors = page_anchors(view, capture.url, model, robots_headers(capture))
    rules = client.rules(capture.url)
    patterns = read_listing(anchors, capture.url).patterns
    named = section_pages(view, capture.url, model, patterns)
    pages = [one.fetchable for one in named if rules.can_fetch(one.fetchable, config.user_agent)]
    sections = [SourceFinding("section", one, SourceFormat.PAGE, asked=False) for one in pages]
    return Discovery(
        url=capture.url,
        given=url,
        name=_name(capture.url),
        language=_language(view.tree, search.findings, config.corpus.languages),
        allow=_allow(capture.url, search.links),
        archive=archive_template(anchor.link for anchor in anchors),
        patterns=_agreed(patterns, search.links),
        findings=(*search.findings, *(sections if search.found else search.sections(sections))),
        requests=client.asked,
    )


@dataclass(slots=True)
class SourceSearch:
    """Examines candidates, each once, and collects findings."""

    client: PoliteClient
    model: SiteModel
    note: Callable[[str], None]
    findings: list[SourceFinding] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    _seen: set[str] = field(default_factory=set)
    _contents: dict[tuple[str, frozenset[str]], str] = field(default_factory=dict)

    def all(self, view: PageView, url: str) -> None:
        """Examine all candidates of a front page and its host, until the limit of requests."""
        try:
            self.look(stated_feeds(view, url), "stated")
            named = (parse(text, url) for text in self.client.rules(url).sitemaps)
            self.look([address for address in named if address], "robots")
            self.look(linked_feeds(view, url, self.model), "linked")
            if not self._has("sitemap"):
                self.look(usual(url, USUAL_SITEMAPS), "usual")
            if not self._has("feed"):
                self.look(usual(url, USUAL_FEEDS), "usual")
        except RequestLimitError as error:
            self.note(str(error))

    def look(self, addresses: Iterable[Address], origin: str) -> None:
        """Examine URLs, and the feeds that HTML pages among them link to."""
        left = SHARES[origin]
        waiting = list(addresses)
        while waiting and left:
            address = waiting.pop(0)
            if address.canonical in self._seen:
                continue
            left -= 1
            source = self._visit(address, origin)
            if source.form is SourceFormat.PAGE:
                listed = linked_feeds(PageView(source.text), address.fetchable, self.model)
                if origin == "linked":
                    waiting[:0] = listed
                    continue
                if origin != "usual":
                    self.findings.append(SourceFinding("none", address.fetchable, refused="is a page"))
                self.look(listed, "linked")
            if origin == "usual" and self._has("feed") and source.form in FEEDS:
                return

    def sections(self, named: Sequence[SourceFinding]) -> list[SourceFinding]:
        """Fetch sections that are proposed as start pages. Beyond the limit of requests they stay unfetched."""
        asked: list[SourceFinding] = []
        try:
            asked.extend(map(self._section, named[: SHARES["section"]]))
        except RequestLimitError as error:
            self.note(str(error))
        return [*asked, *named[len(asked) :]]

    def _section(self, named: SourceFinding) -> SourceFinding:
        self.note(f"fetching {named.url}")
        try:
            capture = self.client.get(named.url)
        except RequestLimitError:
            raise
        except NotFetchedError as error:
            return replace(named, refused=error.what, asked=True)
        refused = f"status {capture.status}" if capture.status >= LOWEST_ERROR_STATUS else ""
        if capture.url.rstrip("/") != named.url.rstrip("/"):
            refused = f"redirects to {capture.url}"
        elif not refused and read_source(capture, self.model).form is not SourceFormat.PAGE:
            refused = "is not a page"
        return replace(named, refused=refused, asked=True)

    def _visit(self, address: Address, origin: str) -> SourceContent:
        self._seen.add(address.canonical)
        self.note(f"fetching {address.fetchable}")
        try:
            capture = self.client.get(address.fetchable)
        except RequestLimitError:
            raise
        except NotFetchedError as error:
            self.findings.append(SourceFinding("none", address.fetchable, refused=error.what))
            return SourceContent()
        if origin == "usual" and capture.status in GONE_STATUSES:
            return SourceContent()
        sitemap = origin == "robots" or "sitemap" in address.path
        source = read_source(replace(capture, kind=Kind.SITEMAP) if sitemap else capture, self.model)
        moved = parse(capture.url)
        if moved and moved.canonical != address.canonical and moved.canonical in self._seen:
            self.findings.append(SourceFinding("none", address.fetchable, refused=f"redirects to {capture.url}"))
        else:
            self.see(capture.url, source)
        return source

    def see(self, url: str, source: SourceContent) -> None:
        """Add a finding for a source that was read."""
        address = parse(url)
        self._seen.update([address.canonical] if address else [])
        if source.form is SourceFormat.PAGE:
            return  # Perhaps a list of feeds, which are examined separately.
        kind = "feed" if source.form in FEEDS else "sitemap" if source.form in SITEMAPS else "none"
        newest = (self._newest_below(source) if source.form is SourceFormat.INDEX else None) or source.newest
        refused = source.refused or self._known(kind, url, source) or stale(newest)
        self.links += () if source.form is SourceFormat.INDEX else source.links
        form = source.form.value if source.form else ""
        self.findings.append(SourceFinding(kind, url, form, len(source.links), newest, source.language, refused))

    def _newest_below(self, index: SourceContent) -> str | None:
        """Return the date of the newest entry in the newest sitemap of an index. The index itself has no page dates."""
        if not index.links:
            return None
        newest = max(index.links, key=lambda link: (link.dated or "", "news" in link.url))
        address = parse(newest.fetch_url)
        if address is None or address.canonical in self._seen:
            return None
        self._seen.add(address.canonical)
        try:
            source = read_source(replace(self.client.get(newest.fetch_url), kind=Kind.SITEMAP), self.model)
        except NotFetchedError:
            return None
        self.links += () if source.form is SourceFormat.INDEX else source.links
        return source.newest

    def _known(self, kind: str, url: str, source: SourceContent) -> str:
        """Return a message if an earlier source of the kind has the same entries."""
        content = frozenset(link.url for link in source.links)
        first = self._contents.setdefault((kind, content), url)
        return "" if first == url or not content else f"the same entries as {first}"

    @property
    def found(self) -> bool:
        """Whether there is a usable feed or sitemap."""
        return self._has("feed") or self._has("sitemap")

    def _has(self, kind: str) -> bool:
        return any(one.kind == kind and not one.refused for one in self.findings)


def stale(newest: str | None, age: timedelta = MAX_ENTRY_AGE, now: datetime | None = None) -> str:
    """Return a message if the newest entry is older than ``age``; an empty string otherwise, or without a date."""
    limit = ((now or datetime.now(UTC)) - age).date().isoformat()
    return f"nothing since {newest[:10]}" if newest and newest[:10] < limit else ""


def _name(url: str) -> str:
    """Return a name for the site: its host, and its path unless it is a default page."""
    parts = urlsplit(url)
    path = re.sub(r"(?:^|/)(?:index|default|home|main)\.\w{2,5}$|\.\w{2,5}$", "", parts.path.strip("/"))
    name = f"{(parts.hostname or '').removeprefix('www.')}-{path}".lower()
    return re.sub(r"[^a-z0-9.-]+", "-", name).strip("-.")[:60].rstrip("-.") or "site"


def _language(tree: LexborHTMLParser, findings: Iterable[SourceFinding], wanted: Sequence[str]) -> str:
    """Return the language that the page, or else a source, declares; "" for a language that is not wanted.

    Page templates often declare a wrong language. A site limited to it would give no text.
    """
    from corpus_spider.config.language_codes import two_letters
    from corpus_spider.config.values import language_code

    node = tree.css_first("html[lang]")
    stated = ((node.attributes.get("lang") or "") if node else "").lower().partition("-")[0].partition("_")[0]
    code = two_letters(stated) or stated
    declared = code if code and not language_code(code) else ""
    language = declared or next((one.language for one in findings if one.language), "")
    return language if not wanted or language in wanted else ""


def _agreed(patterns: tuple[str, ...], links: list[Link]) -> tuple[str, ...]:
    """Return the patterns if a page of the sources matches one, or the sources list no pages; else nothing.

    A front page may use different URLs for each visitor.
    """
    pages = [link.url for link in links if link.kind is Kind.PAGE]
    return patterns if not pages or any(re.search(one, url) for one in patterns for url in pages) else ()


def _allow(url: str, links: list[Link]) -> tuple[str, ...]:
    """Return a pattern for the path of the front page if nearly all entries are below it (bbc.com/arabic)."""
    path = urlsplit(url).path.rstrip("/")
    below = [link for link in links if urlsplit(link.url).path.startswith(f"{path}/")]
    confined = path and "." not in path.rpartition("/")[2] and links and len(below) >= OWN_PATH * len(links)
    return (f"^https?://[^/]+{re.escape(path)}(/|$)",) if confined else ()
