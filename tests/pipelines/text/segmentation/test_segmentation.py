"""Words of each language by its segmenter, and what happens without one or when it fails."""

from __future__ import annotations

from itertools import pairwise
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.text.segmentation import choice
from pipelines.text.segmentation.choice import CHOICES, MAX_RUN_CHARS, WORDS, Segmenter, advice, library_names, unit_of
from pipelines.text.segmentation.clusters import clusters
from pipelines.text.tokenizer import COMPOUND, tokenised
from pipelines.text.words import words
from storage.records import GLUE, SENTENCE
from tests.extras import need

EXPECTED = [
    ("th", "nlpo3", "นายกฯ กล่าวว่าครม.อนุมัติ", "นายกฯ|กล่าวว่า|ครม|อนุมัติ"),
    ("th", "nlpo3", "ปีพ.ศ.2567 และอื่นๆฯลฯ", "ปี|พ.ศ.|2567|และ|อื่นๆ|ฯลฯ"),
    ("th", "nlpo3", "เมื่อ 5 ม.ค.2567", "เมื่อ|5|ม.ค.|2567"),
    ("lo", "laonlp", "ສ.ປ.ປ ລາວ ປະຊຸມ", "ສ.ປ.ປ|ລາວ|ປະຊຸມ"),
    ("km", "icu", "រដ្ឋាភិបាលកម្ពុជា។", "រដ្ឋាភិបាល|កម្ពុជា"),
    ("my", "icu", "မြန်မာစာ၊ စာအုပ်", "မြန်မာ|စာ|စာအုပ်"),
    ("vi", "underthesea", "Thủ tướng Chính phủ họp.", "Thủ tướng|Chính phủ|họp"),
    ("vi", "underthesea", "Bác sĩ thản nhiên báo tin", "Bác sĩ|thản nhiên|báo|tin"),
    ("zh", "rjieba", "今天在北京宣布2026年计划。", "今天|在|北京|宣布|2026|年|计划"),
    ("ja", "sudachi", "国会議員が東京で会見した。", "国会|議員|が|東京|で|会見|し|た"),
    ("en", "", "It's 12 o’clock, AI2.", "It's|12|o’clock|AI2"),
]


@pytest.mark.parametrize(("language", "library", "line", "expected"), EXPECTED)
def test_words_of_each_language(language: str, library: str, line: str, expected: str) -> None:
    """Abbreviations of Thai and Lao stay whole; compounds of Vietnamese are one word."""
    if library:
        need("segment")
        assert library_names()[language] == library
    assert [line[start:end] for start, end in words(language).spans(line)] == expected.split("|")


@pytest.mark.parametrize(("language", "line"), [(row[0], row[2]) for row in EXPECTED])
def test_an_export_has_the_words_that_are_counted(language: str, line: str) -> None:
    """The tokens of vertical text are the counted words and signs."""
    tokens = tokenised(line, words(language).unusual_spans).replace(GLUE, " ").replace(SENTENCE, " ").split()
    counted = [COMPOUND.join(line[start:end].split()) for start, end in words(language).spans(line)]
    signs = [token for token in tokens if not any(map(str.isalnum, token))]
    assert [token for token in tokens if token not in signs] == counted


@settings(max_examples=200, deadline=None)
@given(st.sampled_from([*CHOICES, "en"]), st.text(alphabet="ab ก.ิฯลมาຫລ中のネ1'-ế chính", max_size=60))
def test_places_are_in_order_and_no_letter_is_lost(language: str, line: str) -> None:
    """Each letter is in exactly one word, with any segmenter."""
    places = words(language).spans(line)
    assert all(start < end for start, end in places)
    assert all(one[1] <= other[0] for one, other in pairwise(places))
    covered = {at for start, end in places for at in range(start, end)}
    assert {at for at, character in enumerate(line) if character.isalnum()} <= covered


def test_a_segmenter_that_fails_or_changes_the_text_is_counted_and_replaced() -> None:
    """Its run is split into character clusters."""

    def fails(run: str) -> list[str]:
        if "x" in run:
            raise RuntimeError(run)
        return [run.upper()] if "y" in run else [run]

    segment = Segmenter("broken", fails, WORDS)
    assert [segment("ab"), segment("ax"), segment("ay")] == [["ab"], ["a", "x"], ["a", "y"]]
    assert segment.failures == 2


@pytest.mark.parametrize(
    ("run", "expected"),
    [("မြန်မာစာ", "မြ|န်|မာ|စာ"), ("สวัสดี", "ส|วั|ส|ดี"), ("ສະບາຍດີ", "ສ|ະ|ບ|າ|ຍ|ດີ"), ("កម្ពុជា", "ក|ម្ពុ|ជា")],
)
def test_a_character_cluster_is_a_letter_with_its_marks(run: str, expected: str) -> None:
    """A Burmese vowel stays with its letter."""
    assert "|".join(clusters(run)) == expected


def test_a_long_run_is_cut_into_pieces() -> None:
    """At a space if there is one, so that the library never gets more than it can process quickly."""
    lengths: list[int] = []

    def noted(run: str) -> list[str]:
        lengths.append(len(run))
        return [run]

    text = "chính phủ " * 1_000 + "ก" * 5_000
    assert "".join(Segmenter("noted", noted, WORDS)(text)) == text
    assert max(lengths) <= MAX_RUN_CHARS


def test_empty_parts_of_a_library_are_no_words() -> None:
    """A plug-in may yield some."""
    assert Segmenter("empty", lambda run: ["", run[:1], "", run[1:], ""], WORDS)("กข") == ["ก", "ข"]


def test_without_a_library_the_unit_and_the_extra_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence a language; languages with spaces need none."""
    monkeypatch.setattr(choice, "library_names", lambda: dict.fromkeys(CHOICES, ""))
    assert [unit_of(code) for code in ("vi", "th", "zh", "fr")] == [
        "syllables",
        "character clusters",
        "characters",
        "words",
    ]
    assert advice(["vi", "fr"]) == ["vi: the words are syllables. The extra `vietnamese` splits texts into words."]


@pytest.mark.parametrize(
    ("language", "unit"), [("th", "มากา"), ("th", "ก.ข."), ("lo", "ກາ"), ("km", "ក"), ("zh", "中"), ("ja", "東")]
)
def test_the_time_grows_with_the_length(language: str, unit: str) -> None:
    """Four times the text takes far less than sixteen times as long, with any repetition in it."""

    def seconds(length: int) -> float:
        line = unit * (length // len(unit))
        start = process_time()
        words(language).spans(line)
        return process_time() - start

    seconds(1_000)
    assert seconds(80_000) < 10 * seconds(20_000) + 0.2
