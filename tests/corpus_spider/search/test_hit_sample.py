"""Pages of all lines, and random samples of hits: each hit has the same chance, the same seed gives the same hits."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_spider.search.answers import answered
from corpus_spider.search.hits.concordance_rules import WantedLines
from corpus_spider.search.hits.hit_sample import HitSample
from corpus_spider.search.hits.matching import Places
from corpus_spider.search.index import builder
from corpus_spider.search.index.builder import only_writer, refresh
from corpus_spider.search.index.token_block import TokenBlock
from corpus_spider.search.searching import SearchIndex
from storage.corpus import Corpus
from storage.documents.selection import Selection
from tests.extras import need
from tests.storage.corpus_samples import Crawl, made

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from corpus_spider.search.answers import SearchAnswer
    from corpus_spider.search.hits.hit_sample import SampledHit

need("web")

HITS = (1, 0, 5, 30, 1, 2, 12, 1)
"""Hits of each document."""


def blocks(hits: Sequence[int], first: int = 0) -> tuple[TokenBlock, Places]:
    """Return a block of documents with so many hits each, a token a hit. ``first``: number of the first id."""
    starts = np.cumsum([0, *hits[:-1]])
    ids = [f"{number:032x}" for number in range(first, first + len(hits))]
    tokens = np.arange(sum(hits))
    nothing = np.zeros(0, np.int64)
    block = TokenBlock("en", ["a"], ids, tokens.astype(np.uint32), starts, nothing, nothing, nothing)
    return block, Places(tokens, tokens + 1)


def sampled(size: int, seed: int, *found: tuple[TokenBlock, Places]) -> list[SampledHit]:
    sample = HitSample(size, seed)
    assert list(sample.passing(found)) == list(found)
    return sample.hits


def test_each_hit_has_the_same_chance() -> None:
    """Not each document: one with thirty hits is chosen thirty times as often as one with one. Chi-squared test."""
    rounds, size = 1_500, 4
    counts = Counter(hit for seed in range(rounds) for hit in sampled(size, seed, blocks(HITS)))
    expected = rounds * size / sum(HITS)
    assert len(counts) == sum(HITS)
    # 51 degrees of freedom.
    assert sum((each - expected) ** 2 / expected for each in counts.values()) < 87.97


@given(st.lists(st.integers(0, 6), min_size=1, max_size=8), st.integers(1, 20), st.integers(0, 5), st.integers(0, 8))
def test_a_sample_does_not_depend_on_the_order_of_reading(
    hits: list[int], size: int, seed: int, parted_at: int
) -> None:
    """In one block, or in two in any order. It has no hit twice, and its beginning is the smaller sample."""
    whole = sampled(size, seed, blocks(hits))
    assert len(whole) == len(set(whole)) == min(size, sum(hits))
    assert all(hit.number < hits[int(hit.document, 16)] for hit in whole)
    parts = [blocks(hits[:parted_at]), blocks(hits[parted_at:], parted_at)]
    parts = [part for part in parts if part[0].documents]
    assert sampled(size, seed, *parts) == sampled(size, seed, *reversed(parts)) == whole
    assert sampled(max(1, size // 2), seed, blocks(hits)) == whole[: max(1, size // 2)]


QUESTIONS = ("node OR other", "node NEAR/2 other", "other OR -node")


@pytest.fixture(scope="module", params=[4, 1_000])
def searched(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[SearchIndex, Corpus]]:
    """An index of documents with some hits each, many with equal ranks and days, in one shard and in several."""
    folder = tmp_path_factory.mktemp("pages")
    with pytest.MonkeyPatch.context() as patched, Corpus.open(folder / "corpus.db", create=True) as corpus:
        patched.setattr(builder, "MAX_SHARD_DOCUMENTS", request.param)
        crawl = Crawl(corpus)
        for number in range(24):
            words = ["w", "x", *["node other node"] * (number % 5), *["only"] * (number % 3 == 0), f"end{number}"]
            text = "\n".join(f"{each} {number} {at}" for at, each in enumerate(words))
            crawl.visit(str(number), made(text, language="en", published=f"2026-01-{1 + number // 6:02}"))
            if number % 8 == 7:
                with only_writer(folder / "index"):
                    refresh(corpus, str(folder / "corpus.db"), folder / "index", 1)
        with SearchIndex.open(folder / "index", corpus) as index:
            yield index, corpus


def lines_of(answer: SearchAnswer) -> list[tuple[str, str]]:
    return [(place.id, place.line.at) for place in answer.places]


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("wanted", ["rank", "date", "1L,2L,node", "sample", "sample by date", "sample 1R", "unique"])
def test_pages_have_all_lines_in_one_order(searched: tuple[SearchIndex, Corpus], question: str, wanted: str) -> None:
    """Page after page gives what one page of all lines has. Without a sample these are all hits."""
    index, corpus = searched
    sample = 17 if wanted.startswith("sample") else 0
    order = {"sample": "rank", "sample by date": "date", "sample 1R": "1R", "unique": "rank"}.get(wanted, wanted)

    def page_of(most: int, page: int) -> SearchAnswer:
        lines = WantedLines(most, page, order, unique=wanted == "unique", sample=sample, seed=3)
        return answered(index, corpus, question, Selection(), lines)

    every = page_of(1_000, 1)
    hits = every.counts.hits
    if wanted != "unique":
        assert every.lines == len(every.places) == (min(sample, hits) if sample else hits)
    assert not every.has_more
    assert len(set(lines_of(every))) == len(every.places)
    for most in (7,):
        pages = [page_of(most, page) for page in range(1, 2 + len(every.places) // most)]
        assert [line for page in pages for line in lines_of(page)] == lines_of(every)
        assert [page.first for page in pages] == [1 + most * number for number in range(len(pages))]
        assert [page.has_more for page in pages] == [page.first + most <= len(every.places) for page in pages]
    assert lines_of(page_of(10, 900)) == []


def test_a_sample_is_cited_with_its_size_and_seed(searched: tuple[SearchIndex, Corpus]) -> None:
    """Another seed gives other lines. A sample whose time was over says how many hits it is of."""
    index, corpus = searched
    first, again, other = (
        answered(index, corpus, "node", Selection(), WantedLines(5, sample=5, seed=seed)) for seed in (1, 1, 2)
    )
    assert lines_of(first) == lines_of(again) != lines_of(other)
    assert ": node (--sample-size 5 --seed 2)." in other.cite
    short = answered(index, corpus, "node OR w", Selection(), WantedLines(5, sample=5), seconds=0)
    assert (short.counts.is_complete, len(short.places)) == (False, 5)
