"""Plan of a crawl (`crawl --dry-run`): settings, sites, sources and the effect of changed rules, without fetching."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from corpus_spider.config.model import masked
from corpus_spider.config.sections import DEFAULT_EXTRACTOR
from corpus_spider.config.values import nearest
from storage.disk import disk_errors, require_file, require_folder
from storage.errors import ConfigError, CorpusError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from corpus_spider.config.model import Config
    from corpus_spider.config.sections import SiteSettings
    from corpus_spider.crawling.link_rules import ChangedRules


LIMITS = ("page_limit", "time_limit", "size_limit", "since", "until")
"""Keys of `[crawl]` that bound a run: pages, seconds, bytes, first and last day."""


@dataclass(frozen=True, slots=True)
class PlannedSite:
    """A site as a crawl would visit it. ``delay`` in seconds."""

    name: str
    hosts: tuple[str, ...]
    languages: tuple[str, ...]
    delay: float
    max_depth: int
    extractor: str
    allow: tuple[str, ...]
    deny: tuple[str, ...]
    rules: Mapping[str, str]
    """CSS selectors of the site, by rule."""


@dataclass(frozen=True, slots=True)
class PlannedSource:
    """A source that a crawl would fetch."""

    site: str
    kind: str
    url: str


@dataclass(frozen=True, slots=True)
class CrawlPlan:
    """Settings, sites and sources of a crawl."""

    user_agent: str
    database: str
    warc: str
    limits: dict[str, int | float | str]
    sites: list[PlannedSite]
    seeds: list[PlannedSource]
    changed_rules: list[ChangedRules] = field(default_factory=list)


def plan(config: Config) -> CrawlPlan:
    """Return the user agent, sites, rules and sources of a crawl. Nothing is opened or fetched.

    Raises ConfigError if the crawl could not start: no contact, no site, an unknown extractor, an invalid URL, a folder
    in place of the database, or a file in place of the WARC folder.
    """
    config.require_contact()
    config.require_sites()
    require_extractors(config)
    require_places(config)
    return CrawlPlan(
        user_agent=config.user_agent,
        database=masked(config.database_url),
        warc=str(config.warc_folder),
        limits={name: value for name in LIMITS if (value := getattr(config.crawl, name))},
        sites=[_site(config, site) for site in config.sites],
        seeds=[PlannedSource(seed.site, seed.kind.value, seed.fetch_url) for seed in config.seeds()],
    )


def with_changed_rules(planned: CrawlPlan, config: Config, note: Callable[[str], None]) -> CrawlPlan:
    """Return the plan with the number of queued URLs that changed link rules take out and let in, by site.

    The corpus is only read. One that cannot be read is reported with ``note``; the plan is valid all the same.
    """
    if not config.may_have_corpus():
        return planned
    from corpus_spider.crawling import link_rules
    from storage.corpus import Corpus

    try:
        with Corpus.open(config.database_url, read_only=True) as corpus:
            return replace(planned, changed_rules=link_rules.rows(link_rules.compare(config, corpus)))
    except CorpusError as error:
        note(f"The queue could not be read. {error}")
        return planned


def require_extractors(config: Config) -> None:
    """Raise ConfigError, with file, site and nearest name, if a site names an unknown extractor."""
    named = [site for site in config.sites if site.extractor != DEFAULT_EXTRACTOR]
    if not named:
        # The extractors take long to import, and a crawl needs them only in its workers.
        return
    from pipelines.extractors import plugin
    from pipelines.extractors.registry import EXTRACTORS

    for site in named:
        if site.extractor not in EXTRACTORS and plugin.find(site.extractor) is None:
            fit = sorted(name for name, one in EXTRACTORS.items() if not one.evaluation_only)
            raise ConfigError(
                f'extractor ({site.name}): there is no extractor "{site.extractor}"{nearest(site.extractor, fit)}',
                where=str(config.path or "configuration"),
                do=f"Choose one of: {', '.join(fit)}.",
            )


def require_places(config: Config) -> None:
    """Raise ConfigError if the database cannot be a file, or the WARC folder cannot be a folder."""
    if config.database_file:
        with disk_errors(config.database_file):
            require_file(config.database_file, "database")
    with disk_errors(config.warc_folder):
        require_folder(config.warc_folder, "warc")


def _site(config: Config, site: SiteSettings) -> PlannedSite:
    model = config.site_model(site)
    return PlannedSite(
        name=site.name,
        hosts=model.hosts,
        languages=model.languages,
        delay=config.site_delay(site),
        max_depth=config.site_max_depth(site),
        extractor=site.extractor,
        allow=site.allow,
        deny=site.deny,
        rules=model.rules.given,
    )
