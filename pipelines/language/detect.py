"""Guess the language of a text, and of each of its lines.

The steps for a text are its main script, the detector, then corrections by letters and by words. A line is a paragraph
(`Document.text`). A line counts as the language of the whole text, if it is in the same script, when

- it has few letters;
- the detector takes it for a close neighbour, as it takes Norwegian sentences for Danish;
- the detector is not sure.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from pipelines.language import backends
from pipelines.language.backends import UNKNOWN
from pipelines.language.corrections import corrected
from pipelines.language.scripts import ADDRESS, DECISIVE, main_script, only
from pipelines.text.normalise import clean
from storage.records import LanguageGuess

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_LIMIT = 10_000
"""Characters. The start of a text decides its language."""
_MAIN_SHARE = 0.5
"""Share of the letters. From there on a script decides the language."""
# Presentation forms of Hebrew and Arabic letters. The detectors do not know them.
_FORMS = re.compile("[\ufb1d-\ufdff\ufe70-\ufefc]+")
_ADDRESS = re.compile(ADDRESS)
_CORRECTED = 0.9
"""Highest confidence of a corrected guess."""
_MOST_LINES, _LINE = 2000, 2000
"""Lines of a text, and characters of a line, that are read."""
_LEAST = 60
"""Characters. From there on the words of a line show its language."""
_MOST_OPINIONS = 200
"""Second opinions for a text. One takes up to 15 ms (langdetect on noise), and a page has seconds."""
_SURE = 0.6
"""Confidence from which a line may be in another language than the whole text."""
# Languages that detectors confuse in a line.
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


def identify(text: str, backend: str = "pycld2") -> LanguageGuess:
    """Guess the language of a text from its first 10,000 characters.

    Args:
        text: running text. With a hundred characters or more the guess is reliable.
        backend: name of the detector, one of ``BACKENDS``.

    Returns:
        The language or ``und``, the confidence (share of the main script if that decided, else the detector's), and the
        main script with its share of the letters. Han with kana counts as one script, ``Jpan``. Kurdish in Arabic
        script is ``ckb``.

    Raises:
        ConfigError: the backend is unknown or not installed.
    """
    return guess(clean(text[:_LIMIT]), backend)


def guess(text: str, name: str) -> LanguageGuess:
    """Guess the language of clean text with the backend of this name; see `identify`."""
    return judged(text, main_script(text), backends.detector(name))


def judged(text: str, script: tuple[str, float], detect: Callable[[str, str], tuple[str, float]]) -> LanguageGuess:
    """Guess the language of clean text, given its main script, that script's share of the letters, and a detector."""
    code, share = script
    if share >= _MAIN_SHARE and code in DECISIVE:
        return LanguageGuess(DECISIVE[code], share, code, share)
    if "://" in text or "www." in text:  # Faster than the search for the pattern.
        text = _ADDRESS.sub(" ", text)
    text = only(_FORMS.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text), code)
    guessed, confidence = detect(text, code) if share else (UNKNOWN, 0.0)
    language = corrected(guessed, code, text)
    if language != guessed:
        confidence = max(_MAIN_SHARE, min(confidence, _CORRECTED))
    return LanguageGuess(language, confidence if language != UNKNOWN else 0.0, code, share)


def identify_lines(text: str, whole: LanguageGuess, backend: str = "pycld2") -> tuple[LanguageGuess, ...]:
    """Guess the language of each line of clean text.

    Args:
        text: as it is stored, lines separated by ``\\n``.
        whole: the guess for the whole text.
        backend: as for `identify`.

    Returns:
        A guess for each line. Only the first 2,000 lines are read. The confidence is 0 if the line counts as the whole
        text. The first 200 lines that seem to be in another language get a second opinion.
    """
    lines = text.split("\n")
    opinions, quick = iter(range(_MOST_OPINIONS)), backends.detector(backend, quick=True)

    def identify_line(line: str) -> LanguageGuess:
        script, share = main_script(line)
        if script in DECISIVE and share > _MAIN_SHARE:
            return LanguageGuess(DECISIVE[script], share, script, share)
        same = script in {whole.script, "Zyyy"}
        like_the_whole = LanguageGuess(whole.language if same else UNKNOWN, 0.0, script, share)
        if len(line) < _LEAST:
            return like_the_whole
        first = judged(line, (script, share), quick)
        if first.language == whole.language:
            return first
        second = first if next(opinions, None) is None else guess(line, backend)
        neighbours = any({second.language, whole.language} <= group for group in _NEIGHBOURS)
        doubtful = second.language == UNKNOWN or second.confidence < _SURE or neighbours
        return like_the_whole if doubtful and same else second

    found = tuple(identify_line(line[:_LINE]) for line in lines[:_MOST_LINES])
    rest = LanguageGuess(whole.language, 0.0, whole.script, whole.script_share)
    return found + (rest,) * (len(lines) - len(found))


def foreign_share(text: str, whole: LanguageGuess, lines: tuple[LanguageGuess, ...]) -> float:
    """Return the share of the characters in lines of another language than the whole text, 0-1."""
    lengths = [len(line) for line in text.split("\n")]
    known = {UNKNOWN, whole.language}
    foreign = sum(length for length, line in zip(lengths, lines, strict=True) if line.language not in known)
    return foreign / max(1, sum(lengths))


def format_guesses(guesses: Iterable[LanguageGuess]) -> tuple[str, ...]:
    """Return guesses in their stored form.

    >>> format_guesses([LanguageGuess("vi", 0.98, "Latn", 1.0)])
    ('vi 0.98 Latn 1.00',)
    """
    return tuple(f"{each.language} {each.confidence:.2f} {each.script} {each.script_share:.2f}" for each in guesses)
