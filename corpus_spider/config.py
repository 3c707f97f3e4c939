"""corpus.toml, the environment and the command line -> one frozen, checked Config.

Precedence: command line over environment over file over default; the keys are declared in ``sections``.
"""

from __future__ import annotations

import os
import re
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, date, datetime
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import msgspec

from corpus_spider.config_values import masked_address, nearest
from corpus_spider.sections import Archive, Corpus, Crawl, Notify, Site, Texts
from corpus_spider.site_rules import hosts_elsewhere, hosts_of, seeds_of
from storage.errors import ConfigError
from storage.records import Seed, SiteModel
from storage.schedule import Schedule

RANGE_DEPTH = 1000
"""Links followed at least where only a range of days is crawled: its lists may be long, and its end bounds it."""


def program_version() -> str:
    """Return the installed version, or ``0`` in a bare checkout."""
    try:
        return version("corpus-spider")
    except PackageNotFoundError:
        return "0"


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class Config:
    """Everything a run needs to know. ``path`` is the corpus.toml it was read from, None when there was none."""

    corpus: Corpus = field(default_factory=Corpus)
    crawl: Crawl = field(default_factory=Crawl)
    sites: tuple[Site, ...] = ()
    path: Path | None = None
    notify: Notify = field(default_factory=Notify)
    archive: Archive = field(default_factory=Archive)
    others: tuple[Site, ...] = ()
    """Sites of the file that this is not about."""

    @property
    def folder(self) -> Path:
        """The folder that relative paths are relative to, absolute."""
        return (self.path.parent if self.path else Path()).resolve()

    @property
    def database_url(self) -> str:
        """The database with an absolute path in it (SQLite), or as it was given."""
        prefix, slashes, rest = self.corpus.database.partition("sqlite:///")
        return f"{prefix}{slashes}{self.folder / rest}" if slashes else self.corpus.database

    @property
    def warc_folder(self) -> Path:
        """The folder of the WARC files, absolute."""
        return self.folder / self.corpus.warc

    @property
    def workers(self) -> int:
        """How many worker processes to run."""
        return self.crawl.workers or _processors()

    @property
    def user_agent(self) -> str:
        """Who the crawler says it is, always with the contact."""
        return self.corpus.user_agent or f"corpus-spider/{program_version()} (+{self.corpus.contact or 'no contact'})"

    def require_contact(self) -> None:
        """Raise ConfigError when nobody answers for the crawl."""
        if not self.corpus.contact:
            raise ConfigError(
                "corpus.contact is missing; a crawl must name somebody whom webmasters can write to",
                where=str(self.path or "configuration"),
                do='Add contact = "you@example.org" to [corpus], or set CORPUS_SPIDER_CORPUS_CONTACT.',
            )

    def require_sites(self) -> None:
        """Raise ConfigError when there is nothing to crawl."""
        if not self.sites:
            do = "Add a newspaper, such as by `corpus-spider sites discover https://… --write`."
            raise ConfigError("there is no [[site]]", where=str(self.path or "configuration"), do=do)

    def require_corpus(self) -> None:
        """Raise ConfigError when nothing has made the SQLite file yet; a server is asked when it is connected to."""
        _, sqlite, file = self.database_url.partition("sqlite:///")
        if sqlite and not Path(file).exists():
            raise ConfigError("there is no corpus yet", where=file, do="Run `corpus-spider crawl` first.")

    def site(self, name: str) -> Site:
        """Return the site of that name; raise ConfigError, with the nearest name, when there is none."""
        found = next((site for site in self.sites if site.name == name), None)
        if found is None:
            names = [site.name for site in self.sites]
            raise ConfigError(
                f'there is no site "{name}"{nearest(name, names)}',
                where=str(self.path or "configuration"),
                do=f"Sites: {', '.join(names) or 'none'}.",
            )
        return found

    def only(self, names: tuple[str, ...]) -> Config:
        """Return the same configuration with these sites alone; every site when no name is given."""
        if not names:
            return self
        chosen = tuple(self.site(name) for name in dict.fromkeys(names))
        left = tuple(site for site in self.sites if site not in chosen)
        return replace(self, sites=chosen, others=self.others + left)

    def site_delay(self, site: Site) -> float:
        """Seconds between two requests to a host of the site."""
        return self.crawl.delay if site.delay is None else site.delay

    def site_max_depth(self, site: Site) -> int:
        """Links followed from a start page of the site; more where a range of days bounds the crawl."""
        if site.max_depth is not None:
            return site.max_depth
        return max(self.crawl.max_depth, RANGE_DEPTH) if self.crawl.since else self.crawl.max_depth

    def site_languages(self, site: Site) -> Texts:
        """Languages wanted from the site: its own, else those of the corpus."""
        own = (site.language, *site.languages) if site.language else site.languages
        return tuple(dict.fromkeys(own)) or self.corpus.languages

    def site_model(self, site: Site) -> SiteModel:
        """Return the rules of the site; the version is a digest of them and of the program's version."""
        model = SiteModel(
            site=site.name,
            hosts=hosts_of(site),
            allow=site.allow,
            deny=site.deny,
            languages=self.site_languages(site),
            language_backend=self.crawl.language_backend,
            extractor=site.extractor,
            min_chars=self.crawl.min_chars,
            parameters=() if site.p is None else (("p", site.p),),
            since=self.crawl.since,
            until=self.crawl.until,
            reservations=site.reservations or self.crawl.reservations,
            elsewhere=self._elsewhere(site),
        )
        rules = {name: value for name, value in asdict(model).items() if name != "template"}
        return replace(model, version=_digest((program_version(), rules)))

    def _elsewhere(self, site: Site) -> Texts:
        return hosts_elsewhere(site, self.sites + self.others)

    def schedule(self) -> Schedule:
        """Return when what is fetched is read again, and a digest of the rules by which each site's links are taken."""
        days = self.crawl.since, self.crawl.until
        rules = {
            site.name: (
                *(hosts_of(site), site.allow, site.deny, self.site_max_depth(site), days),
                *(*_rendering(site), *self._elsewhere(site)),
            )
            for site in self.sites
        }
        return Schedule(tuple(sorted(self.crawl.reread)), {name: _digest(rule) for name, rule in rules.items()})

    def seeds(self, *, days: bool = True) -> list[Seed]:
        """Return every start page, feed and sitemap of every site, and archives of ``days``, each once a site."""
        archives = {site.name: self._archive_pages(site) if days else () for site in self.sites}
        depths = {site.name: self.site_max_depth(site) for site in self.sites}
        seeds = (seed for site in self.sites for seed in seeds_of(site, archives[site.name], depths[site.name]))
        return list({(seed.site, seed.url): seed for seed in seeds}.values())

    def _archive_pages(self, site: Site) -> Texts:
        """Return the archive pages of the days that are crawled, the newest first; none without a first day."""
        if not site.archive or not self.crawl.since:
            return ()
        from pipelines.discovery.period import archive_pages

        last = date.fromisoformat(self.crawl.until) if self.crawl.until else datetime.now(UTC).date()
        return tuple(archive_pages(site.archive, date.fromisoformat(self.crawl.since), last))

    def effective(self) -> dict[str, Any]:
        """Return all settings as plain values, to print and to store with a run; the database password is masked."""
        corpus = asdict(self.corpus) | {
            "database": masked(self.database_url),
            "warc": str(self.warc_folder),
            "user_agent": self.user_agent,
        }
        crawl = asdict(self.crawl) | {"workers": self.workers}
        sites = [
            {key: value for key, value in asdict(site).items() if value not in ("", (), None) and value is not False}
            for site in self.sites
        ]
        kept, told = asdict(self.archive), self._notify_shown()
        plain: dict[str, Any] = msgspec.json.decode(
            msgspec.json.encode({"corpus": corpus, "crawl": crawl, "archive": kept, "notify": told, "site": sites})
        )
        return plain

    def _notify_shown(self) -> dict[str, Any]:
        told = {"smtp": masked(self.notify.smtp), "webhook": masked_address(self.notify.webhook)}
        return asdict(self.notify) | told


def _digest(value: object) -> str:
    return sha256(msgspec.json.encode(value)).hexdigest()[:12]


def masked(database_url: str) -> str:
    """Return the URL with its password, and any in its query, replaced by ``***``."""
    if database_url.startswith("sqlite"):
        return database_url
    hidden = re.sub(r"^([^:]+://[^:/@]*):.*@", r"\1:***@", database_url)
    return re.sub(r"(?i)([?&][^=&]*password=)[^&]*", r"\1***", hidden)


def _rendering(site: Site) -> Texts:
    """What is added to the rules of a site that is rendered: its pages are others than before."""
    return ("render",) if site.render else ()
