"""Words of a text with their places: what search finds, what word lists count.

A word is a run of letters, marks and digits, with its joints (see `pipelines.text.tokenizer`). Scripts without spaces
between words need a segmenter:

=========================== ================================= ===========================================
script                      with the extra                    without it
=========================== ================================= ===========================================
Thai, Lao, Khmer, Burmese   words                             character clusters
Chinese, Japanese           single characters, for search     the same
=========================== ================================= ===========================================

Search needs one unit for a text and a question about it. A single character finds every word of Chinese and Japanese
as a phrase, however a segmenter splits it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import regex

from pipelines.text.tokenizer import JOINT, segmenter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

WORDS, CLUSTERS = "words", "clusters"
"""Units of scripts without spaces."""
Span = tuple[int, int]
"""Start and end of a word in its text."""

_WORD = regex.compile(rf"[\p{{L}}\p{{M}}\p{{N}}]+(?:{JOINT}[\p{{L}}\p{{M}}\p{{N}}]+)*+")
_SINGLE = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}ー々〆]")
_SPECIAL = regex.compile(r"[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Han}\p{Hiragana}\p{Katakana}]")
_PIECE = regex.compile(
    rf"(?P<clustered>[\p{{Thai}}\p{{Lao}}\p{{Khmer}}\p{{Myanmar}}]+)|(?P<single>{_SINGLE.pattern})|(?P<other>.)",
    regex.DOTALL,
)
_CLUSTER = regex.compile(r"\X")


@dataclass(frozen=True, slots=True)
class Splitter:
    """Splits texts into words. ``unit`` names what scripts with a segmenter of their own are split into."""

    segment: Callable[[str], list[str]]
    unit: str

    def spans(self, line: str) -> list[Span]:
        """Return the places of the words of one line.

        >>> [line[a:b] for line in ["Il l'a dit: «non»... 日本"] for a, b in Splitter(list, WORDS).spans(line)]
        ['Il', "l'a", 'dit', 'non', '日', '本']
        """
        special = not line.isascii() and _SPECIAL.search(line) is not None
        places = [found.span() for found in _WORD.finditer(line)]
        if not special:
            return places
        return [piece for start, end in places for piece in self._pieces(line, start, end)]

    def _pieces(self, line: str, start: int, end: int) -> Iterator[Span]:
        word = line[start:end]
        if _SPECIAL.search(word) is None:
            yield start, end
            return
        first = None
        for found in _PIECE.finditer(word):
            at, after = start + found.start(), start + found.end()
            if found.lastgroup == "other":
                first = at if first is None else first
                continue
            if first is not None:
                yield first, at
                first = None
            if found.lastgroup == "single":
                yield at, after
                continue
            for part in self.segment(found.group()):
                if part.strip():
                    yield at, at + len(part)
                at += len(part)
        if first is not None:
            yield first, end


def splitter() -> Splitter:
    """Return the splitter that this installation has."""
    segment = segmenter()
    return Splitter(segment, WORDS) if segment else Splitter(_clusters, CLUSTERS)


def _clusters(run: str) -> list[str]:
    found: list[str] = _CLUSTER.findall(run)
    return found
