"""N-grams are counted as a plain count does."""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_spider.search.index import token_file
from corpus_spider.search.index.manifest import Cell, CellKey
from corpus_spider.search.index.token_file import ShardTokens, TokenWriter
from corpus_spider.search.index.token_store import SelectedTokens
from corpus_spider.words.counting import dispersion
from corpus_spider.words.ngrams import ngram_counts, ngram_numbers, ngram_passes, ngram_tally
from corpus_spider.words.ngrams.ngram_counts import count_ngrams
from pipelines.text.words import LINE_END
from storage.records import SENTENCE

Document = tuple[str, list[list[str]]]
"""Site and sentences."""
SENTENCES = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=7), min_size=1, max_size=4)
DOCUMENTS = st.lists(st.tuples(st.sampled_from(["s", "t", "u"]), SENTENCES), min_size=1, max_size=12)


def written(folder: Path, documents: list[Document]) -> ShardTokens:
    with TokenWriter(folder) as writer:
        for number, (site, sentences) in enumerate(documents):
            parts: list[str] = []
            for at, sentence in enumerate(sentences):
                parts += [*sentence, LINE_END if at % 2 or at == len(sentences) - 1 else SENTENCE]
            writer.add(f"{folder.name}{number}", CellKey("en", site, "2026-01"), parts)
    return ShardTokens(folder)


def plainly(documents: list[Document], size: int) -> dict[str, tuple[int, int, float]]:
    """Return frequency, documents and dispersion of each n-gram, from the counts of each part."""
    by_site, appearances, tokens = defaultdict[str, Counter[str]](Counter), Counter[str](), Counter[str]()
    for site, sentences in documents:
        found = [" ".join(sentence[at : at + size]) for sentence in sentences for at in range(len(sentence) - size + 1)]
        by_site[site].update(found)
        appearances.update(set(found))
        tokens[site] += sum(map(len, sentences))
    every = sorted(appearances)
    cells = []
    for site in tokens:
        frequencies = np.array([by_site[site][each] for each in every], np.int64)
        words = np.arange(len(every), dtype=np.uint32)
        cells.append(Cell(CellKey("en", site, "2026-01"), 0, 1, tokens[site], words, frequencies, frequencies))
    spread = dispersion(cells, np.arange(len(every), dtype=np.int64)).tolist()
    whole = sum(by_site.values(), Counter[str]())
    return {each: (whole[each], appearances[each], round(of, 3)) for each, of in zip(every, spread, strict=True)}


@settings(max_examples=120, deadline=None)
@given(
    DOCUMENTS,
    DOCUMENTS,
    st.integers(2, 5),
    st.integers(1, 4),
    st.integers(1, 40),
    st.integers(1, 50),
    st.integers(1, 50),
)
def test_ngrams_of_random_texts_are_those_of_a_plain_count(
    first: list[Document],
    second: list[Document],
    size: int,
    min_frequency: int,
    most: int,
    max_kept: int,
    max_candidates: int,
) -> None:
    """Over shards with other numbers of units, in as many passes as the bound needs, with any limit."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        for module in (ngram_counts, ngram_passes):
            patched.setattr(module, "MAX_NUMBERS_KEPT", max_kept)
        for module in (ngram_counts, ngram_tally):
            patched.setattr(module, "MAX_CELL_COUNTS", max_kept)
        patched.setattr(ngram_passes, "_SAMPLED_TOKENS", 5)
        patched.setattr(ngram_counts, "_MIN_CANDIDATES", 1)
        patched.setattr(ngram_counts, "_MAX_CANDIDATES", max_candidates)
        patched.setattr(token_file, "BLOCK_TOKENS", 10)
        patched.setattr(ngram_numbers, "BUCKET_BITS", 6)
        for name in ("a", "b"):
            (Path(folder) / name).mkdir()
        parts = [
            SelectedTokens(written(Path(folder) / "a", first)),
            SelectedTokens(written(Path(folder) / "b", second)),
        ]
        found = count_ngrams(parts, size, most, min_frequency)
    expected = plainly([*first, *second], size)
    frequent = sorted((-row[0], each) for each, row in expected.items() if row[0] >= min_frequency)
    assert [row.word for row in found.rows] == [each for _, each in frequent][:most]
    for row in found.rows:
        frequency, documents, spread = expected[row.word]
        assert (row.frequency, row.documents) == (frequency, documents)
        assert row.dispersion == pytest.approx(spread, abs=0.0011)
    assert found.documents == len(first) + len(second)
    assert found.tokens == sum(len(sentence) for _, text in [*first, *second] for sentence in text)
