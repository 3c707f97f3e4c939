"""The language of each line of a text, and how much of the text is in another than the whole.

A line is a paragraph (`Document.text`). One of few letters says little: it is taken to be in the language of the whole
where it is in the same script. So is one that a detector takes for a close neighbour, which Norwegian sentences often
look like Danish, and one it is not sure of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.language import backends
from pipelines.language.backends import UNKNOWN
from pipelines.language.scripts import DECISIVE, main_script
from pipelines.language.text import guess, judged
from storage.records import LanguageGuess

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_LINES, _LINE = 2000, 2000
"""Lines of a text that are looked at, and characters of each."""
_LEAST = 60
"""Characters of a line from which on its language can be told by its words."""
# On a short line one takes up to 15 ms (langdetect on noise), and a page has seconds.
_MOST_OPINIONS = 200
_SURE = 0.6
"""Confidence from which on a line is believed to be in another language than the whole."""
# Languages that are taken for one another in a line.
_NEIGHBOURS = (
    frozenset({"id", "ms"}),
    frozenset({"no", "nn", "da", "sv"}),
    frozenset({"hr", "bs", "sr", "sl"}),
    frozenset({"es", "gl", "pt", "ca"}),
    frozenset({"cs", "sk"}),
    frozenset({"nl", "af"}),
    frozenset({"bg", "mk", "ru", "uk", "be", "sr"}),
    frozenset({"ur", "pnb", "skr"}),
    frozenset({"xh", "zu", "ss"}),
)


def identify_lines(text: str, whole: LanguageGuess, backend: str = "pycld2") -> tuple[LanguageGuess, ...]:
    """Guess the language of each line of clean text.

    Args:
        text: as it is stored, lines parted by ``\\n``.
        whole: the guess for the whole of it.
        backend: as for `identify`.

    Returns:
        A guess a line, of the first 2,000 lines; the confidence is 0 where the line is taken to be like the whole. Of
        lines that seem to be in another language the first 200 are put to a second opinion.
    """
    lines = text.split("\n")
    opinions = iter(range(_MOST_OPINIONS))
    found = tuple(_line(line[:_LINE], whole, backend, opinions) for line in lines[:_MOST_LINES])
    rest = LanguageGuess(whole.language, 0.0, whole.script, whole.script_share)
    return found + (rest,) * (len(lines) - len(found))


def foreign_share(text: str, whole: LanguageGuess, lines: tuple[LanguageGuess, ...]) -> float:
    """Return the share of the characters that stand in lines of another language than the whole, 0-1."""
    lengths = [len(line) for line in text.split("\n")]
    known = {UNKNOWN, whole.language}
    foreign = sum(length for length, line in zip(lengths, lines, strict=True) if line.language not in known)
    return foreign / max(1, sum(lengths))


def told(guess: LanguageGuess) -> str:
    """Return a guess as it is stored: ``vi 0.98 Latn 1.00``."""
    return f"{guess.language} {guess.confidence:.2f} {guess.script} {guess.script_share:.2f}"


def _line(line: str, whole: LanguageGuess, name: str, opinions: Iterator[int]) -> LanguageGuess:
    script, share = main_script(line)
    if script in DECISIVE and share > 0.5:
        return LanguageGuess(DECISIVE[script], share, script, share)
    same = script in {whole.script, "Zyyy"}
    like_the_whole = LanguageGuess(whole.language if same else UNKNOWN, 0.0, script, share)
    if len(line) < _LEAST:
        return like_the_whole
    first = judged(line, (script, share), backends.quick(name))
    if first.language == whole.language:
        return first
    second = first if next(opinions, None) is None else guess(line, name)
    doubtful = second.language == UNKNOWN or second.confidence < _SURE or _are_neighbours(second, whole)
    return like_the_whole if doubtful and same else second


def _are_neighbours(one: LanguageGuess, other: LanguageGuess) -> bool:
    return any({one.language, other.language} <= group for group in _NEIGHBOURS)
