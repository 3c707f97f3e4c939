"""Count some counted words of the blocks of one shard, by their numbers. Their texts are made once at the end."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from corpus_spider.search.index.counted_words import WordGroups, WordPlaces
    from corpus_spider.search.index.token_block import TokenBlock

    Numbers = npt.NDArray[np.int64]

_MAX_BITS = 63


class _Keys(NamedTuple):
    """Different words of several units as numbers, and how often each stands there."""

    words: Numbers
    counts: Numbers


class _OfLanguage:
    """Counts of one language. ``joined``: words of several units, by their number. ``long``: those of very many."""

    def __init__(self, units: int, kinds: int) -> None:
        self.of_units, self.of_kinds = np.zeros(units, np.int64), np.zeros(kinds, np.int64)
        self.joined: defaultdict[int, list[_Keys]] = defaultdict(list)
        self.long = Counter[tuple[int, ...]]()


class WordTally:
    """Adds up words of the blocks of one shard, by language."""

    def __init__(self) -> None:
        self._counts: dict[str, _OfLanguage] = {}
        self._vocabulary: Sequence[str] = ()
        self._groups: WordGroups | None = None

    def add(self, block: TokenBlock, words: WordPlaces, chosen: Numbers) -> None:
        """Add some counted words of a block, by their places among ``words``."""
        self._vocabulary, self._groups = block.vocabulary, block.groups
        kinds = 0 if block.groups is None else len(block.groups.texts)
        counts = self._counts.setdefault(block.language, _OfLanguage(len(block.vocabulary), kinds))
        heads = words.heads[chosen]
        if words.kinds is None or block.groups is None:
            counts.of_units += np.bincount(block.tokens[heads], minlength=len(block.vocabulary))
            return
        kinds_here = words.kinds[chosen]
        counts.of_units += np.bincount(block.tokens[heads[kinds_here == 0]], minlength=len(block.vocabulary))
        sizes = block.groups.joined_units[kinds_here]
        counts.of_kinds += np.bincount(kinds_here[(kinds_here > 0) & (sizes == 0)], minlength=kinds)
        for size in np.unique(sizes[sizes > 0]).tolist():
            is_here = sizes == size
            self._join(counts, block, kinds_here[is_here], heads[is_here], size)

    def texts(self) -> Iterator[tuple[str, list[str], list[int]]]:
        """Yield for each language some of its words, and how often each was added. A word may come more than once."""
        every = np.array(list(self._vocabulary), object)
        for language, counts in self._counts.items():
            units = np.flatnonzero(counts.of_units)
            yield language, every[units].tolist(), counts.of_units[units].tolist()
            if self._groups is None:
                continue
            kinds = np.flatnonzero(counts.of_kinds)
            yield language, [self._groups.texts[kind] or "" for kind in kinds], counts.of_kinds[kinds].tolist()
            for size, keys in counts.joined.items():
                words, numbers = _together(keys)
                yield language, self._joined_texts(words, size, every), numbers.tolist()
            long = [self._long_text(word, every) for word in counts.long]
            yield language, long, list(counts.long.values())

    def _join(self, counts: _OfLanguage, block: TokenBlock, kinds: Numbers, heads: Numbers, size: int) -> None:
        """Add words of so many units."""
        if self._key_bits(size) > _MAX_BITS:
            rows = np.stack([kinds, *(block.tokens[heads + place].astype(np.int64) for place in range(size))], axis=1)
            counts.long.update(map(tuple, rows.tolist()))
            return
        keys = kinds
        for place in range(size):
            keys = keys << self._unit_bits | block.tokens[heads + place]
        counts.joined[size].append(_Keys(*np.unique(keys, return_counts=True)))

    @property
    def _unit_bits(self) -> int:
        return len(self._vocabulary).bit_length()

    def _key_bits(self, size: int) -> int:
        kinds = 0 if self._groups is None else len(self._groups.texts)
        return kinds.bit_length() + size * self._unit_bits

    def _joined_texts(self, keys: Numbers, size: int, every: npt.NDArray[np.object_]) -> list[str]:
        """Return the texts of words of so many units."""
        bits, mask = self._unit_bits, (1 << self._unit_bits) - 1
        units = [every[(keys >> bits * (size - 1 - place)) & mask] for place in range(size)]
        kinds, at = np.unique(keys >> bits * size, return_inverse=True)
        joints = [() if self._groups is None else self._groups.joints[kind] for kind in kinds.tolist()]
        found = units[0]
        for place in range(1, size):
            found = found + np.array([each[place - 1] for each in joints], object)[at] + units[place]
        texts: list[str] = found.tolist()
        return texts

    def _long_text(self, word: tuple[int, ...], every: npt.NDArray[np.object_]) -> str:
        kind, first, *others = word
        joints = () if self._groups is None else self._groups.joints[kind]
        units: list[str] = every[others].tolist()
        text: str = every[first]
        return text + "".join(joint + unit for joint, unit in zip(joints, units, strict=True))


def _together(parts: Sequence[_Keys]) -> _Keys:
    """Add the counts of several parts."""
    words, at = np.unique(np.concatenate([part.words for part in parts]), return_inverse=True)
    counts = np.bincount(at, np.concatenate([part.counts for part in parts]), len(words))
    return _Keys(words, counts.astype(np.int64))
