"""Words stand in the order of a dictionary of their language."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from pipelines.text.collation import sort_key
from tests.extras import need

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    sort_key.cache_clear()
    yield
    sort_key.cache_clear()


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("vi", ["an", "ăn", "ân", "bà", "cao", "dài", "đi", "e", "ê", "xa"]),
        ("fa", ["آب", "بازار", "پدر", "تاریخ", "چای", "کتاب", "گل", "هوا", "یک"]),
        ("ur", ["آم", "بازار", "پانی", "ٹوپی", "چاند", "ڈاک", "کتاب", "گھر", "ہوا", "یار"]),
        ("th", ["กา", "ขา", "เขา", "คน", "ใจ", "ไทย"]),
        ("tr", ["ara", "çay", "ılık", "içki", "şeker", "zor"]),
        ("sv", ["apa", "zon", "åka", "äta", "öra"]),
        ("de", ["apfel", "äpfel", "zoo"]),
        ("he", ["אב", "בית", "שלום"]),
        ("", ["apple", "été", "zoo"]),
    ],
)
def test_words_in_the_order_of_their_language(language: str, words: list[str]) -> None:
    need("web")
    assert sorted(sorted(words, key=len), key=sort_key(language)) == words


def test_without_the_library_marks_come_after_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    """The order is then that of the letters without marks, and no word is lost."""
    monkeypatch.setitem(sys.modules, "icu", None)
    assert sorted(["đi", "dài", "ăn", "an", "xa"], key=sort_key("vi")) == ["an", "ăn", "dài", "đi", "xa"]
