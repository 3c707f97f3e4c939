"""The next migration of a corpus with documents: all of it or nothing, also after a kill at any moment."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from storage.corpus import Corpus
from storage.database.migrations import current_versions
from storage.database.schema import SCHEMA_VERSION
from storage.database.transactions import connect, parse_url
from storage.errors import NewerCorpusError
from tests.corpus_spider.running import PATIENCE, SEED, environment, often
from tests.storage.corpus_samples import Crawl, link, made
from tests.storage.next_release import BEFORE_THE_COMMIT, IN_THE_MIDDLE, NEXT, next_release, open_as

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ODD = (
    "Một văn bản \U0001f600",
    "نص عربي",
    "a\x00b\ud800c",
    "'; DROP TABLE url; --",
    "line\r\nline\u2028line",
    "\u0e01\u0e33",
)
OPEN = "import sys; from storage.corpus import Corpus; Corpus.open(sys.argv[1]).close()"
Facts = list[tuple[object, ...]]


def fill(corpus: Corpus) -> None:
    """Store odd texts, versions, duplicates and links."""
    crawl = Crawl(corpus)
    for number in range(often(24, 1000)):
        text = f"{ODD[number % len(ODD)]} {number % 20}"
        crawl.visit(str(number), made(text, link(f"found{number}"), title=ODD[-1 - number % len(ODD)]))
    crawl.visit("0", made("a later version"))


def facts(where: str) -> Facts:
    with Corpus.open(where, read_only=True) as corpus:
        assert corpus.problems() == []
        return [(each.id, each.url, each.version, each.title, each.text) for each in corpus.documents()]


def opening(release: Path, url: str, failpoint: str = "") -> subprocess.Popen[bytes]:
    """Start to open a corpus with another release, which is killed at a point."""
    command = [sys.executable, "-c", OPEN, url]
    variables = environment(PYTHONPATH=str(release), CORPUS_SPIDER_FAILPOINT=failpoint)
    return subprocess.Popen(command, env=variables, cwd=release, start_new_session=True)


def opened(release: Path, url: str, *, failpoint: str = "", after: float | None = None) -> int:
    """Open a corpus with another release, which is killed at a point or after so many seconds. Return the exit code."""
    child = opening(release, url, failpoint)
    if after is not None:
        time.sleep(after)
        os.killpg(child.pid, signal.SIGKILL)
    return child.wait(PATIENCE)


@pytest.mark.timeout(3600)
def test_a_corpus_comes_forward_whole_whenever_that_is_killed(
    database_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    record_property: Callable[[str, object], None],
) -> None:
    """Before the commit it is what it was, after it it is of the next release; every document is there."""
    with Corpus.open(database_url, create=True) as corpus:
        fill(corpus)
    before, release = facts(database_url), next_release(tmp_path)
    left = connect(parse_url(database_url))
    for failpoint in (IN_THE_MIDDLE, BEFORE_THE_COMMIT):
        assert opened(release, database_url, failpoint=failpoint) == -signal.SIGKILL
        assert left.read(current_versions) == [SCHEMA_VERSION]
        assert facts(database_url) == before
    chance, kills = random.Random(SEED), 2
    for _ in range(often(1, 40)):
        kills += opened(release, database_url, after=chance.uniform(0.2, often(0.6, 1.2))) == -signal.SIGKILL
        assert left.read(current_versions) in ([SCHEMA_VERSION], [NEXT])
    assert opened(release, database_url) == 0
    genres = sa.text("SELECT DISTINCT genre FROM document")
    assert left.read(lambda connection: connection.execute(genres).scalars().all()) == ["news"]
    assert left.read(current_versions) == [NEXT]
    left.close()
    with pytest.raises(NewerCorpusError):
        Corpus.open(database_url, read_only=True)
    open_as(release, monkeypatch)
    assert facts(database_url) == before
    with Corpus.open(database_url) as corpus:
        Crawl(corpus, "b.example").visit("new", made("a text of the night after"))
    assert len(facts(database_url)) == len(before) + 1
    record_property("kills", f"seed {SEED}: {kills}")


def test_several_programs_bring_a_corpus_forward_at_once(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They wait for each other, then all have the corpus of the next release with every document."""
    with Corpus.open(database_url, create=True) as corpus:
        fill(corpus)
    before, release = facts(database_url), next_release(tmp_path)
    programs = [opening(release, database_url) for _ in range(3)]
    assert [program.wait(PATIENCE) for program in programs] == [0, 0, 0]
    open_as(release, monkeypatch)
    assert facts(database_url) == before
    assert len(list(tmp_path.glob("corpus.db.before-*"))) == database_url.startswith("sqlite")
