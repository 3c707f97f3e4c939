"""Which language a text is in: by its script where that decides, else by a detector, and by its letters and words.

Order: cleaning; the script (Thai, Lao, Khmer, Burmese and others have one language each); the detector that was chosen
(`pipelines.language.backends`); then letters that the guessed language does not have, and words that its neighbours
use, which correct all detectors alike: those that take Pashto and Sorani for Persian, Yiddish for Hebrew, Western
Punjabi for Urdu. Codes are ISO 639-1 where there is one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.language.backends import BACKENDS, UNKNOWN
from pipelines.language.lines import foreign_share, identify_lines, told
from pipelines.language.scripts import main_script
from pipelines.language.text import guess
from pipelines.normalise import clean

if TYPE_CHECKING:
    from storage.records import LanguageGuess

__all__ = ["BACKENDS", "UNKNOWN", "foreign_share", "identify", "identify_lines", "main_script", "told"]

_LIMIT = 10_000


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
