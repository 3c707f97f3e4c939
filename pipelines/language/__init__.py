"""Language identification: the script where it decides, else a detector corrected by letters and words.

1. The text is cleaned.
2. The script decides for Thai, Lao, Khmer, Burmese and others that are used for one language.
3. Otherwise a detector guesses (`pipelines.language.detectors`).
4. Letters that the guessed language does not have, and words that its neighbours use, correct the guess. Detectors
   take Pashto and Sorani for Persian, Yiddish for Hebrew, Western Punjabi for Urdu.

Codes are ISO 639-1 where there is one.
"""

from pipelines.language.detect import (
    foreign_share,
    format_guesses,
    guess,
    identify,
    identify_lines,
    main_script,
    settled,
)
from pipelines.language.detectors import UNKNOWN

__all__ = [
    "UNKNOWN",
    "foreign_share",
    "format_guesses",
    "guess",
    "identify",
    "identify_lines",
    "main_script",
    "settled",
]
