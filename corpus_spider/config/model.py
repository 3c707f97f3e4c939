"""The configuration: one frozen, checked `Config`, merged from corpus.toml, the environment and the command line.

Precedence: command line, environment, file, default. The module ``sections`` declares the keys.
"""

from __future__ import annotations

import os
import re
import socket
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, date, datetime
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict
from urllib.parse import unquote, urlsplit

import msgspec

from corpus_spider.config.sections import (
    DEFAULT_FOLDER,
    ArchiveSettings,
    CorpusSettings,
    CrawlSettings,
    LogSettings,
    MonitorSettings,
    NotifySettings,
    PluginSettings,
    SiteSettings,
    Texts,
)
from corpus_spider.config.seeds import HostIndex, hosts_of, seeds_of
from corpus_spider.config.selections import table_of
from corpus_spider.config.values import first_names, masked_address, nearest
from corpus_spider.config.version import program_version
from storage.disk import read_mark
from storage.errors import ConfigError
from storage.frontier.recrawl_schedule import Schedule
from storage.records import Seed, SiteModel, SiteRules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.runtime.workers import WorkerLimits
    from storage.documents.selection import Selection
    from storage.warc import OriginalStore

MACHINE = "locks/machine"
"""File in the WARC folder with the name of the machine that has it."""
LEAST_SECRET = 6
"""Characters of a password that is masked wherever it is in a log."""
RANGE_DEPTH = 1000
"""Minimum depth of a crawl limited to a range of days. Its lists may be long, and the last day bounds it."""


class EffectiveSettings(TypedDict):
    """Effective settings by section of corpus.toml, without passwords. Settings of sites only if they are set."""

    corpus: dict[str, Any]
    crawl: dict[str, Any]
    archive: dict[str, Any]
    notify: dict[str, Any]
    log: dict[str, Any]
    monitor: dict[str, Any]
    plugins: NotRequired[dict[str, Any]]
    selection: NotRequired[dict[str, dict[str, Any]]]
    site: list[dict[str, Any]]


@dataclass(frozen=True)
class Config:
    """All settings of a run. ``path`` is the corpus.toml it was read from, None without a file."""

    corpus: CorpusSettings = field(default_factory=CorpusSettings)
    crawl: CrawlSettings = field(default_factory=CrawlSettings)
    sites: tuple[SiteSettings, ...] = ()
    path: Path | None = None
    notify: NotifySettings = field(default_factory=NotifySettings)
    archive: ArchiveSettings = field(default_factory=ArchiveSettings)
    others: tuple[SiteSettings, ...] = ()
    """Sites of the file that are not selected."""
    log: LogSettings = field(default_factory=LogSettings)
    monitor: MonitorSettings = field(default_factory=MonitorSettings)
    plugins: PluginSettings = field(default_factory=PluginSettings)
    selections: Mapping[str, Selection] = field(default_factory=dict, hash=False)
    """Named selections of documents, in the order of the file."""

    @property
    def folder(self) -> Path:
        """Absolute base folder of relative paths."""
        return (self.path.parent if self.path else Path()).resolve()

    @property
    def database_url(self) -> str:
        """URL of the database. The path of SQLite is absolute."""
        prefix, slashes, rest = self.corpus.database.partition("sqlite:///")
        return f"{prefix}{slashes}{self.folder / rest}" if slashes else self.corpus.database

    @property
    def database_file(self) -> Path | None:
        """Absolute path of the SQLite file; None for PostgreSQL. Every sign is part of its name, as in `parse_url`."""
        _, sqlite, file = self.database_url.partition("sqlite:///")
        return Path(file) if sqlite else None

    @property
    def warc_folder(self) -> Path:
        """Absolute folder of the WARC files. With an address, they are written there before they are uploaded."""
        return self.folder / (DEFAULT_FOLDER if self.warc_address else self.corpus.warc)

    @property
    def locks_folder(self) -> Path:
        """Absolute folder of the locks of sites, for SQLite."""
        return self.warc_folder / "locks"

    @property
    def warc_address(self) -> str:
        """Address of the WARC files in object storage; "" if they are in a folder."""
        return self.corpus.warc if "://" in self.corpus.warc else ""

    @property
    def originals(self) -> OriginalStore:
        """The WARC files."""
        from storage.warc import OriginalStore
        from storage.warc.objects import objects_at

        address = self.warc_address.rstrip("/")
        return OriginalStore(self.warc_folder, objects_at(address) if address else None, address)

    @property
    def machine(self) -> str:
        """Name of the machine that has this WARC folder; "" if each machine of the corpus reaches all files.

        Only a corpus in PostgreSQL with local files has several. The folder keeps the name that it had first: a
        container has another host name each time.
        """
        if self.warc_address or self.database_file:
            return ""
        return self.corpus.machine or read_mark(self.warc_folder / MACHINE) or self.host

    @property
    def host(self) -> str:
        """Name of this machine, as `worker list` shows it."""
        return self.corpus.machine or socket.gethostname()

    @property
    def worker_limits(self) -> WorkerLimits:
        """Limits of one page in a worker process."""
        from pipelines.runtime.workers import WorkerLimits

        return WorkerLimits(self.crawl.page_timeout, self.crawl.page_memory)

    @property
    def index_folder(self) -> Path:
        """Absolute folder of the search index."""
        return self.folder / self.corpus.index

    @property
    def log_file(self) -> Path | None:
        """Absolute path of the log file, None without one."""
        return self.folder / self.log.file if self.log.file else None

    @property
    def metrics_file(self) -> Path | None:
        """Absolute path of the text file for Prometheus, None without one."""
        return self.folder / self.monitor.metrics if self.monitor.metrics else None

    def secrets(self) -> dict[str, str]:
        """Return what to write instead of each secret: passwords, the webhook, credentials of object storage."""
        from storage.credentials import secrets

        hidden = {self.database_url: masked(self.database_url), self.notify.smtp: masked(self.notify.smtp)}
        hidden[self.notify.webhook] = masked_address(self.notify.webhook)
        for address in (self.corpus.database, self.notify.smtp):
            password = urlsplit(address if "://" in address else f"//{address}").password or ""
            # A shorter one would also be a part of ordinary words.
            hidden |= {each: "***" for each in (password, unquote(password)) if len(each) >= LEAST_SECRET}
        hidden |= dict.fromkeys(secrets(), "***")
        return {secret: mask for secret, mask in hidden.items() if secret != mask}

    @cached_property
    def _host_index(self) -> HostIndex:
        """Index of all hosts. It is built once: a search through all sites for each site would be quadratic."""
        return HostIndex(self.sites + self.others)

    @property
    def workers(self) -> int:
        """Number of worker processes."""
        processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        return self.crawl.workers or processors or 1

    @property
    def user_agent(self) -> str:
        """User agent, always with the contact."""
        return self.corpus.user_agent or f"corpus-spider/{program_version()} (+{self.corpus.contact or 'no contact'})"

    def require_contact(self) -> None:
        """Raise ConfigError if there is no contact."""
        if not self.corpus.contact:
            raise ConfigError(
                "corpus.contact is missing; webmasters need a contact for the crawl",
                where=str(self.path or "configuration"),
                do='Add contact = "you@example.org" to [corpus], or set CORPUS_SPIDER_CORPUS_CONTACT.',
            )

    def require_sites(self) -> None:
        """Raise ConfigError if there is no site."""
        if not self.sites:
            do = "Add a newspaper, for example with `corpus-spider sites discover https://… --write`."
            raise ConfigError("there is no [[site]]", where=str(self.path or "configuration"), do=do)

    def require_corpus(self) -> None:
        """Raise ConfigError if the SQLite file does not exist yet. PostgreSQL is checked when it is opened."""
        if not self.may_have_corpus():
            where = str(self.database_file)
            raise ConfigError("there is no corpus yet", where=where, do="Run `corpus-spider crawl` first.")

    def may_have_corpus(self) -> bool:
        """Return whether the SQLite file exists. True for PostgreSQL, which is checked when it is opened."""
        return self.database_file is None or self.database_file.exists()

    @property
    def site_names(self) -> tuple[str, ...]:
        """Names of the sites."""
        return tuple(site.name for site in self.sites)

    def site(self, name: str) -> SiteSettings:
        """Return the site of that name. Raises ConfigError, with the nearest name, if there is none."""
        found = next((site for site in self.sites if site.name == name), None)
        if found is None:
            raise ConfigError(
                f'there is no site "{name}"{nearest(name, self.site_names)}',
                where=str(self.path or "configuration"),
                do=f"Sites: {first_names(self.site_names)}.",
            )
        return found

    def site_at(self, url: str) -> SiteSettings | None:
        """Return the site whose host, or the nearest domain above it, is that of a URL; None if there is none."""
        from pipelines.urls.url import host_of, split_port

        named = split_port(host_of(url))
        host = named[0].removeprefix("www.") if named else ""
        fit = ((len(own), site) for site in self.sites for own in hosts_of(site) if f".{host}".endswith(f".{own}"))
        return max(fit, key=lambda pair: pair[0], default=(0, None))[1]

    def only(self, names: tuple[str, ...]) -> Config:
        """Return the configuration with only these sites; with all sites if no name is given."""
        if not names:
            return self
        chosen = tuple(self.site(name) for name in dict.fromkeys(names))
        left = tuple(site for site in self.sites if site.name not in names)
        return replace(self, sites=chosen, others=self.others + left)

    def site_delay(self, site: SiteSettings) -> float:
        """Return the seconds between two requests to a host of the site."""
        return self.crawl.delay if site.delay is None else site.delay

    def site_max_depth(self, site: SiteSettings) -> int:
        """Return the maximum number of links from a start page of the site."""
        if site.max_depth is not None:
            return site.max_depth
        return max(self.crawl.max_depth, RANGE_DEPTH) if self.crawl.since else self.crawl.max_depth

    def site_licence(self, site: SiteSettings) -> str | None:
        """Return the licence of the texts of the site: its own, else that of the corpus."""
        return site.licence or self.corpus.licence

    def site_licences(self) -> dict[str, str | None]:
        """Return the licence of the texts of each site, by its name."""
        return {site.name: self.site_licence(site) for site in self.sites}

    def site_languages(self, site: SiteSettings) -> Texts:
        """Return the wanted languages of the site: its own, else those of the corpus."""
        own = (site.language, *site.languages) if site.language else site.languages
        return tuple(dict.fromkeys(own)) or self.corpus.languages

    def site_model(self, site: SiteSettings) -> SiteModel:
        """Return the rules of the site. Their version is a digest of the rules and the program version."""
        hosts = hosts_of(site)
        model = SiteModel(
            site=site.name,
            hosts=hosts,
            allow=site.allow,
            deny=site.deny,
            languages=self.site_languages(site),
            extractor=site.extractor,
            min_chars=self.crawl.min_chars,
            parameters=() if site.p is None else (("p", site.p),),
            since=self.crawl.since,
            until=self.crawl.until,
            reservations=site.reservations or self.crawl.reservations,
            elsewhere=self._host_index.elsewhere(hosts),
            timezone=site.timezone,
            rules=SiteRules(**asdict(site.rules)),
        )
        # Without selectors the digest stays that of earlier versions.
        left_out = {"template"} if model.rules.given else {"template", "rules"}
        rules = {name: value for name, value in asdict(model).items() if name not in left_out}
        return replace(model, version=_digest((program_version(), rules)))

    def site_models(self) -> dict[str, SiteModel]:
        """Return the rules of each site, by its name."""
        return {site.name: self.site_model(site) for site in self.sites}

    def rule_fingerprints(self) -> dict[str, str]:
        """Return the fingerprint of the rules of each site; "" for a site without rules."""
        return {site.name: SiteRules(**asdict(site.rules)).fingerprint for site in self.sites}

    def schedule(self) -> Schedule:
        """Return the ages of recrawls, and for each site a digest of the rules that select its links."""
        days = self.crawl.since, self.crawl.until
        hosts = {site.name: hosts_of(site) for site in self.sites}
        rules = {
            site.name: (
                *(hosts[site.name], site.allow, site.deny, self.site_max_depth(site), days),
                # A rendered page has other links than before.
                *(("render",) if site.render else ()),
                *(("feeds_only",) if site.feeds_only else ()),
                *self._host_index.elsewhere(hosts[site.name]),
            )
            for site in self.sites
        }
        return Schedule(tuple(sorted(self.crawl.reread)), {name: _digest(rule) for name, rule in rules.items()})

    def link_rules(self) -> dict[str, str]:
        """Return for each site a digest of the rules that decide which URLs belong to it, and how they are read."""
        digests, models = {}, self.site_models()
        for site in self.sites:
            one = models[site.name]
            rules = (one.hosts, one.allow, one.deny, one.elsewhere, *(("render",) if site.render else ()))
            digests[site.name] = _digest(rules)
        return digests

    def seeds(self, *, days: bool = True) -> list[Seed]:
        """Return the sources of all sites, each once per site. With ``days`` they include archive pages by day."""
        archives = {site.name: self._archive_pages(site) if days else () for site in self.sites}
        depths = {site.name: self.site_max_depth(site) for site in self.sites}
        seeds = (seed for site in self.sites for seed in seeds_of(site, archives[site.name], depths[site.name]))
        return list({(seed.site, seed.url): seed for seed in seeds}.values())

    def _archive_pages(self, site: SiteSettings) -> Texts:
        """Return the archive pages of the crawled days, newest first; none without a first day."""
        if not site.archive or not self.crawl.since:
            return ()
        from pipelines.discovery.date_range import archive_pages

        last = date.fromisoformat(self.crawl.until) if self.crawl.until else datetime.now(UTC).date()
        return tuple(archive_pages(site.archive, date.fromisoformat(self.crawl.since), last))

    def effective(self) -> EffectiveSettings:
        """Return all settings as plain values, to print and to store with a run. Passwords are masked."""
        corpus = asdict(self.corpus) | {
            "database": masked(self.database_url),
            "warc": self.warc_address or str(self.warc_folder),
            "user_agent": self.user_agent,
        }
        crawl = asdict(self.crawl) | {"workers": self.workers}
        sites = [_given(_given(asdict(site)) | {"rules": _given(asdict(site.rules))}) for site in self.sites]
        secrets = {"smtp": masked(self.notify.smtp), "webhook": masked_address(self.notify.webhook)}
        settings = {"corpus": corpus, "crawl": crawl, "archive": asdict(self.archive)}
        settings |= {"notify": asdict(self.notify) | secrets, "log": asdict(self.log), "monitor": asdict(self.monitor)}
        settings |= {"plugins": given} if (given := _given(asdict(self.plugins))) else {}
        if self.selections:
            settings["selection"] = {name: table_of(each) for name, each in self.selections.items()}
        plain: EffectiveSettings = msgspec.json.decode(msgspec.json.encode(settings | {"site": sites}))
        return plain


def _given(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a site without those that are empty or off."""
    return {key: value for key, value in values.items() if value not in ("", (), None, {}) and value is not False}


def _digest(value: object) -> str:
    return sha256(msgspec.json.encode(value)).hexdigest()[:12]


def masked(database_url: str) -> str:
    """Return the URL with ``***`` for its password, in the authority or in the query."""
    if database_url.startswith("sqlite"):
        return database_url
    hidden = re.sub(r"^([^:]+://[^:/@]*):.*@", r"\1:***@", database_url)
    return re.sub(r"(?i)([?&][^=&]*password=)[^&]*", r"\1***", hidden)
