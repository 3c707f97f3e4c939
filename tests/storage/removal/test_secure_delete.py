"""Secure deletion: a SQLite file contains nothing of a removed text between its rows either."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from storage import Corpus
from storage.database import engines
from storage.database.schema import url
from storage.errors import DiskError
from storage.removal import secure_delete
from storage.removal.affected_pages import RemovalRequest, RequestKind
from tests.storage.corpus_samples import Crawl, made

URL = "https://a.example/page3"
EMPTIES = "a removed page with its original; `corpus-spider remove` redacts it"


def remembered(folder: Path) -> bool:
    return any(b"words of page3" in path.read_bytes() for path in folder.iterdir())


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Corpus:
    """Return a corpus with re-extracted texts, in a SQLite that overwrites nothing, as on some systems."""
    monkeypatch.setattr(engines, "_PRAGMAS", ("PRAGMA secure_delete=OFF", *engines._PRAGMAS))
    corpus = Corpus.open(tmp_path / "corpus.db", create=True)
    crawl = Crawl(corpus)
    for number in range(5):
        crawl.visit(f"page{number}", made(f"the words of page{number} " * 400))
    stored = [(each.fetch_id, each.lease) for each in corpus.fetches(outcomes=("document",)) if each.lease]
    again = [(fetch_id, lease, made(f"less of {lease.url}")) for fetch_id, lease in stored]
    corpus.documents.record_processed(again, again=True)
    return corpus


def test_what_a_text_was_before_it_was_rebuilt_is_forgotten_with_it(opened: Corpus, tmp_path: Path) -> None:
    """It stayed in pages that were free, or between the rows of others."""
    with opened as corpus:
        assert remembered(tmp_path)
        corpus.removals.declare(RemovalRequest(RequestKind.URL, URL, "asked"))
        corpus.removals.withdraw()
        corpus.removals.finish()
        assert not remembered(tmp_path)
        assert corpus.problems() == [f"{EMPTIES}: {URL}"]


def test_a_text_that_came_back_is_forgotten_too(opened: Corpus, tmp_path: Path) -> None:
    """Its request matched nothing when it was made. The file was not rewritten, and kept what the text was before."""
    with opened as corpus:
        address = "https://a.example/other"
        corpus.removals.declare(RemovalRequest(RequestKind.URL, address, "asked"))
        corpus.removals.finish()
        back = sa.update(url).where(url.c.url == URL).values(url=address)
        corpus.database.write(lambda connection: connection.execute(back))
        assert len(corpus.removals.declare_returned()) == 1
        corpus.removals.withdraw()
        assert corpus.removals.has_to_rewrite()
        corpus.removals.finish()
        assert not remembered(tmp_path)


def test_a_deferred_removal_waits_in_sqlite_only(corpus: Corpus) -> None:
    """PostgreSQL has no file to rewrite, so there the removal is finished at once."""
    Crawl(corpus).visit("page3", made("the words of page3"))
    corpus.removals.declare(RemovalRequest(RequestKind.URL, URL, "asked"))
    corpus.removals.withdraw()
    waits = corpus.removals.finish(defer=True)
    assert waits is corpus.database.is_sqlite
    assert corpus.removals.deferred() == ([1] if waits else [])
    assert not [problem for problem in corpus.problems() if "interrupted" in problem]
    assert corpus.removals.finish() is False
    assert corpus.removals.deferred() == []


def test_without_room_for_a_new_file_a_removal_is_not_through(
    opened: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says how much is needed, and is finished when there is."""
    with opened as corpus:
        corpus.removals.declare(RemovalRequest(RequestKind.URL, URL, "asked"))
        corpus.removals.withdraw()
        with monkeypatch.context() as patched:
            patched.setattr(secure_delete, "ROOM", 10**9)
            with pytest.raises(DiskError, match="no room") as raised:
                corpus.removals.finish()
        assert "to finish" in raised.value.do
        assert any("interrupted" in problem for problem in corpus.problems())
        corpus.removals.finish()
        assert corpus.problems() == [f"{EMPTIES}: {URL}"]
        assert not remembered(tmp_path)


def test_the_database_is_written_again_beside_itself(
    opened: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where temporary files lie otherwise there may be no room for it."""
    connect, seen = sqlite3.connect, set[Path]()

    def look() -> int:
        if not seen:
            files = (each.resolve() for each in Path("/proc/self/fd").iterdir())
            seen.update(each.parent for each in files if each.name.startswith("etilqs_"))
        return 0

    def watched(path: Path, *rest: Any, **others: Any) -> sqlite3.Connection:
        connection = connect(path, *rest, **others)
        connection.set_progress_handler(look, 10)
        return connection

    with opened as corpus:
        Crawl(corpus).visit("long", made("".join(f"word {number} " for number in range(300_000))))
        monkeypatch.setattr(secure_delete.sqlite3, "connect", watched)
        secure_delete.forget(corpus.database, rewrite=True)
    assert seen == {tmp_path}
