"""`corpus-spider sites discover`: from a front page to the site's feeds, sitemaps and sections, in a few requests.

Looked at, until the requests are spent: feeds stated in the page's head, sitemaps named by robots.txt, addresses linked
to that look like feeds, and the usual places of what has not been found by then; where a page answers in the place of a
feed, the feeds that it lists.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from corpus_spider.single import NotFetchedError
from corpus_spider.visitor import SpentError, Visitor, manners_of
from pipelines.directives import robots_headers
from pipelines.discovery.candidates import (
    USUAL_FEEDS,
    USUAL_SITEMAPS,
    linked_feeds,
    section_pages,
    stated_feeds,
    usual,
)
from pipelines.discovery.links import page_anchors
from pipelines.discovery.listings import read_listing
from pipelines.discovery.period import archive_template
from pipelines.discovery.sources import FEEDS, SITEMAPS, Form, Source, read_source
from pipelines.markup.tree import parse_tree
from pipelines.urls import parse
from storage.records import Kind, SiteModel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from selectolax.lexbor import LexborHTMLParser

    from corpus_spider.config import Config
    from corpus_spider.config_write import Value
    from pipelines.urls import Address
    from storage.records import Link

MAX_REQUESTS = 30
SHARES = {"stated": 8, "robots": 8, "linked": 12, "usual": 8, "section": 10}
"""Most addresses of each origin that are looked at, so that none takes the requests of all."""
STALE = timedelta(days=90)
"""A source whose newest entry is older than this is of no use to a crawl of news."""
ERRORS = 400
"""The least status that refuses a page."""
NOT_THERE = frozenset({404, 410})
"""What an address that was only guessed answers when there is nothing; nobody need be told."""
MAX_FEEDS = 20
OWN_PATH = 0.9
"""Share of a site's entries below the path of its front page from which on only these are proposed."""


@dataclass(frozen=True, slots=True)
class Finding:
    """An address that was looked at. ``refused`` says why it is of no use; empty when it is."""

    kind: str
    """``feed``, ``sitemap`` or ``section``; ``none`` for what is neither."""
    url: str
    form: str = ""
    entries: int = 0
    newest: str | None = None
    language: str = ""
    refused: str = ""
    asked: bool = True
    """Whether it was asked for, or only named by the front page."""


@dataclass(frozen=True, slots=True)
class Discovery:
    """What is known of a site after a look at it."""

    url: str
    """The front page, after redirects."""
    given: str
    """The address that was looked at, before them."""
    name: str
    language: str
    allow: tuple[str, ...]
    archive: str
    """The template of its archive by day or month, where the front page leads there."""
    patterns: tuple[str, ...]
    """What the addresses of the articles on the front page look like, as regular expressions; none where those that
    feeds and sitemaps name look otherwise.
    """
    findings: tuple[Finding, ...]
    requests: int

    def usable(self, kind: str) -> tuple[str, ...]:
        """Return the addresses of a kind that are of use."""
        return tuple(one.url for one in self.findings if one.kind == kind and not one.refused)

    @property
    def archives(self) -> tuple[str, ...]:
        """The sitemaps of use that are not of news alone: they list all the site has ever published."""
        return tuple(one.url for one in self.findings if one.url in self.usable("sitemap") and one.form != Form.NEWS)

    def site(self) -> dict[str, Value]:
        """Return the keys of a ``[[site]]``; sections are start pages where there is neither feed nor sitemap.

        Where there are feeds, sitemaps of the whole archive (see ``archives``) are left for the user to put in.
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


def discover(url: str, config: Config, note: Callable[[str], None], budget: int = MAX_REQUESTS) -> Discovery:
    """Look for the sources of the site at ``url``, telling ``note`` what is asked for.

    Raises ConfigError when nobody answers for the requests, NotFetchedError when the front page cannot be had, or is
    refused and so is all else.
    """
    visitor = Visitor(manners_of(config), config.crawl.delay, budget)
    capture = visitor.get(url)
    host = urlsplit(capture.url).netloc.removeprefix("www.")
    model = SiteModel(hosts=(host,), languages=config.corpus.languages)
    search = Search(visitor, model, note)
    source = read_source(capture, model)
    search.see(capture.url, source)
    tree = parse_tree(source.text)
    search.all(tree, capture.url)
    if capture.status >= ERRORS and not search.found:
        do = "See in a browser whether the address is right and the site answers there."
        raise NotFetchedError(
            f"answers with status {capture.status}, and nothing else is of use", where=capture.url, do=do
        )
    anchors = page_anchors(tree, capture.url, model, robots_headers(capture))
    rules = visitor.rules(capture.url)
    patterns = read_listing(anchors, capture.url).patterns
    named = section_pages(tree, capture.url, model, patterns)
    pages = [one.fetchable for one in named if rules.can_fetch(one.fetchable, config.user_agent)]
    sections = [Finding("section", one, Form.PAGE, asked=False) for one in pages]
    return Discovery(
        url=capture.url,
        given=url,
        name=_name(capture.url),
        language=_language(tree, search.findings, config.corpus.languages),
        allow=_allow(capture.url, search.links),
        archive=archive_template(anchor.link for anchor in anchors),
        patterns=_agreed(patterns, search.links),
        findings=(*search.findings, *(sections if search.found else search.sections(sections))),
        requests=visitor.asked,
    )


@dataclass(slots=True)
class Search:
    """Looks at addresses, each once, and keeps what it found."""

    visitor: Visitor
    model: SiteModel
    note: Callable[[str], None]
    findings: list[Finding] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    _seen: set[str] = field(default_factory=set)
    _contents: dict[tuple[str, frozenset[str]], str] = field(default_factory=dict)

    def all(self, tree: LexborHTMLParser, url: str) -> None:
        """Look at everything a front page and its host lead to, until the requests are spent."""
        try:
            self.look(stated_feeds(tree, url), "stated")
            self.look(self._named_by_robots(url), "robots")
            self.look(linked_feeds(tree, url, self.model), "linked")
            if not self._has("sitemap"):
                self.look(usual(url, USUAL_SITEMAPS), "usual")
            if not self._has("feed"):
                self.look(usual(url, USUAL_FEEDS), "usual")
        except SpentError as error:
            self.note(str(error))

    def look(self, addresses: Iterable[Address], origin: str) -> None:
        """Look at addresses, and at the feeds that pages among them list."""
        left = SHARES[origin]
        waiting = list(addresses)
        while waiting and left:
            address = waiting.pop(0)
            if address.canonical in self._seen:
                continue
            left -= 1
            source = self._visit(address, origin)
            if source.form is Form.PAGE:
                listed = linked_feeds(parse_tree(source.text), address.fetchable, self.model)
                if origin == "linked":
                    waiting[:0] = listed
                    continue
                if origin != "usual":
                    self._keep(Finding("none", address.fetchable, refused="is a page"))
                self.look(listed, "linked")
            if origin == "usual" and self._has("feed") and source.form in FEEDS:
                return

    def sections(self, named: Sequence[Finding]) -> list[Finding]:
        """Ask for sections that are to be start pages; those behind the last request that may be made stay as named."""
        asked: list[Finding] = []
        try:
            asked.extend(map(self._section, named[: SHARES["section"]]))
        except SpentError as error:
            self.note(str(error))
        return [*asked, *named[len(asked) :]]

    def _section(self, named: Finding) -> Finding:
        self.note(f"asking for {named.url}")
        try:
            capture = self.visitor.get(named.url)
        except SpentError:
            raise
        except NotFetchedError as error:
            return replace(named, refused=error.what, asked=True)
        refused = f"answers with status {capture.status}" if capture.status >= ERRORS else ""
        if capture.url.rstrip("/") != named.url.rstrip("/"):
            refused = f"leads to {capture.url}"
        elif not refused and read_source(capture, self.model).form is not Form.PAGE:
            refused = "is no page"
        return replace(named, refused=refused, asked=True)

    def _visit(self, address: Address, origin: str) -> Source:
        self._seen.add(address.canonical)
        self.note(f"asking for {address.fetchable}")
        try:
            capture = self.visitor.get(address.fetchable)
        except SpentError:
            raise
        except NotFetchedError as error:
            self._keep(Finding("none", address.fetchable, refused=error.what))
            return Source()
        if origin == "usual" and capture.status in NOT_THERE:
            return Source()
        sitemap = origin == "robots" or "sitemap" in address.path
        source = read_source(replace(capture, kind=Kind.SITEMAP) if sitemap else capture, self.model)
        moved = parse(capture.url)
        if moved and moved.canonical != address.canonical and moved.canonical in self._seen:
            self._keep(Finding("none", address.fetchable, refused=f"leads to {capture.url}"))
        else:
            self.see(capture.url, source)
        return source

    def see(self, url: str, source: Source) -> None:
        """Keep what was read at an address."""
        address = parse(url)
        self._seen.update([address.canonical] if address else [])
        if source.form is Form.PAGE:
            return  # A list of feeds, perhaps; what stands in it is looked at on its own.
        kind = "feed" if source.form in FEEDS else "sitemap" if source.form in SITEMAPS else "none"
        newest = (self._newest_below(source) if source.form is Form.INDEX else None) or source.newest
        refused = source.refused or self._known(kind, url, source) or stale(newest)
        self.links += () if source.form is Form.INDEX else source.links
        form = source.form.value if source.form else ""
        self._keep(Finding(kind, url, form, len(source.links), newest, source.language, refused))

    def _newest_below(self, index: Source) -> str | None:
        """Look into the newest sitemap of an index: the index itself says little about the pages."""
        if not index.links:
            return None
        newest = max(index.links, key=lambda link: (link.dated or "", "news" in link.url))
        address = parse(newest.fetch_url)
        if address is None or address.canonical in self._seen:
            return None
        self._seen.add(address.canonical)
        try:
            source = read_source(replace(self.visitor.get(newest.fetch_url), kind=Kind.SITEMAP), self.model)
        except NotFetchedError:
            return None
        self.links += () if source.form is Form.INDEX else source.links
        return source.newest

    def _known(self, kind: str, url: str, source: Source) -> str:
        """Say which source of the kind has the same entries."""
        content = frozenset(link.url for link in source.links)
        first = self._contents.setdefault((kind, content), url)
        return "" if first == url or not content else f"the same entries as {first}"

    def _named_by_robots(self, url: str) -> list[Address]:
        named = (parse(text, url) for text in self.visitor.rules(url).sitemaps)
        return [address for address in named if address]

    def _keep(self, finding: Finding) -> None:
        self.findings.append(finding)

    @property
    def found(self) -> bool:
        """Whether there is a feed or a sitemap of use."""
        return self._has("feed") or self._has("sitemap")

    def _has(self, kind: str) -> bool:
        return any(one.kind == kind and not one.refused for one in self.findings)


def stale(newest: str | None, age: timedelta = STALE, now: datetime | None = None) -> str:
    """Say that a source has had nothing for longer than ``age``; an empty text when it has, or dates nothing."""
    limit = ((now or datetime.now(UTC)) - age).date().isoformat()
    return f"nothing since {newest[:10]}" if newest and newest[:10] < limit else ""


def _name(url: str) -> str:
    """Return a name for the site: its host, and its path where there is one that says something."""
    parts = urlsplit(url)
    path = re.sub(r"(?:^|/)(?:index|default|home|main)\.\w{2,5}$|\.\w{2,5}$", "", parts.path.strip("/"))
    name = f"{(parts.hostname or '').removeprefix('www.')}-{path}".lower()
    return re.sub(r"[^a-z0-9.-]+", "-", name).strip("-.")[:60].rstrip("-.") or "site"


def _language(tree: LexborHTMLParser, findings: Iterable[Finding], wanted: Sequence[str]) -> str:
    """Return the language that the page, or else a source, says it is in; "" for one that is not wanted.

    Templates come with a language of their own: a site that was held to it would give no text.
    """
    node = tree.css_first("html[lang]")
    stated = _known((node.attributes.get("lang") or "") if node else "")
    language = stated or next((one.language for one in findings if one.language), "")
    return language if not wanted or language in wanted else ""


def _known(stated: str) -> str:
    from corpus_spider.config_values import language_code
    from corpus_spider.language_codes import two_letters

    code = stated.lower().partition("-")[0].partition("_")[0]
    code = two_letters(code) or code
    return code if code and not language_code(code) else ""


def _agreed(patterns: tuple[str, ...], links: list[Link]) -> tuple[str, ...]:
    """Return the patterns where a page that is listed has one of them, or none is listed: a front page may give each
    visitor addresses of their own.
    """
    pages = [link.url for link in links if link.kind is Kind.PAGE]
    return patterns if not pages or any(re.search(one, url) for one in patterns for url in pages) else ()


def _allow(url: str, links: list[Link]) -> tuple[str, ...]:
    """Confine a site to the path of its front page where nearly all that it lists lies below it (bbc.com/arabic)."""
    path = urlsplit(url).path.rstrip("/")
    below = [link for link in links if urlsplit(link.url).path.startswith(f"{path}/")]
    confined = path and "." not in path.rpartition("/")[2] and links and len(below) >= OWN_PATH * len(links)
    return (f"^https?://[^/]+{re.escape(path)}(/|$)",) if confined else ()
