"""Spelling differences that a study may want out of the way, folded on request in what is exported; never in the store.

=================== ============================================== ===========================================
``tatweel``         the Arabic letter stretcher goes               كـــتاب -> كتاب
``harakat``         Arabic vowel signs and recitation marks go     كَتَبَ -> كتب
``niqqud``          Hebrew points and accents go                   שָׁלוֹם -> שלום
``presentation``    Arabic presentation forms become letters       ﻻ -> لا
``yeh-kaf``         Persian: Arabic yeh and kaf become Persian     كتاب علي -> کتاب علی
``tone``            Vietnamese: the tone mark stands as in hòa     hoà, thuỷ -> hòa, thủy
``digits``          digits of every script become 0 to 9           ۱۴۰۳, ๒๕๖๙ -> 1403, 2569
``zwnj``            joiners between Arabic letters go              می‌روم -> میروم
``quotes``          quotation marks become " and '                 “a”, «b» -> "a", "b"
=================== ============================================== ===========================================

Yeh and kaf are folded in Persian and Dari only: Pashto, Urdu and Sorani tell words apart by them; points in Hebrew
only: Yiddish does by these. Hamza and madda are parts of letters and stay. Every fold keeps the lines of a text as they
are, and folding twice changes nothing.
Unicode Standard 17, chapters 5.14 and 9.2; Vietnamese: decision 240/QD of 1984 on where tone marks stand.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from pipelines.normalise import nfc

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
_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»〝〞＂", '"') | dict.fromkeys("‘’‚‛‹›＇", "'"))
_PERSIAN = frozenset({"fa", "prs"})

_TONES = {
    "o": ("òóỏõọ", {"a": "àáảãạ", "e": "èéẻẽẹ"}),
    "u": ("ùúủũụ", {"y": "ỳýỷỹỵ"}),
}


def _tone_table() -> dict[str, str]:
    """Return what stands for a pair of vowels whose tone mark is on the second, in every letter case."""
    table = {
        first + marked_second: marked_first + second
        for first, (marked, seconds) in _TONES.items()
        for second, forms in seconds.items()
        for marked_first, marked_second in zip(marked, forms, strict=True)
    }
    cased = {case(pair): case(other) for pair, other in table.items() for case in (str.upper, str.capitalize)}
    return table | cased


_MOVED = _tone_table()
# Where a consonant follows, the mark stands on the second vowel in either spelling; after q, u is no vowel.
_TONE = re.compile(rf"(?<![qQ])(?:{'|'.join(_MOVED)})(?![^\W\d_])")


def _digits(text: str) -> str:
    return _DIGIT.sub(lambda found: str(unicodedata.decimal(found.group())), text)


def _presentation(text: str) -> str:
    return _PRESENTATION.sub(lambda found: unicodedata.normalize("NFKC", found.group()), text)


_EVERYWHERE: dict[str, Callable[[str], str]] = {
    "presentation": _presentation,
    "tatweel": lambda text: _TATWEEL.sub("", text),
    "harakat": lambda text: _HARAKAT.sub("", text),
    "zwnj": lambda text: _JOINERS.sub("", text),
    "digits": _digits,
    "quotes": lambda text: text.translate(_QUOTES),
}
FOLDS = ("tatweel", "harakat", "niqqud", "presentation", "yeh-kaf", "tone", "digits", "zwnj", "quotes")


def fold(text: str, names: Collection[str], language: str) -> str:
    """Return the text, of that language (ISO 639), with what the folds of these names take away; the rest in NFC."""
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
