"""Readers with a time limit: what takes longer is interrupted, and the next question is answered."""

from __future__ import annotations

import time

import pytest
import sqlalchemy as sa

from storage.corpus import Corpus
from storage.errors import TooSlowError
from storage.time_limit import time_limit
from tests.corpus_spider.running import PATIENCE

ENDLESS = {
    "sqlite": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
    "postgresql": "SELECT pg_sleep(60)",
}
LIMIT, MOST = 0.3, 20.0


def test_an_endless_statement_is_interrupted_and_the_next_one_is_answered(database_url: str) -> None:
    """It is not tried again, and its error says that the limit is over."""
    Corpus.open(database_url, create=True).close()
    with Corpus.open(database_url, read_only=True, seconds=LIMIT) as corpus:
        statement = sa.text(ENDLESS[corpus.database.engine.dialect.name])
        start = time.monotonic()
        with pytest.raises(TooSlowError, match="longer than the limit"):
            corpus.database.read(lambda connection: connection.execute(statement).scalar())
        with pytest.raises(TooSlowError), corpus.database.snapshot() as connection:
            connection.execute(statement).scalar()
        assert time.monotonic() - start < MOST
        assert corpus.database.read(lambda connection: connection.execute(sa.text("SELECT 1")).scalar()) == 1
        assert corpus.documents.mark().startswith("0 documents")


def test_a_reader_cannot_write(database_url: str) -> None:
    """The database itself refuses any statement of the program."""
    Corpus.open(database_url, create=True).close()
    with Corpus.open(database_url, read_only=True, seconds=LIMIT) as corpus:
        before = corpus.documents.mark()
        with pytest.raises(Exception, match=r"readonly|read-only"):
            corpus.database.write(lambda connection: connection.execute(sa.text("DELETE FROM document")))
        assert corpus.documents.mark() == before


def test_the_time_of_a_request_limits_all_its_statements_together(corpus: Corpus) -> None:
    """Each is fast. Other requests, and what comes after the request, have their own time."""
    counted = list[int]()
    begun = time.monotonic()

    def ask_again_and_again() -> None:
        with time_limit(0.3):
            while time.monotonic() < begun + PATIENCE:
                counted.append(corpus.status().documents)

    with pytest.raises(TooSlowError):
        ask_again_and_again()
    assert len(counted) > 1
    assert time.monotonic() - begun < PATIENCE / 2
    corpus.status()


def test_a_limit_within_a_limit_takes_its_place(corpus: Corpus) -> None:
    """A turn that was waited for has its whole time."""
    with time_limit(0.0):
        with pytest.raises(TooSlowError):
            corpus.status()
        with time_limit(PATIENCE):
            corpus.status()
        with pytest.raises(TooSlowError), corpus.database.snapshot():
            pass
