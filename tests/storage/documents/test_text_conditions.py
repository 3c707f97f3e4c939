"""Selection by section, author and words of the title, in both databases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.database.schema import document
from storage.database.transactions import among
from storage.documents.selection import Selection
from tests.storage.corpus_samples import Crawl, made
from tests.storage.titled_pages import CASES, PAGES

if TYPE_CHECKING:
    from storage.corpus import Corpus


def test_documents_are_selected_by_section_author_and_title(corpus: Corpus) -> None:
    """Each way to read a selection gives the same: a stream, pages of a stretch, stamps, outlines and a number."""
    crawl = Crawl(corpus)
    for path, stated in PAGES.items():
        crawl.visit(path, made(path, **stated))
    for fields, paths in CASES:
        selection = Selection(**fields)
        read = list(corpus.documents(selection))
        assert sorted(each.text[-1] for each in read) == list(paths), fields
        assert {each.id for each in corpus.documents.stamps(selection)} == {each.id for each in read}
        assert len(list(corpus.documents.outlines(selection))) == corpus.documents.count(selection) == len(paths)
        with corpus.documents.view(selection) as view:
            pages = [page for stretch in view.stretches() for page in view.chosen(stretch)]
            assert {each.id for page in pages for each in view.documents(page)} == {each.id for each in read}


def test_a_condition_takes_more_values_than_a_database_takes_parameters(corpus: Corpus) -> None:
    """A word of many titles selects more rows than SQLite has parameters."""
    Crawl(corpus).visit("1", made("text"))
    rows = range(100_000)

    def found(connection: sa.Connection) -> int:
        counted = sa.select(sa.func.count()).where(among(connection, document.c.id, rows))
        return int(connection.execute(counted.select_from(document)).scalar_one())

    assert corpus.database.read(found) == 1
