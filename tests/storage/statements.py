"""The statements that a database gets, and how it plans to answer them."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

if TYPE_CHECKING:
    from collections.abc import Iterator

    from storage.corpus import Corpus


@contextmanager
def executed(corpus: Corpus, having: str) -> Iterator[list[tuple[str, Any]]]:
    """Yield a list that fills with the statements that have some words, and their parameters."""
    seen: list[tuple[str, Any]] = []

    def note(
        _connection: object, _cursor: object, statement: str, values: Any, _context: object, _many: object
    ) -> None:
        seen.extend([(statement, values)] if having in statement else [])

    sa.event.listen(sa.Engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", note)


def plan(corpus: Corpus, statement: str, values: Any) -> str:
    """Explain a statement; PostgreSQL is kept from walking the table, as it rightly would while it is this small."""
    command = "EXPLAIN QUERY PLAN " if corpus.database.is_sqlite else "EXPLAIN "
    # The server would do so some time, and plans by what it knows.
    corpus.database.write(lambda connection: connection.exec_driver_sql("ANALYZE"))
    with corpus.database.snapshot() as connection:
        if not corpus.database.is_sqlite:
            connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
            connection.exec_driver_sql("SET LOCAL enable_bitmapscan = off")
        return "\n".join(" ".join(map(str, row)) for row in connection.exec_driver_sql(command + statement, values))
