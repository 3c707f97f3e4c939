"""Lemmas and tags of each library, with the extras that have them."""

from __future__ import annotations

from importlib.metadata import version

import pytest

from pipelines.text.annotation.annotator import ATTRIBUTES, MAX_TOKEN_CHARS, Annotation, Annotator
from pipelines.text.annotation.choice import ANNOTATORS, MIN_ACCURACY, NOT_GOOD_ENOUGH, annotator_of, why_none
from storage.errors import ConfigError
from tests.extras import need, needs

SENTENCES = [
    ("lemma", "en", "The children were running .", "the child be run ."),
    ("lemma", "fa", "کتاب‌ها را خواندند .", "کتاب را خواند ."),
    ("lemma", "id", "Mereka membaca bukunya .", "mereka baca buku ."),
    ("lemma", "tr", "Evlerde çocuklar vardı .", "ev çocuk var ."),
    ("lemma", "uk", "Вона читала книжки .", "вона читати книжка ."),
    ("lemma", "ru", "Она читала книги .", "она читать книга ."),
    ("segment", "ja", "子供 が 本 を 読ん だ 。", "子供 が 本 を 読む た 。"),
]
TAGS = [
    ("lemma", "ru", "Она читала книги .", "NPRO VERB NOUN PNCT"),
    ("segment", "ja", "本 を 読ん だ 。", "名詞-普通名詞-一般 助詞-格助詞 動詞-一般 助動詞 補助記号-句点"),
    ("segment", "vi", "Chính_phủ họp tại Hà_Nội .", "N V E Np CH"),
]


@pytest.mark.parametrize(("extra", "language", "tokens", "lemmas"), SENTENCES, ids=[each[1] for each in SENTENCES])
def test_lemmas_are_those_of_a_dictionary(extra: str, language: str, tokens: str, lemmas: str) -> None:
    """An inflected word gets its base form, in Persian the past stem of a verb; a sign is its own lemma."""
    need(extra)
    annotator = annotator_of(language)
    assert annotator is not None
    assert " ".join(each.lemma.lower() for each in annotator(tokens.split())) == lemmas


@pytest.mark.parametrize(("extra", "language", "tokens", "tags"), TAGS, ids=[each[1] for each in TAGS])
def test_tags_are_those_of_the_tagset_of_the_library(extra: str, language: str, tokens: str, tags: str) -> None:
    """A compound word with an underscore gets one tag."""
    need(extra)
    annotator = annotator_of(language)
    assert annotator is not None
    assert " ".join(each.tag for each in annotator(tokens.split())) == tags
    assert annotator.tagset in annotator.description


@needs("lemma")
def test_an_annotator_names_its_library_and_version() -> None:
    """The description says what it gives."""
    annotator = annotator_of("fa")
    assert annotator is not None
    assert annotator.description == f"lemma (simplemma {version('simplemma')})"


@needs("segment")
def test_japanese_tokens_that_are_no_units_in_their_sentence_are_looked_up_alone() -> None:
    """Latin words that a space separates are one unit without it. Parts of a unit have no annotation."""
    annotator = annotator_of("ja")
    assert annotator is not None
    assert [each.lemma for each in annotator(["New", "York"])] == [
        each.lemma for token in ("New", "York") for each in annotator([token])
    ]
    assert annotator(["読んだ"]) == [Annotation()]


def test_long_sentences_are_cut_and_long_tokens_left_out() -> None:
    """A library gets bounded pieces. A space in a lemma becomes an underscore."""
    sizes = []

    def annotate(tokens: list[str]) -> list[tuple[str, str]]:
        sizes.append(len(tokens))
        return [(f"{token} up", "V") for token in tokens]

    annotator = Annotator("en", "test 1", ATTRIBUTES, "", annotate)  # type: ignore[arg-type]
    found = annotator(["give"] * 450 + ["x" * (MAX_TOKEN_CHARS + 1)])
    assert sizes == [200, 200, 51]
    assert set(found[:-1]) == {Annotation("give_up", "V")}
    assert found[-1] == Annotation()
    assert annotator([]) == []


def test_a_library_that_loses_tokens_is_an_error() -> None:
    """Its annotations would stand at wrong words."""
    annotator = Annotator("en", "test 1", ATTRIBUTES, "", lambda tokens: [("", "")])
    with pytest.raises(ValueError, match="test 1 gave 1 annotations for 2 tokens"):
        annotator(["a", "b"])


def test_the_chosen_libraries_are_good_enough() -> None:
    """Each has a figure above the bound for each attribute that it gives. No language is in both tables."""
    for language, choice in ANNOTATORS.items():
        figures = {"lemma": choice.lemma_accuracy, "tag": choice.tag_accuracy}
        assert {name for name, figure in figures.items() if figure} == set(choice.library.attributes), language
        assert all(figure >= MIN_ACCURACY for figure in figures.values() if figure), language
    assert ANNOTATORS.keys().isdisjoint(NOT_GOOD_ENOUGH)


def test_a_language_without_an_annotator_says_why() -> None:
    """With the figure, if one was measured."""
    assert annotator_of("ar") is None
    assert "81 % of the words" in why_none("ar")
    assert why_none("ps") == "ps: no lemmas or tags, because no library for it was found good enough."


def test_a_missing_library_is_named_with_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the language."""
    monkeypatch.setitem(__import__("sys").modules, "simplemma", None)
    annotator_of.cache_clear()
    with pytest.raises(ConfigError) as error:
        annotator_of("fa")
    annotator_of.cache_clear()
    assert "fa" in str(error.value)
    assert "pip install 'corpus-spider[lemma]'" in str(error.value)
