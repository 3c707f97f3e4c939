"""Rules of a batch: which pages of the archives are wanted, and how they are processed. All parts share them."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from corpus_spider.archive.adoption import PageSites
from pipelines.urls.url import parse
from storage.blocklist.tombstones import Blocklist
from storage.errors import ConfigError
from storage.reasons import REMOVED
from storage.records import SiteModel

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from corpus_spider.config.model import Config
    from pipelines.urls.url import Address

OUT_OF_RANGE = "out_of_range"
"""Reason of skipped pages."""


@dataclass(frozen=True)
class BatchRules:
    """Rules of a batch. Two tasks with the same rules make the same part of an archive."""

    config: Config
    """Limits of a page. Its sites are not used."""
    sites: Config | None = None
    """Configuration whose sites are the wanted ones; None: all pages are wanted. Learned models are not used."""
    model: SiteModel = field(default_factory=SiteModel)
    """Model of pages that belong to no site."""
    hosts: tuple[str, ...] = ()
    """Wanted hosts with their subdomains; empty: all."""
    urls: tuple[str, ...] = ()
    """Regular expressions. A URL must match one of them; empty: all do."""
    since: str = ""
    """First day of the captures (ISO date); empty: no limit. ``until``: the last one."""
    until: str = ""
    skim: bool = True
    """Whether pages without text in a wanted language are dropped before they are parsed."""
    blocklist: Blocklist = field(default_factory=Blocklist)

    @cached_property
    def _sites(self) -> PageSites | None:
        return PageSites(self.sites) if self.sites else None

    @cached_property
    def _models(self) -> dict[str, SiteModel]:
        return self.sites.site_models() if self.sites else {}

    @cached_property
    def _patterns(self) -> list[re.Pattern[str]]:
        return [re.compile(pattern) for pattern in self.urls]

    def plain(self) -> dict[str, Any]:
        """Return the rules as plain JSON values, for the manifest. The blocklist is named by its digest."""
        blocked = [sorted(values) for values in asdict(self.blocklist).values()]
        return {
            "sites": sorted(self._models),
            "models": sorted({model.version for model in self._models.values()}),
            "extractor": self.model.extractor,
            "languages": list(self.model.languages),
            "min_chars": self.model.min_chars,
            "reservations": self.model.reservations,
            "hosts": list(self.hosts),
            "urls": list(self.urls),
            "since": self.since,
            "until": self.until,
            "skim": self.skim,
            "removals": _digest(blocked) if any(blocked) else "",
        }

    @property
    def extractors(self) -> tuple[str, ...]:
        """Extractors of all pages."""
        return (self.model.extractor, *(model.extractor for model in self._models.values()))

    @property
    def digest(self) -> str:
        """Digest of the rules: parts of one release have the same."""
        return _digest(self.plain())

    def is_wanted(self, address: str) -> bool:
        """Return whether a page of this address may be wanted, before its body is read."""
        parsed = parse(address)
        if parsed is None or (self.hosts and not _is_below(parsed.host.partition(":")[0], self.hosts)):
            return False
        if self._patterns and not any(pattern.search(address) for pattern in self._patterns):
            return False
        return self._sites is None or self._sites.seen(address) is not None

    def refusal(self, address: str, at: datetime) -> str:
        """Return the reason why a page that may be wanted makes no document; empty: it may make one."""
        day = at.date().isoformat()
        if (self.since and day < self.since) or (self.until and day > self.until):
            return OUT_OF_RANGE
        parsed = parse(address)
        return REMOVED if parsed and self.blocklist.has_address(parsed.canonical) else ""

    def page(self, address: str) -> tuple[str, str, SiteModel]:
        """Return the canonical URL of a wanted page, its site, and the model to process it with."""
        parsed: Address | None = parse(address)
        assert parsed is not None, address
        seen = self._sites.seen(address) if self._sites else None
        if seen:
            return seen.url, seen.site, self._models[seen.site]
        return parsed.canonical, parsed.host.removeprefix("www."), self.model


def rules_of(
    config: Config,
    *,
    languages: tuple[str, ...] = (),
    extractor: str = "auto",
    hosts: tuple[str, ...] = (),
    sites_from: Path | None = None,
    urls: tuple[str, ...] = (),
    since: str = "",
    until: str = "",
    skim: bool = True,
) -> BatchRules:
    """Return the rules of a batch. The removals are those of the configured corpus, if it exists.

    ``sites_from``: a corpus.toml, whose sites are wanted, or a list of hosts or addresses, one a line. Raises
    ConfigError for a value that is wrong.
    """
    from corpus_spider.config.loader import load
    from corpus_spider.config.name_list import read_list
    from pipelines.extractors import registry

    registry.get(extractor)
    for pattern in urls:
        try:
            re.compile(pattern)
        except re.error as error:
            raise ConfigError(
                f"not a regular expression: {error}",
                where=f"--url-pattern {pattern}",
                do="See the regular expressions of Python.",
            ) from error
    sites = None
    if sites_from and sites_from.suffix == ".toml":
        sites = load(sites_from)
        sites.require_sites()
    elif sites_from:
        hosts += tuple(read_list(sites_from))
    wanted = tuple(_host(each) for each in hosts)
    model = SiteModel(
        languages=languages or config.corpus.languages,
        extractor=extractor,
        min_chars=config.crawl.min_chars,
        reservations=config.crawl.reservations,
    )
    return BatchRules(config, sites, model, wanted, urls, since, until, skim, _removals(config))


def _removals(config: Config) -> Blocklist:
    from storage.corpus import Corpus

    if config.path is None:
        return Blocklist()
    try:
        config.require_corpus()
    except ConfigError:
        return Blocklist()
    with Corpus.open(config.database_url, read_only=True) as corpus:
        return corpus.removals.blocklist()


def _host(name: str) -> str:
    """Return the host of a host or address, without ``www.``. Raises ConfigError for neither."""
    parsed = parse(name if "://" in name else f"https://{name}/")
    if parsed is None:
        raise ConfigError("not a host", where=name, do="Write vnexpress.net, or an address.")
    return parsed.host.partition(":")[0].removeprefix("www.")


def _is_below(host: str, hosts: tuple[str, ...]) -> bool:
    return any(host == each or host.endswith(f".{each}") for each in hosts)


def _digest(plain: Any) -> str:
    return sha256(json.dumps(plain, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:32]
