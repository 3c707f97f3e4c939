"""`corpus-spider sites check`: fetch each configured feed, sitemap and start page once and check it."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from corpus_spider.sites.at_once import at_once
from corpus_spider.sites.discover import stale
from corpus_spider.sites.page_request import CANNOT_FETCH, ROBOTS_UNREAD, NotFetchedError
from corpus_spider.sites.polite_client import Pace, PoliteClient, manners_of
from pipelines.discovery.links import page_links
from pipelines.discovery.scope import scope_of
from pipelines.discovery.sources import FEEDS, SITEMAPS, SourceContent, SourceFormat, read_source
from pipelines.metadata.rights import robots_headers
from pipelines.urls.url import host_of
from storage.records import Kind
from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from corpus_spider.config.model import Config
    from storage.records import Seed, SiteModel

HEADER = ("site", "kind", "form", "entries", "newest", "verdict", "url")
MOST_ADVICE = 3
CHECK_NETWORK = "No source could be fetched. `corpus-spider doctor --network` checks the connection of this machine."
MAX_REQUESTS_EACH = 8
"""Requests for one source at most: the page, redirects, and robots.txt of each host on the way."""


@dataclass(frozen=True, slots=True)
class SourceCheck:
    """Result of the check of one source. ``problem`` is empty if it is well."""

    site: str
    kind: str
    url: str
    form: str = ""
    entries: int = 0
    newest: str | None = None
    problem: str = ""
    advice: str = ""
    """What to do about a source that could not be fetched."""

    @property
    def row(self) -> tuple[object, ...]:
        """Cells of a table row, in the order of ``HEADER``."""
        return self.site, self.kind, self.form, self.entries, self.newest or "", self.problem or "well", self.url


@dataclass(frozen=True, slots=True)
class CheckedSources:
    """Results by source. ``well``: sites without a failing source."""

    ok: bool
    well: list[str]
    sources: list[SourceCheck]

    @classmethod
    def of(cls, sources: list[SourceCheck], sites: Iterable[str]) -> CheckedSources:
        """Return the results of these sources. ``sites``: names of the sites, in their order."""
        sick, checked = {one.site for one in sources if one.problem}, {one.site for one in sources}
        return cls(not sick, [name for name in sites if name in checked - sick], sources)

    @property
    def sick(self) -> frozenset[str]:
        """Sites with a failing source."""
        return frozenset(one.site for one in self.sources if one.problem)


def advice(states: Sequence[SourceCheck]) -> list[str]:
    """Return what to do about the sources that could not be fetched, each sentence once, the most frequent first."""
    found = Counter(one.advice for one in states if one.advice)
    is_offline = bool(states) and all(one.problem.startswith((CANNOT_FETCH, ROBOTS_UNREAD)) for one in states)
    offline = [CHECK_NETWORK] if is_offline else []
    return [*(f"{text} ({counted(number, 'source')})" for text, number in found.most_common(MOST_ADVICE)), *offline]


def sources(config: Config) -> list[Seed]:
    """Return the sources of the configured sites. Pages of a fixed list are not sources."""
    return [seed for seed in config.seeds() if not seed.listed]


def check(config: Config, max_age: float, show: Callable[[int], None]) -> CheckedSources:
    """Fetch each source of the configured sites, of several sites at once, and return their states.

    ``max_age`` is in days. ``show`` gets the number of checked sources.

    Raises ConfigError if the configuration has no contact.
    """
    by_site: dict[str, list[Seed]] = {}
    for seed in sources(config):
        by_site.setdefault(seed.site, []).append(seed)
    models = config.site_models()
    delays = {site.name: config.site_delay(site) for site in config.sites}
    manners, pace, checked = manners_of(config), Pace(), itertools.count(1)

    def check_site(seeds: list[Seed]) -> list[SourceCheck]:
        site = seeds[0].site
        client = PoliteClient(manners, delays[site], MAX_REQUESTS_EACH * len(seeds), pace=pace)
        states = []
        for seed in seeds:
            states.append(_state(seed, client, models[site], timedelta(days=max_age)))
            show(next(checked))
        return states

    states = [state for states in at_once(check_site, list(by_site.values())) for state in states]
    return CheckedSources.of(states, models)


def _state(seed: Seed, client: PoliteClient, model: SiteModel, max_age: timedelta) -> SourceCheck:
    unknown = SourceCheck(seed.site, seed.kind.value, seed.fetch_url)
    try:
        capture = replace(client.get(seed.fetch_url), kind=seed.kind)
    except NotFetchedError as error:
        return replace(unknown, problem=error.what, advice=error.do)
    if not scope_of(model).has_host(host_of(capture.url)):
        return replace(unknown, problem=f"redirects out of the site, to {capture.url}")
    source = read_source(capture, model)
    found = (
        page_links(source.text, capture.url, model, robots_headers(capture))
        if source.form is SourceFormat.PAGE
        else source.links
    )
    return replace(
        unknown,
        form=source.form.value if source.form else "",
        entries=len(found),
        newest=source.newest,
        problem=_problem(seed.kind, source, len(found), max_age),
    )


def _problem(kind: Kind, source: SourceContent, entries: int, max_age: timedelta) -> str:
    if source.refused:
        return source.refused
    fits = {Kind.FEED: FEEDS, Kind.SITEMAP: SITEMAPS | FEEDS}.get(kind, frozenset({SourceFormat.PAGE}))
    if source.form not in fits:
        return f"is a {source.form}, not a {kind}"
    if not entries:
        return "no links on this site"
    return stale(source.newest, max_age) if source.form in FEEDS | {SourceFormat.NEWS} else ""
