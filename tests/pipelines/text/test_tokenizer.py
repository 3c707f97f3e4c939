"""Tokens of each script: none is lost or invented, and glued tokens are marked."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.text.tokenizer import segmenter, tokenised
from storage.exports.vertical import GLUE, SENTENCE


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hà Nội, hôm nay.", "Hà Nội|, hôm nay|."),
        ("می‌روم به خانه.", "می‌روم به خانه|."),
        ("كَتَبَ الولدُ", "كَتَبَ الولدُ"),
        ("l'eau grand-père e-mail -- 3,5 %", "l'eau grand-père e-mail -- 3|,|5 %"),
        ("a\n\nb\tc", "a\n\nb c"),
        ("cafe\u0301 נ׳", "cafe\u0301 נ|׳"),
        ("a\x1fb", "a b"),
        ('צה"ל, מנכ"לית חז״ל ג׳ורג', 'צה"ל|, מנכ"לית חז״ל ג׳ורג'),
        ('ב"הארץ" ה"דבר" "א"', 'ב|"|הארץ|" ה|"|דבר|" "|א|"'),
        ("col·legi 5·", "col·legi 5|·"),
        ("Xong. Đi!", "Xong|.# Đi|!"),
        ("好。走吧。", "好|。#|走吧|。"),
        ("a❤\ufe0fb 👩\u200d👩\u200d👧! 🇻🇳🇮🇷 👍🏽👍🏽", "a|❤\ufe0f|b 👩\u200d👩\u200d👧|!# 🇻🇳|🇮🇷 👍🏽|👍🏽"),
        ("😀😀 ©© 1\ufe0f\u20e3 👩\u200d", "😀😀 ©© 1\ufe0f\u20e3 👩\u200d"),
    ],
)
def test_words_of_spaced_scripts(text: str, expected: str) -> None:
    assert tokenised(text).replace(GLUE, "|").replace(SENTENCE, "#") == expected


def test_a_segmenter_cuts_runs_of_unspaced_scripts_and_nothing_else() -> None:
    """Mixed words keep their other parts."""
    assert tokenised("Aตากลม2 ab", lambda run: [run[:2], run[2:]]).replace(GLUE, "|") == "A|ตา|กลม|2 ab"


def test_icu_knows_thai_words() -> None:
    """With the extra ``segment``."""
    segment = segmenter()
    if segment is None:
        pytest.skip("icu4py is not installed")
    assert tokenised("สวัสดีชาวโลก", segment).split(GLUE) == ["สวัสดี", "ชาว", "โลก"]


@settings(max_examples=300, deadline=None)
@given(st.text(st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from("aế'-‌.,\n กา«")), max_size=60))
def test_no_visible_character_is_lost_and_no_line(text: str) -> None:
    made = tokenised(text)
    visible = "".join(character for character in text if character > "\x1f" and character != "\x7f").split()
    assert "".join(made.replace(GLUE, "").replace(SENTENCE, "").split()) == "".join(visible)
    assert made.count("\n") == text.count("\n")
