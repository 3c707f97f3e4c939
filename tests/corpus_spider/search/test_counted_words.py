"""Counted words among the searched units of an index: what is read is what word lists count."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from corpus_spider.search.index.made_with import IndexTools
from corpus_spider.search.index.manifest import CellKey
from corpus_spider.search.index.shard import LONGEST_WORD
from corpus_spider.search.index.token_file import ShardTokens, TokenWriter
from corpus_spider.search.index.words_in_index import IndexSplitters
from corpus_spider.words.word_tally import WordTally
from tests.corpus_spider.search.test_words_in_index import INDEXED_LINES, WITHOUT_LIBRARIES

LINES = [
    "Il l'a dit: «non»... COVID-19, anak-anak! 3,5 % “I” and ISPARTA İzmir ŉa STRASSE ß",
    f"{'ß' * LONGEST_WORD} {'a' * 200}-{'B' * 200}",
    'קמ"ג צה"ל "שלום" كِتاب، می‌روم ٣٫٥',
    "Chính  phủ\tHà-Nội; Đã họp. Thủ tướng Chính phủ đi thành phố.",
    "中国2026年 COVID-19的ABCไทยDEF พ.ศ. ๒๕๖๙ ﾊﾞｽ ー x-中 中华人民共和国国务院",
    "ประเทศไทยมีความเกี่ยวพันทางเหตุการณ์ต่อไป ไม่มีนายกฯ",
    "",
]


def written(folder: str, made_with: IndexTools, language: str, texts: list[list[str]]) -> tuple[ShardTokens, list[str]]:
    """Write texts of lines as an index does. Return what reads them, and all words that lists count."""
    splitters, counted = IndexSplitters(made_with), list[str]()
    with TokenWriter(Path(folder)) as writer:
        for number, lines in enumerate(texts):
            words = splitters[language].read(lines)
            writer.add(str(number), CellKey(language, "s", "2026-01"), words.entries)
            counted += words.counted
    return ShardTokens(Path(folder)), counted


def compare(made_with: IndexTools, language: str, texts: list[list[str]]) -> None:
    """Count all words of the blocks, with units in order and none left out."""
    with tempfile.TemporaryDirectory() as folder:
        shard, counted = written(folder, made_with, language, texts)
        tally = WordTally()
        for block in shard.blocks(None, grouped=True):
            words = block.counted_words()
            tally.add(block, words, np.arange(len(words.firsts)))
            assert (np.diff(words.firsts) >= 0).all()
            assert (np.diff(words.ends) >= 0).all()
            assert (words.firsts < words.ends).all()
            assert words.ends.max(initial=0) <= len(block.tokens)
        found = Counter[str]()
        for _, texts_of_words, counts in tally.texts():
            for text, count in zip(texts_of_words, counts, strict=True):
                found[text] += count
    assert found == Counter(counted)


@pytest.mark.parametrize("language", ["en", "tr", "vi", "he", "zh", "ja", "th", "lo", "my"])
@pytest.mark.parametrize("made_with", [WITHOUT_LIBRARIES, IndexTools.installed()], ids=["without", "installed"])
def test_the_words_of_texts_are_read_from_the_units(made_with: IndexTools, language: str) -> None:
    """Hyphens, compounds, characters, and Thai words whose edges are within a unit."""
    compare(made_with, language, [LINES, *([line] for line in LINES), LINES])


@settings(max_examples=300, deadline=None)
@given(*INDEXED_LINES)
def test_the_words_of_any_text_are_read_from_the_units(made_with: IndexTools, language: str, lines: list[str]) -> None:
    """Of any signs, in any language."""
    compare(made_with, language, [lines])
