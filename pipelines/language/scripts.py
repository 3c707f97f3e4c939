"""Find the main script of a text, and the languages that a script alone decides."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

import regex

LEAST_LETTERS = 3
"""Letters. Below that a text has no script."""
# Unicode name of a script -> ISO 15924 code, frequent scripts first.
_SCRIPTS = {
    "Latin": "Latn",
    "Arabic": "Arab",
    "Cyrillic": "Cyrl",
    "Han": "Hani",
    "Thai": "Thai",
    "Hebrew": "Hebr",
    "Greek": "Grek",
    "Devanagari": "Deva",
    "Hiragana": "Hira",
    "Katakana": "Kana",
    "Hangul": "Hang",
    "Lao": "Laoo",
    "Khmer": "Khmr",
    "Myanmar": "Mymr",
    "Bengali": "Beng",
    "Tamil": "Taml",
    "Telugu": "Telu",
    "Kannada": "Knda",
    "Malayalam": "Mlym",
    "Gujarati": "Gujr",
    "Gurmukhi": "Guru",
    "Oriya": "Orya",
    "Sinhala": "Sinh",
    "Armenian": "Armn",
    "Georgian": "Geor",
    "Ethiopic": "Ethi",
    "Tibetan": "Tibt",
    "Mongolian": "Mong",
    "Thaana": "Thaa",
    "Syriac": "Syrc",
    "Cherokee": "Cher",
    "Canadian_Aboriginal": "Cans",
    "Tifinagh": "Tfng",
    "Nko": "Nkoo",
    "Common": "Zyyy",
}
# Letters that several scripts share: tatweel, the Japanese long mark, ordinal indicators.
_SHARED = "Zyyy"
DECISIVE = {
    "Thai": "th",
    "Laoo": "lo",
    "Khmr": "km",
    "Mymr": "my",
    "Grek": "el",
    "Hang": "ko",
    "Jpan": "ja",
    "Taml": "ta",
    "Telu": "te",
    "Knda": "kn",
    "Mlym": "ml",
    "Gujr": "gu",
    "Guru": "pa",
    "Orya": "or",
    "Sinh": "si",
    "Armn": "hy",
    "Geor": "ka",
    "Thaa": "dv",
}
"""Scripts that newspapers of one language use. Hebrew (Yiddish), Devanagari, Bengali and Ethiopic have several."""
# Share of kana among kana and Han. Japanese prose is half kana; Chinese quotes a brand name now and then.
_KANA_SHARE = 0.1
# Share of Latin letters below which Latin names are not counted.
_CLEARLY = 0.75
ADDRESS = r"(?:https?://|www\.)[!-~]+"
"""An address in running text. It ends a word before it even without a space."""
_NAMES = regex.compile(ADDRESS + r"|(?<![\p{L}\p{N}])\p{Lu}\p{Latin}*")
_MOST_KNOWN = 2**16
_ASCII_OTHERS = bytes(code for code in range(128) if not chr(code).isalpha())


def main_script(text: str) -> tuple[str, float]:
    """Return the ISO 15924 code of the script of most letters, and its share of them, or ``("Zyyy", 0.0)``.

    Han with kana counts as one script, ``Jpan``. If much text is in another script, Latin letters of names, brands and
    addresses do not count: they do not make an Arabic text English.

    >>> main_script("Tin tức hôm nay"), main_script("123")
    (('Latn', 1.0), ('Zyyy', 0.0))
    """
    if text.isascii():
        letters = len(text.encode().translate(None, _ASCII_OTHERS))
        return ("Latn", 1.0) if letters >= LEAST_LETTERS else ("Zyyy", 0.0)
    counts: Counter[str] = Counter()
    for character, count in Counter(text).items():
        counts[_KNOWN[character]] += count
    del counts[_SHARED]
    kana = counts["Hira"] + counts["Kana"]
    if kana > _KANA_SHARE * (kana + counts["Hani"]):
        counts["Jpan"] = kana + counts.pop("Hani", 0)
        del counts["Hira"], counts["Kana"]
    if 0 < counts["Latn"] < _CLEARLY * counts.total() and max(counts, key=lambda code: counts[code]) == "Latn":
        counts["Latn"] -= sum(_KNOWN[letter] == "Latn" for name in _NAMES.findall(text) for letter in name)
    total = counts.total()
    if total < LEAST_LETTERS:
        return "Zyyy", 0.0
    script, most = max(counts.items(), key=lambda item: (item[1], item[0]))
    return script, most / total


class _Known(dict[str, str]):
    """Cache: character -> code of its script, ``Zyyy`` for characters that are no letters."""

    def __missing__(self, character: str) -> str:
        codes = (code for code, pattern in _patterns().items() if pattern.match(character))
        found = next(codes, "Zzzz") if character.isalpha() else _SHARED
        if len(self) < _MOST_KNOWN:
            self[character] = found
        return found


_KNOWN = _Known()


def only(text: str, script: str) -> str:
    """Return the text without letters of other scripts. Nothing is removed for ``Jpan`` (two scripts) and ``Zyyy``."""
    pattern = None if text.isascii() else _others(script)
    return pattern.sub(" ", text) if pattern else text


@lru_cache(maxsize=64)
def _others(script: str) -> regex.Pattern[str] | None:
    name = next((name for name, code in _SCRIPTS.items() if code == script), None)
    if name is None or script == "Hani":
        return None
    return regex.compile(rf"[\p{{L}}--\p{{Script={name}}}--\p{{Script=Common}}]+|\u0640+", regex.VERSION1)


@lru_cache(maxsize=1)
def _patterns() -> dict[str, regex.Pattern[str]]:
    return {code: regex.compile(rf"\p{{Script={name}}}") for name, code in _SCRIPTS.items()}
