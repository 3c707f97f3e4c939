"""Scripts: the one table of what differs between writing systems.

All that depends on a script reads this table: where sentences end, whether spaces separate words, the direction, how
much a character says, which segmenter splits its words. A script without a row has the defaults: left to right, spaces,
the sentence ends of all scripts, weight 1. `tests/pipelines/text/test_scripts.py` compares the rows with the data of
Unicode.

Weights are the letters of an alphabet that say as much as one character. Source: the Universal Declaration of Human
Rights. The median length in 412 languages of Latin script, divided by the length in the script, is 3.7 for Chinese, 2.6
for Japanese (Han and kana), 2.4 for Korean, 1.8 for Amharic and Tigrinya, 1.17 for Thai, 1.15 for Hebrew and 1.13 for
Arabic script. It is .97 to 1.1 for Cyrillic, Lao, Khmer and most Indic scripts, and .84 for Vietnamese.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import chain, groupby
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

Range = tuple[int, int]
"""First and last character."""


class Script(NamedTuple):
    """A writing system."""

    code: str
    """ISO 15924."""
    name: str
    """Value of the Unicode property Script."""
    ranges: tuple[Range, ...]
    """Characters, digits and signs of its own included. Han has its letters only: its signs are those of others too."""
    sentence_ends: str = ""
    """Signs that end a sentence, besides `SPACED_ENDS`."""
    is_right_to_left: bool = False
    weight: float = 1.0
    """Letters of an alphabet that say as much as a character."""
    has_spaces: bool = True
    """Whether something separates words. In Tibetan it is the tsheg, between syllables."""
    marks_each_sentence: bool = True
    """False if newspapers end sentences with a space, or without a sign."""
    language: str = ""
    """Language whose segmenter splits the words of a script without spaces."""
    letters_of_a_word: int = 0
    """Letters of a word on average in that language."""


SCRIPTS = (
    Script("Latn", "Latin", ((0x41, 0x5A), (0x61, 0x7A), (0xC0, 0x24F), (0x1E00, 0x1EFF))),
    Script(
        "Arab",
        "Arabic",
        ((0x600, 0x6FF), (0x750, 0x77F), (0x870, 0x8FF), (0xFB50, 0xFDFF), (0xFE70, 0xFEFC), (0x10E60, 0x10E7F),
         (0x10EC0, 0x10EFF), (0x1EE00, 0x1EEFF)),
        "؟۔؝؞", is_right_to_left=True, weight=1.15,
    ),
    Script("Cyrl", "Cyrillic", ((0x400, 0x52F), (0x1C80, 0x1C8F), (0x2DE0, 0x2DFF), (0xA640, 0xA69F))),
    Script(
        "Hani",
        "Han",
        ((0x2E80, 0x2FDF), (0x3005, 0x3007), (0x3021, 0x3029), (0x3038, 0x303C), (0x3400, 0x4DBF), (0x4E00, 0x9FFF),
         (0xF900, 0xFAFF), (0x16FE2, 0x16FE3), (0x16FF0, 0x16FF6), (0x20000, 0x3FFFF)),
        "。！？｡．︒︕︖﹒﹖﹗", weight=3.5, has_spaces=False, language="zh", letters_of_a_word=2,
    ),
    Script(
        "Thai", "Thai", ((0xE00, 0xE7F),), weight=1.15, has_spaces=False, marks_each_sentence=False, language="th",
        letters_of_a_word=4,
    ),
    Script("Hebr", "Hebrew", ((0x590, 0x5FF), (0xFB1D, 0xFB4F)), is_right_to_left=True, weight=1.15),
    Script("Grek", "Greek", ((0x370, 0x3E1), (0x3F0, 0x3FF), (0x1F00, 0x1FFF))),
    Script("Deva", "Devanagari", ((0x900, 0x97F), (0xA8E0, 0xA8FF), (0x11B00, 0x11B5F)), "।॥"),
    Script(
        "Hira", "Hiragana", ((0x3040, 0x309F), (0x1B001, 0x1B11F), (0x1B132, 0x1B152)), weight=2.0, has_spaces=False,
        language="ja", letters_of_a_word=2,
    ),
    Script(
        "Kana",
        "Katakana",
        ((0x3031, 0x3035), (0x30A0, 0x30FF), (0x31F0, 0x31FF), (0xFF66, 0xFF9F), (0x1AFF0, 0x1B000), (0x1B120, 0x1B122),
         (0x1B155, 0x1B168)),
        weight=2.0, has_spaces=False, language="ja", letters_of_a_word=2,
    ),
    Script("Hang", "Hangul", ((0xAC00, 0xD7A3),), weight=2.5),
    # Parts of syllables, with the name that ISO 15924 gives them.
    Script(
        "Jamo",
        "Hangul",
        ((0x1100, 0x11FF), (0x302E, 0x302F), (0x3131, 0x318E), (0xA960, 0xA97C), (0xD7B0, 0xD7FB), (0xFFA0, 0xFFDC)),
    ),
    Script(
        "Laoo", "Lao", ((0xE80, 0xEFF),), has_spaces=False, marks_each_sentence=False, language="lo",
        letters_of_a_word=4,
    ),
    Script(
        "Khmr", "Khmer", ((0x1780, 0x17FF), (0x19E0, 0x19FF)), "។៕", has_spaces=False, marks_each_sentence=False,
        language="km", letters_of_a_word=4,
    ),
    Script(
        "Mymr", "Myanmar", ((0x1000, 0x109F), (0xA9E0, 0xA9FE), (0xAA60, 0xAA7F), (0x116D0, 0x116E3)), "။",
        has_spaces=False, marks_each_sentence=False, language="my", letters_of_a_word=4,
    ),
    Script("Beng", "Bengali", ((0x980, 0x9FF),)),
    Script("Taml", "Tamil", ((0xB80, 0xBFF), (0x11FC0, 0x11FFF))),
    Script("Telu", "Telugu", ((0xC00, 0xC7F),)),
    Script("Knda", "Kannada", ((0xC80, 0xCFF),)),
    Script("Mlym", "Malayalam", ((0xD00, 0xD7F),)),
    Script("Gujr", "Gujarati", ((0xA80, 0xAFF),)),
    Script("Guru", "Gurmukhi", ((0xA00, 0xA7F),)),
    Script("Orya", "Oriya", ((0xB00, 0xB7F),)),
    Script("Sinh", "Sinhala", ((0xD80, 0xDFF), (0x111E0, 0x111FF))),
    Script("Armn", "Armenian", ((0x530, 0x58F), (0xFB13, 0xFB17)), "։"),
    Script("Geor", "Georgian", ((0x10A0, 0x10FF), (0x1C90, 0x1CBF), (0x2D00, 0x2D2F))),
    Script(
        "Ethi", "Ethiopic", ((0x1200, 0x139F), (0x2D80, 0x2DDF), (0xAB01, 0xAB2E), (0x1E7E0, 0x1E7FF)), "።፧፨",
        weight=1.75,
    ),
    Script("Tibt", "Tibetan", ((0xF00, 0xFFF),), "།༎༏༐༑༔"),
    Script("Mong", "Mongolian", ((0x1800, 0x18AF), (0x11660, 0x1167F)), "᠃᠉"),
    Script("Thaa", "Thaana", ((0x780, 0x7BF),), is_right_to_left=True),
    Script("Syrc", "Syriac", ((0x700, 0x74F), (0x860, 0x86F)), "܀܁܂", is_right_to_left=True),
    Script("Cher", "Cherokee", ((0x13A0, 0x13FF), (0xAB70, 0xABBF))),
    Script("Cans", "Canadian_Aboriginal", ((0x1400, 0x167F), (0x18B0, 0x18FF), (0x11AB0, 0x11ABF)), "᙮"),
    Script("Tfng", "Tifinagh", ((0x2D30, 0x2D7F),)),
    Script("Nkoo", "Nko", ((0x7C0, 0x7FF),), "߹", is_right_to_left=True),
    # Scripts of some newspapers and many web pages, which no rule of a language knows.
    Script("Adlm", "Adlam", ((0x1E900, 0x1E95F),), is_right_to_left=True),
    Script("Rohg", "Hanifi_Rohingya", ((0x10D00, 0x10D3F),), is_right_to_left=True),
    Script("Mand", "Mandaic", ((0x840, 0x85F),), is_right_to_left=True),
    Script("Samr", "Samaritan", ((0x800, 0x83F),), "࠷࠹࠽࠾", is_right_to_left=True),
    Script(
        "Bopo", "Bopomofo", ((0x3105, 0x312F), (0x31A0, 0x31BF)), has_spaces=False, language="zh", letters_of_a_word=2,
    ),
    Script("Tale", "Tai_Le", ((0x1950, 0x197F),), has_spaces=False),
    Script("Talu", "New_Tai_Lue", ((0x1980, 0x19DF),), has_spaces=False),
    Script("Lana", "Tai_Tham", ((0x1A20, 0x1AAF),), "᪨᪩᪪᪫", has_spaces=False),
    Script("Tavt", "Tai_Viet", ((0xAA80, 0xAADF),), has_spaces=False),
    Script("Java", "Javanese", ((0xA980, 0xA9DF),), "꧈꧉"),
    Script("Bali", "Balinese", ((0x1B00, 0x1B7F),), "᭎᭏᭚᭛᭞᭟᭽᭾᭿"),
    Script("Cham", "Cham", ((0xAA00, 0xAA5F),), "꩝꩞꩟"),
    Script("Kali", "Kayah_Li", ((0xA900, 0xA92F),), "꤯"),
    Script("Lepc", "Lepcha", ((0x1C00, 0x1C4F),), "᰻᰼"),
    Script("Limb", "Limbu", ((0x1900, 0x194F),), "᥄᥅"),
    Script("Lisu", "Lisu", ((0xA4D0, 0xA4FF), (0x11FB0, 0x11FB0)), "꓿"),
    Script("Mtei", "Meetei_Mayek", ((0xAAE0, 0xAAFF), (0xABC0, 0xABFF)), "꫰꫱꯫"),
    Script("Olck", "Ol_Chiki", ((0x1C50, 0x1C7F),), "᱾᱿"),
    Script("Saur", "Saurashtra", ((0xA880, 0xA8DF),), "꣎꣏"),
    Script("Vaii", "Vai", ((0xA500, 0xA63F),), "꘎꘏"),
    Script("Bamu", "Bamum", ((0xA6A0, 0xA6FF), (0x16800, 0x16A3F)), "꛳꛷"),
)  # fmt: skip
"""Frequent scripts first. Sentence ends beyond the basic plane are left out: searches take six times as long with them.
"""

SPACED_ENDS = ".!?…‼⁇⁈⁉‽⸮"
"""Signs of many scripts that end a sentence before white space or a closing quotation mark. Others stand in words."""
STRONG_ENDS = "".join(script.sentence_ends for script in SCRIPTS)
"""Signs of a script that end a sentence wherever they stand, except between digits."""
SENTENCE_ENDS = SPACED_ENDS + STRONG_ENDS


def in_class(ranges: Iterable[Range]) -> str:
    """Return ranges for the brackets of a regular expression."""
    return "".join(chr(first) if first == last else f"{chr(first)}-{chr(last)}" for first, last in ranges)


def characters(*codes: str) -> str:
    """Return the characters of scripts, for the brackets of a regular expression.

    >>> characters("Thai")
    '\\u0e00-\\u0e7f'
    """
    return in_class(chain.from_iterable(script.ranges for script in SCRIPTS if script.code in codes))


UNSPACED_RANGES = tuple(sorted(chain.from_iterable(script.ranges for script in SCRIPTS if not script.has_spaces)))
"""Characters of scripts without spaces between words."""
UNSPACED = in_class(UNSPACED_RANGES)
"""The same for the brackets of a regular expression."""
_MAYBE_UNSPACED = in_class(each for each in UNSPACED_RANGES if each[1] <= 0xFFFF) + "\U00010000-\U0010ffff"
"""A set with several ranges beyond the basic plane is searched six times as slowly."""
SINGLE = in_class(chain.from_iterable(each.ranges for each in SCRIPTS if each.language in {"zh", "ja"}))
"""Characters of Chinese and Japanese, which are searched one by one."""
CLUSTERED_BY_LANGUAGE = {
    language: in_class(chain.from_iterable(each.ranges for each in scripts))
    for language, scripts in groupby(
        sorted((each for each in SCRIPTS if not each.has_spaces), key=lambda each: each.language),
        key=lambda each: each.language,
    )
    if language not in {"zh", "ja"}
}
"""Characters of the other scripts without spaces by the language of their segmenter, "" for none."""
CLUSTERED = "".join(CLUSTERED_BY_LANGUAGE.values())
"""The same, without the languages."""
UNSPACED_TEXT = f"{UNSPACED}\u3008-\u303f"
"""The same, with East Asian brackets and marks, which stand among the letters without a space."""
SYLLABIC = characters(*(script.code for script in SCRIPTS if script.weight >= 2))
"""Characters that are a syllable or a word, in scripts that write names of persons in one word: Han, kana, Hangul."""
UNMARKED_RANGES = tuple(chain.from_iterable(each.ranges for each in SCRIPTS if not each.marks_each_sentence))
"""Characters of scripts that do not mark the end of each sentence."""
_UNMARKED = in_class(UNMARKED_RANGES)
RIGHT_TO_LEFT = frozenset(script.code for script in SCRIPTS if script.is_right_to_left)
"""ISO 15924 codes."""
LETTERS_OF_A_WORD = {script.language: script.letters_of_a_word for script in SCRIPTS if script.language}
"""Letters of a word on average, by language, for languages without spaces between words."""
_FROM_THE_RIGHT = characters(*RIGHT_TO_LEFT) + "\U00010800-\U00010fff\U0001e800-\U0001efff"
"""The areas beyond are those that Unicode keeps for such scripts (UAX 9, default values)."""


def weights() -> dict[float, tuple[Range, ...]]:
    """Return the characters of scripts with a weight other than 1, by weight, the largest first."""
    found: dict[float, tuple[Range, ...]] = {}
    for script in sorted(SCRIPTS, key=lambda script: -script.weight):
        if script.weight != 1:
            found[script.weight] = (*found.get(script.weight, ()), *script.ranges)
    return found


_MAYBE_DENSE = f"{in_class(each for each in chain(*weights().values()) if each[1] <= 0xFFFF)}\U00010000-\U0010ffff"
"""Characters that may not weigh 1; see `_MAYBE_UNSPACED`."""


def is_spaced(text: str) -> bool:
    """Return whether a text has no characters of scripts without spaces between words.

    >>> is_spaced("Phở 한국"), is_spaced("ไทย")
    (True, False)
    """
    return text.isascii() or _compiled(_MAYBE_UNSPACED).search(text) is None or _compiled(UNSPACED).search(text) is None


def has_unmarked_sentences(text: str) -> bool:
    """Return whether a text has characters of a script that does not mark the end of each sentence."""
    return not text.isascii() and _compiled(_UNMARKED).search(text) is not None


def is_from_the_right(text: str) -> bool:
    """Return whether a text has characters that are written from right to left."""
    return not text.isascii() and _compiled(_FROM_THE_RIGHT).search(text) is not None


@cache
def _compiled(characters: str) -> re.Pattern[str]:
    return re.compile(f"[{characters}]")


# Size of a text: its length normalised across scripts. A Chinese character says more than a letter of an alphabet.
def size(text: str) -> int:
    """Return the length of a text in letters of an alphabet, for any script.

    >>> size("Hà Nội"), size("北京"), size("서울")
    (6, 7, 5)
    """
    if text.isascii() or not _compiled(_MAYBE_DENSE).search(text):
        return len(text)
    runs, more = _dense()
    added = sum(more[run.lastindex or 0] * len(run[0]) for run in runs.finditer(text))
    return round(len(text) + added / 100)


def sizes(texts: Iterable[str]) -> dict[str, int]:
    """Return the `size` of each text."""
    return {text: size(text) for text in set(texts)}


@cache
def _dense() -> tuple[re.Pattern[str], tuple[int, ...]]:
    """Return a pattern of runs of characters that do not weigh 1, with a group for each weight.

    Return with it the hundredths of a letter above one by group.
    """
    by_weight = {weight: in_class(ranges) for weight, ranges in weights().items()}
    runs = re.compile("|".join(f"([{letters}]+)" for letters in by_weight.values()))
    return runs, (0, *(round(100 * (weight - 1)) for weight in by_weight))
