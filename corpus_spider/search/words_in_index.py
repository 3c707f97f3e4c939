"""Words of a line as a search index has them: units that are searched, words that are counted.

Most tokens between spaces are words that texts repeat. The words of such a token are split and folded once, then looked
up. Small letters are made before splitting: no capital has a small letter of another kind or script.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING

from corpus_spider.search.shard import LONGEST_WORD
from pipelines.text.equal_letters import TURKIC, small
from pipelines.text.scripts import is_spaced
from pipelines.text.segmentation.choice import CHOICES
from pipelines.text.tokenizer import SPACED_WORDS
from pipelines.text.words import as_counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from corpus_spider.search.made_with import IndexTools

_MAX_TOKENS = 2**16
"""Tokens that a table holds: 10 MB. A full table is emptied, so that it follows the texts."""


class _TokenCache(dict[str, Sequence[str]]):
    """Words by token, filled on demand. Runs of scripts without spaces are not kept: few come twice."""

    def __init__(self, split: Callable[[str], Sequence[str]]) -> None:
        super().__init__()
        self._split = split

    def __missing__(self, token: str) -> Sequence[str]:
        found = self._split(token)
        # A small letter may be three characters.
        if len(token) > LONGEST_WORD // 3:
            found = [word[:LONGEST_WORD] for word in found]
        if is_spaced(token):
            if len(self) >= _MAX_TOKENS:
                self.clear()
            self[token] = found
        return found


class WordsInIndex:
    """Splits lines of one language as an index has them."""

    def __init__(self, made_with: IndexTools, language: str) -> None:
        split, words = made_with.splitter, made_with.words(language)

        def searched(token: str) -> list[str]:
            folded = small(token, language)
            return [folded] if folded.isalnum() and is_spaced(folded) else split.units(folded)

        def counted(token: str) -> Sequence[str]:
            known = self._searched.get(token, ())
            # One unit and no script without spaces: the token is one word without hyphens.
            if len(known) == 1:
                return known
            folded = small(token, language)
            return [folded[start:end] for start, end in words.spans(folded)]

        self._searched = _TokenCache(searched)
        self._spans = words.spans if language in SPACED_WORDS else None
        self._counted = _TokenCache(counted if self._spans is None else lambda word: [as_counted(word, language)])

    def searched(self, line: str) -> list[str]:
        """Return the units of a line that are searched."""
        return list(chain.from_iterable(map(self._searched.__getitem__, line.split())))

    def counted(self, line: str) -> list[str]:
        """Return the words of a line that are counted."""
        # A segmenter of compounds reads the whole line, and its capitals.
        tokens = line.split() if self._spans is None else [line[start:end] for start, end in self._spans(line)]
        return list(chain.from_iterable(map(self._counted.__getitem__, tokens)))


def words_in_index(made_with: IndexTools, language: str) -> WordsInIndex:
    """Return what splits lines of a language for an index. Languages with the same rules share it."""
    return _words_in_index(made_with, language if language in CHOICES or language in TURKIC else "")


@cache
def _words_in_index(made_with: IndexTools, language: str) -> WordsInIndex:
    return WordsInIndex(made_with, language)
