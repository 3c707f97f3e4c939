"""Names and versions of everything that commands write with ``--json``. The types are those of the results.

`tools/json_schemas.py` makes the JSON Schemas from these types, and a test compares the output of each command with
its schema.

A version changes when a field is removed, renamed or gets another type or meaning. A new field leaves it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from corpus_spider.api.status import CorpusStatus
from corpus_spider.archive.retention import ExpiredFile
from corpus_spider.batch.batch import BatchReport
from corpus_spider.batch.dedup import DedupReport
from corpus_spider.cli.doc_search import DocPassage
from corpus_spider.config.model import EffectiveSettings
from corpus_spider.crawling.crawl_plan import CrawlPlan
from corpus_spider.crawling.model_learning import SiteLearning
from corpus_spider.crawling.run_summary import CrawlOutput
from corpus_spider.demo.run import DemoReport
from corpus_spider.export.dry_run import ExportPlan
from corpus_spider.figures.page_figure import FigureNumbers
from corpus_spider.lab.score_table import ScoreTables
from corpus_spider.lab.site_model_gain import SiteGain
from corpus_spider.lab.tables import Tables
from corpus_spider.maintenance.backup import BackupReport
from corpus_spider.maintenance.check import CheckReport
from corpus_spider.maintenance.copy_corpus import MigrationReport, MoveReport
from corpus_spider.maintenance.doctor import Diagnosis
from corpus_spider.maintenance.reextract import ReextractReport
from corpus_spider.maintenance.removal_report import RemovalReport
from corpus_spider.maintenance.warc_import import ImportReport
from corpus_spider.monitoring.health import Health
from corpus_spider.presets import KnownNewspaper
from corpus_spider.queue.jobs import QueueState
from corpus_spider.search.answers import SearchAnswer
from corpus_spider.search.index.builder import RefreshReport
from corpus_spider.sites.discover import DiscoveredSite, FoundSources
from corpus_spider.sites.extract_output import ExtractReport
from corpus_spider.sites.rule_trial import RuleTrialOutput
from corpus_spider.sites.single_page import ExtractOutput, ListedExtractor
from corpus_spider.sites.sources_check import CheckedSources
from corpus_spider.sites.tune import Fit
from corpus_spider.words.clouds import CloudWords
from corpus_spider.words.lists import CollocateRow, KeyRow, TrendRow, WordRow, WordTable
from storage.documents.healing import EarlierValue
from storage.documents.model import CorpusDocument
from storage.exports import ExportReport
from storage.exports.originals import OriginalsReport
from storage.fetches.url_history import UrlHistory, WithoutDocument
from storage.removal.removal_record import LiftReport
from storage.removal.takedown import GoneMachine


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


OUTPUTS = (
    Output("backup", "backup", BackupReport),
    Output("check", "check", CheckReport, more={"ok": bool}),
    Output("cloud", "cloud", CloudWords),
    Output("config", "config", EffectiveSettings, "always, also without --json"),
    Output("crawl", "crawl", CrawlOutput),
    Output("crawl-dry-run", "crawl", CrawlPlan, "--dry-run"),
    Output("crawl-queue", "crawl", QueueState, "--queue"),
    Output("dedup", "dedup", DedupReport),
    Output("demo", "demo", DemoReport),
    Output("doctor", "doctor", Diagnosis),
    Output("dropped", "dropped", WithoutDocument),
    Output("evaluate", "evaluate", ScoreTables),
    Output("evaluate-paper-tables", "evaluate", Tables, "--paper-tables"),
    Output("evaluate-site-models", "evaluate", list[SiteGain], "--site-models"),
    Output("export", "export", ExportReport),
    Output("export-dry-run", "export", ExportPlan, "--dry-run"),
    Output("export-originals", "export", OriginalsReport, "-o FILE.wacz or FILE.cdxj"),
    Output("extract", "extract", ExtractOutput),
    Output("extract-pages", "extract", ExtractReport, "several pages and -o"),
    Output("extract-list", "extract", list[ListedExtractor], "--list"),
    Output("health", "health", Health),
    Output("help", "help", list[DocPassage], "a WORD", version=2),
    Output("import", "import", ImportReport),
    Output("index", "index", RefreshReport),
    Output("learn", "learn", list[SiteLearning]),
    Output("migrate", "migrate", MigrationReport),
    Output("move", "move", MoveReport),
    Output("plot", "plot", FigureNumbers),
    Output("process", "process", BatchReport),
    Output("prune", "prune", list[ExpiredFile]),
    Output("reextract", "reextract", ReextractReport),
    Output("remove", "remove", RemovalReport),
    Output("remove-undo", "remove", LiftReport, "--undo ID"),
    Output("rules-try", "rules try", RuleTrialOutput),
    Output("search", "search", SearchAnswer),
    Output("show", "show", UrlHistory, more={"document": CorpusDocument | None, "history": list[EarlierValue]}),
    Output("sites-check", "sites check", CheckedSources),
    Output("sites-discover", "sites discover", FoundSources, "one address"),
    Output("sites-discover-all", "sites discover", list[DiscoveredSite], "several addresses or --all"),
    Output("sites-list", "sites list", list[KnownNewspaper]),
    Output("status", "status", CorpusStatus),
    Output("tune", "tune", Fit),
    Output("worker-gone", "worker gone", GoneMachine),
    Output("worker-list", "worker list", QueueState),
    Output("words", "words", WordTable[WordRow]),
    Output("words-against", "words", WordTable[KeyRow], "--against SELECTION"),
    Output("words-around", "words", WordTable[CollocateRow], "--around WORD"),
    Output("words-by", "words", WordTable[TrendRow], "--by month"),
)
"""All JSON outputs, by name."""
