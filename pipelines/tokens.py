"""Texts cut into tokens for concordancers: words of spaced scripts by their letters, of others by a segmenter.

A word is letters, marks and digits, joined by a zero-width joiner, an apostrophe, a hyphen, a middle dot or the marks
of Hebrew abbreviations, also where these are written as quotation marks; every other visible character is a token of
its own, runs of one character together, and so are the characters that make one emoji. Thai, Lao, Khmer and Burmese
write no spaces between words: there ICU's dictionaries tell them apart (package ``icu4py``, the extra ``segment``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import regex

from pipelines.sentences import marked
from storage.exports.vertical import GLUE, SENTENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

UNSPACED = frozenset({"th", "lo", "km", "my"})

# A quotation mark is one of an abbreviation before a word's last letters (צה"ל), and none that another one closes.
_JOINT = r"""(?:[\u200c\u200d'’‐‑·׳״-]|(?<=\p{Hebrew})"(?=\p{Hebrew}{1,4}(?![\p{Hebrew}"])))"""
# Two letters of a flag; a picture with selectors, skin tones and pictures behind joiners (Unicode, UTS #51).
_EMOJI = (
    r"\p{Regional_Indicator}{2}"
    r"|\p{Extended_Pictographic}(?=[\ufe0e\ufe0f\u200d\p{Emoji_Modifier}])"
    r"(?:[\ufe0e\ufe0f\p{Emoji_Modifier}]|\u200d\p{Extended_Pictographic}?)*+"
)
_TOKEN = regex.compile(
    rf"[\p{{L}}\p{{M}}\p{{N}}]+(?:{_JOINT}[\p{{L}}\p{{M}}\p{{N}}]+)*+"
    rf"|{_EMOJI}"
    r"|(?P<sign>[^\s\p{L}\p{M}\p{N}])(?P=sign)*+"
)
_UNSPACED_RUN = regex.compile(r"[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]+")
_SEPARATORS = regex.compile(r"[\x00-\x1f\x7f]+")


def tokenised(text: str, segment: Callable[[str], list[str]] | None = None) -> str:
    """Return the text with its lines as they are, sentences of a line parted by `SENTENCE`, tokens by space or `GLUE`.

    ``segment`` cuts a run of an unspaced script into words; without it a run is one token.

    >>> tokenised("Il l'a dit: «non»...").replace(GLUE, "|")
    "Il l'a dit|: «|non|»|..."
    """
    return "\n".join(_line(line, segment) for line in marked(text).split("\n"))


def _line(line: str, segment: Callable[[str], list[str]] | None) -> str:
    first, *others = line.split(SENTENCE)
    parts = [(" " if part[:1].isspace() else GLUE) + _sentence(part, segment) for part in others]
    return SENTENCE.join([_sentence(first, segment), *parts])


def _sentence(line: str, segment: Callable[[str], list[str]] | None) -> str:
    words = _SEPARATORS.sub(" ", line).split()
    return " ".join(GLUE.join(_tokens(word, segment)) for word in words)


def _tokens(word: str, segment: Callable[[str], list[str]] | None) -> Iterator[str]:
    for found in _TOKEN.finditer(word):
        token = found.group()
        if segment is None or _UNSPACED_RUN.search(token) is None:
            yield token
            continue
        last = 0
        for run in _UNSPACED_RUN.finditer(token):
            yield from filter(None, (token[last : run.start()],))
            yield from segment(run.group())
            last = run.end()
        yield from filter(None, (token[last:],))


def segmenter() -> Callable[[str], list[str]] | None:
    """Return ICU's word segmenter for unspaced scripts; None where ``icu4py`` is not installed."""
    try:
        from icu4py.breakers import WordBreaker
    except ImportError:
        return None
    return lambda run: list(WordBreaker(run, "th"))
