"""Which language a text is in: by its script where that decides, else by a detector, and by its letters and words.

Order: cleaning; the script (Thai, Lao, Khmer, Burmese and others have one language each); the detector that was chosen
(`pipelines.language.backends`); then letters that the guessed language does not have, and words that its neighbours
use, which correct all detectors alike: those that take Pashto and Sorani for Persian, Yiddish for Hebrew, Western
Punjabi for Urdu. Codes are ISO 639-1 where there is one.
"""

from __future__ import annotations

from pipelines.language import backends, letters, words
from pipelines.language.backends import BACKENDS, UNKNOWN
from pipelines.language.scripts import DECISIVE, main_script, only
from pipelines.normalise import clean
from storage.records import LanguageGuess

__all__ = ["BACKENDS", "UNKNOWN", "identify", "main_script"]

_LIMIT = 10_000
_MAIN_SHARE = 0.5
# How sure a correction is at most.
_CORRECTED = 0.9


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
        ConfigError: nobody knows that backend, or it is not installed.
    """
    return guess(clean(text[:_LIMIT]), backend)


def guess(text: str, name: str) -> LanguageGuess:
    """Guess the language of clean text, as `identify` does."""
    detect = backends.backend(name)
    script, share = main_script(text)
    if share >= _MAIN_SHARE and script in DECISIVE:
        return LanguageGuess(DECISIVE[script], share, script, share)
    text = only(text, script)
    code, confidence = detect(text) if share else (UNKNOWN, 0.0)
    guessed = backends.standard(code, script)
    language = words.corrected(letters.corrected(guessed, script, text), script, text)
    if language != guessed:
        confidence = max(_MAIN_SHARE, min(confidence, _CORRECTED))
    return LanguageGuess(language, confidence if language != UNKNOWN else 0.0, script, share)
