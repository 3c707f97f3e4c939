"""Power cuts, full disks and disk errors: nothing is lost, doubled or half written, and the next crawl resumes."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.corpus_spider.faults import (
    SmallCrawls,
    State,
    cut_power,
    damage,
    differences,
    mark_synced,
    new_corpus,
    said,
    state,
    until_forgotten,
)
from tests.corpus_spider.running import SEED, often

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.conftest import PostgresServer


def counted(crawls: SmallCrawls, folder: Path) -> Counter[str]:
    """Return how many calls to the disk a crawl makes, by the first letter of their kind."""
    record = folder.with_name("calls")
    assert crawls.run(folder, DISK_COUNT=str(record)) == 0
    calls = Counter(record.read_text())
    record.unlink()
    return calls


@pytest.fixture(params=["sqlite", "postgresql"])
def corpora(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """New folders with a corpus.toml, and the URL of the database of each: a file in it, or one of a server."""
    return _corpora(tmp_path, request.getfixturevalue("postgres_server") if request.param == "postgresql" else None)


def _corpora(folder: Path, server: PostgresServer | None) -> Iterator[tuple[Path, str]]:
    for number in itertools.count():
        new = folder / f"corpus{number}"
        url = server.url(server.new_database()) if server else f"sqlite:///{new / 'corpus.db'}"
        yield new_corpus(new, url), url


@pytest.mark.timeout(3600)
def test_a_power_cut_loses_nothing_that_was_committed(
    tmp_path: Path,
    crawls: SmallCrawls,
    calm: State,
    corpora: Iterator[tuple[Path, str]],
    record_property: Callable[[str, object], None],
) -> None:
    """At any call to the disk, with any part of the bytes and names since the last sync left.

    A server's own disk is not cut: that a commit is durable there is its promise.
    """
    calls, chance, cuts = counted(crawls, next(corpora)[0]), random.Random(SEED), 0
    while cuts < often(8, 100):
        folder, database_url = next(corpora)
        synced = tmp_path / "synced"
        for _ in range(4):
            mark_synced(folder, synced)
            kind, most = chance.choice((("any", calls.total()), ("sync", calls["s"])))
            at = f"kill@{kind}:{chance.randint(1, most)}"
            code = crawls.run(folder, DISK_FAULT=at, DISK_SYNCED=str(synced))
            assert code in {0, -9}, (at, said(folder))
            until_forgotten(database_url)
            if code:
                cut_power(folder, synced, chance)
                cuts += 1
        assert crawls.run(folder) == 0, said(folder)
        assert damage(folder) == []
        assert differences(state(database_url), calm) == []
    record_property("power cuts", f"seed {SEED}: {cuts}")


@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("fault", "few", "many"), [("eio@sync", 1, 50), ("once@sync", 1, 50), ("full@write", 1, 30)])
def test_a_disk_that_fails_or_is_full_ends_a_crawl_with_exit_code_3_and_nothing_half(
    crawls: SmallCrawls, calm: State, corpora: Iterator[tuple[Path, str]], fault: str, few: int, many: int
) -> None:
    """At the N-th sync or write, of archive or database. With the disk well again the next crawl goes on from what was
    committed. A single failure may fall on a sync that nothing depends on (a checkpoint of SQLite).
    """
    calls, chance = counted(crawls, next(corpora)[0]), random.Random(f"{SEED} {fault}")
    for _ in range(often(few, many)):
        folder, database_url = next(corpora)
        # Not among the last ones: their number varies a little.
        call = f"{fault}:{chance.randint(1, calls[fault.partition('@')[2][0]] // 2)}"
        code, reached = crawls.broken(folder, call)
        assert code == 3 or (code == 0 and (fault.startswith("once") or not reached)), (call, code, said(folder))
        until_forgotten(database_url)
        assert "Traceback" not in said(folder)
        assert crawls.run(folder) == 0, (call, said(folder))
        assert damage(folder) == []
        assert differences(state(database_url), calm) == []
