"""Folds remove what they name, in the languages they are for, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.text.folds import FOLDS, fold


@pytest.mark.parametrize(
    ("name", "language", "text", "expected"),
    [
        ("tatweel", "ar", "كـــتاب", "كتاب"),
        ("harakat", "ar", "كَتَبَ مُحَمَّدٌ آيةً أسئلة", "كتب محمد آية أسئلة"),
        ("niqqud", "he", "שָׁל֑וֹם \ufb2a צה״ל־א׳", "שלום ש צה״ל־א׳"),
        ("niqqud", "yi", "אַ אָ", "אַ אָ"),
        ("presentation", "ar", "ﻻ ﷲ ﮐ \ufd3e1\ufd3f", "لا الله ک \ufd3e1\ufd3f"),
        ("yeh-kaf", "fa", "كتاب علي", "کتاب علی"),
        ("yeh-kaf", "ar", "كتاب علي", "كتاب علي"),
        *(("yeh-kaf", language, "كي ي ې ۍ ئ", "كي ي ې ۍ ئ") for language in ("ps", "ur", "ckb")),
        ("tone", "vi", "Hoà thuỷ HOẢ khoẻ toán hoàng quý Quỳ loè", "Hòa thủy HỎA khỏe toán hoàng quý Quỳ lòe"),
        ("tone", "fr", "oà", "oà"),
        ("digits", "fa", "۱۴۰۳ ٢٠٢٤ ๒๕๖๙ ²", "1403 2024 2569 ²"),
        ("zwnj", "fa", "می‌روم क्\u200cष", "میروم क्\u200cष"),
        ("quotes", "vi", "“a” «b» ‘c’ ‹d›", "\"a\" \"b\" 'c' 'd'"),
    ],
)
def test_each_fold_does_what_it_says(name: str, language: str, text: str, expected: str) -> None:
    assert fold(text, {name}, language) == expected


def test_without_a_fold_a_text_is_as_it_was() -> None:
    """Not even its Unicode form is touched."""
    assert fold("e\u0301 كـ", (), "ar") == "e\u0301 كـ"


@settings(max_examples=300, deadline=None)
@given(
    st.text(st.one_of(st.characters(), st.sampled_from("ـَِّﻻﷲيك‌‍۰oàuỷqnשָׁ\ufb2a\n“")), max_size=40),
    st.sets(st.sampled_from(FOLDS)),
    st.sampled_from(("fa", "vi", "ps", "th", "he")),
)
def test_folding_twice_changes_nothing_and_lines_stay_lines(text: str, names: set[str], language: str) -> None:
    once = fold(text, names, language)
    assert fold(once, names, language) == once
    assert once.count("\n") == text.count("\n")
