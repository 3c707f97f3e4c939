"""Keyness and association of words: measures of corpus linguistics over counts. Pure, by arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Counts = npt.NDArray[np.integer]
    Scores = npt.NDArray[np.float64]

_UNSEEN_FREQUENCY = 0.5
"""Stands for a frequency of 0 in a ratio (Hardie 2014)."""


def log_likelihood(target: Counts, reference: Counts, target_size: int, reference_size: int) -> Scores:
    """Return G2 of each word: how sure it is that its frequencies differ (Rayson and Garside 2000).

    15.13 is p < .0001 for one word. It grows with the size of the corpus: read it with `log_ratio`.

    >>> log_likelihood(np.array([20]), np.array([10]), 1000, 1000).round(2).tolist()
    [3.4]
    """
    both = np.add(target, reference, dtype=np.float64)
    share = target_size / (target_size + reference_size)
    here = _times_log(target, np.multiply(both, share))
    there = _times_log(reference, np.multiply(both, 1 - share))
    return np.multiply(2, np.add(here, there))


def log_ratio(target: Counts, reference: Counts, target_size: int, reference_size: int) -> Scores:
    """Return the binary logarithm of the ratio of the relative frequencies (Hardie 2014): 1 is twice as frequent.

    >>> log_ratio(np.array([20, 4]), np.array([10, 0]), 1000, 1000).tolist()
    [1.0, 3.0]
    """
    here = np.where(target == 0, _UNSEEN_FREQUENCY, target) / target_size
    there = np.where(reference == 0, _UNSEEN_FREQUENCY, reference) / reference_size
    return np.asarray(np.log2(here / there))


def log_dice(together: Counts, of_node: int, of_word: Counts) -> Scores:
    """Return logDice of each collocate (Rychlý 2008): 14 at most, independent of the size of the corpus.

    >>> log_dice(np.array([10]), 10, np.array([10])).tolist()
    [14.0]
    """
    return np.asarray(14 + np.log2(2 * together / (of_node + of_word)))


def _times_log(counted: Counts, expected: Scores) -> Scores:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(counted > 0, counted * np.log(counted / expected), 0.0)
