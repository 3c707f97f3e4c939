"""Dates that an earlier release stored in UTC move to the day at their newspaper."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from corpus_spider.config.sections import Site
from corpus_spider.crawling import newspaper_days
from storage.corpus import Corpus
from storage.database.schema import document
from storage.documents import newspaper_days as stored_days
from storage.documents.model import Selection
from storage.records import UNPLACED
from tests.storage.corpus_samples import Crawl, made

DATES = (
    # site, stored date, language, expected date, its zone, its day
    ("bao.example.vn", "2026-11-19T17:30:00Z", "vi", "2026-11-20T00:30:00+07:00", "assumed", "2026-11-20"),
    ("bao.example.vn", "2026-11-19T03:00:00Z", "vi", "2026-11-19T10:00:00+07:00", "assumed", "2026-11-19"),
    ("news.example.com", "2026-11-19T20:00:00Z", "fa", "2026-11-19T23:30:00+03:30", "assumed", "2026-11-19"),
    ("news.example.com", "2026-11-19T22:00:00Z", "en", "2026-11-19T22:00:00Z", "stated", "2026-11-19"),
    ("zoned.example.com", "2026-11-19T22:00:00Z", "en", "2026-11-20T00:00:00+02:00", "site", "2026-11-20"),
)


def pending(corpus: Corpus) -> int:
    query = sa.select(sa.func.count()).where(document.c.published_zone == UNPLACED)
    return int(corpus.database.read(lambda connection: connection.execute(query).scalar_one()))


@pytest.mark.parametrize("interrupted_after", [0, 1, 3])
def test_marked_dates_move_once_also_after_an_interruption(
    database_url: str, interrupted_after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Configured zone, country and language decide. What an interruption leaves is moved by the next start."""
    monkeypatch.setattr(stored_days, "GROUP_SIZE", 1)
    with Corpus.open(database_url, create=True) as corpus:
        for number, (site, stored, language, *_) in enumerate(DATES):
            page = made(f"text {number}", language=language, published=stored, published_zone=UNPLACED)
            Crawl(corpus, site).visit(str(number), page)
        sites = [Site(name="zoned.example.com", timezone="Europe/Kyiv")]

        def interrupt(what: str, done: int, total: int | None) -> None:
            if done == interrupted_after:
                raise KeyboardInterrupt

        if interrupted_after:
            with pytest.raises(KeyboardInterrupt):
                newspaper_days.renew(corpus, sites, interrupt)
        assert pending(corpus) == len(DATES) - interrupted_after
        assert newspaper_days.renew(corpus, sites) == len(DATES) - interrupted_after
        assert newspaper_days.renew(corpus, sites) == 0
        found = {each.published: each.published_zone for each in corpus.documents(Selection())}
        assert found == {row[3]: row[4] for row in DATES}
        on_day = Selection(since="2026-11-20", until="2026-11-20")
        selected = {each.published for each in corpus.documents(on_day)}
        assert selected == {row[3] for row in DATES if row[5] == "2026-11-20"}


def test_the_check_for_marked_dates_reads_no_other_rows(database_url: str) -> None:
    """Each start asks for marked dates, so the question is answered by an index of these alone."""
    with Corpus.open(database_url, create=True) as corpus:
        if not corpus.database.is_sqlite:
            pytest.skip("the plan of SQLite is stable; that of PostgreSQL depends on statistics")
        query = "SELECT id FROM document WHERE published_zone = 'pending' ORDER BY id LIMIT 1"
        plan = corpus.database.read(lambda c: c.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}").all())
        assert "ix_document_pending_day" in str(plan)
