"""What an n-gram is. A light module: `--help` names the bounds without the counts."""

from __future__ import annotations

from storage.errors import ConfigError

MIN_UNITS, MAX_UNITS = 2, 5
"""Units of an n-gram."""
UNITS_NOTE = (
    "N-grams are of searched units in small letters, within a sentence: words, and the parts of hyphenated ones;"
    " syllables in Vietnamese, single characters in Chinese and Japanese. Tokens are these units."
)
"""Says what was counted."""


def require_possible(units: int) -> None:
    """Raise ConfigError for a number of units that no n-gram has."""
    if type(units) is not int or not MIN_UNITS <= units <= MAX_UNITS:
        what = f"expected a number from {MIN_UNITS} to {MAX_UNITS}, got {units!r:.60}"
        raise ConfigError(what, where="ngrams", do="For single words leave it out.")
