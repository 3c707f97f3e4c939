"""Split texts into tokens for concordancers: by letters in scripts with spaces, by a segmenter in others.

- A word is letters, marks and digits. Zero-width joiners, apostrophes, hyphens, middle dots and the marks of Hebrew
  abbreviations (also written as quotation marks) join its parts.
- Every other visible character is a token. Runs of one character are one token, and so are the characters of an emoji.
- Thai, Lao, Khmer and Burmese have no spaces between words. ICU's dictionaries split them (package ``icu4py``, the
  extra ``segment``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import regex

from pipelines.text.sentences import marked
from storage.exports.vertical import GLUE, SENTENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

UNSPACED = frozenset({"th", "lo", "km", "my"})
"""Languages without spaces between words."""

# A quotation mark before the last letters of a Hebrew word belongs to an abbreviation (צה"ל), unless another closes it.
JOINT = r"""(?:[\u200c\u200d'’‐‑·׳״-]|(?<=\p{Hebrew})"(?=\p{Hebrew}{1,4}(?![\p{Hebrew}"])))"""
"""What joins the parts of a word, as a regular expression."""
# Two letters of a flag; or a picture with selectors, skin tones and pictures after joiners (Unicode, UTS #51).
_EMOJI = (
    r"\p{Regional_Indicator}{2}"
    r"|\p{Extended_Pictographic}(?=[\ufe0e\ufe0f\u200d\p{Emoji_Modifier}])"
    r"(?:[\ufe0e\ufe0f\p{Emoji_Modifier}]|\u200d\p{Extended_Pictographic}?)*+"
)
_TOKEN = regex.compile(
    rf"[\p{{L}}\p{{M}}\p{{N}}]+(?:{JOINT}[\p{{L}}\p{{M}}\p{{N}}]+)*+"
    rf"|{_EMOJI}"
    r"|(?P<sign>[^\s\p{L}\p{M}\p{N}])(?P=sign)*+"
)
_UNSPACED_RUN = regex.compile(r"[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]+")
_ENDINGS = frozenset(".,:;!?…)]»”،؛؟۔।")
_SEPARATORS = regex.compile(r"[\x00-\x1f\x7f]+")


def tokenised(text: str, segment: Callable[[str], list[str]] | None = None) -> str:
    """Return the text with tokens separated by a space or `GLUE`, sentences of a line by `SENTENCE`, lines unchanged.

    ``segment`` splits a run of an unspaced script into words. Without it a run is one token.

    >>> tokenised("Il l'a dit: «non»...").replace(GLUE, "|")
    "Il l'a dit|: «|non|»|..."
    """
    lines = []
    for line in marked(text).split("\n"):
        first, *others = line.split(SENTENCE)
        parts = [(" " if part[:1].isspace() else GLUE) + _sentence(part, segment) for part in others]
        lines.append(SENTENCE.join([_sentence(first, segment), *parts]))
    return "\n".join(lines)


def _sentence(line: str, segment: Callable[[str], list[str]] | None) -> str:
    words = _SEPARATORS.sub(" ", line).split()
    if segment is None or line.isascii() or _UNSPACED_RUN.search(line) is None:
        return " ".join(map(_spaced_tokens, words))
    return " ".join(word if word.isalnum() and word.isascii() else GLUE.join(_tokens(word, segment)) for word in words)


def _spaced_tokens(word: str) -> str:
    """Return the tokens of a word of a script with spaces."""
    # Most words are one token, or one with a mark behind it. The expression takes several times longer.
    if word.isalnum():
        return word
    if word[-1] in _ENDINGS and word[:-1].isalnum():
        return f"{word[:-1]}{GLUE}{word[-1]}"
    return GLUE.join([found.group() for found in _TOKEN.finditer(word)])


def _tokens(word: str, segment: Callable[[str], list[str]]) -> Iterator[str]:
    for found in _TOKEN.finditer(word):
        token = found.group()
        if _UNSPACED_RUN.search(token) is None:
            yield token
            continue
        last = 0
        for run in _UNSPACED_RUN.finditer(token):
            yield from filter(None, (token[last : run.start()],))
            yield from segment(run.group())
            last = run.end()
        yield from filter(None, (token[last:],))


def segmenter() -> Callable[[str], list[str]] | None:
    """Return ICU's word segmenter for unspaced scripts, or None if ``icu4py`` is not installed."""
    try:
        from icu4py.breakers import WordBreaker
    except ImportError:
        return None
    return lambda run: list(WordBreaker(run, "th"))
