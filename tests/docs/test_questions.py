"""The page of questions: each finds what the page says in the text above it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from corpus_spider.search.hits.concordance import SoughtWords, lines
from corpus_spider.search.question.question_parser import parse
from corpus_spider.search.question.tree import QuestionError, shown
from pipelines.text.words import splitter
from tests.extras import need

need("segment")

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "search-questions.md").read_text(encoding="utf-8")
LANGUAGES = {"Vietnamese": "vi", "Arabic": "ar", "Thai": "th"}
TEXT = re.compile(r"```text\n(.*?)```", re.DOTALL)
ROW = re.compile(r"^\| `(.+)` \| (.+) \|$", re.MULTILINE)


def section(title: str) -> str:
    return re.split(r"\n## .*\n", PAGE.split(f"\n## {title}\n")[1])[0]


EXAMPLES = [(title, *row) for title in LANGUAGES for row in ROW.findall(section(title))]


@pytest.mark.parametrize(("title", "question", "found"), EXAMPLES)
def test_a_question_of_the_page_finds_what_it_says(title: str, question: str, found: str) -> None:
    """In the text of its language."""
    [text] = TEXT.findall(section(title))
    language, split = LANGUAGES[title], splitter()
    asked = parse(question.replace("\\|", "|"), split)
    keywords = [line.keyword for line in lines(text.rstrip("\n"), SoughtWords(asked, language), split)]
    assert (", ".join(f"`{each}`" for each in keywords) or "nothing") == found


def test_the_faults_of_the_page_are_marked_as_it_shows() -> None:
    """With carets below them."""
    for example in TEXT.findall(section("What is not understood")):
        question, carets = example.rstrip("\n").split("\n")
        with pytest.raises(QuestionError) as caught:
            parse(question, splitter())
        assert caught.value.marked() == (question, carets)


def test_words_beside_an_operator_are_understood_as_the_page_says() -> None:
    """As one phrase."""
    asked, understood = "giá xăng NEAR/5 tăng", '"giá xăng" NEAR/5 tăng'
    assert f"`{asked}` is\n  `{understood}`" in PAGE
    assert shown(parse(asked, splitter())) == understood
