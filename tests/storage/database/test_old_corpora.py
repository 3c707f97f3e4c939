"""Old corpora of each schema: upgraded with all their documents, also after a kill at any moment."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from storage import failpoints
from storage.corpus import Corpus
from storage.database import migrations
from storage.database.migrations import current_versions
from storage.database.schema import SCHEMA_VERSION
from storage.database.transactions import connect, parse_url
from tests.corpus_spider.running import SEED, often
from tests.storage.corpus_samples import Crawl, link, made
from tests.storage.old_corpus import make_old

if TYPE_CHECKING:
    from collections.abc import Callable

VERSIONS = sorted(path.name[1:5] for path in (Path(migrations.__file__).parent / "versions").glob("v0*.py"))
ODD = (
    "Một văn bản \U0001f600",
    "نص عربي",
    "a\x00b\ud800c",
    "'; DROP TABLE url; --",
    "line\r\nline\u2028line",
    "\u0e01\u0e33",
)
Facts = list[tuple[object, ...]]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of today with odd texts, versions, duplicates and links."""
    path = tmp_path_factory.mktemp("source") / "corpus.db"
    with Corpus.open(path, create=True) as corpus:
        crawl = Crawl(corpus)
        for number in range(often(24, 1000)):
            text = f"{ODD[number % len(ODD)]} {number % 20}"
            crawl.visit(str(number), made(text, link(f"found{number}"), title=ODD[-1 - number % len(ODD)]))
        crawl.visit("0", made("a later version"))
    return path


def facts(where: object) -> Facts:
    with Corpus.open(str(where), read_only=True) as corpus:
        assert corpus.problems() == []
        return [(each.id, each.url, each.version, each.title, each.text) for each in corpus.documents()]


def killed_opening(url: str, after: float | None) -> int:
    """Open a corpus in a process that is killed after so many seconds, or with the migration done and not committed."""
    child = os.fork()
    if not child:
        os.setsid()
        if after is None:
            failpoints._armed, failpoints._fatal_reach = "in_migration", 1
        try:
            Corpus.open(url).close()
        finally:
            os._exit(0)
    if after is not None:
        time.sleep(after)
        os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("version", VERSIONS[: -1 : often(4, 1)])
def test_an_old_corpus_comes_forward_whole_whenever_that_is_killed(
    version: str, source: Path, database_url: str, record_property: Callable[[str, object], None]
) -> None:
    """Before the commit it is what it was, after it it is of today; every document is there."""
    make_old(version, source, database_url)
    chance, kills = random.Random(f"{SEED} {version}"), 0
    assert killed_opening(database_url, None) == -signal.SIGKILL
    left = connect(parse_url(database_url))
    assert left.read(current_versions) == [version]
    for _ in range(often(1, 8)):
        kills += killed_opening(database_url, chance.uniform(0.0, often(0.15, 0.6))) == -signal.SIGKILL
        assert left.read(current_versions) in ([version], [SCHEMA_VERSION])
    left.close()
    Corpus.open(database_url).close()
    assert facts(database_url) == facts(source)
    record_property("kills", f"seed {SEED}: {kills + 1}")
