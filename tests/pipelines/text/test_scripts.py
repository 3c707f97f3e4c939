"""The table of scripts agrees with the data of Unicode, and all that depends on a script reads it."""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import cache

import pytest
import regex

from corpus_spider.terminal.layout import is_right_to_left
from corpus_spider.web.formatting import direction
from pipelines.classification.page_type import has_sentence
from pipelines.extractors.auto.blocks.text_measures import measure_texts
from pipelines.extractors.auto.extractor import extract
from pipelines.quality import signals
from pipelines.text.scripts import (
    SCRIPTS,
    SENTENCE_ENDS,
    SPACED_ENDS,
    UNSPACED,
    Script,
    has_unmarked_sentences,
    in_class,
    is_from_the_right,
    is_spaced,
    size,
)
from pipelines.text.sentences import marked
from storage.records import SENTENCE

CHARACTERS = "".join(
    filter(lambda each: unicodedata.category(each) not in {"Cn", "Cs"}, map(chr, range(sys.maxunicode + 1)))
)
"""Those that Unicode had when this Python was made."""
NO_ENDS = "\u104a\u2024\u2e3c\u2e53\u2e54\u2e60\u2e61\u1735\u1736"
"""Signs that Unicode counts among the ends of sentences: the Burmese comma, a leader, those of shorthand, of medieval
manuscripts and of Philippine scripts of the past.
"""
OF_THE_PAST = regex.compile(r"\p{Script=Coptic}|\p{Script=Phags_Pa}")
# A made-up sentence of some words in each script, without its end.
TEXTS = {
    "Latn": "Nước sông lên rất cao",
    "Arab": "دریا کا پانی بہت اوپر آ گیا ہے",
    "Hebr": "מי הנהר עלו מאוד השבוע",
    "Deva": "नदी का पानी बहुत ऊपर आ गया है",
    "Beng": "নদীর জল অনেক উপরে উঠে গেছে",
    "Armn": "Գետի ջուրը շատ է բարձրացել այս շաբաթ",
    "Ethi": "የወንዙ ውሃ በዚህ ሳምንት በጣም ከፍ ብሏል",
    "Khmr": "ទឹកទន្លេឡើងខ្ពស់ណាស់សប្តាហ៍នេះ",
    "Mymr": "မြစ်ရေသည်ယခုအပတ်တွင်အလွန်မြင့်တက်ခဲ့သည်",
    "Tibt": "གཙང་པོའི་ཆུ་ཧ་ཅང་མཐོ་རུ་ཕྱིན་སོང",
    "Hani": "河水本周涨得非常高",
    "Kana": "今週、川の水がとても高くなりました",
    "Hang": "이번 주에 강물이 아주 높아졌습니다",
    "Mong": "ᠭᠣᠣᠯ ᠤᠨ ᠤᠰᠤ ᠶᠡᠬᠡ ᠦᠨᠳᠦᠷ ᠪᠣᠯᠪᠠ",
    "Syrc": "ܡܝܐ ܕܢܗܪܐ ܪܡܝܢ ܛܒ",
    "Nkoo": "ߖߌ ߦߋ߫ ߞߐߜߍ ߞߣߐ߫ ߓߌ߬",
    "Cans": "ᑰᒃ ᐃᒪᖓ ᐳᖅᑐᔪᐊᖅ ᒫᓐᓇ",
    "Olck": "ᱜᱟᱰᱟ ᱫᱟᱜ ᱟᱹᱰᱤ ᱪᱮᱛᱟᱱ",
    "Mtei": "ꯇꯨꯔꯦꯜ ꯏꯁꯤꯡ ꯌꯥꯝꯅ ꯋꯥꯡꯈꯠꯂꯦ",
    "Vaii": "ꕚꕌꖆ ꕉꕌꕊ ꗏꕷꗋ",
    "Java": "ꦧꦚꦸꦤꦶꦁꦏꦭꦶꦝꦸꦮꦸꦂ",
}


@cache
def of_unicode(name: str) -> frozenset[str]:
    """Return the letters and marks that have a value of the property Script."""
    return frozenset(regex.findall(rf"(?V1)[\p{{Script={name}}}&&[\p{{L}}\p{{M}}]]", CHARACTERS))


def letter_of(name: str) -> str:
    return min(filter(str.isalpha, of_unicode(name)))


def rows(name: str) -> list[Script]:
    return [each for each in SCRIPTS if each.name == name]


# Some scripts have letters in the blocks of phonetics and mathematics, which no prose has.
LETTERS_ELSEWHERE = {"Latin", "Greek", "Cyrillic"}


@pytest.mark.parametrize("name", dict.fromkeys(each.name for each in SCRIPTS))
def test_ranges_are_those_of_unicode(name: str) -> None:
    """A row has all letters of its script, and no letter that belongs to another script alone."""
    inside = set(re.findall(f"[{in_class(one for each in rows(name) for one in each.ranges)}]", CHARACTERS))
    letters = {each for each in inside if unicodedata.category(each)[0] in "LM"}
    assert name in LETTERS_ELSEWHERE or of_unicode(name) <= inside
    assert letters - of_unicode(name) <= of_unicode("Common") | of_unicode("Inherited")


def test_every_script_from_right_to_left_has_a_row() -> None:
    """The direction of each letter is the one that Unicode gives it, in scripts with and without a row."""
    wrong = {
        each
        for each in CHARACTERS
        if unicodedata.category(each)[0] == "L"
        and is_from_the_right(each) != (unicodedata.bidirectional(each) in {"R", "AL"})
    }
    assert not wrong
    for each in SCRIPTS:
        letter = letter_of(each.name)
        assert each.is_right_to_left == (unicodedata.bidirectional(letter) in {"R", "AL"}), each.code


def test_every_script_without_spaces_has_a_row() -> None:
    """Letters that need a dictionary for line breaks (UAX 14, class SA) and those of East Asia have no spaces."""
    dictionary = r"[\p{Line_Break=SA}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}]"
    needing = regex.findall(rf"(?V1)[{dictionary}&&\p{{L}}--\p{{Script=Ahom}}--[\u02ea\u02eb]]", CHARACTERS)
    assert [each for each in needing if is_spaced(each)] == []
    assert all(is_spaced(TEXTS[code]) for code in ("Latn", "Arab", "Deva", "Ethi", "Hang", "Tibt", "Armn", "Java"))


def test_every_sentence_end_of_a_living_script_has_a_row() -> None:
    """The table has each sign with the property Sentence_Terminal in the basic plane, except scripts of the past."""
    terminal = regex.findall(r"(?V1)[\p{Sentence_Terminal}--[\U00010000-\U0010ffff]]", CHARACTERS)
    missing = [each for each in terminal if each not in SENTENCE_ENDS + NO_ENDS and not OF_THE_PAST.match(each)]
    assert missing == []
    assert len(SENTENCE_ENDS) == len(set(SENTENCE_ENDS))


def test_the_fast_test_of_spaces_agrees_with_the_exact_one() -> None:
    """Every character of the ranges makes a text unspaced, and no other does."""
    exact = set(re.findall(f"[{UNSPACED}]", CHARACTERS))
    assert exact == {each for each in CHARACTERS if not is_spaced(each)}


ENDS = [
    (code, end)
    for code, text in TEXTS.items()
    for end in (next(each for each in SCRIPTS if each.code == code)).sentence_ends
]
ENDS += [(code, end) for code in TEXTS for end in ".!?…"]
ENDS += [("Beng", "।"), ("Kana", "。"), ("Kana", "！")]


@pytest.mark.parametrize(("code", "end"), ENDS)
def test_a_sentence_ends_with_the_signs_of_its_script(code: str, end: str) -> None:
    """The blocks of `auto`, the judgement of a page, quality signals and sentences agree on each sign."""
    text = TEXTS[code] + end
    measured = measure_texts([text, f"{text}”", f"{text} {text}", TEXTS[code]])
    assert measured.ends_sentence.tolist() == [True, True, True, False]
    assert measured.sentences[2] - measured.sentences[0] >= 1
    assert has_sentence(text)
    assert has_sentence(TEXTS[code]) == has_unmarked_sentences(TEXTS[code])
    assert signals.measure(text, "").ended_lines == 1
    assert signals.measure(TEXTS[code], "").ended_lines == 0
    assert marked(f"{text} {text}").count(SENTENCE) == (1 if end != "…" or not TEXTS[code][0].islower() else 0)


def test_stops_within_words_and_numbers_end_nothing() -> None:
    """Signs that also stand in numbers and addresses need white space or a quotation mark behind them."""
    texts = ["v. 2.0 of a.example", "3.5", "٣.٥", "no end, here"]
    assert measure_texts(texts).sentences.tolist() == [1, 0, 0, 0]
    assert all(end in SENTENCE_ENDS for end in SPACED_ENDS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ab", 2),
        ("北京", 7),
        ("人々", 7),
        ("서울", 5),
        ("ㄱㄴ", 2),
        ("かな", 4),
        ("ｶﾅ", 4),
        ("አዲስ", 5),
        ("ไทย", 3),
        ("ລາວ", 3),
        ("ꩠꩡ", 2),
        ("𠀀", 4),
        ("𞤀𞤁", 2),
    ],
)
def test_a_character_weighs_what_it_says_in_all_scripts(text: str, expected: int) -> None:
    """Pages and texts weigh letters alike: those of extended blocks and beyond the basic plane too."""
    assert size(text) == expected
    assert measure_texts([text]).weight[0] == pytest.approx(expected, abs=0.5)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.code)
def test_directions_agree(script: Script) -> None:
    """The web page, the terminal and the table give each script one direction."""
    letter = letter_of(script.name)
    assert direction(script.code) == ("rtl" if script.is_right_to_left else "ltr")
    assert is_right_to_left(letter) == script.is_right_to_left


STOPS = {each.code: each.sentence_ends[0] for each in SCRIPTS if each.sentence_ends and each.code in TEXTS}
STOPS |= {"Beng": "।", "Kana": "。", "Arab": "۔"}


def short_article(text: str, stop: str) -> str:
    """Return a page with a headline, three paragraphs of sentences that end with a stop, a menu and a link."""
    sentence = f"{text}{stop} "
    body = "".join(f"<p>{sentence * count}</p>" for count in (2, 3, 2))
    menu = "".join(f"<li><a href=/{place}>{text[place : place + 8]}</a></li>" for place in range(6))
    article = f"<div><h1>{text}</h1>{body}<p><a href=/9>{text[::-1]}</a></p></div>"
    return f"<title>{text}</title><body><ul>{menu}</ul>{article}<footer>© 2026</footer>"


@pytest.mark.parametrize(("code", "stop"), STOPS.items())
def test_an_article_with_the_stops_of_its_script_is_as_sure_as_with_full_stops(code: str, stop: str) -> None:
    """The extractor finds the same lines with the same confidence."""
    own, plain = (extract(short_article(TEXTS[code], each)) for each in (stop, "."))
    assert len(own.paragraphs) == len(plain.paragraphs) > 1
    assert own.confidence == pytest.approx(plain.confidence, abs=0.001)
