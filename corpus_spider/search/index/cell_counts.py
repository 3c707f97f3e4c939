"""Counts of the words of a shard, by cell (language, site, month).

Words are numbers meanwhile, and numpy counts the documents of a cell together. A counter for each cell takes three
times as long and five times the memory.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from corpus_spider.search.index.manifest import Cell, CellKey, summed, taken_out
from pipelines.text.word_forms import letters

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    Numbers = npt.NDArray[np.uint32]

_MAX_WAITING = 2**22
"""Words that wait to be counted: 16 MB."""
_UNKNOWN = 2**32 - 1


class WordNumbers(dict[str, int]):
    """Numbers of words, from 0 on. A new word gets the next one."""

    def __missing__(self, word: str) -> int:
        return self.setdefault(word, len(self))


@dataclass(slots=True)
class _Waiting:
    """Words of documents of one cell that are not counted yet: their numbers, and the number of words by document."""

    words: array[int] = field(default_factory=lambda: array("I"))
    lengths: array[int] = field(default_factory=lambda: array("I"))


class ShardCounts:
    """Counts the words of a shard. ``vocabulary``: its counted words and their forms, in the order of their numbers."""

    def __init__(self) -> None:
        self.vocabulary: dict[str, int] = WordNumbers()
        self._forms: dict[str, Numbers] = {}
        self._waiting: dict[CellKey, _Waiting] = defaultdict(_Waiting)
        self._number_waiting = 0
        self._counted: dict[tuple[CellKey, int], list[Cell]] = defaultdict(list)

    def add(self, key: CellKey, counted: Sequence[str]) -> None:
        """Add the words of one document, each as often as it stands there."""
        waiting = self._waiting[key]
        waiting.words.extend(map(self.vocabulary.__getitem__, counted))
        waiting.lengths.append(len(counted))
        self._number_waiting += len(counted)
        if self._number_waiting > _MAX_WAITING:
            self._count()

    def cells(self) -> list[Cell]:
        """Return the counts of all documents, with the numbers of words."""
        self._count()
        return [summed(cells) for cells in self._counted.values()]

    def spellings(self) -> Iterator[tuple[int, int]]:
        """Yield the form of each word that has another spelling than its form, and the word."""
        for forms in self._forms.values():
            words = np.flatnonzero((forms != _UNKNOWN) & (forms != np.arange(len(forms))))
            yield from zip(forms[words].tolist(), words.tolist(), strict=True)

    def _count(self) -> None:
        texts = list(self.vocabulary)
        for key, waiting in self._waiting.items():
            words = np.frombuffer(waiting.words, np.uint32)
            documents = np.repeat(np.arange(len(waiting.lengths), dtype=np.uint64), waiting.lengths)
            cell = _cell(key, words, documents)
            self._counted[key, 0].append(cell._replace(documents=len(waiting.lengths), tokens=len(words)))
            forms = self._forms_of(key.language, cell.words, texts)
            if (forms[cell.words] != cell.words).any():
                self._counted[key, 1] += [_cell(key, forms[words], documents, one=1), taken_out(cell._replace(one=1))]
        self._waiting.clear()
        self._number_waiting = 0

    def _forms_of(self, language: str, words: Numbers, texts: Sequence[str]) -> Numbers:
        """Return the numbers of forms by the number of the word, for these words of a language and others."""
        forms = self._forms.get(language, np.empty(0, np.uint32))
        if len(forms) < len(texts):
            forms = np.concatenate([forms, np.full(len(texts) - len(forms), _UNKNOWN, np.uint32)])
            self._forms[language] = forms
        new = words[forms[words] == _UNKNOWN]
        forms[new] = [self.vocabulary[letters(texts[word], language)] for word in new.tolist()]
        return forms


def _cell(key: CellKey, words: Numbers, documents: npt.NDArray[np.uint64], *, one: int = 0) -> Cell:
    """Count words. ``documents``: number of the document of each."""
    places = words.astype(np.uint64) << np.uint64(32) | documents
    places.sort()
    ordered = (places >> np.uint64(32)).astype(np.uint32)
    starts = np.flatnonzero(_begins(ordered))
    frequencies = np.diff(starts, append=len(ordered))
    appearances = np.bincount(np.cumsum(_begins(ordered))[_begins(places)] - 1)
    return Cell(key, one, 0, 0, ordered[starts], frequencies, appearances)


def _begins(ordered: npt.NDArray[np.uint32 | np.uint64]) -> npt.NDArray[np.bool_]:
    """Return where equal numbers in a row begin."""
    return np.concatenate([[True], ordered[1:] != ordered[:-1]])[: len(ordered)]
