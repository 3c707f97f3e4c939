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


def log_dice(together: Counts | Scores, of_node: float, of_word: Counts) -> Scores:
    """Return logDice of each collocate (Rychlý 2008): 14 at most, independent of the size of the corpus.

    >>> log_dice(np.array([10]), 10, np.array([10])).tolist()
    [14.0]
    """
    return np.asarray(14 + np.log2(2 * together / (of_node + of_word)))


def mutual_information(together: Counts, expected: Scores) -> Scores:
    """Return the mutual information of each collocate (Church and Hanks 1990): 3 is eight times as often as by chance.

    It is high for rare words. ``expected``: how often a word is near the node by chance.

    >>> mutual_information(np.array([16]), np.array([2.0])).tolist()
    [3.0]
    """
    return np.asarray(np.log2(together / expected))


def t_score(together: Counts, expected: Scores) -> Scores:
    """Return the t-score of each collocate (Church et al. 1991): 2.576 is p < .005. It is high for frequent words.

    >>> t_score(np.array([16]), np.array([2.0])).tolist()
    [3.5]
    """
    return np.asarray((together - expected) / np.sqrt(together))


def association(together: Counts, near: int, of_word: Counts, size: int) -> Scores:
    """Return G2 of each collocate (Dunning 1993, by the table of Evert 2008); negative if it is rarer than by chance.

    ``near``: words near the node; ``size``: words of the corpus.

    >>> association(np.array([10, 1]), 100, np.array([20, 300]), 1000).round(2).tolist()
    [21.18, -66.19]
    """
    others = np.multiply(1.0, of_word)
    table = [
        (together, near * others / size),
        (near - together, near * (size - others) / size),
        (of_word - together, (size - near) * others / size),
        (size - near - of_word + together, (size - near) * (size - others) / size),
    ]
    sums = [_times_log(np.maximum(observed, 0), expected) for observed, expected in table]
    return np.asarray(2 * np.sum(sums, axis=0) * np.where(together < table[0][1], -1, 1))


def _times_log(counted: Counts, expected: Scores) -> Scores:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(counted > 0, counted * np.log(counted / expected), 0.0)
