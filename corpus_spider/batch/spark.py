"""Process archives on Spark: each archive is one task, which makes the part that `make_parts` makes.

Spark only spreads the archives and repeats lost tasks. Parts are files with names of their own, so a repeated task
replaces or finds its part, and a driver that starts again finds those of the driver before.
"""

from __future__ import annotations

from collections import Counter
from contextlib import chdir
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpus_spider.batch.batch import BatchReport, make_parts
from corpus_spider.batch.spark_session import job_errors, spark_session
from storage.errors import CorpusError, DiskError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from corpus_spider.batch.rules import BatchRules

_APPLICATION = "corpus-spider process"


def make_parts_on_spark(
    archives: Sequence[str], release: Path, rules: BatchRules, *, again: bool = False
) -> BatchReport:
    """Make the parts of some archives on the Spark that the environment configures; see `make_parts`.

    All executors need the program, the archives and the release under the same paths. Raises ConfigError without
    PySpark or Java, CorpusError when a task has failed.
    """
    report = BatchReport(str(release))
    if not archives:
        return report
    with spark_session(_APPLICATION) as session:
        context = session.sparkContext
        workers = int(context.getConf().get("spark.task.cpus", "1"))
        task = _task(str(Path.cwd()), release, _with_workers(rules, workers), again=again)
        with job_errors():
            found = context.parallelize(archives, len(archives)).map(task).collect()
    for fault, part in found:
        if fault:
            kind = DiskError if fault["exit_code"] == DiskError.exit_code else CorpusError
            raise kind(fault["what"], where=fault["where"], do=fault["do"])
        _include(report, part)
    return report


def _with_workers(rules: BatchRules, workers: int) -> BatchRules:
    config = replace(rules.config, crawl=replace(rules.config.crawl, workers=workers))
    return replace(rules, config=config)


def _task(folder: str, release: Path, rules: BatchRules, *, again: bool) -> Callable[[str], tuple[Any, Any]]:
    """Return the function that an executor calls with an archive. It returns a fault or a report, as plain values."""

    def run(archive: str) -> tuple[Any, Any]:
        # Executors have a folder of their own, and paths are those of the driver.
        with chdir(folder):
            try:
                return None, asdict(make_parts([archive], release, rules, again=again))
            except CorpusError as error:
                fault = {"what": error.what, "where": error.where, "do": error.do, "exit_code": error.exit_code}
                return fault, None

    return run


def _include(report: BatchReport, part: dict[str, Any]) -> None:
    for name in ("archives", "made", "responses", "pages", "documents", "unprocessed", "losses"):
        setattr(report, name, getattr(report, name) + part[name])
    report.skipped += Counter(part["skipped"])
    report.dropped += Counter(part["dropped"])
    report.damaged += part["damaged"]
    report.failed |= part["failed"]
