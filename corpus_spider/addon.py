"""Scrapy add-on: apply corpus.toml to the settings of `corpus-spider crawl`, `scrapy crawl news`, `scrapy shell`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from corpus_spider.config.loader import find, load
from corpus_spider.rendering.chromium import find_browser
from corpus_spider.terminal.console import Console
from storage.errors import ConfigError

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from corpus_spider.config.model import Config
    from corpus_spider.config.sections import SiteSettings


class CorpusAddon:
    """Reads the configuration once and sets the Scrapy settings.

    ``CORPUS_CONFIG`` (setting, ``-s CORPUS_CONFIG=PATH``) names the file. Without it CORPUS_SPIDER_CONFIG or
    ./corpus.toml is read. Without any file the settings module applies, so `scrapy list` works anywhere.
    """

    @classmethod
    def update_pre_crawler_settings(cls, settings: BaseSettings) -> None:
        """Set user agent, delays, limits and private addresses. Scrapy calls this before it makes a crawler.

        A configuration error ends the program with its message. Scrapy would show a traceback.
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
            # The priority of an add-on is lower than that of the settings module, whose defaults would win.
            settings.set(name, value, "project")


def loaded(settings: BaseSettings) -> Config:
    """Load the configuration that the settings name. ``CORPUS_SITES`` selects some of its sites."""
    given = settings.get("CORPUS_CONFIG_OBJECT")
    if given is not None:
        config: Config = given
        return config
    path = settings.get("CORPUS_CONFIG")
    config = load(Path(path) if path else None)
    return config.only(tuple(settings.getlist("CORPUS_SITES")))


def crawl_settings(config: Config) -> dict[str, Any]:
    """Translate the configuration into Scrapy settings (pure)."""
    crawl = config.crawl
    # The browser asks for pages in the first language of their site.
    rendered = {site.name: next(iter(config.site_languages(site)), "") for site in config.sites if site.render}
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
        "CORPUS_RENDER": rendered,
        "CORPUS_BROWSER": str(find_browser(crawl.browser, os.environ) or "") if rendered else "",
        "CORPUS_ALLOW_PRIVATE": list(crawl.allow_private),
        "CORPUS_PORTS": sorted({port for seed in config.seeds() if (port := urlsplit(seed.fetch_url).port)}),
    }


def slot_of(config: Config, site: SiteSettings) -> dict[str, Any]:
    """Return the downloader's settings for each host of a site."""
    return {"delay": config.site_delay(site), "concurrency": config.crawl.per_host, "jitter": 0}


def _slots(config: Config) -> dict[str, dict[str, Any]]:
    """Return the downloader's settings by host."""
    slots = {}
    for site in config.sites:
        settings = slot_of(config, site)
        for host in (host.strip("[]") for host in config.site_model(site).hosts):
            slots[host] = slots[f"www.{host}"] = settings
    return slots
