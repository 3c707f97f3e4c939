"""Section, author and title: the search index selects and counts the same documents as the database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus_spider.search.answers import answered
from corpus_spider.search.index.builder import only_writer, refresh
from corpus_spider.search.searching import SearchIndex
from storage.corpus import Corpus
from storage.documents.selection import Selection
from tests.extras import need
from tests.storage.corpus_samples import Crawl, made
from tests.storage.titled_pages import CASES, PAGES

if TYPE_CHECKING:
    from pathlib import Path

need("web")

QUESTIONS = {
    "section:thoi-su /.+/": "12",
    'author:"nguyễn văn hòa" /.+/': "14",
    'author:"علی رضایی" /.+/': "3",
    "author:Nguyễn /.+/": "14",
    "author:hoa -author:Lê /.+/": "4",
    "-author:Nguyễn section:سیاست /.+/": "3",
}
"""Questions, and the last characters of the paths that they find."""


def test_the_index_selects_by_section_author_and_title_as_the_database_does(tmp_path: Path) -> None:
    """The numbers by section and author are of the found documents; a changed author reaches the index."""
    folder = tmp_path / "index"
    with Corpus.open(tmp_path / "corpus.db", create=True) as corpus:
        crawl = Crawl(corpus)
        for path, stated in PAGES.items():
            crawl.visit(path, made(path, **stated))
        with only_writer(folder):
            refresh(corpus, str(tmp_path / "corpus.db"), folder, 1)
        with SearchIndex.open(folder, corpus) as index:
            for fields, paths in CASES:
                ids = index.find("", Selection(**fields), most=50).ids
                assert sorted(each.text[-1] for each in corpus.documents.of_ids(ids)) == list(paths), fields
            for question, paths in QUESTIONS.items():
                ids = index.find(question, Selection(), most=50).ids
                assert sorted(each.text[-1] for each in corpus.documents.of_ids(ids)) == list(paths), question
            for author, similar in (
                ("Nguyên", ["Nguyễn Văn Hoà", "PGS.TS. Nguyễn Văn Hòa"]),
                ("Lê Thi C", ["Lê Thị B"]),
                ("zz", []),
            ):
                for question, chosen in ((f'/.+/ author:"{author}"', ()), ("/.+/", (author,))):
                    answer = answered(index, corpus, question, Selection(authors=chosen))
                    assert (len(answer.absent), list(answer.similar)) == (1, similar)
            groups = index.find("", Selection(), most=1).groups
        assert groups["section"] == {"thoi-su": 2, "سیاست": 1, "sport": 1}
        assert groups["author"]["Lê Thị B"] == 2
