"""One table of punctuation: all that reads commas, quotation marks and brackets knows those of all scripts."""

from __future__ import annotations

import unicodedata

import pytest

from corpus_spider.search.question.question_parser import parse
from pipelines.classification.page_type import has_sentence
from pipelines.extractors.auto.blocks.text_measures import COMMA, QUOTE, measure_texts
from pipelines.metadata.authors import persons
from pipelines.quality import signals
from pipelines.text.folds import fold
from pipelines.text.punctuation import CLOSING, COMMAS, DOUBLE_QUOTES, REVERSED_QUOTES, SEMICOLONS
from pipelines.text.sentences import marked
from pipelines.text.words import splitter
from storage.records import SENTENCE

OF_NO_NEWSPAPER = ("TURNED", "RAISED", "REVERSED", "DOUBLE", "MEDIEVAL")
"""First words of the names of signs of shorthand, dialects and manuscripts."""


@pytest.mark.parametrize(("word", "signs"), [("COMMA", COMMAS), ("SEMICOLON", SEMICOLONS)])
def test_all_commas_of_unicode_are_known(word: str, signs: str) -> None:
    """The Burmese comma has a name of its own."""
    named = {each for each in map(chr, range(0x10000)) if word in unicodedata.name(each, "").split()}
    commas = {each for each in named if unicodedata.category(each) == "Po"}
    assert {each for each in commas if unicodedata.name(each).startswith(OF_NO_NEWSPAPER)} == commas - set(signs)
    assert set(signs) - commas <= {"၊"}


@pytest.mark.parametrize("sign", COMMAS + SEMICOLONS)
def test_each_comma_is_measured(sign: str) -> None:
    """The default extractor measures the share of commas of a block."""
    assert measure_texts([f"a{sign}b"]).classes[0, COMMA] == 1


@pytest.mark.parametrize("sign", CLOSING + REVERSED_QUOTES)
def test_each_closing_sign_is_measured(sign: str) -> None:
    """Brackets and the marks that close a quotation in some languages only are among them."""
    assert measure_texts([f"a{sign}b"]).classes[0, QUOTE] == 1


@pytest.mark.parametrize("sign", CLOSING)
def test_a_closing_sign_belongs_to_its_sentence(sign: str) -> None:
    """The sentence ends behind it, and the paragraph has a sentence."""
    line = f"The water rose.{sign} The bridge held."
    assert marked(line) == f"The water rose.{sign}{SENTENCE} The bridge held."
    assert has_sentence(f"The water rose.{sign} and more")


@pytest.mark.parametrize("sign", "\"'”’»›」』“‘«")
def test_a_line_may_end_with_each_quotation_mark(sign: str) -> None:
    """German and Danish close a quotation with a mark that opens one elsewhere."""
    found = signals.measure(f"The water rose over the bridge{sign}\nThe water rose over the mill.", "en")
    assert found.ended_lines == 1.0


@pytest.mark.parametrize("sign", DOUBLE_QUOTES)
def test_each_quotation_mark_is_folded_and_begins_a_phrase(sign: str) -> None:
    """An export may write one form for all. A search accepts each."""
    assert fold(sign, ("quotes",), "en") == '"'
    assert parse(f"{sign}blue bridge{sign}", splitter()) == parse('"blue bridge"', splitter())


@pytest.mark.parametrize("sign", ",،、，؛；၊")
def test_each_comma_parts_two_authors(sign: str) -> None:
    """A byline lists names with the comma of its script."""
    assert persons([f"Anna Berg{sign} Otto Lind"]) == ["Anna Berg", "Otto Lind"]
