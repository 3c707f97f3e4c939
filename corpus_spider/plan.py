"""What a crawl would do, before it does it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from corpus_spider.config_values import nearest
from corpus_spider.console import human_size
from corpus_spider.sections import DEFAULT_EXTRACTOR
from storage.errors import ConfigError

if TYPE_CHECKING:
    from corpus_spider.config import Config
    from corpus_spider.console import Console
    from corpus_spider.sections import Site


LIMITS = ("page_limit", "time_limit", "size_limit", "since", "until")
"""Keys of `[crawl]` that bound a run: pages, seconds, bytes, and the days wanted."""


def plan(config: Config) -> dict[str, Any]:
    """Return who would ask, what each site starts from and by which rules; nothing is opened or fetched.

    Raises ConfigError when it could not start: no contact, no site, no such extractor, a URL that cannot be fetched.
    """
    config.require_contact()
    config.require_sites()
    require_extractors(config)
    return {
        "user_agent": config.user_agent,
        "database": config.effective()["corpus"]["database"],
        "warc": str(config.warc_folder),
        "limits": {name: value for name in LIMITS if (value := getattr(config.crawl, name))},
        "sites": [_site(config, site) for site in config.sites],
        "seeds": [{"site": seed.site, "kind": seed.kind.value, "url": seed.fetch_url} for seed in config.seeds()],
    }


def require_extractors(config: Config) -> None:
    """Raise ConfigError, naming file, site and nearest name, when a site asks for an extractor that is not there."""
    named = [site for site in config.sites if site.extractor != DEFAULT_EXTRACTOR]
    if not named:
        # All of them take long to load, and who crawls has its workers read the pages.
        return
    from pipelines.extractors import EXTRACTORS

    for site in named:
        if site.extractor not in EXTRACTORS:
            fit = sorted(name for name, one in EXTRACTORS.items() if not one.evaluation_only)
            raise ConfigError(
                f'extractor ({site.name}): there is no extractor "{site.extractor}"{nearest(site.extractor, fit)}',
                where=str(config.path or "configuration"),
                do=f"Choose one of: {', '.join(fit)}.",
            )


def render(planned: dict[str, Any], console: Console) -> None:
    """Write the plan as tables."""
    crawl = {key: planned[key] for key in ("user_agent", "database", "warc")}
    crawl |= {key: _in_units(key, value) for key, value in planned["limits"].items()}
    console.table("Crawl", ("what", "value"), crawl.items())
    header = ("name", "hosts", "languages", "delay", "max_depth", "extractor", "allow", "deny")
    console.table("Sites", header, [[_words(site[key]) for key in header] for site in planned["sites"]])
    console.table("Starts from", ("site", "kind", "url"), [tuple(seed.values()) for seed in planned["seeds"]])


def _site(config: Config, site: Site) -> dict[str, Any]:
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
    }


def _in_units(limit: str, value: Any) -> object:
    if limit == "time_limit":
        return f"{value:g} s"
    return human_size(value) if limit == "size_limit" else value


def _words(value: object) -> str:
    return " ".join(value) if isinstance(value, tuple) else str(value)
