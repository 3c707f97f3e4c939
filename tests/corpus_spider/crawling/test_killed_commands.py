"""Each command that writes, killed at any call to the disk: nothing is half written, and the next call completes."""

from __future__ import annotations

import hashlib
import random
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from storage import Corpus
from storage.consistency import INTERRUPTED
from tests.corpus_spider.faults import SmallCrawls, damage, differences, new_corpus, said, state
from tests.corpus_spider.local_paper import article, paragraphs
from tests.corpus_spider.others_archives import Answer, archive
from tests.corpus_spider.running import SEED, often

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PAPER = "http://127.0.0.1:8081"
PAGE, PASSAGE = f"{PAPER}/article/3", paragraphs(3)[2]
EARLIER = "the export of an earlier day\n"


@pytest.fixture(scope="module")
def crawled(crawls: SmallCrawls, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus with some WARC files and the export of an earlier day."""
    folder = new_corpus(tmp_path_factory.mktemp("crawled") / "corpus")
    assert crawls.run(folder) == 0
    (folder / "earlier.jsonl").write_text(EARLIER)
    archive(folder / "theirs.warc.gz", *(Answer(f"{PAPER}/old/{at}", article(at)) for at in range(100, 104)))
    return folder


def of(folder: Path) -> str:
    return f"sqlite:///{folder / 'corpus.db'}"


def names(folder: Path) -> set[str]:
    """Return what is in a folder; the log and the index of a database stay while it is open."""
    return {path.name for path in folder.iterdir() if not path.name.endswith(("-wal", "-shm"))}


def lines(path: Path) -> int:
    return path.read_text().count("\n")


def vouched_for(path: Path) -> bool:
    """Return whether the checksum beside a file is that of the file."""
    return path.with_name(f"{path.name}.sha256").read_text().split()[0] == hashlib.sha256(path.read_bytes()).hexdigest()


def exported(folder: Path, done: bool) -> None:
    path = folder / "new.jsonl"
    assert done <= path.exists()
    assert not path.exists() or lines(path) == 12
    assert not done or vouched_for(path)


def replaced(folder: Path, done: bool) -> None:
    text = (folder / "earlier.jsonl").read_text()
    assert text.count("\n") == 12 or (text == EARLIER and not done)
    assert not done or vouched_for(folder / "earlier.jsonl")


def released(folder: Path, done: bool) -> None:
    assert done <= (folder / "release").exists()
    if (folder / "release").exists():
        assert (folder / "release" / "manifest.json").exists()
        assert sum(lines(path) for path in (folder / "release" / "data").glob("*.jsonl")) == 12


def archived(folder: Path, done: bool) -> None:
    assert done <= (folder / "originals.wacz").exists()


def backed_up(folder: Path, done: bool) -> None:
    copy = folder / "copy"
    assert done <= copy.exists()
    if copy.exists():
        assert damage(copy) == []
        assert differences(state(of(copy)), state(of(folder))) == []


def moved(folder: Path, done: bool) -> None:
    if done:
        assert differences(state(f"sqlite:///{folder / 'moved.db'}"), state(of(folder))) == []


def removed(folder: Path, done: bool) -> None:
    with Corpus.open(of(folder), read_only=True) as corpus:
        there = corpus.documents.find(PAGE) is not None
    assert not (done and there)
    assert not done or PASSAGE.encode() not in (folder / "corpus.db").read_bytes()


def pruned(folder: Path, done: bool) -> None:
    assert not done or sum(path.stat().st_size for path in (folder / "warc").glob("*.warc.gz")) < 15_000


def learned(folder: Path, done: bool) -> None:
    with Corpus.open(of(folder), read_only=True) as corpus:
        assert done <= ("newspaper" in corpus.models.newest(["newspaper"]))


def imported(folder: Path, done: bool) -> None:
    with Corpus.open(of(folder), read_only=True) as corpus:
        assert not done or corpus.documents.find(f"{PAPER}/old/103") is not None
        assert not done or corpus.fetches.count_unprocessed() == 0


def same(folder: Path, done: bool) -> None:
    pass


@dataclass(frozen=True)
class Command:
    """What is called, called again after the kill, and what must hold between the two (False) and afterwards (True)."""

    call: tuple[str, ...]
    holds: Callable[[Path, bool], None]
    again: tuple[str, ...] = ()
    keeps: bool = True
    """Whether the documents of the corpus stay as they are."""


COMMANDS = {
    "export": Command(("export", "-o", "new.jsonl"), exported, ("export", "-o", "new.jsonl", "--overwrite")),
    "export over": Command(("export", "-o", "earlier.jsonl", "--overwrite"), replaced),
    "release": Command(
        ("export", "-o", "release/", "--format", "jsonl", "--release"),
        released,
        ("export", "-o", "release/", "--format", "jsonl", "--release", "--overwrite"),
    ),
    "wacz": Command(("export", "-o", "originals.wacz"), archived, ("export", "-o", "originals.wacz", "--overwrite")),
    "backup": Command(("backup", "copy"), backed_up),
    "move": Command(("move", "sqlite:///moved.db"), moved),
    "remove": Command(("remove", "--yes", "--url", PAGE, "--reason", "asked"), removed, keeps=False),
    "prune": Command(("--set", "archive.max=14000", "prune"), pruned),
    "learn": Command(("learn",), learned),
    "reextract": Command(("reextract",), same),
    "import": Command(("import", "theirs.warc.gz"), imported, keeps=False),
    "index": Command(("index",), same),
}


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_killed_anywhere_is_done_by_the_next_call(
    crawls: SmallCrawls, crawled: Path, tmp_path: Path, name: str, record_property: Callable[[str, object], None]
) -> None:
    """What stands under a final name is whole at every moment, and nothing of the killed one stays."""
    command, chance = COMMANDS[name], random.Random(f"{SEED} {name}")
    calm, before = shutil.copytree(crawled, tmp_path / "calm"), state(of(crawled))
    assert crawls.run(calm, *command.call, DISK_COUNT=str(tmp_path / "calls")) == 0, said(calm)
    calls = (tmp_path / "calls").stat().st_size
    chosen = [chance.randint(1, calls) for _ in range(often(1, 50))]
    for number, call in enumerate(chosen):
        folder = shutil.copytree(crawled, tmp_path / str(number))
        code, reached = crawls.broken(folder, f"kill@any:{call}", *command.call)
        assert code == -9 or (code == 0 and not reached), (call, code, said(folder))
        command.holds(folder, False)
        assert [each for each in damage(folder) if INTERRUPTED not in each] == [], call
        code = crawls.run(folder, *(command.again or command.call))
        assert code == 0 or "exists already" in said(folder), (call, said(folder))
        command.holds(folder, True)
        assert damage(folder) == [], call
        assert not command.keeps or differences(state(of(folder)), before) == []
        assert names(folder) - names(calm) == set(), call
        shutil.rmtree(folder)
    record_property("kills", f"seed {SEED}: {len(chosen)} among {calls} calls")
