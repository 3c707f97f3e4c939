"""Words of a line as a search index has them."""

from __future__ import annotations

import pytest

from corpus_spider.search.made_with import IndexTools
from corpus_spider.search.shard import LONGEST_WORD
from corpus_spider.search.words_in_index import words_in_index
from pipelines.text.equal_letters import small
from pipelines.text.segmentation.choice import CHOICES
from pipelines.text.words import CLUSTERS, as_counted

MADE_WITH = IndexTools(CLUSTERS, tuple((code, "") for code in sorted(CHOICES)))
LINES = [
    "Il l'a dit: «non»... COVID-19, anak-anak! 3,5 % “I” and ISPARTA İzmir ŉa STRASSE ß",
    f"{'ß' * LONGEST_WORD} {'a' * 200}-{'B' * 200}",
    'קמ"ג צה"ל "שלום" كِتاب، می‌روم ٣٫٥',
    "Chính  phủ\tHà-Nội; Đã họp.",
    "中国2026年 COVID-19的ABCไทยDEF พ.ศ. ๒๕๖๙ ﾊﾞｽ ー x-中",
    "",
]


@pytest.mark.parametrize("language", ["en", "tr", "vi", "he", "zh", "ja", "th"])
def test_words_by_token_are_the_words_of_the_whole_line(language: str) -> None:
    """Twice in a row, the second time from the table, in scripts with and without spaces."""
    words, units, counter = words_in_index(MADE_WITH, language), MADE_WITH.splitter, MADE_WITH.words(language)
    for line in [*LINES, *LINES]:
        searched = [small(line[a:b], language)[:LONGEST_WORD] for a, b in units.spans(line)]
        counted = [as_counted(line[a:b], language)[:LONGEST_WORD] for a, b in counter.spans(line)]
        assert list(words.searched(line)) == searched
        assert list(words.counted(line)) == counted
