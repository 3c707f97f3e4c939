"""Readers with a time limit: what takes longer is interrupted, and the next question is answered."""

from __future__ import annotations

import time

import pytest
import sqlalchemy as sa

from storage.corpus import Corpus
from storage.errors import TooSlowError

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
    """The database itself refuses, whatever the program asks for."""
    Corpus.open(database_url, create=True).close()
    with Corpus.open(database_url, read_only=True, seconds=LIMIT) as corpus:
        before = corpus.documents.mark()
        with pytest.raises(Exception, match=r"readonly|read-only"):
            corpus.database.write(lambda connection: connection.execute(sa.text("DELETE FROM document")))
        assert corpus.documents.mark() == before
