"""Tokens of each script: none is lost or invented, and glued tokens are marked."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.text import tokenizer
from pipelines.text.tokenizer import tokenised
from storage.records import GLUE, SENTENCE


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


def test_words_of_a_segmenter_are_tokens_and_signs_stand_between_them() -> None:
    """The space in a compound is an underscore; a sentence may end anywhere."""
    places = [(0, 3), (3, 6), (6, 7), (8, 17), (18, 20)]
    made = tokenised("Aตากลม2 chính phủ.Xa", lambda _: places).replace(GLUE, "|")
    assert made == "Aตา|กลม|2 chính_phủ|.|Xa"


@settings(max_examples=300, deadline=None)
@given(st.text(st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from("aế'-‌.,\n กา«")), max_size=60))
def test_no_visible_character_is_lost_and_no_line(text: str) -> None:
    made = tokenised(text)
    visible = "".join(character for character in text if character > "\x1f" and character != "\x7f").split()
    assert "".join(made.replace(GLUE, "").replace(SENTENCE, "").split()) == "".join(visible)
    assert made.count("\n") == text.count("\n")


def test_remembered_words_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A full table is emptied, and the tokens are the same; long words are not kept."""
    words = [f"w{number}," for number in range(50)] * 2 + ["x" * 200]
    whole = tokenised(" ".join(words))
    monkeypatch.setattr(tokenizer, "MAX_WORDS_KEPT", 7)
    monkeypatch.setattr(tokenizer, "TOKENS", type(tokenizer.TOKENS)())
    assert tokenised(" ".join(words)) == whole
    assert len(tokenizer.TOKENS) <= 7
    assert "x" * 200 not in tokenizer.TOKENS
