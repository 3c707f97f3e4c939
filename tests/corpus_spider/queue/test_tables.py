"""Tables of the queue: `migrate` changes them to the installed release, and no other command touches them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Barrier
from typing import TYPE_CHECKING

import psycopg
import pytest

from corpus_spider.config.loader import load
from corpus_spider.maintenance.copy_corpus import migrate
from corpus_spider.queue.jobs import mark_dead, open_tables, show_life
from storage import Corpus
from tests.corpus_spider.queue.press import press
from tests.corpus_spider.running import PATIENCE, often, well
from tests.extras import need

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.conftest import PostgresServer

need("queue")

STARTED_TOGETHER = 8
TABLES = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public_queue' ORDER BY 1"
MADE_BY = "SELECT obj_description('public_queue'::regnamespace, 'pg_namespace')"


def asked(url: str, *statements: str) -> list[tuple[object, ...]]:
    """Run statements and return the rows of the last one."""
    with psycopg.connect(url, autocommit=True) as session:
        for statement in statements:
            answer = session.execute(statement.encode())
        return answer.fetchall() if answer.description else []


def rows(url: str) -> dict[str, list[tuple[object, ...]]]:
    """Return all rows of the tables of the queue."""
    names = [str(name) for (name,) in asked(url, TABLES)]
    return {name: asked(url, f'SELECT * FROM public_queue."{name}" ORDER BY 1') for name in names}


def test_migrate_changes_the_tables_to_the_installed_release(
    tmp_path: Path, postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of an older release get the changes of later ones, in their order. After that nothing is to do."""
    from procrastinate.schema import SchemaManager

    changes = tmp_path / "changes"
    changes.mkdir()
    (changes / "03.02.00_01_pre_earlier.sql").write_text("SELECT 1 / 0")
    (changes / "03.10.00_02_post_second.sql").write_text("ALTER TABLE added ADD COLUMN second integer")
    (changes / "03.10.00_01_pre_first.sql").write_text("CREATE TABLE added (first integer)")
    monkeypatch.setattr(SchemaManager, "get_migrations_path", staticmethod(lambda: str(changes)))
    with press(tmp_path, postgresql_url, 1):
        well(tmp_path, "crawl", "--queue")
        ((made_by,),) = asked(postgresql_url, MADE_BY)
        before = rows(postgresql_url)
        asked(postgresql_url, "COMMENT ON SCHEMA public_queue IS 'procrastinate 3.9.2'")
        config = load(tmp_path / "corpus.toml")
        for dry_run, added in ((True, {}), (False, {"added": []})):
            report = migrate(config, dry_run=dry_run)
            assert (f"procrastinate {report.queue}", report.steps, report.is_needed) == (made_by, [], True)
            assert rows(postgresql_url) == before | added
        assert asked(postgresql_url, MADE_BY) == [(made_by,)]
        assert not migrate(config).is_needed


def test_workers_that_start_together_make_the_tables_once(postgresql_url: str) -> None:
    """Two sessions that create a schema at the same moment would end one of them with an error."""
    barrier = Barrier(STARTED_TOGETHER)

    def opened(corpus: Corpus) -> str:
        barrier.wait(PATIENCE)
        with closing(open_tables(corpus)) as session:
            return str(session.execute(MADE_BY.encode()).fetchone())

    with Corpus.open(postgresql_url, create=True) as corpus, ThreadPoolExecutor(STARTED_TOGETHER) as pool:
        for _ in range(often(5, 50)):
            asked(postgresql_url, "DROP SCHEMA IF EXISTS public_queue CASCADE")
            assert len(set(pool.map(opened, [corpus] * STARTED_TOGETHER))) == 1


@pytest.mark.parametrize("command", [("check",), ("backup", "copy"), ("move",), ("prune",)])
def test_no_other_command_touches_the_tables(
    tmp_path: Path, postgresql_url: str, postgres_server: PostgresServer, command: Sequence[str]
) -> None:
    """A copy of the corpus has no queue: it would crawl the sites a second time."""
    with press(tmp_path, postgresql_url, 1):
        well(tmp_path, "crawl", "--queue")
        before = rows(postgresql_url)
        assert len(before["procrastinate_jobs"]) == 1
        copy = postgres_server.url(postgres_server.new_database())
        well(tmp_path, *command, *([copy] if command == ("move",) else []))
        assert rows(postgresql_url) == before
        Corpus.open(copy, create=True).close()
        assert asked(copy, TABLES) == []


def test_both_numbers_of_a_worker_are_given_up_together(postgresql_url: str) -> None:
    """One gave a sign of life later than the other: none is given up before both are silent for long enough."""
    with Corpus.open(postgresql_url, create=True) as corpus, closing(open_tables(corpus)) as session:
        for worker, seconds in ((1, 9), (2, 5)):
            show_life(session, "away", worker, 1)
            silent = "UPDATE procrastinate_workers SET last_heartbeat = now() - make_interval(secs => %s) WHERE id = %s"
            session.execute(silent, (seconds, worker))
        given_up = "SELECT count(*) FROM procrastinate_workers WHERE last_heartbeat = 'epoch'"
        numbers = []
        for quiet_seconds in (7, 4):
            mark_dead(session, quiet_seconds)
            numbers.append(session.execute(given_up).fetchone())
    assert numbers == [(0,), (2,)]
