"""Number of hits: by site and month, in a million words, and within its time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from corpus_spider.search.index.builder import only_writer, refresh
from corpus_spider.search.searching import SearchIndex
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
            crawl.visit(path, made(text, language=language, published=day))
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
    answer = index.concordance(corpus, question, Selection(), most=1)
    assert (answer.counts.hits, answer.counts.is_complete, answer.counts.by_month) == (hits, True, by_month)
    assert sum(answer.counts.by_site.values()) == hits
    assert f"{hits} hit" in answer.cite


def test_the_rate_is_that_of_the_word_list(searched: tuple[SearchIndex, Corpus]) -> None:
    """It is known where words are counted: by language and site, and not by length or by a field of the question."""
    index, corpus = searched
    english = Selection(languages=("en",))
    [size] = index.manifest.sizes(english)
    counts = index.concordance(corpus, "price", english, most=1).counts
    assert counts.per_million == pytest.approx(2_000_000 / size.tokens, abs=0.01)
    assert index.concordance(corpus, "price", Selection(min_chars=3), most=1).counts.per_million is None
    assert index.concordance(corpus, "price date:2026", Selection(), most=1).counts.per_million is None


def test_a_count_that_takes_too_long_says_that_there_are_more(searched: tuple[SearchIndex, Corpus]) -> None:
    """The first block is counted in any case."""
    index, corpus = searched
    answer = index.concordance(corpus, "price OR giá", Selection(), most=1, seconds=0)
    assert (answer.counts.is_complete, answer.counts.per_million) == (False, None)
    assert 0 < answer.counts.hits < 6
    assert f"more than {answer.counts.hits} hits in 3 documents" in answer.cite
