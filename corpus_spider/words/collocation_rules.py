"""How collocates are counted. A light module: `--help` names the choices without the counts."""

from __future__ import annotations

from dataclasses import dataclass

from storage.errors import ConfigError

MIN_FREQUENCY = 5
"""Frequency from which on a word is a keyword or collocate."""
WINDOW, MAX_WINDOW = 5, 20
"""Words to a side of a word in which its collocates are counted."""
BOTH, LEFT, RIGHT = "both", "left", "right"
SIDES = (BOTH, LEFT, RIGHT)
"""Where the collocates of a word stand in the text: before it is left, also in scripts from right to left."""
MEASURES = ("log_dice", "log_likelihood", "t_score", "mutual_information")
"""Measures of collocates, which are columns of the list."""
_MAX_FREQUENCY = 10**9


@dataclass(frozen=True, slots=True)
class CollocationRules:
    """How collocates are counted: words to a side, which side, how often a word must be near, and their order."""

    window: int = WINDOW
    side: str = BOTH
    min_frequency: int = MIN_FREQUENCY
    measure: str = MEASURES[0]

    def require_possible(self) -> None:
        """Raise ConfigError for a value that is none."""
        for where, value, known in (("side", self.side, SIDES), ("measure", self.measure, MEASURES)):
            if value not in known:
                what = f"expected one of {', '.join(known)}, got {value!r:.60}"
                raise ConfigError(what, where=where, do=f"Without it the list is by {known[0]}.")
        for where, number, most in (
            ("window", self.window, MAX_WINDOW),
            ("min_frequency", self.min_frequency, _MAX_FREQUENCY),
        ):
            if type(number) is not int or not 1 <= number <= most:
                what = f"expected a number from 1 to {most:,}, got {number!r:.60}"
                raise ConfigError(what, where=where, do=f"Without it the number is {WINDOW}.")


USUAL = CollocationRules()
