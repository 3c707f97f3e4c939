"""Hosts and seeds of a [[site]], derived from its URLs."""

from __future__ import annotations

from bisect import bisect_left
from itertools import takewhile
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from storage.errors import ConfigError
from storage.records import Kind, Seed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from corpus_spider.config.sections import SiteSettings


def hosts_of(site: SiteSettings) -> tuple[str, ...]:
    """Return the hosts of a site: those of its sources and its key ``hosts``, normalised, without ``www.``."""
    from pipelines.urls.url import normalise_host, split_port

    authorities = (urlsplit(url).netloc.rpartition("@")[2] for url in (*site.start, *site.feeds, *site.sitemaps))
    written = (*(parts[0] for each in authorities if (parts := split_port(each))), *site.hosts)
    named = ((normalise_host(host) or host.lower()).removeprefix("www.") for host in written)
    return tuple(dict.fromkeys(host for host in named if host))


class HostIndex:
    """The hosts of all sites, sorted by their reversed names, so that the subdomains of a host are neighbours."""

    def __init__(self, sites: Iterable[SiteSettings]) -> None:
        self._reversed = sorted({host[::-1] for site in sites for host in hosts_of(site)})

    def elsewhere(self, own: Sequence[str]) -> tuple[str, ...]:
        """Return the subdomains of a site's hosts that belong to other sites.

        ``e.paper.example`` is not part of ``paper.example`` if it is a site of its own.
        """
        found = {host for name in own for host in self._subdomains(name)}
        return tuple(sorted(found.difference(own)))

    def _subdomains(self, host: str) -> Iterator[str]:
        ending = f"{host[::-1]}."
        begin = bisect_left(self._reversed, ending)
        following = (self._reversed[place] for place in range(begin, len(self._reversed)))
        return (name[::-1] for name in takewhile(lambda name: name.startswith(ending), following))


def seeds_of(site: SiteSettings, archives: Iterable[str], depth: int) -> list[Seed]:
    """Return the start pages, feeds, sitemaps and archive pages of a site as seeds.

    At ``depth`` 0 no link is followed: the start pages are a list of pages, not sources. Raises ConfigError for an
    invalid URL.
    """
    from pipelines.urls.url import canonicalise, fetchable, host_of

    listed = ((Kind.PAGE, (*site.start, *archives)), (Kind.FEED, site.feeds), (Kind.SITEMAP, site.sitemaps))
    seeds = []
    for kind, address in ((kind, address) for kind, addresses in listed for address in addresses):
        key, ask = canonicalise(address), fetchable(address)
        if key is None or ask is None:
            raise ConfigError(f"invalid URL: {address}", where=f"site {site.name}", do="Correct or remove this URL.")
        alone = depth == 0 and kind is Kind.PAGE
        seeds.append(Seed(url=key, fetch_url=ask, site=site.name, host=host_of(key), kind=kind, listed=alone))
    return seeds
