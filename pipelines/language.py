"""Which language a text is in: by its script where that decides, else by a detector behind one small interface.

The default detector is CLD2 (pycld2, Apache-2.0): of those that need no model it is the one that tells Pashto, Sorani
and Yiddish from their neighbours. ``langdetect`` is kept as a choice. Codes are ISO 639-1 where there is one.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

import regex

from pipelines.normalise import clean
from storage.errors import ConfigError
from storage.records import LanguageGuess

if TYPE_CHECKING:
    from collections.abc import Callable

UNKNOWN = "und"
_LIMIT = 10_000
_LEAST_LETTERS = 3
# Scripts by their Unicode names, frequent ones first, with their ISO 15924 codes.
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
}
# Scripts that newspapers of one language use. Hebrew (Yiddish), Devanagari, Bengali and Ethiopic have several.
_DECISIVE = {
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
_MAIN_SHARE = 0.5
# Japanese prose is half kana; Chinese quotes a brand name now and then.
_KANA_SHARE = 0.1
_CODES = {
    "iw": "he",
    "ji": "yi",
    "jw": "jv",
    "in": "id",
    "mo": "ro",
    "nb": "no",
    "zh-cn": "zh",
    "zh-tw": "zh",
    "zh-hant": "zh",
    "sr-me": "sr",
    "un": UNKNOWN,
    "xxx": UNKNOWN,
    "tlh": UNKNOWN,
}


class Backend(Protocol):
    """A language detector: clean text in, its own code and a confidence 0-1 out; ``und`` and 0 when it cannot tell."""

    def __call__(self, text: str) -> tuple[str, float]: ...


def identify(text: str, backend: str = "pycld2") -> LanguageGuess:
    """Guess the language of a text from its first 10,000 characters.

    Args:
        text: running text; a hundred characters or more make the guess sound.
        backend: name of the detector, one of ``BACKENDS``.

    Returns:
        The language or ``und``, the confidence (share of the main script where that decided, else the detector's), and
        the main script with its share of the letters. Han with kana counts as one script, ``Jpan``; Kurdish in Arabic
        script is ``ckb``.

    Raises:
        ConfigError: nobody knows that backend.
    """
    if backend not in BACKENDS:
        raise ConfigError(f"unknown language backend {backend!r}", do=f"Use one of: {', '.join(sorted(BACKENDS))}.")
    sample = clean(text[:_LIMIT])
    script, share = main_script(sample)
    if share >= _MAIN_SHARE and script in _DECISIVE:
        return LanguageGuess(_DECISIVE[script], share, script, share)
    code, confidence = BACKENDS[backend]()(sample) if share else (UNKNOWN, 0.0)
    language = _standard(code, script)
    return LanguageGuess(language, confidence if language != UNKNOWN else 0.0, script, share)


def main_script(text: str) -> tuple[str, float]:
    """Return the ISO 15924 code of the script most letters are in, and its share of the letters; ``Zyyy``, 0 for none.

    >>> main_script("Tin tức hôm nay"), main_script("123")
    (('Latn', 1.0), ('Zyyy', 0.0))
    """
    counts: Counter[str] = Counter()
    for character, count in Counter(text).items():
        if character.isalpha():
            counts[_script(character)] += count
    kana = counts["Hira"] + counts["Kana"]
    if kana > _KANA_SHARE * (kana + counts["Hani"]):
        counts["Jpan"] = kana + counts.pop("Hani", 0)
        del counts["Hira"], counts["Kana"]
    total = counts.total()
    if total < _LEAST_LETTERS:
        return "Zyyy", 0.0
    script, most = max(counts.items(), key=lambda item: (item[1], item[0]))
    return script, most / total


@lru_cache(maxsize=2**16)
def _script(letter: str) -> str:
    return next((code for code, pattern in _patterns().items() if pattern.match(letter)), "Zzzz")


@lru_cache(maxsize=1)
def _patterns() -> dict[str, regex.Pattern[str]]:
    return {code: regex.compile(rf"\p{{Script={name}}}") for name, code in _SCRIPTS.items()}


def _standard(code: str, script: str) -> str:
    """Turn a detector's code into the corpus's."""
    code = code.lower()
    if code == "ku" and script == "Arab":
        return "ckb"
    if code.startswith(("xx-", "zz")):
        return UNKNOWN
    return _CODES.get(code, code)


@lru_cache(maxsize=1)
def _pycld2() -> Backend:
    import pycld2

    def detect(text: str) -> tuple[str, float]:
        try:
            reliable, _, details = pycld2.detect(text.encode("utf-8"), isPlainText=True, bestEffort=True)
        except pycld2.error:
            return UNKNOWN, 0.0
        _, code, percent, _ = details[0]
        return code, percent / 100 if reliable else percent / 200

    return detect


@lru_cache(maxsize=1)
def _langdetect() -> Backend:
    from langdetect import DetectorFactory, LangDetectException, detect_langs

    # Its answers are random otherwise.
    DetectorFactory.seed = 0

    def detect(text: str) -> tuple[str, float]:
        try:
            best = detect_langs(text)[0]
        except LangDetectException:
            return UNKNOWN, 0.0
        return best.lang, float(best.prob)

    return detect


BACKENDS: dict[str, Callable[[], Backend]] = {"pycld2": _pycld2, "langdetect": _langdetect}
