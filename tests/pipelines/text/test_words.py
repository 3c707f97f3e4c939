"""Words with their places, and the forms by which words are found."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.text.word_forms import broad, letters, plain
from pipelines.text.words import CLUSTERS, Splitter, splitter


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("Chính phủ, 2026!", ["Chính", "phủ", "2026"]),
        ("l'été d’hier", ["l'été", "d’hier"]),
        ("o‘zbek oʻzbek o'zbek", ["o‘zbek", "oʻzbek", "o'zbek"]),
        ("COVID-19 anak‑anak בית־ספר", ["COVID", "19", "anak", "anak", "בית", "ספר"]),
        ('צה"ל צה״ל צה”ל', ['צה"ל', "צה״ל", "צה”ל"]),
        ("ｶﾞｽとガス", ["ｶﾞ", "ｽ", "と", "ガ", "ス"]),
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
        ("Đảng", "đảng", "dang"),
        ("كِتَابٌ", "کتاب", "کتاب"),
        ("أحمد", "احمد", "احمد"),
        ("שָׁלוֹם", "שלום", "שלום"),
        ("١٤٠٣", "1403", "1403"),
        ("Ёлка", "ёлка", "елка"),
        ("Мой", "мой", "мой"),
        ("Łódź", "łódź", "lodz"),
        ("Ærø", "ærø", "aero"),
    ],
)
def test_the_forms_of_a_word(word: str, with_marks: str, without: str) -> None:
    """Case, points and variants of a letter make no difference; marks of European letters only if they are typed."""
    assert (letters(word), plain(word)) == (with_marks, without)


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("ar", "إلى", "الى"),
        ("ar", "القرآن", "القران"),
        ("ar", "مدرسة", "مدرسه"),
        ("ar", "ڪتاب", "كتاب"),
        ("fa", "خانهٔ", "خانه"),
        ("fa", "خانۀ", "خانه"),
        ("prs", "خانه\u200cی", "خانهٔ"),
        ("fa", "می\u200cروم", "میروم"),
        ("fa", "كتابي", "کتابی"),
        ("ur", "بهارت", "بہارت"),
        ("ur", "لئے", "لیے"),
        ("ur", "گۓ", "گئے"),
        ("pnb", "زكوة", "زکوۃ"),
        ("ps", "ګوند", "گوند"),
        ("ps", "هغۀ", "هغه"),
        ("sd", "كتاب", "ڪتاب"),
        ("sd", "وہ", "وه"),
        ("ckb", "کورده\u200cواری", "کوردەواری"),
        ("ckb", "بۆنه", "بۆنە"),
        ("ckb", "ھەرێم", "هەرێم"),
        ("ug", "ھۆكۈمەت", "هۆکۈمەت"),
        ("he", 'צה"ל', "צה״ל"),
        ("he", "צה”ל", "צה״ל"),
        ("he", "ג׳ורג׳", "ג'ורג'"),
        ("he", "בית־ספר", "בית-ספר"),
        ("yi", "ײדיש", "יידיש"),
        ("vi", "quý", "qúy"),
        ("vi", "hoàn", "hòan"),
        ("vi", "thủy", "thuỷ"),
        ("vi", "giá", "gía"),
        ("vi", "Ðảng", "đảng"),
        ("th", "น้ำ", "นํ้า"),
        ("lo", "ນ້ຳ", "ນໍ້າ"),
        ("km", "កើត", "ក\u17c1\u17b8ត"),
        ("my", "မြို့", "မြို\u1037"),
        ("tr", "IŞIK", "ışık"),
        ("az", "İQTİSAD", "iqtisad"),
        ("en", "İstanbul", "istanbul"),
        ("uz", "Oʻzbekiston", "o‘zbekiston"),
        ("uk", "п’ять", "пʼять"),
        ("id", "anak‑anak", "anak-anak"),
        ("ms", "COVID‐19", "covid-19"),
        ("ja", "ｶﾞｽ", "ガス"),
        ("fr", "cœur", "coeur"),
        ("nl", "ĳs", "ijs"),
        ("ro", "ştiri", "știri"),
        ("hr", "ǆep", "džep"),
    ],
)
def test_spellings_of_one_word_in_its_language(language: str, one: str, other: str) -> None:
    """The table of equal letters makes them one word, for the word lists too."""
    assert letters(one, language) == letters(other, language)


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("ur", "بہار", "بھار"),
        ("pnb", "کہ", "کھ"),
        ("ur", "آم", "ام"),
        ("fa", "آن", "ان"),
        ("fa", "خانه\u200cای", "خانه"),
        ("ps", "سړی", "سړي"),
        ("sd", "گهر", "گھر"),
        ("sd", "ڪم", "کم"),
        ("ckb", "بەر", "بهر"),
        ("ug", "بار", "بەر"),
        ("ug", "سىر", "سير"),
        ("yi", "אַ", "אָ"),
        ("vi", "ma", "má"),
        ("vi", "do", "đo"),
        ("tr", "ılık", "ilik"),
        ("is", "við", "viđ"),
        ("th", "ก่า", "ก้า"),
        ("ru", "мои", "мой"),
        ("de", "schon", "schön"),
    ],
)
def test_other_words_stay_apart_in_their_language(language: str, one: str, other: str) -> None:
    """A letter that a language distinguishes tells two of its words apart."""
    assert letters(one, language) != letters(other, language)


LANGUAGES = ("", "vi", "ar", "fa", "ur", "ps", "sd", "ckb", "ug", "he", "yi", "th", "km", "my", "tr", "is")
SIGNS = "aIıiİòoàuqýđÐð'ʻ’-‑آأإىئيیهةۀھہەۃۓكکڪگګو\u0654\u200c\u064b\u0640אװ״\u05b7กำํ\u0e49កើ\u17d2မို့ｶﾞ"


@given(st.text(st.one_of(st.sampled_from(SIGNS), st.characters()), max_size=12), st.sampled_from(LANGUAGES))
@settings(max_examples=400, deadline=None)
def test_forms_are_stable(word: str, language: str) -> None:
    """The form of a form is the form, so a question and a text meet. Words that are equal somewhere meet in broad."""
    assert letters(letters(word, language), language) == letters(word, language)
    assert plain(plain(word, language), language) == plain(word, language)
    assert broad(letters(word, language)) == broad(word)
    assert broad(plain(word, language)) == broad(word)
