"""Find the sources of several newspapers: their addresses, the searches, the keys in corpus.toml."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from corpus_spider.config.name_list import read_list
from corpus_spider.config.writer import add_site, set_site_keys
from corpus_spider.sites.at_once import at_once
from corpus_spider.sites.discover import MAX_REQUESTS, Discovery, discover
from corpus_spider.sites.page_request import NotFetchedError
from corpus_spider.sites.polite_client import Pace
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from corpus_spider.config.model import Config
    from corpus_spider.config.sections import SiteSettings
    from corpus_spider.config.writer import Value

LISTS = (".txt", ".csv", ".tsv")
"""Ends of the names of files with addresses. No host has such a name."""


def discover_all(
    addresses: Sequence[str], config: Config, note: Callable[[str], None]
) -> Iterator[tuple[str, Discovery | NotFetchedError]]:
    """Search several newspapers at a time. Yield each address in order with what was found, or with its error."""
    pace = Pace()

    def search(address: str) -> Discovery | NotFetchedError:
        try:
            return discover(address, config, note, MAX_REQUESTS, pace)
        except NotFetchedError as error:
            return error

    return zip(addresses, at_once(search, addresses), strict=True)


def front_pages(config: Config) -> list[str]:
    """Return the first start page of each site that is no list of pages. Raises ConfigError without any."""
    config.require_sites()
    found = [site.start[0] for site in config.sites if site.start and config.site_max_depth(site)]
    if not found:
        raise ConfigError("no site has a start page", where=str(config.path), do="Name the address of a front page.")
    return found


def addresses(given: Sequence[str], config: Config) -> list[str]:
    """Return the addresses that were named, those of sites, and those of files.

    Raises ConfigError for a file that does not exist.
    """
    sites = {site.name: site.start[0] for site in config.sites if site.start}
    named: list[str] = []
    for each in given:
        listed = each == "-" or ("://" not in each and each not in sites and Path(each).is_file())
        if not listed and each not in sites and each.endswith(LISTS):
            raise ConfigError("there is no such file", where=each, do="Name a file with an address on each line.")
        named += read_list(Path(each)) if listed else [each]
    return list(dict.fromkeys(sites.get(each) or (each if "://" in each else f"https://{each}/") for each in named))


def write(found: Discovery, config: Config) -> Path:
    """Add the site to corpus.toml, or add the new keys to the site that is already there. Return the file."""
    keys = found.site()
    own = {found.url, found.given}
    there = next((site for site in config.sites if site.name == found.name or own & set(site.start)), None)
    assert config.path is not None
    if there is None:
        add_site(config.path, keys)
    else:
        set_site_keys(config.path, there.name, _missing(found, keys, there))
    return config.path


def _missing(found: Discovery, keys: Mapping[str, Value], site: SiteSettings) -> dict[str, Value]:
    """Return the keys that were found and that the configured site lacks."""
    lists = {key: keys[key] for key in ("feeds", "sitemaps") if key in keys}
    if not (lists or site.feeds or site.sitemaps) and found.usable("section"):
        lists["start"] = found.usable("section")
    unsaid = [key for key in ("archive", "allow") if key in keys and not getattr(site, key)]
    unsaid += ["language"] if "language" in keys and not (site.language or site.languages) else []
    return lists | {key: keys[key] for key in unsaid}
