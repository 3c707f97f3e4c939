"""Workers with a real queue in PostgreSQL, real crawls and local newspapers."""

from __future__ import annotations

import json
import os
import random
import signal
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from storage import Corpus
from tests.corpus_spider.cli.test_json_outputs import assert_valid
from tests.corpus_spider.polite_hosts import Host, page, served
from tests.corpus_spider.running import SEED, ended, often, run, start, until, well
from tests.extras import need

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from pathlib import Path

need("queue")

DELAY, SLACK, ARTICLES = 0.2, 0.05, 5
HTML = {"Content-Type": "text/html; charset=utf-8"}


def newspaper(first: int) -> Host:
    """Return a host with a list of articles of its own."""
    pages = {f"/a/{number}": page(first + number) for number in range(ARTICLES)}
    links = "".join(f'<p><a href="{path}">{path}</a></p>' for path in sorted(pages))
    # Equal front pages would be one page of two hosts.
    pages["/"] = f"<h1>Paper {first}</h1>{links}".encode()
    return Host(
        404, frozenset(pages), pages={path: lambda _, body=body: (200, HTML, body) for path, body in pages.items()}
    )


@dataclass
class Press:
    """A corpus of local newspapers in PostgreSQL, with its folder."""

    folder: Path
    hosts: dict[str, Host]
    url: str

    def listed(self) -> dict[str, Any]:
        done = run(self.folder, "worker", "list", "--json")
        assert done.returncode == 0, done.stderr
        return dict(json.loads(done.stdout))

    def worker(self, *options: str) -> subprocess.Popen[str]:
        return start(self.folder, "worker", "run", "--heartbeat-limit", "3", *options)

    def documents(self) -> Counter[str]:
        with Corpus.open(self.url, read_only=True) as corpus:
            return Counter(document.site for document in corpus.documents())

    def check(self) -> None:
        """Every article is stored once and was requested once, with the delay of its host in between."""
        assert self.documents() == dict.fromkeys(self.hosts, ARTICLES)
        for name, host in self.hosts.items():
            articles = Counter(path for _, path in host.log if path.startswith("/a/"))
            assert articles == {f"/a/{number}": 1 for number in range(ARTICLES)}, name
            assert min(host.gaps) >= DELAY - SLACK, (name, host.log)


@contextmanager
def press(folder: Path, url: str, count: int) -> Iterator[Press]:
    hosts = {f"p{number}": newspaper(100 * number) for number in range(count)}
    with served(hosts):
        port = hosts["p0"].port
        sites = "".join(f'[[site]]\nname = "{name}"\nstart = ["http://{name}.localhost:{port}/"]\n' for name in hosts)
        (folder / "corpus.toml").write_text(
            f'[corpus]\nname = "test"\ncontact = "tests@example.org"\ndatabase = "{url}"\n[crawl]\ndelay = {DELAY}\n'
            f'workers = 1\nallow_private = ["*.localhost:{port}"]\n{sites}'
        )
        yield Press(folder, hosts, url)


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


def test_the_sites_of_a_killed_worker_are_crawled_by_another(tmp_path: Path, postgresql_url: str) -> None:
    """Workers are killed at random moments, with a batch at work: every article is stored and requested once."""
    chance, kills = random.Random(SEED), often(1, 20)
    with press(tmp_path, postgresql_url, often(4, 60)) as papers:
        for name in papers.hosts:
            well(tmp_path, "crawl", "--queue", "--site", name)
        workers = [papers.worker() for _ in range(3)]
        for _ in range(kills):
            until(lambda: any(batch["state"] == "doing" for batch in papers.listed()["batches"]))
            index = chance.randrange(len(workers))
            os.kill(workers[index].pid, signal.SIGKILL)
            workers[index].wait()
            workers[index] = papers.worker()
        until(lambda: papers.listed()["batches"] == [], lambda: str(papers.listed()))
        for worker in workers:
            worker.terminate()
        assert {ended(worker) for worker in workers} == {11}
        papers.check()


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
    """Another crawl has the site: the batch waits a minute, and has not failed."""
    with press(tmp_path, postgresql_url, 1) as papers:
        well(tmp_path, "crawl", "--queue")
        other = start(tmp_path, "crawl")
        until(lambda: papers.hosts["p0"].log)
        os.kill(other.pid, signal.SIGSTOP)
        well(tmp_path, "worker", "run", "--until-empty")
        (batch,) = papers.listed()["batches"]
        assert (batch["state"], batch["attempts"]) == ("todo", 1)
        assert batch["not_before"]
        os.kill(other.pid, signal.SIGCONT)
        assert ended(other) == 0


def test_the_queue_of_a_sqlite_corpus_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with press(tmp_path, f"sqlite:///{tmp_path / 'corpus.db'}", 1):
        refused = run(tmp_path, "crawl", "--queue")
    assert refused.returncode == 2
    assert "`corpus-spider move`" in refused.stderr
