"""Types of everything that commands write with ``--json``, and their versions.

`tools/json_schemas.py` makes the JSON Schemas from these types, and a test compares the output of each command with
its schema. Results that are written as they are have their type where they are made; other outputs have it here.

A version changes when a field is removed, renamed or gets another type or meaning. A new field leaves it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NotRequired, Required, TypedDict

from corpus_spider.archive.retention import ExpiredFile
from corpus_spider.batch.batch import BatchReport
from corpus_spider.cli.extract import ExtractReport
from corpus_spider.cli.glossary import GlossaryEntry
from corpus_spider.crawling.model_learning import SiteLearning
from corpus_spider.demo.run import DemoReport
from corpus_spider.evaluation.site_model_gain import SiteGain
from corpus_spider.evaluation.tables import Tables
from corpus_spider.evaluation.tune import Fit
from corpus_spider.maintenance.backup import BackupReport
from corpus_spider.maintenance.check import CheckReport
from corpus_spider.maintenance.copy_corpus import MigrationReport, MoveReport
from corpus_spider.maintenance.doctor import Check
from corpus_spider.maintenance.reextract import ReextractReport
from corpus_spider.maintenance.remove import RemovalReport
from corpus_spider.maintenance.warc_import import ImportReport
from corpus_spider.monitoring.health import SiteHealth
from corpus_spider.monitoring.model import PausedHost
from corpus_spider.monitoring.model import SiteProblem as SiteFinding
from corpus_spider.search.builder import RefreshReport
from corpus_spider.search.searching import SearchAnswer
from corpus_spider.sites.discover import SourceFinding
from corpus_spider.sites.rule_trial import RuleMatch
from corpus_spider.sites.sources_check import SourceCheck
from corpus_spider.words.clouds import WeightedWord
from corpus_spider.words.lists import CollocateRow, KeyRow, TrendRow, WordRow
from storage.documents.healing import EarlierValue
from storage.documents.model import CorpusDocument
from storage.exports.originals import OriginalsReport
from storage.fetches.url_history import PageWithoutDocument, UrlHistory
from storage.records import Drop, Quality
from storage.removal.undo import LiftReport


@dataclass(frozen=True, slots=True)
class Output:
    """JSON output of a command. ``when``: the options and arguments that lead to it, if the command has several."""

    name: str
    command: str
    type: Any
    when: str = ""
    version: int = 1
    more: dict[str, Any] = field(default_factory=dict)
    """Fields beside those of the type."""


class LanguageCount(TypedDict):
    """Current documents in a language, without duplicates."""

    language: str
    documents: int
    chars: int


class SiteCount(TypedDict):
    """Current documents of a site without duplicates, and its URLs that wait."""

    site: str
    documents: int
    chars: int
    pending: int


class ChangedRules(TypedDict):
    """Queued URLs of a site that its changed link rules take out and let in."""

    site: str
    taken_out: int
    let_in: int


class RunCounters(TypedDict):
    """Counters of a run."""

    ended: str
    limit: str
    pages: int
    documents: int
    unchanged: int
    healed: int
    own_lines: int
    bytes: int
    spilled: int
    dropped: dict[str, int]
    postponed: dict[str, int]
    failed: dict[str, int]
    first_failure: str
    first_failed_site: str
    refused: int
    changed_rules: list[ChangedRules]
    paused: list[PausedHost]
    pending: int
    unread: int
    without_file: int
    next_try: float | None
    seconds: dict[str, float]
    worker_cpu_seconds: float
    worker_peak_kib: int


class LastRun(TypedDict, total=False):
    """The last run; empty before the first. ``exit_code`` and ``finished`` are empty texts if it was killed.

    ``summary``: fields of the output of `crawl`, with the problems of sites as sentences.
    """

    state: str
    id: int
    started: datetime
    finished: str
    exit_code: int | str
    summary: dict[str, Any]
    pid: int | str
    host: str


class StatusOutput(TypedDict):
    """Counts of a corpus. ``urls``: by state; ``dropped`` and ``failed``: by reason.

    ``other_rules``: documents by site that were made with other rules than those of today.
    """

    documents: int
    duplicates: int
    earlier_versions: int
    reserved: int
    licensed: int
    fetches: int
    recovered: int
    languages: list[LanguageCount]
    sites: list[SiteCount]
    urls: dict[str, int]
    dropped: dict[str, int]
    failed: dict[str, int]
    other_rules: dict[str, int]
    """By site: documents that were made with other rules than those of today."""
    last_run: LastRun


class SiteCounters(TypedDict):
    """Counters of a run at one site. ``reasons``: responses and attempts without a document, by reason."""

    site: str
    found: int
    fetched: int
    unchanged: int
    articles: int
    versions: int
    refused: int
    robots: int
    http_errors: int
    failed: int
    no_text: int
    short: int
    undated: int
    language: int
    duplicates: int
    suspended: int
    bytes: int
    seconds: float
    reasons: dict[str, int]


class CrawlOutput(RunCounters):
    """Summary of a crawl."""

    sick: list[SiteFinding]
    sites: list[SiteCounters]


class PlannedSite(TypedDict):
    """A site as a crawl would visit it. ``delay`` in seconds."""

    name: str
    hosts: list[str]
    languages: list[str]
    delay: float
    max_depth: int
    extractor: str
    allow: list[str]
    deny: list[str]
    rules: dict[str, str]
    """CSS selectors of the site, by rule."""


class PlannedSource(TypedDict):
    """A source that a crawl would fetch."""

    site: str
    kind: str
    url: str


class PlanOutput(TypedDict):
    """Settings, sites and sources of a crawl."""

    user_agent: str
    database: str
    warc: str
    limits: dict[str, int | float | str]
    sites: list[PlannedSite]
    seeds: list[PlannedSource]
    changed_rules: list[ChangedRules]


class HealthOutput(TypedDict):
    """Results by site, and all problems. ``offline``: the machine had no network in the last run."""

    ok: bool
    offline: bool
    sick: list[SiteFinding]
    sites: list[SiteHealth]


class DoctorOutput(TypedDict):
    """Results of the checks. ``ok``: nothing hinders the program."""

    ok: bool
    checks: list[Check]


class DroppedOutput(TypedDict):
    """Pages without a document, URLs that failed, and URLs that wait for another attempt."""

    pages: list[PageWithoutDocument]
    urls: list[PageWithoutDocument]
    waiting: list[PageWithoutDocument]


class WordsOutput(TypedDict):
    """Size of the selection, and a row for each word."""

    documents: int
    tokens: int
    rows: list[WordRow]


class KeywordsOutput(TypedDict):
    """Size of the selection, and a row for each keyword."""

    documents: int
    tokens: int
    rows: list[KeyRow]


class CollocatesOutput(TypedDict):
    """Size of the selection, and a row for each collocate."""

    documents: int
    tokens: int
    rows: list[CollocateRow]


class TrendOutput(TypedDict):
    """Size of the selection, and a row for each word and month."""

    documents: int
    tokens: int
    rows: list[TrendRow]


class CloudOutput(TypedDict):
    """Words of a tag cloud with their weights, and its caption."""

    caption: str
    words: list[WeightedWord]


class PlotOutput(TypedDict):
    """Numbers of a figure. ``columns``: a list for each series, all of the same length."""

    page: str
    title: str
    extractor: str
    extractor_version: str
    extractor_reason: str
    confidence: float | None
    parameters: dict[str, float]
    item: str
    marked: dict[str, int]
    meaning: dict[str, str]
    columns: dict[str, list[Any]]


class ExtractOutput(TypedDict):
    """Text and metadata of one page, under the field names of exports. Without a text only ``drop``."""

    text: NotRequired[str]
    title: NotRequired[str | None]
    title_source: NotRequired[str | None]
    author: NotRequired[str | None]
    authors: NotRequired[list[str]]
    author_source: NotRequired[str | None]
    date: NotRequired[str | None]
    date_text: NotRequired[str | None]
    date_calendar: NotRequired[str | None]
    date_source: NotRequired[str | None]
    date_confidence: NotRequired[float | None]
    date_zone: NotRequired[str | None]
    language: NotRequired[str]
    language_confidence: NotRequired[float]
    script: NotRequired[str]
    script_share: NotRequired[float]
    canonical: NotRequired[str | None]
    chars: NotRequired[int]
    extractor: NotRequired[str]
    extractor_version: NotRequired[str]
    extractor_reason: NotRequired[str]
    encoding: NotRequired[str]
    encoding_source: NotRequired[str]
    replaced: NotRequired[float]
    exact: NotRequired[str]
    confidence: NotRequired[float | None]
    kinds: NotRequired[str]
    captions: NotRequired[list[str]]
    comments: NotRequired[list[str]]
    languages: NotRequired[list[str]]
    foreign_share: NotRequired[float | None]
    quality: NotRequired[Quality | None]
    rules: NotRequired[str | None]
    drop: Drop | None


ListedExtractor = TypedDict("ListedExtractor", {"name": str, "version": str, "for": str, "description": str})


class ExportOutput(TypedDict):
    """Result of an export. ``path`` is null for standard output. ``changes``: since an earlier release.

    ``tokens``: what the tokens of vertical text are in languages that need a segmenter.
    """

    documents: int
    bytes: int
    sha256: str
    path: str | None
    format: str
    changes: NotRequired[dict[str, int]]
    tokens: NotRequired[dict[str, str]]
    exporter: NotRequired[str]
    """Distribution, with its version, of the plug-in that wrote the format."""


class LanguageAmount(TypedDict):
    """Documents that an export would have in a language."""

    language: str
    documents: int
    chars: int
    words: int


class SiteAmount(TypedDict):
    """Documents that an export would have of a site."""

    site: str
    documents: int
    chars: int
    words: int


class MonthAmount(TypedDict):
    """Documents that an export would have of a month, such as 2026-11, or ``undated``."""

    month: str
    documents: int
    chars: int
    words: int


class ExportPlanOutput(TypedDict):
    """Documents that an export would have. ``left_out``: those of the selection that it would not have, by reason."""

    documents: int
    chars: int
    words: int
    left_out: dict[str, int]
    languages: list[LanguageAmount]
    sites: list[SiteAmount]
    months: list[MonthAmount]
    changes: NotRequired[dict[str, int]]


class DiscoverOutput(TypedDict):
    """Sources of a newspaper. ``site``: keys for corpus.toml. ``articles``: regular expressions of article URLs."""

    url: str
    findings: list[SourceFinding]
    articles: list[str]
    requests: int
    site: dict[str, str | list[str]]


class DiscoveredOutput(TypedDict, total=False):
    """Sources of one of several newspapers, or the error if its front page could not be fetched."""

    url: Required[str]
    error: str
    findings: list[SourceFinding]
    articles: list[str]
    requests: int
    site: dict[str, str | list[str]]


class KnownNewspaper(TypedDict):
    """A newspaper that the program knows.

    ``country``: ISO 3166-1 code of its newsroom. ``terms``: URL of its terms of use, empty if unknown. ``origin``:
    where its addresses were found. ``checked``: day of the last crawl whose result was read, empty if there was none.
    """

    name: str
    title: str
    homepage: str
    language: str
    country: str
    timezone: str
    feeds: list[str]
    sitemaps: list[str]
    terms: str
    origin: str
    checked: str


class RuleTrialOutput(TypedDict):
    """What the rules of a site select on a page, and its document. ``unmatched``: rules that match nothing."""

    site: str
    url: str
    rules: list[RuleMatch]
    unmatched: list[str]
    document: ExtractOutput


class SourcesOutput(TypedDict):
    """Results by source. ``well``: sites without a failing source."""

    ok: bool
    well: list[str]
    sources: list[SourceCheck]


class ConfigOutput(TypedDict):
    """Effective settings by section of corpus.toml, without passwords. Settings of sites only if they are set."""

    corpus: dict[str, Any]
    crawl: dict[str, Any]
    archive: dict[str, Any]
    notify: dict[str, Any]
    log: dict[str, Any]
    monitor: dict[str, Any]
    plugins: NotRequired[dict[str, Any]]
    site: list[dict[str, Any]]


Row = dict[str, str | int | float | bool | None]


class EvaluateOutput(TypedDict):
    """Scores by extractor and language, by site, by extractor that read the text, by confidence, and by page."""

    summary: list[Row]
    sites: list[Row]
    readers: list[Row]
    reliability: list[Row]
    pages: list[Row]


OUTPUTS = (
    Output("backup", "backup", BackupReport),
    Output("check", "check", CheckReport, more={"ok": bool}),
    Output("cloud", "cloud", CloudOutput),
    Output("config", "config", ConfigOutput, "always, also without --json"),
    Output("crawl", "crawl", CrawlOutput),
    Output("crawl-dry-run", "crawl", PlanOutput, "--dry-run"),
    Output("demo", "demo", DemoReport),
    Output("doctor", "doctor", DoctorOutput),
    Output("dropped", "dropped", DroppedOutput),
    Output("evaluate", "evaluate", EvaluateOutput),
    Output("evaluate-paper-tables", "evaluate", Tables, "--paper-tables"),
    Output("evaluate-site-models", "evaluate", list[SiteGain], "--site-models"),
    Output("export", "export", ExportOutput),
    Output("export-dry-run", "export", ExportPlanOutput, "--dry-run"),
    Output("export-originals", "export", OriginalsReport, "-o FILE.wacz or FILE.cdxj"),
    Output("extract", "extract", ExtractOutput),
    Output("extract-pages", "extract", ExtractReport, "several pages and -o"),
    Output("extract-list", "extract", list[ListedExtractor], "--list"),
    Output("health", "health", HealthOutput),
    Output("help", "help", list[GlossaryEntry], "a WORD"),
    Output("import", "import", ImportReport),
    Output("index", "index", RefreshReport),
    Output("learn", "learn", list[SiteLearning]),
    Output("migrate", "migrate", MigrationReport),
    Output("move", "move", MoveReport),
    Output("plot", "plot", PlotOutput),
    Output("process", "process", BatchReport),
    Output("prune", "prune", list[ExpiredFile]),
    Output("reextract", "reextract", ReextractReport),
    Output("remove", "remove", RemovalReport),
    Output("remove-undo", "remove", LiftReport, "--undo ID"),
    Output("rules-try", "rules try", RuleTrialOutput),
    Output("search", "search", SearchAnswer),
    Output("show", "show", UrlHistory, more={"document": CorpusDocument | None, "history": list[EarlierValue]}),
    Output("sites-check", "sites check", SourcesOutput),
    Output("sites-discover", "sites discover", DiscoverOutput, "one address"),
    Output("sites-discover-all", "sites discover", list[DiscoveredOutput], "several addresses or --all"),
    Output("sites-list", "sites list", list[KnownNewspaper]),
    Output("status", "status", StatusOutput),
    Output("tune", "tune", Fit),
    Output("words", "words", WordsOutput),
    Output("words-against", "words", KeywordsOutput, "--against SELECTION"),
    Output("words-around", "words", CollocatesOutput, "--around WORD"),
    Output("words-by", "words", TrendOutput, "--by month"),
)
"""All JSON outputs, by name."""
