"""Workers with a real queue in PostgreSQL, real crawls and local newspapers."""

from __future__ import annotations

import json
import os
import random
import signal
import threading
import time
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from corpus_spider.exit_codes import DATABASE, FORCED, INTERNAL, LOCKED, STOPPED
from corpus_spider.queue.batches import Batch
from corpus_spider.queue.jobs import open_tables
from storage import Corpus
from tests.corpus_spider.cli.test_json_outputs import assert_valid
from tests.corpus_spider.polite_hosts import Answer, Host, page
from tests.corpus_spider.queue.press import ARTICLES, HTML, press
from tests.corpus_spider.running import PATIENCE, SEED, ended, often, run, start, until, well
from tests.extras import need

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import PostgresServer
    from tests.corpus_spider.queue.press import Press

need("queue")

MANY_ARTICLES = 20


@dataclass
class Slow:
    """A page that is answered when a test says so."""

    asked: threading.Event = field(default_factory=threading.Event)
    answered: threading.Event = field(default_factory=threading.Event)

    def __call__(self, host: Host) -> Answer:
        self.asked.set()
        assert self.answered.wait(PATIENCE)
        return 200, HTML, page(100)


def test_a_worker_crawls_what_the_queue_names_once(tmp_path: Path, postgresql_url: str) -> None:
    """A dry run queues nothing, the first call all sites in one batch, the second none; then nothing is due."""
    with press(tmp_path, postgresql_url, 3) as papers:
        Corpus.open(postgresql_url, create=True).close()
        planned = json.loads(run(tmp_path, "crawl", "--queue", "--dry-run", "--json").stdout)
        assert [batch["sites"] for batch in planned["added"]] == [["p0", "p1", "p2"]]
        assert papers.listed() == {"workers": [], "batches": [], "added": []}
        first, second = (json.loads(run(tmp_path, "crawl", "--queue", "--json").stdout) for _ in range(2))
        assert [batch["sites"] for batch in first["added"]] == [["p0", "p1", "p2"]]
        assert second["added"] == []
        assert [batch["state"] for batch in second["batches"]] == ["todo"]
        assert_valid("crawl-queue", first)
        assert_valid("worker-list", papers.listed())
        well(tmp_path, "worker", "run", "--until-empty")
        papers.check()
        assert papers.listed() == {"workers": [], "batches": [], "added": []}
        assert json.loads(run(tmp_path, "crawl", "--queue", "--json").stdout)["added"] == []
        well(tmp_path, "check")


def crawled(papers: Press, kills: list[float]) -> float:
    """Crawl with three workers. Kill one after each number of seconds and start another. Return the total seconds."""
    Corpus.open(papers.url, create=True).close()
    chance, workers = random.Random(SEED), [papers.worker() for _ in range(3)]
    until(lambda: len(papers.listed()["workers"]) == 3)
    well(papers.folder, "crawl", "--queue")
    began = time.monotonic()
    for moment in kills:
        until(lambda moment=moment: time.monotonic() - began > moment)  # type: ignore[misc]
        index = chance.randrange(len(workers))
        os.kill(workers[index].pid, signal.SIGKILL)
        workers[index].wait()
        workers[index] = papers.worker()
    until(lambda: papers.listed()["batches"] == [], lambda: str(papers.listed()))
    seconds = time.monotonic() - began
    for worker in workers:
        worker.terminate()
    assert {ended(worker) for worker in workers} == {11}
    papers.check()
    return seconds


def test_the_sites_of_a_killed_worker_are_crawled_by_another(
    tmp_path: Path, postgresql_url: str, postgres_server: PostgresServer
) -> None:
    """Workers are killed at random moments: every article is stored and requested once, within twice the time."""
    chance, sites, articles = random.Random(SEED), often(6, 60), often(ARTICLES, MANY_ARTICLES)
    other = postgres_server.url(postgres_server.new_database())
    with press(tmp_path / "quiet", other, sites, articles) as papers:
        undisturbed = crawled(papers, [])
    with press(tmp_path / "killed", postgresql_url, sites, articles) as papers:
        seconds = crawled(papers, sorted(chance.uniform(0, undisturbed) for _ in range(often(1, 20))))
    print(f"undisturbed {undisturbed:.1f} s, with kills {seconds:.1f} s")
    # A few pages take less time than the start of a crawl.
    assert seconds <= often(10, 2) * undisturbed


def test_the_sites_of_a_killed_worker_wait_for_no_busy_slot(tmp_path: Path, postgresql_url: str) -> None:
    """The only slot of the other worker is busy all the time: it crawls the sites of the killed one beside it."""
    with press(tmp_path, postgresql_url, 2) as papers:
        papers.hosts["p1"].pages["/a/0"] = slow = Slow()
        Corpus.open(postgresql_url, create=True).close()
        well(tmp_path, "crawl", "--queue", "--site", "p1")
        busy = papers.worker()
        until(slow.asked.is_set)
        killed = papers.worker()
        until(lambda: len(papers.listed()["workers"]) == 2)
        well(tmp_path, "crawl", "--queue", "--site", "p0")
        until(lambda: papers.hosts["p0"].log)
        os.kill(killed.pid, signal.SIGKILL)
        killed.wait()
        until(lambda: [batch["sites"] for batch in papers.listed()["batches"]] == [["p1"]], papers.listed)
        at_work = papers.listed()
        assert at_work["batches"][0]["pages_per_minute"] > 0
        assert [each["pages_per_minute"] for each in at_work["workers"]] == [at_work["batches"][0]["pages_per_minute"]]
        slow.answered.set()
        until(lambda: papers.listed()["batches"] == [], papers.listed)
        busy.terminate()
        assert ended(busy) == 11
        papers.check()


def test_all_crawls_of_all_workers_are_shown_and_a_dead_one_is_named(tmp_path: Path, postgresql_url: str) -> None:
    """`status` has every crawl with its rate, then the killed worker, then batches that no worker is there for."""
    with press(tmp_path, postgresql_url, 2) as papers:
        slow = [Slow(), Slow()]
        Corpus.open(postgresql_url, create=True).close()
        workers = []
        for name, held in zip(papers.hosts, slow, strict=True):
            papers.hosts[name].pages["/a/0"] = held
            well(tmp_path, "crawl", "--queue", "--site", name)
            workers.append(papers.worker())
            until(held.asked.is_set)

        def shown() -> dict[str, Any]:
            return dict(json.loads(run(tmp_path, "status", "--json").stdout))

        until(lambda: all(crawl["pages_per_minute"] > 0 for crawl in shown()["at_work"]), shown)
        both = shown()
        assert [(crawl["state"], crawl["sites"]) for crawl in both["at_work"]] == [
            ("running", ["p0"]),
            ("running", ["p1"]),
        ]
        assert both["machine_problems"] == []
        assert_valid("status", both)
        written = run(tmp_path, "status").stdout
        assert "still running" in written
        assert "2 crawls   2 sites" in written
        for worker, held in zip(workers, slow, strict=True):
            worker.kill()
            worker.wait()
            held.answered.set()
        until(lambda: str(shown()["machine_problems"]).count("gives no sign of life") == 2, shown)
        examined = json.loads(run(tmp_path, "health", "--json").stdout)
        assert_valid("health", examined)
        assert [each["sites"] for each in examined["machines"]][-1] == ["p0", "p1"]
        assert "in the queue and no worker (p0, p1)" in run(tmp_path, "health").stdout


def test_a_worker_that_others_gave_up_is_listed_again(tmp_path: Path, postgresql_url: str) -> None:
    """It was deleted during its crawl, as after a cut: it shows itself again, and is gone when it ends."""
    with press(tmp_path, postgresql_url, 1) as papers, Corpus.open(postgresql_url, create=True) as corpus:
        papers.hosts["p0"].pages["/a/0"] = slow = Slow()
        well(tmp_path, "crawl", "--queue")
        worker = papers.worker()
        until(slow.asked.is_set)
        until(lambda: papers.listed()["workers"])
        before = papers.listed()["workers"]
        with closing(open_tables(corpus, read_only=True)) as tables:
            tables.execute("DELETE FROM procrastinate_workers")
        until(lambda: papers.listed()["workers"], papers.listed)
        (again,) = papers.listed()["workers"]
        assert (again["process"], again["machine"]) == (before[0]["process"], before[0]["machine"])
        slow.answered.set()
        worker.terminate()
        assert ended(worker) == 11
        assert papers.listed()["workers"] == []


def test_a_dead_batch_with_a_newer_one_ends_as_failed(tmp_path: Path, postgresql_url: str) -> None:
    """The newer batch is crawled. The other one is listed as failed, and crawls nothing."""
    from corpus_spider.queue.jobs import add

    with press(tmp_path, postgresql_url, 1) as papers, Corpus.open(postgresql_url, create=True) as corpus:
        well(tmp_path, "crawl", "--queue")
        (dead,) = papers.listed()["batches"]
        worker = papers.worker()
        until(lambda: papers.hosts["p0"].log)
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait()
        add(corpus, [Batch(("p0",), 1.0)])
        other = papers.worker()
        until(
            lambda: [(each["job"], each["state"]) for each in papers.listed()["batches"]] == [(dead["job"], "failed")]
        )
        other.terminate()
        assert ended(other) == 11
        papers.check()


@pytest.mark.parametrize(
    ("code", "attempts", "seconds"),
    [
        (LOCKED, 9, 5),
        (STOPPED, 9, 0),
        (FORCED, 9, 0),
        *((DATABASE, attempts, seconds) for attempts, seconds in enumerate((60, 300, 1800, None))),
        (INTERNAL, 0, 60),
        (-9, 0, 0),
        (-9, 1, 60),
        (-9, 9, 1800),
    ],
)
def test_a_batch_is_tried_again_by_the_end_of_its_crawl(code: int, attempts: int, seconds: int | None) -> None:
    """A lock and a stop count for nothing. After three errors a batch stays failed, after kills it never does."""
    from procrastinate.jobs import Job

    from corpus_spider.queue.worker import BatchRetries, CrawlEndedError

    job = Job(id=1, queue="crawl", lock=None, queueing_lock=None, task_name="crawl", attempts=attempts)
    decision = BatchRetries().get_retry_decision(exception=CrawlEndedError(code), job=job)
    if seconds is None:
        assert decision is None
    else:
        assert decision is not None
        assert decision.retry_at is not None
        assert (decision.retry_at - datetime.now(UTC)).total_seconds() == pytest.approx(seconds, abs=5)


def test_a_stopped_worker_gives_its_batch_back(tmp_path: Path, postgresql_url: str) -> None:
    """SIGTERM stops the crawl of the worker, as Ctrl-C does; the batch waits for another worker at once."""
    with press(tmp_path, postgresql_url, 1) as papers:
        well(tmp_path, "crawl", "--queue")
        worker = papers.worker()
        until(lambda: papers.hosts["p0"].log)
        worker.terminate()
        assert ended(worker) == 11
        (batch,) = papers.listed()["batches"]
        assert (batch["state"], batch["sites"]) == ("todo", ["p0"])
        well(tmp_path, "worker", "run", "--until-empty")
        papers.check()


def test_a_batch_with_a_locked_site_is_put_off(tmp_path: Path, postgresql_url: str) -> None:
    """Another crawl has the site: the batch waits a moment, and that is no attempt."""
    with press(tmp_path, postgresql_url, 1) as papers:
        well(tmp_path, "crawl", "--queue")
        other = start(tmp_path, "crawl")
        until(lambda: papers.hosts["p0"].log)
        os.kill(other.pid, signal.SIGSTOP)
        well(tmp_path, "worker", "run", "--until-empty")
        (batch,) = papers.listed()["batches"]
        assert (batch["state"], batch["attempts"]) == ("todo", 0)
        assert batch["not_before"]
        os.kill(other.pid, signal.SIGCONT)
        assert ended(other) == 0


def test_the_queue_of_a_sqlite_corpus_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with press(tmp_path, f"sqlite:///{tmp_path / 'corpus.db'}", 1):
        refused = run(tmp_path, "crawl", "--queue")
    assert refused.returncode == 2
    assert "`corpus-spider move`" in refused.stderr
