"""`--engine spark`: the parts and sets of one machine, on a Spark with executors of their own."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet
import pytest

from tests.corpus_spider.batch import test_dedup
from tests.corpus_spider.batch.test_process import page, rows
from tests.corpus_spider.others_archives import archive
from tests.corpus_spider.running import SEED, environment, program, run, until
from tests.extras import needs_spark

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = needs_spark
PATIENCE = 300.0
"""Seconds. Spark takes half a minute to start its executors."""
LOCAL_CLUSTER = {
    "PYSPARK_SUBMIT_ARGS": "--master local-cluster[2,1,1024] --conf spark.ui.enabled=false pyspark-shell",
    "SPARK_LOCAL_IP": "127.0.0.1",
}
PAGES_OF_AN_ARCHIVE = 60


@pytest.fixture
def names(tmp_path: Path) -> list[str]:
    """Eight archives. Paths are relative: executors have a folder of their own."""
    for at in range(8):
        numbers = range(PAGES_OF_AN_ARCHIVE * at, PAGES_OF_AN_ARCHIVE * (at + 1))
        archive(tmp_path / f"{at}.warc.gz", *map(page, numbers))
    return [f"{at}.warc.gz" for at in range(8)]


class SparkJob:
    """A running job, in a session of its own."""

    def __init__(self, folder: Path, *arguments: str, **more: str) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            program(*arguments, "--engine", "spark", "--json"),
            cwd=folder, env=environment(**LOCAL_CLUSTER | more), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, start_new_session=True,
        )  # fmt: skip

    def until_files(self, pattern: str, count: int = 1) -> None:
        """Wait until there are so many files of a pattern."""
        done = lambda: len(list(self.folder.glob(pattern))) >= count  # noqa: E731
        until(lambda: done() or self.process.poll() is not None, patience=PATIENCE)
        assert self.process.poll() is None, self.process.communicate()

    def executors(self) -> list[int]:
        """Return the processes of its executors."""
        return [number for number, line in self._processes() if "CoarseGrainedExecutorBackend" in line]

    def kill(self) -> None:
        """Kill the driver and all that it has started."""
        for number, _ in self._processes():
            os.kill(number, signal.SIGKILL)
        self.process.communicate()

    def _processes(self) -> Iterator[tuple[int, str]]:
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if os.getsid(int(folder.name)) == self.process.pid:
                    yield int(folder.name), (folder / "cmdline").read_text(errors="replace")
            except (ProcessLookupError, FileNotFoundError):
                continue


def test_a_killed_driver_and_a_killed_executor_lose_and_double_nothing(tmp_path: Path, names: list[str]) -> None:
    """The driver starts again, and then one of its executors is killed. The release is that of one machine."""
    command = "process", *names, "-o", "release"
    first = SparkJob(tmp_path, *command)
    first.until_files("release/parts/*.json")
    first.kill()
    made = len(list(tmp_path.glob("release/parts/*.json")))
    second = SparkJob(tmp_path, *command)
    second.until_files("release/parts/*.json", made + 1)
    os.kill(second.executors()[0], signal.SIGKILL)
    output, errors = second.process.communicate(timeout=PATIENCE)
    assert second.process.returncode == 0, errors
    assert "Lost executor" in errors
    report = json.loads(output)
    assert (report["archives"], report["documents"]) == (8, 8 * PAGES_OF_AN_ARCHIVE)
    assert 0 < report["made"] <= 8 - made
    done = run(tmp_path, "process", *names, "-o", "local", "--json")
    assert done.returncode == 0, done.stderr
    found = rows(tmp_path / "release", "url", "text", "warc")
    assert len({url for url, _, _ in found}) == len(found)
    assert found == rows(tmp_path / "local", "url", "text", "warc")
    assert [path.name for path in (tmp_path / "release").rglob(".*")] == []


SCATTERED = "--conf spark.sql.adaptive.enabled=false --conf spark.sql.shuffle.partitions=5"
"""Results in several files, also small ones."""
SPARK = LOCAL_CLUSTER | {"PYSPARK_SUBMIT_ARGS": f"{SCATTERED} {LOCAL_CLUSTER['PYSPARK_SUBMIT_ARGS']}"}


def collide(release: Path, values: int) -> None:
    """Give the band keys of a release so few values that most of them meet by chance, in one band and in two."""
    for path in release.glob("fingerprints/*.parquet"):
        table = pyarrow.parquet.read_table(path)
        bands = table.column("bands")
        few = pyarrow.array([[key % values for key in keys] for keys in bands.to_pylist()], bands.type)
        table = table.set_column(table.column_names.index("bands"), "bands", few)
        pyarrow.parquet.write_table(table, path)


@pytest.fixture
def releases(tmp_path: Path) -> tuple[str, ...]:
    """Three releases with equal texts, copies of copies with changed words, and keys that meet by chance."""
    some = test_dedup.texts(330, random.Random(SEED))
    for name, part in (("one", some[:120]), ("two", some[100:220]), ("old", [*some[200:], some[0]])):
        corpus_release = test_dedup.released(tmp_path, f"{name}-raw", part)
        test_dedup.without(corpus_release, target=tmp_path / name, keep=True)
        collide(tmp_path / name, 50)
    return "one", "two", "old"


@pytest.mark.parametrize("against", [(), ("--against", "old")], ids=["alone", "against another"])
def test_sets_are_those_of_one_machine(tmp_path: Path, releases: tuple[str, ...], against: tuple[str, ...]) -> None:
    """Their members, sizes and representatives, and the counts. Only the name of the new release differs."""
    chosen = releases[:2] if against else releases
    reports = []
    for engine in ("local", "spark"):
        command = "dedup", *chosen, *against, "-o", engine, "--include-duplicates", "--engine", engine, "--json"
        done = run(tmp_path, *command, **SPARK)
        assert done.returncode == 0, done.stderr
        report = json.loads(done.stdout)
        reports.append({name: value for name, value in report.items() if name not in {"release", "bytes"}})
    assert reports[0] == reports[1]
    assert min(reports[0][name] for name in ("exact", "near")) > 0
    assert (reports[0]["in_other"] > 0) == bool(against)
    assert test_dedup.rows(tmp_path / "spark", *test_dedup.SETS) == test_dedup.rows(
        tmp_path / "local", *test_dedup.SETS
    )


def test_a_killed_search_leaves_no_release_and_starts_again(tmp_path: Path, releases: tuple[str, ...]) -> None:
    """The driver is killed while Spark works. The next one makes the release of one machine."""
    (tmp_path / "scratch").mkdir()
    command = "dedup", *releases, "-o", "unique"
    job = SparkJob(tmp_path, *command, TMPDIR=str(tmp_path / "scratch"))
    job.until_files("scratch/corpus-spider-dedup-*/tables/repeated")
    job.kill()
    assert not list(tmp_path.glob("unique*"))
    output, errors = SparkJob(tmp_path, *command).process.communicate(timeout=PATIENCE)
    assert json.loads(output)["written"], errors
    test_dedup.without(*(tmp_path / name for name in releases), target=tmp_path / "local")
    assert test_dedup.rows(tmp_path / "unique", "id") == test_dedup.rows(tmp_path / "local", "id")


def test_spark_that_does_not_start_is_named(tmp_path: Path, releases: tuple[str, ...]) -> None:
    """As without Java. Nothing is written."""
    (tmp_path / "java").mkdir()
    done = run(
        tmp_path, "dedup", *releases, "-o", "new", "--engine", "spark", **SPARK, JAVA_HOME=str(tmp_path / "java")
    )
    assert done.returncode == 2, done.stderr
    assert "Spark does not start" in done.stderr
    assert "Java 17" in done.stderr
    assert not list(tmp_path.glob("new*"))
