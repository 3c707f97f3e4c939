"""Copy of a corpus in another database: the same corpus, and it can be continued."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from storage.consistency import RULES, STEP
from storage.corpus import Corpus
from storage.database.copy import copy_file, transfer
from storage.database.schema import document_text, url
from storage.documents.selection import Selection
from storage.errors import ConfigError, DamageError
from storage.records import Kind
from storage.removal.affected_pages import RemovalRequest, RequestKind
from tests.storage.corpus_samples import Crawl, dropped, fingerprint, link, made, with_parts

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy.engine import Connection

EVERY = Selection(include_duplicates=True, versions="all")
SOURCE = url.alias()
LATE = 3
"""Pages stored while a file is copied."""
FOUND_IN = sa.select(url.c.url, SOURCE.c.url).join(SOURCE, SOURCE.c.id == url.c.found_from)


def filled(corpus: Corpus) -> Crawl:
    """Fill it with a bit of everything: versions, duplicates, drops, captions, a removal, odd characters."""
    crawl = Crawl(corpus)
    corpus.documents.set_licences({"a.example": "CC BY"})
    crawl.visit("one", made("first \u2028 \U0001f600 كتاب", link("x"), title="a\x00b"))
    crawl.visit("one", with_parts(made("second text"), kinds="p", captions=("c", "d"), confidence=0.25))
    for name in ("two", "three"):
        crawl.visit(name, made(f"text {name}", prints=fingerprint(name, bytes(range(120)), (-(2**63), 5))))
    crawl.visit("four", dropped("short"))
    corpus.removals.declare(RemovalRequest(RequestKind.URL, "https://a.example/three", "asked"))
    corpus.removals.withdraw()
    return crawl


@pytest.fixture(params=["sqlite", "postgresql"])
def other(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty place for a corpus."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'other.db'}"
    return str(request.getfixturevalue("postgresql_url"))


def test_every_row_arrives_and_the_corpus_goes_on(corpus: Corpus, other: str) -> None:
    """From either database into either: the same documents, and new pages find their numbers and their duplicates."""
    crawl = filled(corpus)
    with Corpus.open(other, create=True) as copy:
        sent = transfer(corpus.database, copy.database)
        assert sent.total == sum(sent.rows.values()) > 20
        assert list(copy.documents(EVERY)) == list(corpus.documents(EVERY))
        assert (copy.status(), copy.removals.documents()) == (corpus.status(), corpus.removals.documents())
        assert copy.problems() == corpus.problems()
        # A program that was killed after the commit is called again.
        assert transfer(corpus.database, copy.database) == sent
        again = Crawl(copy)
        assert again.run_id > crawl.run_id
        again.visit("new", made("text two", prints=fingerprint("new", bytes(range(120)), (5,))))
        found = copy.documents.find("https://a.example/new")
        assert found
        assert found.duplicates == 2
        with pytest.raises(ConfigError, match="there is a corpus already"):
            transfer(corpus.database, copy.database)


@pytest.mark.parametrize("stored", ["[1,2.5]", "[3,null,0.5,1,1,1,1,1,1,1,1,1,1,1]"])
def test_signals_of_another_release_arrive(corpus: Corpus, other: str, stored: str) -> None:
    """A reader takes them as not measured. A copy has them as they are stored."""
    filled(corpus)
    corpus.database.write(lambda writing: writing.execute(sa.text("UPDATE document SET quality = :q"), {"q": stored}))
    with Corpus.open(other, create=True) as copy:
        transfer(corpus.database, copy.database)
        kept = copy.database.read(
            lambda reading: set(reading.execute(sa.text("SELECT quality FROM document")).scalars())
        )
        assert kept == {stored}
        assert {each.quality for each in copy.documents(EVERY)} == {None}


def test_a_copy_is_counted_before_it_is_checked(corpus: Corpus, postgresql_url: str) -> None:
    """PostgreSQL knows the number of rows of each copied table, so its plans for the check are those of full tables."""
    filled(corpus)
    counted = "SELECT relname, reltuples FROM pg_class WHERE relname IN ('document', 'http_fetch', 'url')"
    steps: list[tuple[str, int, int | None]] = []
    with Corpus.open(postgresql_url, create=True) as copy:
        sent = transfer(corpus.database, copy.database, lambda *step: steps.append(step))
        rows = copy.database.read(lambda reading: reading.exec_driver_sql(counted).all())
        assert {row[0]: row[1] for row in rows} == {name: sent.rows[name] for name in ("document", "http_fetch", "url")}
        copy.problems(lambda *step: steps.append(step))
    assert [what for what, _ in groupby(steps, key=lambda step: step[0])] == ["rows copied", STEP]
    assert [done for what, done, _ in steps if what == STEP] == list(range(len(RULES) + 2))


def test_a_page_named_again_by_a_source_that_is_known_since_arrives(corpus: Corpus, other: str) -> None:
    """A feed that was added later names a page that was gone: the page stands before what it was found in."""
    crawl = Crawl(corpus)
    crawl.seed("map", kind=Kind.SITEMAP)
    for outcome in (dropped("sitemap", link("late")), dropped("http_404")):
        crawl.process(crawl.lease(), [outcome])
    crawl.seed("rss", kind=Kind.FEED)
    crawl.process(crawl.lease(), [dropped("feed", link("late"))])
    with Corpus.open(other, create=True) as copy:
        transfer(corpus.database, copy.database)
        pages = [one.database.read(lambda reading: reading.execute(FOUND_IN).all()) for one in (corpus, copy)]
    assert pages[0] == pages[1]
    assert ("https://a.example/late", "https://a.example/rss") in pages[0]


def test_what_does_not_arrive_whole_does_not_arrive(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A database that loses a character on the way is found out, and left empty."""
    filled(corpus)

    def lossy(connection: Connection) -> None:
        connection.execute(sa.update(document_text).values(text=sa.func.replace(document_text.c.text, "e", "")))

    monkeypatch.setattr("storage.database.copy._continue_numbering", lossy)
    with Corpus.open(tmp_path / "other.db", create=True) as copy:
        with pytest.raises(DamageError, match="document_text"):
            transfer(corpus.database, copy.database)
        assert copy.status().fetches == 0


def test_what_cannot_be_read_is_reported_of_the_database_it_is_in(tmp_path: Path) -> None:
    """A text that is none, for instance: the other database has done nothing wrong."""
    with Corpus.open(tmp_path / "one.db", create=True) as corpus, Corpus.open(tmp_path / "two.db", create=True) as copy:
        filled(corpus)
        with corpus.database.writer.begin() as connection:
            connection.exec_driver_sql("UPDATE document_text SET text = CAST(x'ff' AS TEXT)")
        with pytest.raises(DamageError) as raised:
            transfer(corpus.database, copy.database)
        assert "one.db" in raised.value.where
        assert copy.status().fetches == 0


def test_a_file_is_copied_while_it_is_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The copy shows one moment. Text that is stored between two of its parts is not in it, and it does not restart."""
    monkeypatch.setattr("storage.database.sqlite_copy.PAGES", 5)
    reported: list[int] = []

    def show(_: str, done: int, total: int | None) -> None:
        reported.append(done)
        if len(reported) <= LATE:
            crawl.visit(f"late{len(reported)}", made(f"late text {len(reported)}"))

    with Corpus.open(tmp_path / "corpus.db", create=True) as corpus:
        crawl = filled(corpus)
        before = list(corpus.documents(EVERY))
        copy_file(corpus.database, tmp_path / "copy.db", show)
        assert len(list(corpus.documents(EVERY))) == len(before) + LATE
    assert len(reported) > LATE
    assert reported == sorted(reported)
    with Corpus.open(tmp_path / "copy.db") as copy:
        assert list(copy.documents(EVERY)) == before
    assert (tmp_path / "copy.db").stat().st_mode & 0o777 == 0o600
