"""`process --engine spark`: the parts of `make_parts`, on a Spark with executors of their own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.corpus_spider.batch.test_process import page, rows
from tests.corpus_spider.others_archives import archive
from tests.corpus_spider.running import environment, program, run, until
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

    def __init__(self, folder: Path, names: list[str]) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            program("process", *names, "-o", "release", "--engine", "spark", "--json"),
            cwd=folder, env=environment(**LOCAL_CLUSTER), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True,
        )  # fmt: skip

    def until_parts(self, count: int) -> None:
        """Wait until so many parts are finished."""
        done = lambda: len(list(self.folder.glob("release/parts/*.json"))) >= count  # noqa: E731
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
    first = SparkJob(tmp_path, names)
    first.until_parts(1)
    first.kill()
    made = len(list(tmp_path.glob("release/parts/*.json")))
    second = SparkJob(tmp_path, names)
    second.until_parts(made + 1)
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
