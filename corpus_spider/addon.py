"""Lays corpus.toml over the Scrapy settings, for `corpus-spider crawl`, `scrapy crawl news` and `scrapy shell`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from corpus_spider.config_load import find, load
from corpus_spider.console import Console
from corpus_spider.rendering.chromium import find_browser
from storage.errors import ConfigError

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from corpus_spider.config import Config
    from corpus_spider.sections import Site


class CorpusAddon:
    """Reads the configuration once and sets what Scrapy needs of it.

    ``CORPUS_CONFIG`` (setting, ``-s CORPUS_CONFIG=PATH``) names the file; without it CORPUS_SPIDER_CONFIG or
    ./corpus.toml is read. With no file at all the settings module stands as it is, so that `scrapy list` works
    anywhere.
    """

    @classmethod
    def update_pre_crawler_settings(cls, settings: BaseSettings) -> None:
        """Set user agent, delays, limits and the list of private addresses (Scrapy calls this before any crawler is
        made). A configuration that is wrong ends the program with its message: Scrapy would show a traceback.
        """
        named = settings.get("CORPUS_CONFIG_OBJECT") or settings.get("CORPUS_CONFIG")
        if not named and find(None, os.environ) is None:
            return
        try:
            laid = crawl_settings(loaded(settings))
        except ConfigError as error:
            Console().error(f"corpus-spider: {error}")
            raise SystemExit(error.exit_code) from None
        for name, value in laid.items():
            # With the priority of the settings module: with that of addons, which is lower, its defaults would win.
            settings.set(name, value, "project")


def loaded(settings: BaseSettings) -> Config:
    """Return the configuration the settings name; ``CORPUS_SITES`` keeps some of its sites."""
    given = settings.get("CORPUS_CONFIG_OBJECT")
    if given is not None:
        config: Config = given
        return config
    path = settings.get("CORPUS_CONFIG")
    config = load(Path(path) if path else None)
    return config.only(tuple(settings.getlist("CORPUS_SITES")))


def crawl_settings(config: Config) -> dict[str, Any]:
    """Translate the configuration into Scrapy's words (pure)."""
    crawl = config.crawl
    return {
        "USER_AGENT": config.user_agent,
        "ROBOTSTXT_USER_AGENT": config.user_agent,
        "DOWNLOAD_DELAY": crawl.delay,
        "CONCURRENT_REQUESTS": crawl.concurrency,
        "CONCURRENT_REQUESTS_PER_DOMAIN": crawl.per_host,
        "DOWNLOAD_TIMEOUT": crawl.timeout,
        "DOWNLOAD_SLOTS": _slots(config),
        "DOWNLOAD_VERIFY_CERTIFICATES": crawl.verify_certificates,
        "AUTOTHROTTLE_ENABLED": crawl.throttle,
        "CORPUS_MAX_BODY": crawl.max_body,
        "CORPUS_RENDER": (rendered := {site.name: _language(config, site) for site in config.sites if site.render}),
        "CORPUS_BROWSER": str(find_browser(crawl.browser, os.environ) or "") if rendered else "",
        "CORPUS_ALLOW_PRIVATE": list(crawl.allow_private),
        "CORPUS_PORTS": sorted({port for seed in config.seeds() if (port := urlsplit(seed.fetch_url).port)}),
    }


def _language(config: Config, site: Site) -> str:
    return next(iter(config.site_languages(site)), "")


def slot_of(config: Config, site: Site) -> dict[str, Any]:
    """Return what the downloader keeps to at each host of a site."""
    return {"delay": config.site_delay(site), "concurrency": config.crawl.per_host, "jitter": 0}


def _slots(config: Config) -> dict[str, dict[str, Any]]:
    """Delays of sites that differ from the default, by host, as the downloader keeps its slots."""
    slots = {}
    for site in config.sites:
        settings = slot_of(config, site)
        for host in (host.strip("[]") for host in config.site_model(site).hosts):
            slots[host] = slots[f"www.{host}"] = settings
    return slots
