"""Sections of corpus.toml. Each key is declared here once, with its type, default, check and explanation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, get_args, get_type_hints

import msgspec

from corpus_spider.config.values import (
    Key,
    archive_address,
    contact_address,
    css_selector,
    database_url,
    doi,
    extractor_name,
    file_name,
    header_text,
    host_and_port,
    host_name,
    iso_day,
    language_code,
    mail_address,
    metrics_file,
    occasion,
    parse_duration,
    plain_line,
    plugin_name,
    regular_expression,
    reservation_policy,
    retention,
    site_name,
    smtp_server,
    time_zone,
    warc_place,
    web_address,
)
from storage.frontier.recrawl_schedule import DAY

Seconds = Annotated[float, msgspec.Meta(ge=0, le=86_400)]
Count = Annotated[int, msgspec.Meta(ge=0, le=10**12)]
Workers = Annotated[int, msgspec.Meta(ge=0, le=1024)]
Positive = Annotated[int, msgspec.Meta(ge=1, le=10**15)]
MIB = 2**20
GIB = 2**30
MAX_BYTE_COUNT = 2**50
Size = Annotated[int, msgspec.Meta(ge=1, le=MAX_BYTE_COUNT)]
Reserve = Annotated[int, msgspec.Meta(ge=0, le=MAX_BYTE_COUNT)]
DEFAULT_EXTRACTOR, DEFAULT_FOLDER = "auto", "warc"
# A worker needs about 100 MiB for its imports alone.
WorkerMemory = Annotated[int, msgspec.Meta(ge=256 * MIB, le=MAX_BYTE_COUNT)]
FileSize = Annotated[int, msgspec.Meta(ge=MIB, le=MAX_BYTE_COUNT)]
LogFiles = Annotated[int, msgspec.Meta(ge=0, le=1000)]
Patience = Annotated[float, msgspec.Meta(gt=0, le=3600)]
Texts = tuple[str, ...]
Span = Annotated[float, msgspec.Meta(ge=0, le=366 * DAY)]
Spans = tuple[Span, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusSettings:
    """``[corpus]``: name, languages, storage and contact."""

    name: Annotated[str, Key("Name of the corpus and prefix of its WARC files.", site_name)] = "corpus"
    languages: Annotated[Texts, Key("Wanted languages, ISO 639 codes; empty: all.", language_code)] = ()
    database: Annotated[
        str, Key("sqlite:///FILE, relative to this file, or postgresql://USER@HOST/NAME.", database_url)
    ] = "sqlite:///corpus.db"
    warc: Annotated[
        str,
        Key(
            "Folder of the originals, relative to this file; or object storage: s3://BUCKET/PREFIX, with credentials"
            " in the environment.",
            warc_place,
        ),
    ] = DEFAULT_FOLDER
    machine: Annotated[
        str, Key("Name of this machine, if several have a WARC folder each; empty: its host name.", plain_line)
    ] = ""
    index: Annotated[str, Key("Folder of the search index, relative to this file.", file_name)] = "index"
    contact: Annotated[
        str, Key("Your e-mail address or web page, for webmasters; required to crawl.", contact_address)
    ] = ""
    user_agent: Annotated[
        str, Key("User agent; must contain the contact. Empty: corpus-spider/VERSION (+CONTACT).", header_text)
    ] = ""
    title: Annotated[str, Key("Title of releases. Empty: the name.", plain_line)] = ""
    authors: Annotated[
        Texts, Key('Authors of releases: "Family, Given" for a person, else the name of a group.', plain_line)
    ] = ()
    licence: Annotated[
        str | None, Key("Licence or terms of the texts of sites that name none; part of every exported document.")
    ] = None
    doi: Annotated[str, Key('DOI of releases, such as "10.5281/zenodo.1234567".', doi)] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlSettings:
    """``[crawl]``: politeness, resources and limits. robots.txt is always obeyed."""

    delay: Annotated[Seconds, Key("Seconds between two requests to one host.")] = 2.0
    concurrency: Annotated[Positive, Key("Parallel requests to all hosts; slow ones not counted.")] = 32
    per_host: Annotated[Positive, Key("Parallel requests to one host.")] = 1
    timeout: Annotated[Patience, Key("Seconds for one whole request.")] = 60.0
    max_body: Annotated[Size, Key("Largest body as received. Decompressed, it may have 32 MiB.", size=True)] = 10 * MIB
    max_depth: Annotated[Count, Key("Maximum number of links from a start page; protects against endless sites.")] = 50
    allow_private: Annotated[
        Texts, Key('Private addresses that may be fetched, "host:port", * for any; for tests.', host_and_port)
    ] = ()
    workers: Annotated[Workers, Key("Processes that extract texts, at most 1024; 0: one for each processor.")] = 0
    page_timeout: Annotated[Patience, Key("Seconds of CPU time in which a worker must process one page.")] = 20.0
    page_memory: Annotated[WorkerMemory, Key("Maximum memory of a worker; at least 256 MiB.", size=True)] = 2 * GIB
    retries: Annotated[Count, Key("Retries after a temporary error.")] = 3
    backlog: Annotated[Positive, Key("Maximum number of fetched pages that wait for a worker.")] = 2000
    min_chars: Annotated[Count, Key("Minimum length of a text, in letters of an alphabet; 0: any, lists too.")] = 200
    reread: Annotated[
        Spans, Key('Ages at which an article is recrawled, such as "1d"; empty: never.', duration=True)
    ] = (DAY, 3 * DAY)
    site_models: Annotated[bool, Key("Learn the boilerplate of each site, and remove it from its texts.")] = True
    page_limit: Annotated[Count, Key("Maximum number of pages in one run; 0: no limit.")] = 0
    time_limit: Annotated[Span, Key('Maximum time of one run, such as "2h"; 0: no limit.', duration=True)] = 0.0
    size_limit: Annotated[Reserve, Key("Maximum number of bytes received in one run; 0: no limit.", size=True)] = 0
    since: Annotated[str, Key("First wanted day. Links known to be older are not followed. Empty: any.", iso_day)] = ""
    until: Annotated[str, Key("Last wanted day. Links known to be newer are not followed. Empty: any.", iso_day)] = ""
    roll_bytes: Annotated[FileSize, Key("Size at which a WARC file is closed; at least 1 MiB.", size=True)] = GIB
    browser: Annotated[str, Key("Browser for sites with render; empty: the installed chromium.", file_name)] = ""
    verify_certificates: Annotated[bool, Key("Refuse hosts whose TLS certificate is not valid.")] = True
    throttle: Annotated[bool, Key("Wait longer if a host responds slowly; never less than the delay.")] = True
    reservations: Annotated[
        str, Key("Pages with reserved use (TDMRep, noai, noarchive): record or skip.", reservation_policy)
    ] = "record"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveSettings:
    """``[archive]``: how long originals are stored, and the free disk space they leave. Documents stay."""

    keep: Annotated[
        str, Key('How long WARC files are kept after their pages are processed: "forever", "90d".', retention)
    ] = "forever"
    max: Annotated[Reserve, Key("Maximum size of all WARC files; the oldest are deleted. 0: no limit.", size=True)] = 0
    reserve: Annotated[Reserve, Key("The crawl stops if the disk has less free space than this.", size=True)] = GIB

    @property
    def keep_seconds(self) -> float:
        """``keep`` in seconds; 0: no limit."""
        return 0.0 if self.keep in {"", "forever"} else parse_duration(self.keep)


@dataclass(frozen=True, slots=True, kw_only=True)
class NotifySettings:
    """``[notify]``: who is notified at the end of a crawl."""

    mail: Annotated[str, Key("E-mail address to notify; needs smtp.", mail_address)] = ""
    smtp: Annotated[
        str, Key('Mail server, "host:port"; with a login smtp://USER:PASSWORD@host:587, or smtps://.', smtp_server)
    ] = "localhost:25"
    sender: Annotated[str, Key("Sender of the mail. Empty: the recipient.", mail_address)] = ""
    webhook: Annotated[str, Key('URL that receives JSON; the text is in "text".', web_address)] = ""
    when: Annotated[
        str, Key('"sick": if a site is failing or the crawl failed; "always": after every crawl.', occasion)
    ] = "sick"


@dataclass(frozen=True, slots=True, kw_only=True)
class LogSettings:
    """``[log]``: a log file, besides standard error."""

    file: Annotated[str, Key("Log file, relative to this file; empty: none.", file_name)] = ""
    max_size: Annotated[FileSize, Key("Size at which a log file is closed; at least 1 MiB.", size=True)] = 10 * MIB
    keep: Annotated[LogFiles, Key("Number of earlier log files to keep.")] = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorSettings:
    """``[monitor]``: figures for a monitoring system."""

    metrics: Annotated[str, Key("Text file for Prometheus, relative to this file; empty: none.", metrics_file)] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginSettings:
    """``[plugins]``: plug-ins of other distributions that may be loaded."""

    extractors: Annotated[Texts, Key("Extractors of other distributions that `extractor` may name.", plugin_name)] = ()
    segmenters: Annotated[Texts, Key("Segmenters of other distributions, preferred to ours.", plugin_name)] = ()
    annotators: Annotated[
        Texts, Key("Annotators (lemmas, parts of speech) of other distributions, preferred to ours.", plugin_name)
    ] = ()
    exporters: Annotated[
        Texts, Key("Formats of other distributions that `export --format` may name.", plugin_name)
    ] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSettings:
    """``[site.rules]``: CSS selectors for the pages of the ``[[site]]`` above it. Empty: no rule."""

    content: Annotated[str, Key("Elements with the text. Without a match the extractor finds it.", css_selector)] = ""
    remove: Annotated[str, Key("Elements that are not text; removed before the extraction.", css_selector)] = ""
    title: Annotated[str, Key("Element with the title.", css_selector)] = ""
    authors: Annotated[str, Key("Elements with the authors.", css_selector)] = ""
    date: Annotated[str, Key("Element with the date of publication.", css_selector)] = ""
    standfirst: Annotated[str, Key("Elements with the standfirst, the first lines of the text.", css_selector)] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteSettings:
    """``[[site]]``: one newspaper."""

    name: Annotated[str, Key("Unique short name; lower-case letters, digits, dots, hyphens.", site_name)] = ""
    start: Annotated[Texts, Key("Start pages; their links are followed.", web_address)] = ()
    feeds: Annotated[Texts, Key("RSS or Atom feeds.", web_address)] = ()
    sitemaps: Annotated[Texts, Key("Sitemaps or sitemap indexes.", web_address)] = ()
    archive: Annotated[
        str, Key("Archive page of one day, with {yyyy}, {mm}, {dd}; for `crawl --since`.", archive_address)
    ] = ""
    allow: Annotated[
        Texts, Key("Regular expressions; a link must match one of them. Empty: all.", regular_expression)
    ] = ()
    deny: Annotated[Texts, Key("Regular expressions; a link that matches one is skipped.", regular_expression)] = ()
    hosts: Annotated[Texts, Key("More hosts in scope, with their subdomains.", host_name)] = ()
    extractor: Annotated[str, Key("Extractor; see `corpus-spider extract --list`.", extractor_name)] = DEFAULT_EXTRACTOR
    p: Annotated[Count | None, Key("Parameter of the extractor.")] = None
    language: Annotated[str, Key("Language of the site, if it has one.", language_code)] = ""
    languages: Annotated[Texts, Key("Languages of the site, if it has several.", language_code)] = ()
    timezone: Annotated[
        str, Key('Zone of its times, such as "Asia/Tehran". Empty: assumed from country or language.', time_zone)
    ] = ""
    delay: Annotated[Seconds | None, Key("Seconds between two requests, instead of crawl.delay.")] = None
    max_depth: Annotated[Count | None, Key("Maximum number of links, instead of crawl.max_depth.")] = None
    feeds_only: Annotated[bool, Key("Fetch only what feeds and sitemaps name; follow no links in pages.")] = False
    render: Annotated[bool, Key("Run the scripts of its pages in a browser; needs `corpus-spider[render]`.")] = False
    licence: Annotated[str | None, Key("Licence or terms of the texts; part of every exported document.")] = None
    reservations: Annotated[str, Key("Pages with reserved use, instead of crawl.reservations.", reservation_policy)] = (
        ""
    )
    checked: Annotated[str, Key("Day on which `sites check --write` last found its sources well.", iso_day)] = ""
    rules: RuleSettings = field(default_factory=RuleSettings)
    """The table ``[site.rules]``, not a key of ``[[site]]``."""


AnySettings = (
    CorpusSettings
    | CrawlSettings
    | ArchiveSettings
    | NotifySettings
    | LogSettings
    | MonitorSettings
    | PluginSettings
    | SiteSettings
    | RuleSettings
)
# Computed once: Python evaluates the annotations at each call of get_type_hints, and a corpus may have 10,000 sites.
_KINDS: dict[type[object], dict[str, Any]] = {
    section: get_type_hints(section, include_extras=True) for section in get_args(AnySettings)
}
_KEYS = {
    section: {
        name: next(rule for rule in kind.__metadata__ if isinstance(rule, Key))
        for name, kind in kinds.items()
        if kind is not RuleSettings
    }
    for section, kinds in _KINDS.items()
}


def kinds(section: type[object]) -> dict[str, Any]:
    """Return the annotated type of each key of a section."""
    return _KINDS[section]


def keys(section: type[object]) -> dict[str, Key]:
    """Return the keys of a section with their rules, in the order of declaration."""
    return _KEYS[section]
