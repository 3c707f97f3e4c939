"""PostgreSQL that restarts, ends sessions or loses the answer to a commit: every group takes effect exactly once."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from storage.corpus import Corpus
from storage.database import engines
from storage.database.schema import metadata, url
from storage.errors import ConfigError, DatabaseError
from storage.frontier.leases import LEASE_COLUMNS, lease_of
from storage.records import Failure, UrlState
from storage.retry import VARIABLE, Patience, configured_seconds, pauses
from tests.corpus_spider.running import PATIENCE
from tests.storage.corpus_samples import Crawl, empty, link, made, seed

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import PostgresServer


def lose_answer_of_next_commit(engine: sa.Engine | type[sa.Engine]) -> list[bool]:
    """Let the next commit reach the server and its connection break before the answer comes; empty once it has."""
    armed = [True]

    def commit_and_cut(connection: sa.Connection) -> None:
        if armed:
            armed.clear()
            raw: Any = connection.connection.dbapi_connection
            raw.commit()
            raw.close()

    sa.event.listen(engine, "commit", commit_and_cut)
    return armed


STEPS: list[Callable[[Crawl], Any]] = [
    lambda crawl: crawl.corpus.runs.start("{}"),
    lambda crawl: crawl.seed("a", "b", "c"),
    lambda crawl: crawl.lease(),
    lambda crawl: crawl.fetch(*leased(crawl)[:2]),
    lambda crawl: crawl.corpus.frontier.fail(crawl.run_id, [Failure(leased(crawl)[0], "timeout", retry_at=9.0)]),
    lambda crawl: crawl.corpus.documents.record_processed(
        [
            (each.fetch_id, each.lease, made(f"text {each.lease.url}", link("d")))
            for each in crawl.corpus.fetches.unprocessed()
        ]
    ),
    lambda crawl: crawl.corpus.warc.register(crawl.run_id, "one.warc.gz"),
    lambda crawl: crawl.corpus.warc.close("one.warc.gz", 10),
]


def leased(crawl: Crawl) -> list[Any]:
    """Read back the leases of a run from the database."""
    query = sa.select(*LEASE_COLUMNS).where(url.c.state == UrlState.LEASED).order_by(url.c.id)
    return [lease_of(row) for row in crawl.corpus.database.read(lambda connection: connection.execute(query).all())]


def sizes(corpus: Corpus) -> dict[str, int]:
    """Count the rows of every table."""
    counts = {table.name: sa.select(sa.func.count()).select_from(table) for table in metadata.sorted_tables}
    with corpus.database.snapshot() as connection:
        return {name: connection.execute(count).scalar_one() for name, count in counts.items()}


@pytest.mark.parametrize("lost", range(len(STEPS)))
def test_a_commit_whose_answer_was_lost_counts_once(shared_postgresql_url: str, lost: int) -> None:
    """The replay of any write finds out that it has been done, and returns what the first attempt would have."""
    outcomes = []
    for breaking in (False, True):
        with Corpus.open(shared_postgresql_url) as corpus:
            empty(corpus)
            crawl = Crawl(corpus)
            for number, step in enumerate(STEPS):
                armed = lose_answer_of_next_commit(corpus.database.writer) if breaking and number == lost else []
                answer = step(crawl)
                assert not armed
            counts = corpus.frontier.counts()
            attempts = sorted(lease.attempts for lease in crawl.lease(now=10.0))
            outcomes.append((sizes(corpus), counts, attempts, answer, corpus.status().documents))
    assert outcomes[0] == outcomes[1]
    assert outcomes[1][-1] == 2


def test_a_connection_that_is_lost_while_a_corpus_is_opened_costs_another(shared_postgresql_url: str) -> None:
    """The first transaction alone was not repeated: a crawl ended with exit code 4 before it had begun."""
    armed = lose_answer_of_next_commit(sa.Engine)
    with Corpus.open(shared_postgresql_url) as corpus:
        assert not armed
        assert corpus.frontier.counts() is not None


def test_a_server_that_restarts_loses_and_doubles_nothing(postgres_server: PostgresServer, postgresql_url: str) -> None:
    """While the server is stopped the hard way and started again, a crawl only waits."""
    failures: list[BaseException] = []

    def crawl_on(crawl: Crawl) -> None:
        try:
            while leases := crawl.lease(5):
                crawl.process(leases, [made(f"text {lease.url}") for lease in leases])
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    with Corpus.open(postgresql_url, create=True) as corpus:
        crawl = Crawl(corpus)
        crawl.seed(*(str(number) for number in range(200)))
        worker = threading.Thread(target=crawl_on, args=(crawl,))
        worker.start()
        for mode in ("immediate", "fast"):
            postgres_server.stop(mode)
            postgres_server.start()
        worker.join(2 * PATIENCE)
        assert failures == []
        assert not worker.is_alive()
        assert corpus.status().documents == corpus.status().fetches == 200
        assert corpus.frontier.counts() == {"a.example": {UrlState.DONE: 200}}


def test_a_server_that_crashes_undoes_nothing_a_crawl_relies_on(
    postgres_server: PostgresServer, postgresql_url: str
) -> None:
    """Seeds that were lost would be a crawl that finds nothing to do; a lease that was lost, a page fetched twice."""
    with Corpus.open(postgresql_url, create=True) as corpus:
        crawl = Crawl(corpus)
        for number in range(1, 3):
            corpus.frontier.seed([seed(str(number))])
            postgres_server.stop("immediate")
            postgres_server.start()
            assert len(crawl.lease()) == 1
            postgres_server.stop("immediate")
            postgres_server.start()
            assert corpus.frontier.counts() == {"a.example": {UrlState.LEASED: number}}


def test_patience_ends(postgres_server: PostgresServer, postgresql_url: str) -> None:
    """A server that stays away ends with our own error, not with an endless wait."""
    Corpus.open(postgresql_url, create=True).close()
    with Corpus.open(postgresql_url, read_only=True) as opened:
        corpus = Corpus(replace(opened.database, patience=Patience(0.3)))
        postgres_server.stop()
        try:
            with pytest.raises(DatabaseError):
                corpus.status()
        finally:
            postgres_server.start()
        assert corpus.status().documents == 0


def test_pauses_grow_and_end() -> None:
    """Waits stay between 50 ms and 3 s, and there are none without patience."""
    assert list(pauses(0.0)) == []
    waits = [wait for wait, _ in zip(pauses(60.0), range(12), strict=False)]
    assert all(0.05 <= wait <= 3.0 for wait in waits)
    assert waits[-1] > waits[0]


@pytest.mark.parametrize("setting", ["-1", "soon", "nan", "1e9"])
def test_a_patience_that_is_no_number_of_seconds_is_refused(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the name of the variable."""
    monkeypatch.setenv(VARIABLE, setting)
    with pytest.raises(ConfigError, match=VARIABLE):
        configured_seconds()


def test_an_outage_is_reported_once_and_waited_for_once(caplog: pytest.LogCaptureFixture) -> None:
    """After a wait without result each call gets one attempt, until the database answers again."""
    patience = Patience(60.0)
    patience.lost("db", "gone")
    patience.lost("db", "gone")
    assert len(caplog.records) == 1
    assert next(patience.pauses()) > 0
    patience.give_up()
    assert not patience.sleep(60.0)
    assert list(patience.pauses()) == []
    patience.succeeded()
    assert next(patience.pauses()) > 0
    patience.end()
    patience.succeeded()
    assert list(patience.pauses()) == []


def test_a_connection_that_ended_while_it_rested_is_replaced(
    postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stream, which is never begun twice, gets a new one; the others that rested are not believed either."""
    monkeypatch.setattr(engines, "IDLE_SECONDS", 0.0)
    with Corpus.open(postgresql_url, create=True) as corpus:
        own = sa.text("SELECT pg_backend_pid()")
        with corpus.database.snapshot() as connection:
            before = connection.execute(own).scalar_one()
        end = sa.text("SELECT pg_terminate_backend(:pid, 10000)").bindparams(pid=before)
        assert corpus.database.write(lambda connection: connection.execute(end).scalar_one())
        with corpus.database.snapshot() as connection:
            assert connection.execute(own).scalar_one() != before
