"""Label the blocks of a page: content is what stands in the true text."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

from pipelines.decoding import decode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corpus_spider.lab.gold import GoldPage

GRAM = 6
"""Characters of the pieces by which a block is found in the true text."""
CONTENT = 0.8
"""Least share of a block's characters that stand in the true text."""
NEAR = 3


def decoded(gold: GoldPage) -> str:
    """Return the page as text, by the encoding stated in the manifest where Python knows it."""
    try:
        return gold.html().decode(gold.encoding or "", "replace")
    except LookupError:
        return decode.decode(gold.html(), None).text


def shares(texts: Sequence[str], truth: str) -> Any:
    """Return which share of each text stands in the true one, by pieces of ``GRAM`` characters.

    Shorter texts count when they are a line of the truth, or continue it, next to a longer text that is content.
    """
    packed, true = ["".join(text.split()) for text in texts], "".join(truth.split())
    grams = {true[index : index + GRAM] for index in range(len(true) - GRAM + 1)}
    lines = {"".join(line.split()) for line in truth.splitlines()}
    long = [len(text) >= 2 * GRAM for text in packed]
    found = np.array([_covered(text, grams) if is_long else 0.0 for text, is_long in zip(packed, long, strict=True)])
    for index, text in enumerate(packed):
        if not long[index]:
            before = next((i for i in range(index - 1, max(-1, index - NEAR - 1), -1) if long[i]), None)
            after = next((i for i in range(index + 1, min(len(packed), index + NEAR + 1)) if long[i]), None)
            beside = [i for i in (before, after) if i is not None and found[i] > 0.5]
            joined = (before is not None and packed[before][-12:] + text in true) or (
                after is not None and text + packed[after][:12] in true
            )
            found[index] = bool(beside) and (text in lines or joined)
    return _without_repeats(packed, true, found)


def _covered(text: str, grams: set[str]) -> float:
    covered = np.zeros(len(text), bool)
    for index in range(len(text) - GRAM + 1):
        if text[index : index + GRAM] in grams:
            covered[index : index + GRAM] = True
    return float(covered.mean())


def _without_repeats(packed: Sequence[str], true: str, found: Any) -> Any:
    """Of texts that stand on the page more often than in the truth keep those with most content around."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for index, text in enumerate(packed):
        if found[index] > 0.5:
            places[text].append(index)
    lengths = np.array([len(text) for text in packed], float)
    content = lengths * found
    for text, indices in places.items():
        wanted = max(1, true.count(text))
        if len(indices) > wanted:
            sums = {i: content[max(0, i - 8) : i + 9].sum() - content[i] for i in indices}
            around = {i: sums[i] / max(1.0, lengths[max(0, i - 8) : i + 9].sum() - lengths[i]) for i in indices}
            for index in sorted(indices, key=lambda i: -around[i])[wanted:]:
                found[index] = 0.0
    return found
