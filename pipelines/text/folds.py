"""Spelling folds: remove spelling differences from exported texts on request. Stored texts never change.

=================== ============================================== ===========================================
``tatweel``         remove the Arabic letter stretcher             كـــتاب -> كتاب
``harakat``         remove Arabic vowel signs, recitation marks    كَتَبَ -> كتب
``niqqud``          remove Hebrew points and accents               שָׁלוֹם -> שלום
``presentation``    Arabic presentation forms to letters           ﻻ -> لا
``yeh-kaf``         Persian: Arabic yeh and kaf to Persian         كتاب علي -> کتاب علی
``tone``            Vietnamese: place of the tone mark as in hòa   hoà, thuỷ -> hòa, thủy
``digits``          digits of every script to 0 to 9               ۱۴۰۳, ๒๕๖๙ -> 1403, 2569
``zwnj``            remove joiners between Arabic letters          می‌روم -> میروم
``quotes``          quotation marks to " and '                     “a”, «b» -> "a", "b"
=================== ============================================== ===========================================

Yeh and kaf are folded in Persian and Dari only, because Pashto, Urdu and Sorani distinguish words by them. Points are
folded in Hebrew only, because Yiddish distinguishes words by them. Hamza and madda are parts of letters and stay. A
fold keeps the lines of a text. Folding twice changes nothing.

Sources: Unicode Standard 17, chapters 5.14 and 9.2; Vietnamese decision 240/QD of 1984 on the place of tone marks.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from pipelines.text.normalise import nfc
from pipelines.text.punctuation import DOUBLE_QUOTES, SINGLE_QUOTES

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

_TATWEEL = re.compile("\u0640")
_HARAKAT = re.compile("[\u064b-\u0652\u0656\u0657\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed]")
_NIQQUD = re.compile("[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]")
_PRESENTATION = re.compile("[\ufb50-\ufd3d\ufd40-\ufdff\ufe70-\ufefc]+")
_ARABIC = "\u0600-\u06ff\u0750-\u077f\u0870-\u08ff\ufb50-\ufdff\ufe70-\ufefc"
_JOINERS = re.compile(f"(?<=[{_ARABIC}])[\u200c\u200d]+(?=[{_ARABIC}])")
_DIGIT = re.compile(r"[^\D0-9]")
_YEH_KAF = str.maketrans({"\u064a": "\u06cc", "\u0649": "\u06cc", "\u0643": "\u06a9"})
_QUOTES = str.maketrans(dict.fromkeys(DOUBLE_QUOTES, '"') | dict.fromkeys(SINGLE_QUOTES, "'"))
_PERSIAN = frozenset({"fa", "prs"})

_TONES = {
    "o": ("òóỏõọ", {"a": "àáảãạ", "e": "èéẻẽẹ"}),
    "u": ("ùúủũụ", {"y": "ỳýỷỹỵ"}),
}


def _tone_table() -> dict[str, str]:
    """Return, for each pair of vowels with the tone mark on the second, the pair with it on the first, in each case."""
    table = {
        first + marked_second: marked_first + second
        for first, (marked, seconds) in _TONES.items()
        for second, forms in seconds.items()
        for marked_first, marked_second in zip(marked, forms, strict=True)
    }
    cased = {case(pair): case(other) for pair, other in table.items() for case in (str.upper, str.capitalize)}
    return table | cased


_MOVED = _tone_table()
# Before a consonant both spellings have the mark on the second vowel. After q, u is no vowel.
_TONE = re.compile(rf"(?<![qQ])(?:{'|'.join(_MOVED)})(?![^\W\d_])")


_EVERYWHERE: dict[str, Callable[[str], str]] = {
    "presentation": lambda text: _PRESENTATION.sub(lambda run: unicodedata.normalize("NFKC", run.group()), text),
    "tatweel": lambda text: _TATWEEL.sub("", text),
    "harakat": lambda text: _HARAKAT.sub("", text),
    "zwnj": lambda text: _JOINERS.sub("", text),
    "digits": lambda text: _DIGIT.sub(lambda digit: str(unicodedata.decimal(digit.group())), text),
    "quotes": lambda text: text.translate(_QUOTES),
}
FOLDS = ("tatweel", "harakat", "niqqud", "presentation", "yeh-kaf", "tone", "digits", "zwnj", "quotes")


def fold(text: str, names: Collection[str], language: str) -> str:
    """Apply the folds with these names to a text in this language (ISO 639), and return it in NFC."""
    if not names:
        return text
    for name, folded in _EVERYWHERE.items():
        if name in names:
            text = folded(text)
    if "yeh-kaf" in names and language in _PERSIAN:
        text = text.translate(_YEH_KAF)
    text = nfc(text)
    if "niqqud" in names and language == "he":
        text = _NIQQUD.sub("", text)
    if "tone" in names and language == "vi":
        text = _TONE.sub(lambda found: _MOVED[found.group()], text)
    return text
