"""Number of hits: by site and month, in a million tokens, and within its time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from corpus_spider.search.answers import answered
from corpus_spider.search.hits.concordance_rules import WantedLines
from corpus_spider.search.index.builder import only_writer, refresh
from corpus_spider.search.question.tree import shown
from corpus_spider.search.searching import SearchIndex
from pipelines.text.words import splitter
from storage.corpus import Corpus
from storage.documents.selection import Selection
from tests.extras import need
from tests.storage.corpus_samples import Crawl, made

if TYPE_CHECKING:
    from collections.abc import Iterator

need("web")

TEXTS = {
    "1": ("vi", "2026-01-05", "Giá xăng và giá điện.\nGiá xăng tăng"),
    "2": ("vi", "2026-01-20", "Giá vàng giảm"),
    "3": ("en", "2026-02-01", "The price of gas and the price of oil"),
    "4": ("th", "2026-02-02", "รัฐบาลไทยประกาศราคา รัฐบาลไทยประกาศอีก"),
}
"""Language, day and text by path. Each page has the title "title"."""


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[SearchIndex, Corpus]]:
    folder = tmp_path_factory.mktemp("counts")
    with Corpus.open(folder / "corpus.db", create=True) as corpus:
        crawl = Crawl(corpus)
        for path, (language, day, text) in TEXTS.items():
            crawl.visit(path, made(text, language=language, published=day, title="title"))
        with only_writer(folder / "index"):
            refresh(corpus, str(folder / "corpus.db"), folder / "index", 1)
        with SearchIndex.open(folder / "index", corpus) as index:
            yield index, corpus


@pytest.mark.parametrize(
    ("question", "hits", "by_month"),
    [
        ("giá", 4, {"2026-01": 4}),
        ('"giá xăng"', 2, {"2026-01": 2}),
        ("giá xăng", 2, {"2026-01": 2}),
        ("giá NEAR/3 điện", 1, {"2026-01": 1}),
        ("price OR giá", 6, {"2026-01": 4, "2026-02": 2}),
        ("/pri.*|o(f|il)/", 5, {"2026-02": 5}),
        ("รัฐบาล", 2, {"2026-02": 2}),
        ("nowhere", 0, {}),
    ],
)
def test_hits_are_counted_in_all_documents(
    searched: tuple[SearchIndex, Corpus], question: str, hits: int, by_month: dict[str, int]
) -> None:
    """Also of those whose lines are not wanted; the line that cites the answer has the number."""
    index, corpus = searched
    answer = answered(index, corpus, question, Selection(), WantedLines(1))
    assert (answer.counts.hits, answer.counts.is_complete, answer.counts.by_month) == (hits, True, by_month)
    assert sum(answer.counts.by_site.values()) == hits
    assert f"{hits} hit" in answer.cite


@pytest.mark.parametrize(
    ("question", "selection", "paths"),
    [
        ("giá", Selection(), "1234"),
        ("price", Selection(languages=("en",)), "3"),
        ('[word=".*"]', Selection(languages=("vi",)), "12"),
        ("price", Selection(languages=("vi", "th")), "124"),
        ("price", Selection(sites=("a.example",)), "1234"),
        ("giá", Selection(since="2026-01-10", until="2026-02-01"), "23"),
        ("giá", Selection(min_chars=30), "134"),
        ("giá date:2026-01", Selection(), "12"),
        ("(giá -date:2026-01-05) -date:2026-02", Selection(), "2"),
        ("giá NEAR/3 điện date:2026-01-05", Selection(languages=("vi",)), "1"),
        ("price", Selection(since="2027-01-01"), ""),
    ],
)
def test_the_rate_is_in_the_tokens_of_the_documents_that_are_searched(
    searched: tuple[SearchIndex, Corpus], question: str, selection: Selection, paths: str
) -> None:
    """They are units of search. So it is at most a million, also where words are larger than units."""
    index, corpus = searched
    counts = answered(index, corpus, question, selection, WantedLines(1)).counts
    tokens: dict[str, int] = {}
    for path in paths:
        language, _, text = TEXTS[path]
        units = [unit for line in ("title", *text.splitlines()) for unit in splitter().units(line)]
        tokens[language] = tokens.get(language, 0) + len(units)
    assert counts.tokens_by_language == tokens
    assert counts.tokens == sum(tokens.values())
    expected = pytest.approx(1_000_000 * counts.hits / counts.tokens, abs=0.01) if tokens else None
    assert counts.per_million == expected
    assert (counts.per_million or 0) <= 1_000_000
    sampled = answered(index, corpus, question, selection, WantedLines(sample=1)).counts
    assert (sampled.tokens_by_language, sampled.per_million) == (counts.tokens_by_language, counts.per_million)


@pytest.mark.parametrize(
    ("question", "selection", "said"),
    [
        ("giá xăng", Selection(), '; in vi first "giá xăng", 2 hits in 1 document'),
        ("giá xăng", Selection(since="2026-01-03"), '; in vi first "giá xăng", 2 hits in 1 document'),
        ("giá vàng date:2026-01-20", Selection(), '; in vi first "giá vàng", 1 hit in 1 document'),
        ("giá xăng date:2026-01-20", Selection(), ""),
        ("giá xăng -vàng", Selection(), '; in vi first "giá xăng", 2 hits in 1 document'),
        ("(giá xăng -điện) OR vàng", Selection(), ""),
        ("tăng giá", Selection(), ""),
        ("price of", Selection(), ""),
    ],
)
def test_the_hits_of_words_side_by_side_are_named(
    searched: tuple[SearchIndex, Corpus], question: str, selection: Selection, said: str
) -> None:
    """Where words contain spaces, with the fields and the selection of the question; not where none stand so."""
    index, corpus = searched
    answer = answered(index, corpus, question, selection, WantedLines(1))
    assert answer.searched == f"{shown(index.parsed(question))}{said}"


def test_a_count_that_takes_too_long_says_that_there_are_more(searched: tuple[SearchIndex, Corpus]) -> None:
    """The first block is counted in any case."""
    index, corpus = searched
    answer = answered(index, corpus, "price OR giá", Selection(), WantedLines(1), seconds=0)
    assert (answer.counts.is_complete, answer.counts.per_million, answer.counts.tokens) == (False, None, 0)
    assert 0 < answer.counts.hits < 6
    assert f"more than {answer.counts.hits} hits in 3 documents" in answer.cite
