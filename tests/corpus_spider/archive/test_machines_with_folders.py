"""Several machines with one database in PostgreSQL, and a WARC folder each."""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING, Any

import pytest

from storage import Corpus
from tests.corpus_spider.local_paper import Newspaper, corpus_toml, served
from tests.corpus_spider.running import run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from subprocess import CompletedProcess

SITES = ("first", "second", "third")
MANY_ARTICLES = 8


class FolderMachine:
    """A machine: its name, its folder, and the corpus.toml that all machines have."""

    def __init__(self, folder: Path, name: str, toml: str, url: str) -> None:
        self.name, self.url, self.folder = name, url, folder / name
        self.folder.mkdir()
        (self.folder / "corpus.toml").write_text(toml)

    def run(self, *arguments: str, **more: str) -> CompletedProcess[str]:
        return run(self.folder, *arguments, CORPUS_SPIDER_CORPUS_MACHINE=self.name, **more)

    def done(self, *arguments: str) -> str:
        ended = self.run(*arguments)
        assert ended.returncode == 0, (arguments, ended.stdout, ended.stderr)
        return ended.stderr

    def json(self, *arguments: str, code: int = 0) -> Any:
        ended = self.run(*arguments, "--json")
        assert ended.returncode == code, (arguments, ended.stdout, ended.stderr)
        return json.loads(ended.stdout)

    def bytes(self) -> dict[str, bytes]:
        """Return the content of each WARC file, finished or not."""
        return {path.name: path.read_bytes() for path in (self.folder / "warc").glob("*.warc.gz*")}

    def corpus(self) -> Corpus:
        return Corpus.open(self.url, machine=self.name)


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


def test_a_machine_leaves_the_killed_crawl_of_another_alone(
    machines: tuple[FolderMachine, ...], papers: tuple[Newspaper, ...]
) -> None:
    """It neither repairs, adopts, fetches again nor processes what is on the other disk. The other one does."""
    a, b, _ = machines
    killed = b.run("crawl", "--site", "first", CORPUS_SPIDER_FAILPOINT="before_processed_commit:1")
    assert killed.returncode == -signal.SIGKILL
    before = b.bytes()
    assert any(name.endswith(".open") for name in before)
    fetched = papers[0].asked.copy()
    found = a.json("crawl", "--site", "first")
    assert (found["unread"], found["without_file"], found["elsewhere"]) == (0, 0, {"b": sum_of(b)})
    assert b.bytes() == before
    with b.corpus() as corpus:
        waiting = {page.lease.url for page in corpus.fetches.unprocessed(limit=1000)}
    assert waiting
    assert all(
        papers[0].asked[url.removeprefix(papers[0].origin)] == fetched[url.removeprefix(papers[0].origin)]
        for url in waiting
    )
    last = b.json("crawl", "--site", "first")
    assert (last["unread"], last["without_file"], last["elsewhere"]) == (0, 0, {})
    assert not any(name.endswith(".open") for name in b.bytes())
    assert a.json("status")["documents"] == MANY_ARTICLES


def sum_of(machine: FolderMachine) -> int:
    with machine.corpus() as corpus:
        return corpus.fetches.count_unprocessed(("first",))
