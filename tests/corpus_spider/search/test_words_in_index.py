"""Words of a line as a search index has them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_spider.search.index.made_with import IndexTools
from corpus_spider.search.index.shard import LINE_END, LONGEST_WORD
from corpus_spider.search.index.words_in_index import IndexSplitters
from pipelines.text.equal_letters import small
from pipelines.text.segmentation.choice import CHOICES
from pipelines.text.words import CLUSTERS, as_counted

WITHOUT_LIBRARIES = IndexTools(CLUSTERS, tuple((code, "") for code in sorted(CHOICES)))
LINES = [
    "Il l'a dit: «non»... COVID-19, anak-anak! 3,5 % “I” and ISPARTA İzmir ŉa STRASSE ß",
    f"{'ß' * LONGEST_WORD} {'a' * 200}-{'B' * 200}",
    'קמ"ג צה"ל "שלום" كِتاب، می‌روم ٣٫٥',
    "Chính  phủ\tHà-Nội; Đã họp.",
    "中国2026年 COVID-19的ABCไทยDEF พ.ศ. ๒๕๖๙ ﾊﾞｽ ー x-中",
    "",
]


@pytest.mark.parametrize("language", ["en", "tr", "vi", "he", "zh", "ja", "th"])
def test_words_of_a_text_are_the_words_of_its_lines(language: str) -> None:
    """Each line as a text of its own, and all of them together; twice, the second time from the table."""
    _compare(WITHOUT_LIBRARIES, language, LINES)


SIGNS = "aAßIıé-'\u00a0\u2029 .ก.ขิ่ฯลມ\u0ebb中のｶﾞ\u200cか한나צה\"לكِ٣ꩠ\u1a20\u1780\u17d2\u1000\u1031"
INDEXED_LINES = (
    st.sampled_from([WITHOUT_LIBRARIES, IndexTools.installed()]),
    st.sampled_from([*sorted(CHOICES), "en", "tr", "he"]),
    st.lists(
        st.text(st.one_of(st.sampled_from(SIGNS), st.characters(exclude_characters="\n")), max_size=20),
        min_size=1,
        max_size=4,
    ),
)
"""Libraries, language and lines of a text."""


@settings(max_examples=300, deadline=None)
@given(*INDEXED_LINES)
def test_any_text_is_split_as_each_of_its_lines(made_with: IndexTools, language: str, lines: list[str]) -> None:
    """With the libraries that are installed and without: units in order, counted words, line ends."""
    _compare(made_with, language, lines)


def _compare(made_with: IndexTools, language: str, lines: list[str]) -> None:
    splitters, units, counter = IndexSplitters(made_with), made_with.splitter, made_with.words(language)
    searched, counted = list[str](), list[str]()
    for line in lines:
        searched += [small(line[a:b], language)[:LONGEST_WORD] for a, b in units.spans(line)]
        searched.append(LINE_END)
        counted += [as_counted(line[a:b], language)[:LONGEST_WORD] for a, b in counter.spans(line)]
    for part in [[line] for line in lines] * 2:
        splitters[language].read(part)
    read = splitters[language].read(lines)
    assert [unit for unit in read.searched.split(" ") if unit] == searched
    assert sorted(read.counted) == sorted(counted)
    assert splitters.units() == set(searched) - {LINE_END}
