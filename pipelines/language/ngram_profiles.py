"""Read the profiles of langdetect (Nakatani, 2010) into a compact table.

The library keeps a list of 55 numbers for each of 117,000 n-grams, most of them zeros: 60 MB in each process that meets
a short text. The table has the numbers above zero only: 4 MB. Its numbers are the same, so the answers are too.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from langdetect import DetectorFactory

MAX_NGRAM = 3
"""Characters of the longest n-gram of a profile."""
CODE_POINT_BITS = 21
ROWS_KEPT = 4096
"""Rows of the last n-grams, two megabytes at most. A detector reads those of its text several times."""


class NgramTable:
    """Probabilities of each n-gram by language, as the detector of the library reads them."""

    def __init__(self, profiles: Iterable[tuple[dict[str, int], list[int]]]) -> None:
        """``profiles``: of each language the counts of its n-grams, and the sum of counts by their length.

        They are read one by one: the memory of all at once would not be given back to the system.
        """
        columns = [_columns(language, *profile) for language, profile in enumerate(profiles)]
        codes, languages, shares = (np.concatenate(column) for column in zip(*columns, strict=True))
        order = np.argsort(codes, kind="stable")
        known, starts = np.unique(codes[order], return_index=True)
        self._width = len(columns)
        self._codes = known.data
        self._starts = np.append(starts, len(codes)).astype(np.uint32).data
        self._languages, self._shares = languages[order].data, shares[order].data
        self._row = lru_cache(ROWS_KEPT)(self._read_row)

    def __contains__(self, ngram: str) -> bool:
        return self._row(ngram) is not None

    def __getitem__(self, ngram: str) -> list[float] | None:
        return self._row(ngram)

    def _read_row(self, ngram: str) -> list[float] | None:
        code = _code(ngram)
        at = bisect_left(self._codes, code)
        if at == len(self._codes) or self._codes[at] != code:
            return None
        row = [0.0] * self._width
        for place in range(self._starts[at], self._starts[at + 1]):
            row[self._languages[place]] = self._shares[place]
        return row


def _columns(language: int, counts: dict[str, int], sums: list[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return code, language and probability of the n-grams of a language. A code has the code points in one number."""
    points = np.array([*counts], f"U{MAX_NGRAM}").view(np.uint32).reshape(-1, MAX_NGRAM).astype(np.uint64)
    bits = np.uint64(CODE_POINT_BITS)
    codes = (points[:, 0] << bits | points[:, 1]) << bits | points[:, 2]
    shares = np.array([count / sums[len(ngram) - 1] for ngram, count in counts.items()])
    return codes, np.full(len(codes), language, np.uint8), shares


def _code(ngram: str) -> int:
    code = 0
    for character in ngram.ljust(MAX_NGRAM, "\0"):
        code = code << CODE_POINT_BITS | ord(character)
    return code


@cache
def detector_factory() -> DetectorFactory:
    """Return a factory of detectors with the profiles of the library. Reading them takes .2 s."""
    from langdetect import DetectorFactory
    from langdetect.detector_factory import PROFILES_DIRECTORY

    factory, names = DetectorFactory(), list[str]()

    def profiles() -> Iterator[tuple[dict[str, int], list[int]]]:
        # The order of a folder differs between machines.
        for path in sorted(Path(PROFILES_DIRECTORY).iterdir()):
            profile = json.loads(path.read_bytes())
            names.append(profile["name"])
            yield profile["freq"], profile["n_words"]

    factory.word_lang_prob_map, factory.langlist = NgramTable(profiles()), names
    # Without a seed its answers are random.
    factory.set_seed(0)
    return factory
