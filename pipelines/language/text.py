"""One text, one guess: script, detector, letters, words, in this order."""

from __future__ import annotations

import re
import unicodedata

from pipelines.language import backends, letters, words
from pipelines.language.backends import UNKNOWN
from pipelines.language.scripts import ADDRESS, DECISIVE, main_script, only
from storage.records import LanguageGuess

_MAIN_SHARE = 0.5
# Letters of Hebrew and Arabic in their shapes, which no detector knows.
_FORMS = re.compile("[\ufb1d-\ufdff\ufe70-\ufefc]+")
_ADDRESS = re.compile(ADDRESS)
# How sure a correction is at most.
_CORRECTED = 0.9


def guess(text: str, name: str) -> LanguageGuess:
    """Guess the language of clean text with the backend of that name; see `pipelines.language.identify`."""
    return judged(text, main_script(text), backends.backend(name))


def judged(text: str, script: tuple[str, float], detect: backends.Backend) -> LanguageGuess:
    """Guess the language of clean text whose main script, and its share of the letters, are known."""
    code, share = script
    if share >= _MAIN_SHARE and code in DECISIVE:
        return LanguageGuess(DECISIVE[code], share, code, share)
    if "://" in text or "www." in text:  # which is found much sooner
        text = _ADDRESS.sub(" ", text)
    text = only(_FORMS.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text), code)
    found, confidence = detect(text) if share else (UNKNOWN, 0.0)
    guessed = backends.standard(found, code)
    written = letters.corrected(guessed, code, text)
    language = words.corrected(written, code, text)
    if language != written and letters.speak_against(language, written, code, text):
        language = written
    if language != guessed:
        confidence = max(_MAIN_SHARE, min(confidence, _CORRECTED))
    return LanguageGuess(language, confidence if language != UNKNOWN else 0.0, code, share)
