"""How much of a true text was found, and how much beside it: precision, recall and F1 by common characters.

The measure of Mohammadzadeh, Schweiggert and Nakhaeizadeh (Using UTF-8 to extract main content of right to left
language web pages, 2011, section 4.3, formula 3): with k the length of the longest common subsequence of the extracted
text (length m) and the true one (length g), r = k / g, p = k / m, F1 = 2pr / (p + r). HUMAN and CHIMPANZEE share HMAN:
p = 4/5, r = 4/10.
"""

from __future__ import annotations

from dataclasses import dataclass

MAX_CHARS = 100_000
"""Longer texts are compared by their first so many characters, white space not counted.

The comparison takes m * g / 64 steps: measured, 0.2 s for two random Latin texts of this length and 2 s for Chinese
ones, where every step looks its character up; two texts of 500 000 Chinese characters would take two minutes.
"""


@dataclass(frozen=True, slots=True)
class Score:
    """Precision, recall and their harmonic mean, each 0 to 1."""

    precision: float
    recall: float
    f1: float


ZERO = Score(0.0, 0.0, 0.0)


def score(text: str, truth: str, title: str | None = None) -> Score:
    """Score a text against the true one; code points count, white space does not.

    Whether the title belongs to the main text is open, so it costs nobody: the best of three comparisons counts, as the
    texts are, with the title before the one, with the title before the other.
    """
    found, true, heading = _packed(text), _packed(truth), _packed(title or "")
    plain = _compare(found, true)
    if not heading or not found:
        return plain
    candidates = (plain, _compare(heading + found, true), _compare(found, heading + true))
    return max(candidates, key=lambda candidate: candidate.f1)


def _compare(found: str, true: str) -> Score:
    from rapidfuzz.distance import LCSseq

    found, true = found[:MAX_CHARS], true[:MAX_CHARS]
    if found == true:
        return Score(1.0, 1.0, 1.0)
    common = LCSseq.similarity(found, true)
    if not common:
        return ZERO
    return Score(common / len(found), common / len(true), 2 * common / (len(found) + len(true)))


def _packed(text: str) -> str:
    return "".join(text.split())
