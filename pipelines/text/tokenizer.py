"""Split texts into tokens for concordancers: by letters in scripts with spaces, by a segmenter in others.

- A word is letters, marks and digits. Zero-width joiners, apostrophes (also ‘, as in Uzbek), hyphens, middle dots and
  the marks of Hebrew abbreviations (also written as quotation marks) join its parts.
- Every other visible character is a token. Runs of one character are one token, and so are the characters of an emoji.
- Thai, Lao, Khmer, Burmese, Chinese, Japanese and Vietnamese need a segmenter (`pipelines.text.words.WordSplitter`).
  Its words are tokens here, and an underscore stands for the spaces in them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import regex

from pipelines.text.punctuation import CLOSING_BRACKETS, COMMAS, SEMICOLONS
from pipelines.text.scripts import SENTENCE_ENDS
from pipelines.text.sentences import marked
from storage.records import GLUE, SENTENCE

if TYPE_CHECKING:
    from collections.abc import Callable

    Span = tuple[int, int]

HYPHENS = "‐‑־-"
"""Hyphens, for the brackets of a regular expression: U+2010, one that does not break, the Hebrew maqaf, and ASCII."""
# A quotation mark before the last letters of a Hebrew word belongs to an abbreviation (צה"ל), unless another closes it.
JOINT = rf"""(?:[\u200c\u200d'’‘＇·׳״{HYPHENS}]|(?<=\p{{Hebrew}})["“”](?=\p{{Hebrew}}{{1,4}}(?![\p{{Hebrew}}"“”])))"""
"""What joins the parts of a word, as a regular expression."""
# Two letters of a flag; or a picture with selectors, skin tones and pictures after joiners (Unicode, UTS #51).
_EMOJI = (
    r"\p{Regional_Indicator}{2}"
    r"|\p{Extended_Pictographic}(?=[\ufe0e\ufe0f\u200d\p{Emoji_Modifier}])"
    r"(?:[\ufe0e\ufe0f\p{Emoji_Modifier}]|\u200d\p{Extended_Pictographic}?)*+"
)
WORD = rf"[\p{{L}}\p{{M}}\p{{N}}]+(?:{JOINT}[\p{{L}}\p{{M}}\p{{N}}]+)*+"
"""A word of a script with spaces, as a regular expression."""
_TOKEN = regex.compile(
    rf"{WORD}|{_EMOJI}"
    r"|(?P<sign>[^\s\p{L}\p{M}\p{N}])(?P=sign)*+"
)
SPACED_WORDS = frozenset({"vi"})
"""Languages whose words contain spaces."""
COMPOUND = "_"
"""Stands in a token for the space between two syllables, as is usual in Vietnamese corpora."""
MAX_WORDS_KEPT = 2**16
"""Words whose tokens are remembered: 10 MB."""
MAX_CHARS_KEPT = 40
"""Characters of a word that is remembered. Longer ones come once."""
_ENDINGS = frozenset(":" + COMMAS + SEMICOLONS + CLOSING_BRACKETS + "»”" + SENTENCE_ENDS)
_SEPARATORS = regex.compile(r"[\x00-\x1f\x7f]+")


def tokenised(text: str, spans: Callable[[str], list[Span] | None] = lambda _: None) -> str:
    """Return the text with tokens separated by a space or `GLUE`, sentences of a line by `SENTENCE`, lines unchanged.

    ``spans`` gives the places of the words of a line, or None where words are what stands between spaces and signs.

    >>> tokenised("Il l'a dit: «non»...").replace(GLUE, "|")
    "Il l'a dit|: «|non|»|..."
    """
    return "\n".join(_line(line, spans) for line in marked(text).split("\n"))


def _line(line: str, spans: Callable[[str], list[Span] | None]) -> str:
    first, *others = parts = line.split(SENTENCE)
    # The words are those of the whole line: a segmenter may read over the end of a sentence.
    places = spans("".join(parts))
    if places is None:
        rest = [(" " if part[:1].isspace() else GLUE) + _sentence(part) for part in others]
        return SENTENCE.join([_sentence(first), *rest])
    made: list[str] = []
    at = 0
    for part in parts:
        inside = [(a - at, min(b - at, len(part))) for a, b in places if at <= a < at + len(part)]
        before = "" if not made else " " if part[:1].isspace() else GLUE
        made.append(before + _with_words(part, inside))
        at += len(part)
    return SENTENCE.join(made)


def _sentence(line: str) -> str:
    words = line.split() if line.isprintable() else _SEPARATORS.sub(" ", line).split()
    return " ".join(map(TOKENS.__getitem__, words))


def _spaced_tokens(word: str) -> str:
    """Return the tokens of a word of a script with spaces."""
    # Most words are one token, or one with a mark behind it. The expression takes several times longer.
    if word.isalnum():
        return word
    if word[-1] in _ENDINGS and word[:-1].isalnum():
        return f"{word[:-1]}{GLUE}{word[-1]}"
    return GLUE.join([found.group() for found in _TOKEN.finditer(word)])


class TokensOfWords(dict[str, str]):
    """Tokens by word, filled on demand: texts repeat their words. A full table is emptied, so that it follows them."""

    def __missing__(self, word: str) -> str:
        found = _spaced_tokens(word)
        if len(self) >= MAX_WORDS_KEPT:
            self.clear()
        if len(word) <= MAX_CHARS_KEPT:
            self[word] = found
        return found


TOKENS = TokensOfWords()
"""The tokens of words that texts of this process have."""


def _with_words(line: str, places: list[Span]) -> str:
    """Return the tokens of a sentence whose words are known: these words, and the signs between them."""
    tokens: list[str] = []
    is_glued = False
    at = 0
    for start, end in [*places, (len(line), len(line))]:
        gap = _SEPARATORS.sub(" ", line[at:start])
        for number, word in enumerate(gap.split()):
            is_glued = is_glued and not number and not gap[0].isspace()
            tokens += [GLUE if is_glued else " ", TOKENS[word]]
            is_glued = True
        is_glued = is_glued and not gap[-1:].isspace()
        if start < end:
            tokens += [GLUE if is_glued else " ", COMPOUND.join(line[start:end].split())]
            is_glued = True
        at = end
    return "".join(tokens[1:])
