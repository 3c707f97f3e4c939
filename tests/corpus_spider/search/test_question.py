"""Questions: what they find in a text, and what is wrong with them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_spider.search.concordance import Sought, lines
from corpus_spider.search.question import MOST_WORDS, parse, phrases
from pipelines.text.words import WORDS, Splitter, splitter
from storage.errors import ConfigError

TEXT = (
    "Thủ tướng Chính phủ họp hôm nay.\nchinh phu khong dau\nأعلنت الحكومةُ خطةً، وقال أحمد\nDer Führer für Fans\n"
    "รัฐบาลไทยประกาศ\n中国政府发布"
)


@pytest.mark.parametrize(
    ("question", "keywords"),
    [
        ("chinh phu", ["Chính", "phủ", "chinh", "phu"]),
        ('"chinh phu"', ["Chính phủ", "chinh phu"]),
        ('"chính phủ"', ["Chính phủ"]),
        ("chính", ["Chính"]),
        ("=chinh", ["chinh"]),
        ("fur", ["für"]),
        ("für", ["für"]),
        ("fü*", ["Führer", "für"]),
        ("الحكومة", ["الحكومةُ"]),
        ("احمد", ["أحمد"]),
        ('"中国政府"', ["中国政府"]),
        ("họp -nay", ["họp"]),
        ("gas OR họp", ["họp"]),
        ('"phủ hôm"', []),
        ('"nay chinh"', []),
    ],
)
def test_what_a_question_finds_in_a_text(question: str, keywords: list[str]) -> None:
    """Marks, points and case make no difference unless they are typed; a phrase stays within a line."""
    split = splitter()
    assert [line.keyword for line in lines(TEXT, Sought(parse(question, split)), split)] == keywords


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("", "no word"),
        ("-gas", "must not occur"),
        ("NOT gas", "must not occur"),
        ("(gas", "not closed"),
        ("gas)", "not opened"),
        (" ".join(["a"] * (MOST_WORDS + 1)), "words at most"),
        ("(" * 30 + "a" + ")" * 30, "nested"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused_with_a_reason(question: str, says: str) -> None:
    """The message says what is wrong."""
    with pytest.raises(ConfigError, match=says):
        parse(question, splitter())


@given(st.text(alphabet='ab "()-*=ANDORNOT\u0e01ا', max_size=60))
def test_any_question_is_read_or_refused(question: str) -> None:
    """No text ends in another error."""
    try:
        parsed = parse(question, Splitter(list, WORDS))
    except ConfigError:
        return
    assert any(True for _ in phrases(parsed))


def test_the_context_is_whole_words_on_both_sides() -> None:
    """At least eight words or fifty characters, cut at words and marked."""
    text = " ".join(f"word{number}" for number in range(40))
    [line] = lines(text, Sought(parse("word20", splitter())), splitter())
    assert line.left.startswith("…word")
    assert line.left.split()[-1] == "word19"
    assert line.right.split()[0] == "word21"
    assert line.right.endswith("…")
    assert len(line.left.split()) >= 8
    assert (line.left_word, line.right_word) == ("word19", "word21")
