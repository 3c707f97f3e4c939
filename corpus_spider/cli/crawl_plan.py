"""`crawl --dry-run`: the settings, sites and sources of a crawl and the effect of changed rules, without fetching."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpus_spider.config.model import masked
from corpus_spider.config.sections import DEFAULT_EXTRACTOR
from corpus_spider.config.values import nearest
from corpus_spider.terminal.console import human_size
from storage.disk import disk_errors, require_file, require_folder
from storage.errors import ConfigError, CorpusError

if TYPE_CHECKING:
    from corpus_spider.config.model import Config
    from corpus_spider.config.sections import SiteSettings
    from corpus_spider.terminal.console import Console


LIMITS = ("page_limit", "time_limit", "size_limit", "since", "until")
"""Keys of `[crawl]` that bound a run: pages, seconds, bytes, first and last day."""


def plan(config: Config) -> dict[str, Any]:
    """Return the user agent, sites, rules and sources of a crawl. Nothing is opened or fetched.

    Raises ConfigError if the crawl could not start: no contact, no site, an unknown extractor, an invalid URL, a folder
    in place of the database, or a file in place of the WARC folder.
    """
    config.require_contact()
    config.require_sites()
    require_extractors(config)
    require_places(config)
    return {
        "user_agent": config.user_agent,
        "database": masked(config.database_url),
        "warc": str(config.warc_folder),
        "limits": {name: value for name in LIMITS if (value := getattr(config.crawl, name))},
        "sites": [_site(config, site) for site in config.sites],
        "seeds": [{"site": seed.site, "kind": seed.kind.value, "url": seed.fetch_url} for seed in config.seeds()],
    }


def changed_rules(config: Config, console: Console) -> list[dict[str, Any]]:
    """Return by site how many queued URLs changed link rules take out and let in. The corpus is only read.

    Empty without a corpus. One that cannot be read is reported; the plan is valid all the same.
    """
    _, is_sqlite, file = config.database_url.partition("sqlite:///")
    if is_sqlite and not Path(file).exists():
        return []
    from corpus_spider.crawling import link_rules
    from storage.corpus import Corpus

    try:
        with Corpus.open(config.database_url, read_only=True) as corpus:
            return link_rules.rows(link_rules.compare(config, corpus))
    except CorpusError as error:
        console.note(f"The queue could not be read. {error}")
        return []


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
    _, is_sqlite, file = config.database_url.partition("sqlite:///")
    if is_sqlite:
        path = Path(file.partition("?")[0])
        with disk_errors(path):
            require_file(path, "database")
    with disk_errors(config.warc_folder):
        require_folder(config.warc_folder, "warc")


def render(planned: dict[str, Any], console: Console) -> None:
    """Write the plan as tables."""
    crawl = {key: planned[key] for key in ("user_agent", "database", "warc")}
    limits = dict(planned["limits"])
    if "time_limit" in limits:
        limits["time_limit"] = f"{limits['time_limit']:g} s"
    if "size_limit" in limits:
        limits["size_limit"] = human_size(limits["size_limit"])
    crawl |= limits
    console.table("Crawl", ("what", "value"), crawl.items())
    header = ("name", "hosts", "languages", "delay", "max_depth", "extractor", "allow", "deny")
    rows = [
        [" ".join(value) if isinstance(value := site[key], tuple) else value for key in header]
        for site in planned["sites"]
    ]
    console.table("Sites", header, rows)
    console.table("Sources", ("site", "kind", "url"), [tuple(seed.values()) for seed in planned["seeds"]])
    changed = [tuple(row.values()) for row in planned["changed_rules"]]
    console.table("Queued URLs and changed link rules", ("site", "taken_out", "let_in"), changed)


def _site(config: Config, site: SiteSettings) -> dict[str, Any]:
    model = config.site_model(site)
    return {
        "name": site.name,
        "hosts": model.hosts,
        "languages": model.languages,
        "delay": config.site_delay(site),
        "max_depth": config.site_max_depth(site),
        "extractor": site.extractor,
        "allow": site.allow,
        "deny": site.deny,
        "rules": model.rules.given,
    }
