"""Several machines with one database in PostgreSQL, and a WARC folder each."""

from __future__ import annotations

import json
import random
import shutil
import signal
import socket
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
import sqlalchemy as sa
from warcio.archiveiterator import ArchiveIterator

from corpus_spider.exit_codes import SICK, STOPPED
from storage import Corpus
from storage.database.schema import metadata
from storage.reporting import counted
from tests.corpus_spider.cli.test_json_outputs import assert_valid
from tests.corpus_spider.local_paper import Newspaper, corpus_toml, paragraphs, served
from tests.corpus_spider.queue.press import press
from tests.corpus_spider.running import SEED, ended, often, run, start, until
from tests.extras import need

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from subprocess import CompletedProcess, Popen

SITES = ("first", "second", "third")
SOURCES = {"/", "/feed.xml", "/section"}
"""Another machine reads them again. What else waits has to be processed where its file is."""
MANY_ARTICLES = 8
AFTER_KILL = (0, SICK)
"""Exit codes of another machine's crawl. A killed crawl may have fetched each article: then the site is silent."""


class FolderMachine:
    """A machine: its name, its folder, and the corpus.toml that all machines have."""

    def __init__(self, folder: Path, name: str, toml: str, url: str) -> None:
        self.name, self.url, self.folder = name, url, folder / name
        self.folder.mkdir()
        (self.folder / "corpus.toml").write_text(toml)

    def run(self, *arguments: str, **more: str) -> CompletedProcess[str]:
        return run(self.folder, *arguments, CORPUS_SPIDER_CORPUS_MACHINE=self.name, **more)

    def worker(self) -> Popen[str]:
        return start(self.folder, "worker", "run", "--heartbeat-limit", "3", CORPUS_SPIDER_CORPUS_MACHINE=self.name)

    def done(self, *arguments: str) -> str:
        ended = self.run(*arguments)
        assert ended.returncode == 0, (arguments, ended.stdout, ended.stderr)
        return ended.stderr

    def json(self, *arguments: str, codes: tuple[int, ...] = (0,)) -> Any:
        ended = self.run(*arguments, "--json")
        assert ended.returncode in codes, (arguments, ended.stdout, ended.stderr)
        return json.loads(ended.stdout)

    def bytes(self) -> dict[str, bytes]:
        """Return the content of each WARC file, finished or not."""
        return {path.name: path.read_bytes() for path in (self.folder / "warc").glob("*.warc.gz*")}

    def holds(self, text: str) -> bool:
        """Return whether a text is in a file of the folder, by another reader of WARC files."""
        return any(text in content for content in map(_contents, (self.folder / "warc").glob("*.warc.gz*")))

    def corpus(self) -> Corpus:
        return Corpus.open(self.url, machine=self.name)


def _contents(path: Path) -> str:
    with path.open("rb") as file:
        return "".join(record.content_stream().read().decode("utf-8", "replace") for record in ArchiveIterator(file))


@pytest.fixture
def papers() -> Iterator[tuple[Newspaper, ...]]:
    with served(Newspaper(MANY_ARTICLES)) as one, served(Newspaper(5)) as two, served(Newspaper(3)) as three:
        yield one, two, three


@pytest.fixture
def machines(tmp_path: Path, postgresql_url: str, papers: tuple[Newspaper, ...]) -> tuple[FolderMachine, ...]:
    """Three machines, and a site for each."""
    allowed = [f"127.0.0.1:{paper.port}" for paper in papers]
    toml = corpus_toml(papers[0], postgresql_url, site_models=False, allow_private=allowed)
    toml = toml.replace('name = "newspaper"', 'name = "first"', 1)
    for name, paper in zip(SITES[1:], papers[1:], strict=True):
        toml += f'\n[[site]]\nname = "{name}"\nstart = ["{paper.origin}/"]\nlanguage = "vi"\n'
    return tuple(FolderMachine(tmp_path, name, toml, postgresql_url) for name in ("a", "b", "c"))


def crawled(machines: tuple[FolderMachine, ...]) -> None:
    """Let each machine crawl its site."""
    for machine, site in zip(machines, SITES, strict=True):
        machine.done("crawl", "--site", site)


def test_each_file_is_where_the_database_says(machines: tuple[FolderMachine, ...]) -> None:
    """A second crawl on each machine finds no file missing, though it has only its own."""
    crawled(machines)
    crawled(machines)
    a, _, _ = machines
    with a.corpus() as corpus:
        where = {file.name: file.machine for file in corpus.warc.files()}
        assert corpus.warc.elsewhere() == {name: machine for name, machine in where.items() if machine != "a"}
    found = {name: machine.name for machine in machines for name in machine.bytes()}
    assert where == found
    assert len(set(where.values())) == 3


def test_a_folder_takes_its_files_along(machines: tuple[FolderMachine, ...], papers: tuple[Newspaper, ...]) -> None:
    """Its machine, or it, has another name now, also without the mark: a removal there empties its originals."""
    a, b, _ = machines
    b.done("crawl", "--site", "second")
    shutil.move(b.folder / "warc", a.folder / "warc")
    (a.folder / "warc" / "locks" / "machine").unlink()
    a.json("remove", "--url", f"{papers[1].origin}/article/1", "--reason", "asked", "--yes")
    assert not a.holds(paragraphs(1)[0])
    assert a.json("check", "--deep")["problems"] == []


def test_a_machine_without_a_name_has_that_of_its_folder(machines: tuple[FolderMachine, ...]) -> None:
    """A container has another host name each time. A corpus of one machine needs no name."""
    a, _, _ = machines
    assert run(a.folder, "crawl", "--site", "first").returncode == 0
    assert (a.folder / "warc" / "locks" / "machine").read_text() == socket.gethostname()
    (a.folder / "warc" / "locks" / "machine").write_text("container-1")
    for verb in (("crawl", "--site", "first"), ("check", "--deep")):
        assert run(a.folder, *verb).returncode == 0
    with a.corpus() as corpus:
        assert {file.machine for file in corpus.warc.files()} == {"container-1"}


def test_a_machine_leaves_the_killed_crawl_of_another_alone(
    machines: tuple[FolderMachine, ...], papers: tuple[Newspaper, ...]
) -> None:
    """It neither repairs, adopts nor processes what is on the other disk, and fetches no article again."""
    a, b, _ = machines
    waiting = killed_among_articles(b)
    before, asked = b.bytes(), dict(papers[0].asked)
    assert any(name.endswith(".open") for name in before)
    found = a.json("crawl", "--site", "first", codes=AFTER_KILL)
    left = unprocessed(b)
    assert (found["unread"], found["without_file"], found["elsewhere"]) == (0, 0, {"b": len(left)})
    assert b.bytes() == before
    assert waiting - left <= SOURCES
    assert all(papers[0].asked[path] == asked[path] for path in left)
    last = b.json("crawl", "--site", "first")
    assert (last["unread"], last["without_file"], last["elsewhere"]) == (0, 0, {})
    assert not any(name.endswith(".open") for name in b.bytes())
    assert a.json("status")["documents"] == MANY_ARTICLES


def test_a_source_that_another_machine_left_is_read_again(machines: tuple[FolderMachine, ...]) -> None:
    """Without its front page the site had no new article until that machine was back."""
    a, b, _ = machines
    assert killed(b, 1) <= SOURCES
    found = a.json("crawl", "--site", "first")
    assert (found["documents"], found["elsewhere"]) == (MANY_ARTICLES, {})
    assert "read_elsewhere" in a.json("status")["dropped"]


def killed(machine: FolderMachine, step: int) -> set[str]:
    """Kill a crawl of the first site on a machine. Return the paths of the pages that wait to be processed there.

    At the first step these are its sources. A slow source may still wait at a later step.
    """
    ended = machine.run("crawl", "--site", "first", CORPUS_SPIDER_FAILPOINT=f"before_processed_commit:{step}")
    assert ended.returncode == -signal.SIGKILL
    found = unprocessed(machine)
    assert found
    return found


def killed_among_articles(machine: FolderMachine) -> set[str]:
    """Kill a crawl of the first site later. Articles are among the paths that wait."""
    found = killed(machine, 3)
    assert any(path.startswith("/article/") for path in found)
    return found


def unprocessed(machine: FolderMachine) -> set[str]:
    """Return the paths of the pages that wait to be processed on a machine, which may be gone."""
    with machine.corpus() as corpus:
        return {urlsplit(page.lease.url).path for page in corpus.fetches.unprocessed(limit=1000)}


def test_the_pages_of_a_machine_that_is_gone_are_fetched_again_and_counted(
    machines: tuple[FolderMachine, ...], papers: tuple[Newspaper, ...]
) -> None:
    """Its folder is deleted after a kill. Another machine waits for it until somebody declares it gone."""
    a, b, c = machines
    c.done("crawl", "--site", "third")
    killed_among_articles(b)
    shutil.rmtree(b.folder)
    assert a.json("crawl", "--site", "first", codes=AFTER_KILL)["elsewhere"].keys() == {"b"}
    waiting, asked = unprocessed(b), dict(papers[0].asked)
    unknown = a.run("worker", "gone", "d", "--yes")
    assert (unknown.returncode, "b, c.\n" in unknown.stderr) == (2, True)
    gone = a.json("worker", "gone", "b", "--yes")
    assert gone == {"machine": "b", "files": 1, "pages": len(waiting)}
    assert_valid("worker-gone", gone)
    last = c.run("crawl", "--site", "first", "--json")
    assert f"on a machine that is gone: {counted(len(waiting), 'page')}" in last.stderr
    assert all(papers[0].asked[path] == asked[path] + 1 for path in waiting)
    status = c.json("status")
    assert (status["sites"][0]["documents"], status["dropped"]["warc_missing"]) == (MANY_ARTICLES, len(waiting))
    assert not json.loads(last.stdout)["elsewhere"]


def test_a_removal_waits_for_the_machine_that_is_off(
    machines: tuple[FolderMachine, ...], papers: tuple[Newspaper, ...]
) -> None:
    """It ends with 3 until that machine has emptied its originals. Then the text is on no disk."""
    a, b, c = machines
    crawled(machines)
    text = paragraphs(1)[0]
    assert {machine.name for machine in machines if machine.holds(text)} == {"a", "b", "c"}
    for paper in papers:
        paper.extra["/article/1"] = lambda: (410, {}, b"")
    wanted = [option for paper in papers for option in ("--url", f"{paper.origin}/article/1")]
    removed = a.json("remove", *wanted, "--reason", "asked", "--yes", codes=(3,))
    assert_valid("remove", removed)
    assert (removed["waiting"], removed["missing"], len(removed["documents"])) == (["b", "c"], [], 3)
    assert [machine.holds(text) for machine in machines] == [False, True, True]
    b.done("crawl", "--site", "second")
    assert [machine.holds(text) for machine in machines] == [False, False, True]
    again = a.run("remove")
    assert again.returncode == 3
    assert "1 machine has not yet emptied the originals in its folder:\n  c\n" in again.stdout
    checked = a.json("check", codes=(6,))
    assert [problem for problem in checked["problems"] if "removal" not in problem] == []
    c.done("learn", "--site", "third")
    assert not any(machine.holds(text) for machine in machines)
    assert not in_database(a, text)
    assert a.json("remove")["waiting"] == []
    assert [machine.json("check", "--deep")["problems"] for machine in machines] == [[], [], []]


def in_database(machine: FolderMachine, text: str) -> bool:
    """Return whether a row of any table has a text."""
    with machine.corpus() as corpus, corpus.database.snapshot() as connection:
        tables = (connection.execute(sa.select(table)).all() for table in metadata.sorted_tables)
        return any(text in str(row) for rows in tables for row in rows)


def test_a_kill_in_the_part_of_another_machine_leaves_it_to_the_next_command(
    machines: tuple[FolderMachine, ...], papers: tuple[Newspaper, ...]
) -> None:
    """After the copy, after the rows are moved, and after the old file is deleted."""
    a, b, _ = machines
    a.done("crawl", "--site", "first")
    b.done("crawl", "--site", "second")
    for step in (1, 2, 3):
        request = ("remove", "--url", f"{papers[1].origin}/article/{step}", "--reason", "asked", "--yes")
        assert a.json(*request, codes=(3,))["waiting"] == ["b"]
        ended = b.run("reextract", "--site", "second", CORPUS_SPIDER_FAILPOINT=f"in_removal:{step}")
        assert ended.returncode == -signal.SIGKILL
        assert b.json("reextract", "--site", "second")["elsewhere"] == {}
        assert not b.holds(paragraphs(step)[0])
    assert a.json("remove")["waiting"] == []


def test_a_machine_that_is_gone_holds_up_no_removal_and_loses_its_files_when_it_is_back(
    machines: tuple[FolderMachine, ...], papers: tuple[Newspaper, ...]
) -> None:
    """Its originals count as lost. If it was not lost after all, the text is still on no disk in the end."""
    a, b, c = machines
    a.done("crawl", "--site", "first")
    c.done("crawl", "--site", "third")
    text = paragraphs(1)[0]
    a.json("remove", "--url", f"{papers[2].origin}/article/1", "--reason", "asked", "--yes", codes=(3,))
    b.done("crawl", "--site", "second")
    a.done("worker", "gone", "c", "--yes")
    assert a.json("remove")["waiting"] == []
    assert a.json("check", "--deep")["problems"] == []
    assert c.holds(text)
    c.done("crawl", "--site", "third")
    assert not c.holds(text)
    assert a.json("check")["problems"] == []


def test_no_machine_finishes_a_killed_removal_before_its_texts_are_withdrawn(
    machines: tuple[FolderMachine, ...], papers: tuple[Newspaper, ...]
) -> None:
    """The command is killed right after the request was declared. The others wait for its next call."""
    a, b, _ = machines
    b.done("crawl", "--site", "second")
    request = ("remove", "--url", f"{papers[1].origin}/article/1", "--reason", "asked", "--yes")
    assert a.run(*request, CORPUS_SPIDER_FAILPOINT="in_removal:1").returncode == -signal.SIGKILL
    b.done("crawl", "--site", "second")
    assert b.holds(paragraphs(1)[0])
    assert a.json("remove", codes=(3,))["waiting"] == ["b"]
    b.done("crawl", "--site", "second")
    assert not b.holds(paragraphs(1)[0])
    assert a.json("remove")["waiting"] == []


def test_a_worker_carries_out_a_removal_and_processes_what_its_machine_has(
    machines: tuple[FolderMachine, ...], papers: tuple[Newspaper, ...]
) -> None:
    """Both without a batch in the queue: the removal within seconds, and the pages that a killed crawl has left."""
    need("queue")
    a, b, _ = machines
    b.done("crawl", "--site", "second")
    killed_among_articles(b)
    assert a.json("crawl", "--site", "first", codes=AFTER_KILL)["elsewhere"].keys() == {"b"}
    worker = b.worker()
    until(lambda: a.json("status")["documents"] == MANY_ARTICLES + 5, lambda: str(worker.poll()))
    assert [each["machine"] for each in a.json("worker", "list")["workers"]] == ["b"]
    request = ("remove", "--url", f"{papers[1].origin}/article/4", "--reason", "asked", "--yes")
    until(lambda: a.run(*request).returncode == 3)
    until(lambda: a.run("remove").returncode == 0)
    assert not any(paragraphs(4)[0] in content for content in map(_contents, (b.folder / "warc").glob("*-r1.warc.gz")))
    worker.terminate()
    assert ended(worker) == STOPPED


def test_workers_with_folders_of_their_own_lose_no_page_when_they_are_killed(
    tmp_path: Path, postgresql_url: str
) -> None:
    """Each article is stored once. What a killed worker fetched is processed by the next worker of its machine."""
    need("queue")
    with press(tmp_path / "press", postgresql_url, often(3, 20)) as papers:
        toml = (papers.folder / "corpus.toml").read_text()
        machines = [FolderMachine(tmp_path, name, toml, postgresql_url) for name in ("a", "b", "c")]
        Corpus.open(postgresql_url, create=True).close()
        workers = [machine.worker() for machine in machines]
        until(lambda: len(papers.listed()["workers"]) == len(machines))
        machines[0].done("crawl", "--queue")
        chance = random.Random(SEED)
        for _ in range(often(2, 10)):
            seen = sum(len(host.log) for host in papers.hosts.values())
            until(lambda seen=seen: sum(len(host.log) for host in papers.hosts.values()) > seen + 2)  # type: ignore[misc]
            index = chance.randrange(len(workers))
            workers[index].kill()
            workers[index].wait()
            workers[index] = machines[index].worker()
        until(lambda: papers.documents() == dict.fromkeys(papers.hosts, papers.articles), lambda: str(papers.listed()))
        until(lambda: papers.listed()["batches"] == [], lambda: str(papers.listed()))
        for worker in workers:
            worker.terminate()
        assert {ended(worker) for worker in workers} == {STOPPED}
        for machine in machines:
            assert machine.json("check", "--deep")["problems"] == []


def test_commands_say_on_which_machine_an_original_is(
    machines: tuple[FolderMachine, ...], papers: tuple[Newspaper, ...], tmp_path: Path
) -> None:
    """A file of another machine is neither missing nor damaged."""
    a, b, _ = machines
    a.done("crawl", "--site", "first")
    b.done("crawl", "--site", "second")
    checked = a.json("check", "--deep")
    assert (checked["problems"], checked["elsewhere"], checked["files"]) == ([], {"b": 1}, 1)
    shown = a.run("show", f"{papers[1].origin}/article/1", "--original")
    assert "the original is on machine b\n  Show it on machine b.\n" in shown.stderr
    again = a.json("reextract")
    assert (again["unreadable"], again["missing"], again["pages"] > 0, set(again["elsewhere"])) == (0, {}, True, {"b"})
    exported = a.json("export", "-o", str(tmp_path / "originals.wacz"))
    assert (exported["files"], exported["elsewhere"]) == (1, {"b": 1})
    backup = a.json("backup", str(tmp_path / "backup"))
    assert (backup["files"], backup["missing"], backup["elsewhere"]) == (1, [], {"b": 1})
    assert "on machine b: 1 WARC file" in a.run("learn").stderr
    (a.folder / "corpus.toml").write_text((a.folder / "corpus.toml").read_text() + '\n[archive]\nmax = "1"\n')
    assert [file["name"] for file in a.json("prune", "--dry-run")] == list(a.bytes())
