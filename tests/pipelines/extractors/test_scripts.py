"""The main script of a text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.extractors.scripts import is_vietnamese, letters_by_script, main_script


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("", "Zyyy"),
        ("123 — !", "Zyyy"),
        ("plain English", "Latn"),
        ("Chủ tịch nước", "Latn"),
        ("سلام دنیا BBC", "Arab"),
        ("ข่าววันนี้", "Thai"),
        ("新闻今天", "Hani"),
        ("今日のニュースです", "Jpan"),
        ("오늘의 뉴스", "Kore"),
        ("Новости дня", "Cyrl"),
        ("Τα νέα ἐστί", "Grek"),
        ("חדשות", "Hebr"),
        ("आज की खबर", "Deva"),
    ],
)
def test_the_script_of_most_letters_is_the_main_one(text: str, script: str) -> None:
    """Digits and punctuation belong to no script."""
    assert main_script(text) == script


@settings(max_examples=100, deadline=None)
@given(st.text())
def test_any_text_has_a_main_script_and_no_more_letters_than_characters(text: str) -> None:
    """Lone surrogates and unassigned characters included."""
    assert main_script(text)
    assert sum(letters_by_script(text).values()) <= len(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Chủ tịch nước đã ký quyết định mới ở Hà Nội", True), ("Le président a signé hier à Paris", False), ("", False)],
)
def test_vietnamese_is_told_by_its_horned_vowels(text: str, expected: bool) -> None:
    """Other Latin languages have none."""
    assert is_vietnamese(text) is expected
