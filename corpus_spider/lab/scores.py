"""Precision, recall and F1 of an extracted text against the true text, by four measures.

**Characters**, the main measure: Mohammadzadeh, Schweiggert and Nakhaeizadeh (Using UTF-8 to extract main content of
right to left language web pages, 2011, section 4.3, formula 3). k is the length of the longest common subsequence of
the extracted text (length m) and the true text (length g). Then r = k / g, p = k / m, F1 = 2pr / (p + r). HUMAN and
CHIMPANZEE share HMAN: p = 4/5, r = 4/10.

**Words**: the same formula on words. **Bag**: the same on multisets of words, without order. **Thai**: the formulas of
Thanadechteemapat and Fung (Automatic web content extraction for generating tag clouds from Thai web sites, 2011,
section III.D) on lengths without spaces: P = (LEC - (LEC - LEP + LM)) / LEC, and R the same over LEP. The paper does
not define how LM, the length of missing content, is found. Here it is the length of the lines of the true text that the
extracted text does not contain completely. With a common subsequence, the formulas would equal those on characters.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from corpus_spider.lab.words import coded, words

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T", str, Counter[str], list[str])

MAX_CHARS = 100_000
"""Of longer texts, only this many characters (without white space) or words are compared.

The comparison takes m * g / 64 steps. Measured: 0.2 s for two random Latin texts of this length, and 2 s for Chinese
ones, where every step looks up a character. Two texts of 500 000 Chinese characters would take two minutes.
"""


@dataclass(frozen=True, slots=True)
class Score:
    """Precision, recall and their harmonic mean, each 0 to 1."""

    precision: float
    recall: float
    f1: float


ZERO = Score(0.0, 0.0, 0.0)
PERFECT = Score(1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Measures:
    """A text's scores by words in order, by words in any order, and by the Thai paper's formulas."""

    words: Score = ZERO
    bag: Score = ZERO
    thai: Score = ZERO


NOTHING = Measures()


def score(text: str, truth: str, title: str | None = None) -> Score:
    """Score a text against the true text by characters (code points without white space).

    A title may or may not belong to the main text, so it costs no extractor anything. The best of three comparisons
    counts: the texts as they are, with the title before the one, with the title before the other.
    """
    return _best(_in_order, _packed(text), _packed(truth), _packed(title or ""))


def measures(text: str, truth: str, title: str | None = None) -> Measures:
    """Score a text by the other measures. The title costs nothing here either."""
    texts = (text, truth, title or "")
    found, true, heading = map(words, texts)
    return Measures(
        words=_best(_in_order, *coded(found, true, heading)),
        bag=_best(_in_any_order, Counter(found), Counter(true), Counter(heading)),
        thai=_best(_by_lines, *map(_packed_lines, texts)),
    )


def _best(compare: Callable[[T, T], Score], text: T, truth: T, title: T) -> Score:
    plain = compare(text, truth)
    if not title or not text or plain == PERFECT:
        return plain
    candidates = (plain, compare(title + text, truth), compare(text, title + truth))
    return max(candidates, key=lambda candidate: candidate.f1)


def _in_order(found: str, true: str) -> Score:
    from rapidfuzz.distance import LCSseq

    found, true = found[:MAX_CHARS], true[:MAX_CHARS]
    common = len(true) if found == true else LCSseq.similarity(found, true)
    return _share(common, len(found), len(true))


def _in_any_order(found: Counter[str], true: Counter[str]) -> Score:
    return _share((found & true).total(), found.total(), true.total())


def _by_lines(lines: list[str], true: list[str]) -> Score:
    found, size = "".join(lines), sum(map(len, true))
    missing = sum(len(line) for line in true if line not in found)
    return _share(min(size - missing, len(found)), len(found), size)


def _share(common: int, found: int, true: int) -> Score:
    """Return the score for the size of a common part. Two empty texts are equal."""
    if not found and not true:
        return PERFECT
    return Score(common / found, common / true, 2 * common / (found + true)) if common else ZERO


def _packed_lines(text: str) -> list[str]:
    """Return the non-empty lines without white space, up to MAX_CHARS in total."""
    lines, room = [], MAX_CHARS
    for line in filter(None, map(_packed, text.splitlines())):
        lines.append(line[:room])
        room -= len(line)
        if room <= 0:
            break
    return lines


def _packed(text: str) -> str:
    return "".join(text.split())
