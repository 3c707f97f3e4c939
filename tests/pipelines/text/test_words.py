"""Words with their places, and the forms by which words are found."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.text.word_forms import letters, plain
from pipelines.text.words import CLUSTERS, Splitter, splitter


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("Chính phủ, 2026!", ["Chính", "phủ", "2026"]),
        ("l'été d’hier", ["l'été", "d’hier"]),
        ("می\u200cروم کتاب", ["می\u200cروم", "کتاب"]),
        ("中国2026年", ["中", "国", "2026", "年"]),
        ("ABCไทยDEF", ["ABC", "ไ", "ท", "ย", "DEF"]),
        ("", []),
    ],
)
def test_the_words_of_a_line(line: str, words: list[str]) -> None:
    """Letters, marks and digits; each Han character; clusters where no segmenter is."""
    assert [line[start:end] for start, end in Splitter(list, CLUSTERS).spans(line)] == words


@given(st.text(alphabet="ab \u0e01\u0e34\u0e48中のا1'-", max_size=80))
def test_places_are_in_order_and_do_not_overlap(line: str) -> None:
    """Each place is within the line and begins where the one before has ended, or later."""
    places = splitter().spans(line)
    assert all(start < end for start, end in places)
    assert all(one[1] <= other[0] for one, other in pairwise(places))
    assert not places or places[-1][1] <= len(line)


@pytest.mark.parametrize(
    ("word", "with_marks", "without"),
    [
        ("Chính", "chính", "chinh"),
        ("HOÀ", "hòa", "hoa"),
        ("Đảng", "đảng", "dang"),
        ("كِتَابٌ", "کتاب", "کتاب"),
        ("أحمد", "احمد", "احمد"),
        ("שָׁלוֹם", "שלום", "שלום"),
        ("กำลัง", "กำลัง", "กำลัง"),
        ("١٤٠٣", "1403", "1403"),
        ("Ёлка", "ёлка", "елка"),
    ],
)
def test_the_forms_of_a_word(word: str, with_marks: str, without: str) -> None:
    """Case, points and variants of a letter make no difference; marks of European letters only if they are typed."""
    assert (letters(word), plain(word)) == (with_marks, without)


@given(st.text(max_size=30))
def test_forms_are_stable(word: str) -> None:
    """The form of a form is the form, so a question and a text meet."""
    assert letters(letters(word)) == letters(word)
    assert plain(plain(word)) == plain(word)
