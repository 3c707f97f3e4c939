"""Text files with figures of a corpus for Prometheus, as the textfile collector of node_exporter reads them.

One file is about the present or last run, and is written again while the run goes on. Crawls at the same time on one
machine have a file each. Another file is about the corpus. It is computed from the database at the end of a crawl.
"""

from __future__ import annotations

import logging
import os
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from corpus_spider.config.version import program_version
from corpus_spider.exit_codes import FINISHED, INTERNAL, LOCKED
from corpus_spider.monitoring import health
from corpus_spider.monitoring.disk_use import sizes
from corpus_spider.monitoring.model import HealthThresholds
from storage.corpus import Corpus
from storage.disk import flocked, missing_folder, replace_file
from storage.errors import CorpusError
from storage.records import SITE_COUNTERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from corpus_spider.config.model import Config
    from storage.runs.site_runs import SiteRun

logger = logging.getLogger(__name__)

SECONDS = 15.0
"""Interval of writing during a crawl. Prometheus reads about as often."""
PREFIX = "corpus_spider_"
EXACT_INTEGERS = 2**53
"""Integers below have an exact float."""
RUN_COUNTERS = {
    "pages": ("run_pages", "Responses in the run, without robots.txt."),
    "documents": ("run_documents", "Documents stored in the run."),
    "unchanged": ("run_unchanged_pages", "Pages that did not change."),
    "bytes": ("run_received_bytes", "Size of the bodies received in the run."),
    "pending": ("run_pending_urls", "URLs of the crawled sites that wait to be fetched."),
}
"""Counters in the summary of a run (`Session.summary`) with their metrics."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric, a gauge: its name without prefix, its explanation, and values with their labels."""

    name: str
    words: str
    values: Sequence[tuple[Mapping[str, str], float]]


class Metrics:
    """Writes the text files of one run. Without a path it writes nothing. An error is a warning, once."""

    def __init__(self, config: Config, stack: ExitStack) -> None:
        self.path = config.metrics_file
        self._config, self._started, self._stack = config, time.time(), stack
        self._slot, self._failed = 0, False

    def update(self, summary: Mapping[str, Any]) -> None:
        """Write the counters of a run that goes on."""
        if self.path:
            self._write_run(self.path, run_metrics(self._started, summary))

    def end(self, code: int, summary: Mapping[str, Any]) -> None:
        """Write the counters and the exit code of a run, and the figures of the corpus."""
        if not self.path:
            return
        self._write_run(self.path, run_metrics(self._started, summary, (time.time(), code)))
        with suppress(CorpusError), self._warned(self.path):
            _replace(_part(self.path, "corpus"), text(corpus_metrics(self._config), self._config.corpus.name))

    def _write_run(self, path: Path, run: Sequence[Metric]) -> None:
        with self._warned(path):
            self._slot = self._slot or _free_slot(path, self._stack)
            slot = {} if self._slot == 1 else {"slot": str(self._slot)}
            _replace(_slot_file(path, self._slot), text(run, self._config.corpus.name, slot))

    @contextmanager
    def _warned(self, path: Path) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if not self._failed:
                self._failed = True
                logger.warning("the metrics cannot be written: %s: %s%s", path, error.strerror, missing_folder(path))


@contextmanager
def reporting(config: Config) -> Iterator[Metrics]:
    """Yield the writer of the text files. A run that ends by an error is written with its exit code.

    A crawl that another one keeps from starting writes nothing.
    """
    with ExitStack() as stack:
        metrics = Metrics(config, stack)
        try:
            yield metrics
        except Exception as error:
            code = getattr(error, "exit_code", INTERNAL)
            if code != LOCKED:
                metrics.end(code, {})
            raise


def run_metrics(started: float, summary: Mapping[str, Any], ended: tuple[float, int] | None = None) -> list[Metric]:
    """Return the metrics of a run. ``started`` is in epoch seconds, ``ended`` is the time of its end and exit code."""
    found = [
        Metric("info", "Version of the program.", [({"version": program_version()}, 1)]),
        _one("run_active", "1 while a crawl runs, else 0.", 0 if ended else 1),
        _one("run_start_timestamp_seconds", "Start of the present or last crawl.", started),
        _one("run_written_timestamp_seconds", "Time of the last writing of these figures.", time.time()),
    ]
    if ended:
        found.append(_one("run_end_timestamp_seconds", "End of the last crawl.", ended[0]))
        found.append(_one("run_exit_code", "Exit code of the last crawl.", ended[1]))
    for key, (name, words) in RUN_COUNTERS.items():
        if summary.get(key) is not None:
            found.append(_one(name, words, summary[key]))
    if summary:
        dropped, failed = (sum(summary[key].values()) for key in ("dropped", "failed"))
        found.append(_one("run_dropped_pages", "Pages of the run without a document.", dropped))
        found.append(_one("run_failed_attempts", "Attempts of the run without a complete response.", failed))
    return found


def _last_runs(corpus: Corpus, names: Sequence[str]) -> tuple[dict[str, SiteRun], dict[str, float]]:
    """Return the last run of each site, and when its last finished run began (epoch seconds)."""
    last: dict[str, SiteRun] = {}
    whole: dict[str, float] = {}
    for start in range(0, len(names), health.SITES_AT_ONCE):
        for run in corpus.runs.by_site(names[start : start + health.SITES_AT_ONCE], health.LOOKED_BACK):
            last[run.site] = run
            if run.exit_code in FINISHED:
                whole[run.site] = run.started.timestamp()
    return last, whole


def corpus_metrics(config: Config) -> list[Metric]:
    """Return the metrics of the corpus and of each configured site. Raises DatabaseError."""
    every = replace(config, sites=config.sites + config.others, others=())
    names = every.site_names
    with Corpus.open(every.database_url, read_only=True) as corpus:
        status = corpus.status()
        last, whole = _last_runs(corpus, names)
        found = health.examine(corpus, every, HealthThresholds())
    documents = {row.key: row.count for row in status.by_site}
    problems = [(site.site, finding.sign.value) for site in found.sites for finding in site.sick]
    metrics = [
        Metric(
            "disk_bytes",
            "Size of a part of the corpus on this disk.",
            [({"part": part.replace(" ", "_")}, size) for part, size in sizes(config)],
        ),
        _sites("documents", "Stored documents of the site, without earlier versions.", {**_zeros(names), **documents}),
        _sites("pending_urls", "URLs of the site that wait to be fetched.", {**_zeros(names), **status.pending}),
        _sites("site_last_crawl_timestamp_seconds", "Start of the last finished crawl of the site.", whole),
        _sites(
            "site_new_documents",
            "Documents of new pages in the last night of the site.",
            {site.site: site.articles for site in found.sites},
        ),
        _sites(
            "site_usual_documents",
            "Median of such documents in earlier nights.",
            {site.site: site.usual for site in found.sites if site.usual is not None},
        ),
        _sites(
            "site_failing", "1 if the site is failing, else 0.", {site.site: bool(site.sick) for site in found.sites}
        ),
        Metric(
            "site_problems",
            "Problems of the site by sign.",
            [({"site": site, "sign": sign}, problems.count((site, sign))) for site, sign in dict.fromkeys(problems)],
        ),
    ]
    return metrics + [
        _sites(f"site_{name}", note.metric, {site: getattr(run, name) for site, run in last.items()})
        for name, note in SITE_COUNTERS.items()
        if note.metric
    ]


def text(metrics: Iterable[Metric], corpus: str, more: Mapping[str, str] | None = None) -> str:
    """Return metrics in the text format of Prometheus, version 0.0.4. Each value has the labels ``corpus`` and more."""
    lines = []
    for metric in metrics:
        if not metric.values:
            continue
        name = f"{PREFIX}{metric.name}"
        lines += [f"# HELP {name} {metric.words}", f"# TYPE {name} gauge"]
        for labels, value in metric.values:
            marked = ",".join(
                f'{key}="{_escaped(label)}"' for key, label in {"corpus": corpus, **(more or {}), **labels}.items()
            )
            lines.append(f"{name}{{{marked}}} {_number(value)}")
    return "".join(f"{line}\n" for line in lines)


def _one(name: str, words: str, value: float) -> Metric:
    return Metric(name, words, [({}, value)])


def _sites(name: str, words: str, values: Mapping[str, float]) -> Metric:
    return Metric(name, words, [({"site": site}, value) for site, value in values.items()])


def _zeros(names: Iterable[str]) -> dict[str, float]:
    return dict.fromkeys(names, 0)


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() and abs(value) < EXACT_INTEGERS else repr(float(value))


def _escaped(label: str) -> str:
    return label.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _free_slot(path: Path, stack: ExitStack) -> int:
    """Return the first slot that no other crawl on this machine has, and hold its lock until the stack closes."""
    slot = 0
    while True:
        slot += 1
        file = _slot_file(path, slot)
        lock = os.open(file.with_name(f".{file.name}.lock"), os.O_RDONLY | os.O_CREAT)
        with suppress(PermissionError):
            # Under any umask: another user of the corpus who cannot open it would have no figures.
            os.fchmod(lock, 0o644)
        try:
            is_free = flocked(lock)
        except OSError:
            os.close(lock)
            raise
        if is_free:
            stack.callback(os.close, lock)
            return slot
        os.close(lock)


def _slot_file(path: Path, slot: int) -> Path:
    """Return the file of the runs in a slot. The first one has the configured name."""
    return path if slot == 1 else _part(path, f"slot{slot}")


def _part(path: Path, name: str) -> Path:
    """Return the file of other figures: ``news.corpus.prom`` beside ``news.prom``."""
    return path.with_suffix(f".{name}{path.suffix}")


def _replace(path: Path, content: str) -> None:
    """Replace the file at once. Its mode is 0644 under any umask: node_exporter runs as another user."""
    replace_file(path, content.encode())
    path.chmod(0o644)
