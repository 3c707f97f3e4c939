"""Equal letters: the one table of characters that spell the same word, by language.

- `EQUAL` names the letters that are written for one another in some language: by other keyboards, in older spelling or
  by fonts. Copies of a text may differ by all of them (`broad`), because a copy may be typed elsewhere.
- `APART` names the letters that a language distinguishes. Its words are compared without these rows (`of_language`).
- Some spellings are no single letters: the place of a Vietnamese tone mark, the order of signs, ezafe, final heh.

The search index, questions, word lists and fingerprints all use this table.

Sources: Unicode Standard 17, chapters 7, 9 and 16, SpecialCasing.txt for Turkish; Vietnamese decision 240/QD of 1984.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from pipelines.text.scripts import characters

if TYPE_CHECKING:
    from collections.abc import Mapping

EQUAL: Mapping[str, str] = {
    "ا": "آأإٱ",
    "و": "ؤ",
    "ی": "يىئ",
    "ک": "كڪ",
    "گ": "ګ",
    "ه": "ةۀۂہھەۃ",
    "یے": "ۓ",
    "i": "ı",
    "đ": "ðɖ",
    "ş": "ș",
    "ţ": "ț",
    "oe": "œ",
    "'": "’‘ʼʻʹ′׳＇",
    '"': "״“”„″＂",
    "-": "‐‑־",
    "וו": "װ",
    "וי": "ױ",
    "יי": "ײ",
    "ํา": "ำ",
    "ໍາ": "ຳ",
    "ຫນ": "ໜ",
    "ຫມ": "ໝ",
}
"""Each spelling with the letters that may stand for it, in small letters."""
APART: Mapping[str, tuple[str, ...]] = {
    "fa": ("آ",),
    "prs": ("آ",),
    "ur": ("آ", "ھ", "ۃة"),
    "pnb": ("آ", "ھ", "ۃة"),
    "ps": ("آ", "ي", "ئ"),
    "sd": ("آ", "ھ", "ک", "ئ"),
    "ckb": ("ە", "ئ"),
    "ug": ("ە", "ى", "ئ"),
    **dict.fromkeys(("tr", "az", "crh", "gag"), ("ı",)),
    **dict.fromkeys(("is", "fo"), ("ð",)),
}
"""Letters that a language distinguishes from the others of their row, by its code. Letters of one string are equal."""
TURKIC = frozenset({"tr", "az", "crh", "gag"})
"""Languages in which the capital of ı is I, and that of i is İ."""
_DOTTED = "i\u0307"

FORMS = re.compile(
    "[\u0132\u0133\u013f\u0140\u0149\u01c4-\u01cc\u01f1-\u01f3\ufb00-\ufb06\ufb1d-\ufdff\ufe70-\ufefc\uff01-\uffee]+"
)
"""Ligatures, presentation forms and letters of other widths: their compatibility form is what they spell."""

_MARKED_IN_ROWS = re.compile(f"[{characters('Thai', 'Laoo', 'Mymr', 'Khmr')}]")
# Signs above, below and around one letter, which are typed in any order and look the same: Thai, Lao; Khmer, whose
# subscript letters are two characters; Burmese too.
_SIGNS_IN_A_ROW = re.compile(
    "[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]{2,}|[\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece]{2,}"
    "|(?:\u17d2[\u1780-\u17b3]|[\u17b6-\u17d1\u17d3\u17dd]){2,}"
    "|(?:\u1039[\u1000-\u102a]|[\u102b-\u1038\u103a-\u103e]){2,}"
)
_SIGN_IN_A_ROW = re.compile("\u17d2[\u1780-\u17b3]|\u1039[\u1000-\u102a]|.")
_LOOK_ALIKE = (
    ("\u0e40\u0e40", "\u0e41"),
    ("\u0ec0\u0ec0", "\u0ec1"),
    ("\u17d2\u178a", "\u17d2\u178f"),
    ("\u17c1\u17b8", "\u17be"),
    ("\u17c1\u17b6", "\u17c4"),
)
"""Characters of Thai, Lao and Khmer that look like others: a vowel typed as two, subscript da and ta."""

VIETNAMESE = re.compile("[đơưăạ-ỹ]")
"""Letters by which a text in small letters is recognised as Vietnamese."""
_TONES = "\u0300\u0301\u0303\u0309\u0323"
_TONE = re.compile(f"[{_TONES}]")
_VOWELS = "".join(
    sorted({unicodedata.normalize("NFC", vowel + tone) for vowel in "aăâeêioôơuưy" for tone in ("", *_TONES)})
)
_VOWELS_IN_A_ROW = re.compile(f"(?:[{''.join(one for one in _VOWELS if len(one) == 1)}][{_TONES}]*){{2,}}")

# Persian: what follows a final heh to join the next word, as a hamza above or as yeh behind a joiner.
_EZAFE = re.compile("(?<=ه)\u200c?[\u06cc\u064a\u0649](?![\\w\u200c])")
_LONE_HAMZA = re.compile("[\u0653-\u0655]")
# Sorani before Unicode 3: heh with a joiner, or at the end of a word, is the vowel that has a letter of its own now.
_HEH_AS_VOWEL = re.compile("ه(?:\u200c|(?!\\w))")


def small(word: str, language: str = "") -> str:
    """Return a word in small letters, by the rules of its language. ß and the final ς stay: they are small letters.

    >>> small("ISPARTA", "tr"), small("ISPARTA", "en"), small("İzmir", "tr"), small("Straße"), small("ΤΗΣ")
    ('ısparta', 'isparta', 'izmir', 'straße', 'της')
    """
    if language in TURKIC:
        word = word.replace("İ", "i").replace("I", "ı")
    return word.lower()


@cache
def broad() -> dict[int, str]:
    """Return the table for str.translate that makes all letters of a row of `EQUAL` one."""
    return {ord(letter): one for one, letters in EQUAL.items() for letter in letters}


@cache
def of_language(language: str) -> dict[int, str]:
    """Return the table for str.translate that makes equal the letters that a language does not distinguish.

    >>> [of_language(each).get(ord("ھ"), "ھ") for each in ("ar", "ur")]
    ['ه', 'ھ']
    """
    apart = APART.get(language, ())
    alone = {letter for row in apart for letter in row}
    table = {ord(letter): row[0] for row in apart for letter in row[1:]}
    for one, letters in EQUAL.items():
        others = [letter for letter in letters if letter not in alone]
        # The letter that stands for the row may be the one that is apart.
        first = others[0] if one in alone and others else one
        table |= {ord(letter): first for letter in others if letter != first}
    return table


def composed(text: str) -> str:
    """Return a text in small letters with what ligatures, presentation forms and letters of other widths spell."""
    text = FORMS.sub(lambda found: unicodedata.normalize("NFKC", found.group()).casefold(), text)
    return text.replace(_DOTTED, "i")


def joined(word: str, language: str) -> str:
    """Return a word of a language without spellings that are signs or letters at its end: ezafe and final heh.

    >>> joined("خانه‌ی", "fa"), joined("خانهٔ", "fa"), joined("كوردستانه", "ckb")
    ('خانه', 'خانه', 'كوردستانە')
    """
    if language in {"fa", "prs"}:
        word = _EZAFE.sub("", word) if "\u200c" in word else word
    elif language == "ckb":
        word = _HEH_AS_VOWEL.sub("ە", word)
    return _LONE_HAMZA.sub("", word)


def tones_last(text: str) -> str:
    """Move the tone marks of Vietnamese vowels in a row behind the last one: a mark may be typed on any of them.

    >>> tones_last("hòa") == tones_last("hoà"), tones_last("qúy") == tones_last("quý")
    (True, True)
    """
    return _VOWELS_IN_A_ROW.sub(lambda row: _tones_last(row.group()), text)


@lru_cache(maxsize=10_000)
def _tones_last(row: str) -> str:
    apart = unicodedata.normalize("NFD", row)
    return unicodedata.normalize("NFC", _TONE.sub("", apart) + "".join(_TONE.findall(apart)))


def signs_in_order(text: str) -> str:
    """Return a text with the signs of a letter in one order: Thai, Lao, Khmer, Burmese.

    >>> signs_in_order("กํ่า") == signs_in_order("ก่ํา")
    True
    """
    if _MARKED_IN_ROWS.search(text) is None:
        return text
    for typed, meant in _LOOK_ALIKE:
        text = text.replace(typed, meant)
    return _SIGNS_IN_A_ROW.sub(_signs_sorted, text)


def _signs_sorted(row: re.Match[str]) -> str:
    """Return the signs of one letter in one order, each once."""
    return "".join(sorted(set(_SIGN_IN_A_ROW.findall(row.group()))))
