"""Words of texts as a search index has them: units that are searched, words that are counted.

Most tokens between spaces are words that texts repeat. Such a token is split and folded once, then looked up. A text
with a script without spaces is folded and split as a whole: few of its tokens come twice. Small letters are made before
splitting: no capital has a small letter of another kind or script.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from corpus_spider.search.index import shard
from corpus_spider.search.index.shard import LONGEST_WORD
from pipelines.text.equal_letters import TURKIC, small
from pipelines.text.scripts import is_spaced
from pipelines.text.segmentation.choice import CHOICES
from pipelines.text.sentences import marked
from pipelines.text.tokenizer import MAX_CHARS_KEPT, MAX_WORDS_KEPT, SPACED_WORDS
from pipelines.text.words import LINE_END, as_counted
from storage.records import SENTENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from corpus_spider.search.index.made_with import IndexTools

Split = TypeVar("Split")
_ENDS = frozenset({LINE_END, SENTENCE})
"""Ends of lines and sentences among the tokens of a text, and among its units."""
_SENTENCE_BETWEEN = f"{SENTENCE} "


class _TokenTable(dict[str, Split]):
    """What tokens are split into, filled on demand. A full table is emptied, so that it follows the texts."""

    def __init__(self, split: Callable[[str], Split]) -> None:
        super().__init__()
        self._split = split

    def __missing__(self, token: str) -> Split:
        found = self._split(token)
        if len(self) >= MAX_WORDS_KEPT:
            self.clear()
        if len(token) <= MAX_CHARS_KEPT:
            self[token] = found
        return found


class IndexedText(NamedTuple):
    """Words of a text. ``parts``: the searched units, with spaces between those of a part; a part may have none.

    After each line stands `LINE_END`, between the sentences of a line `SENTENCE`.
    """

    parts: list[str]
    counted: list[str]

    @property
    def searched(self) -> str:
        """The units with spaces between them, `shard.LINE_END` after each line.

        The ends of sentences are left out: a phrase may reach over them.
        """
        return " ".join(self.parts).replace(_SENTENCE_BETWEEN, "").replace(LINE_END, shard.LINE_END)


class WordsInIndex:
    """Splits texts by the rules of one language. ``units``: the searched units that it has found."""

    def __init__(self, made_with: IndexTools, language: str) -> None:
        self.units: set[str] = set()
        self._language = language
        self._splitter, self._words = made_with.splitter, made_with.words(language)
        self._has_compounds = language in SPACED_WORDS and dict(made_with.libraries).get(language) != ""
        self._searched = _TokenTable(self._searched_in)
        self._counted = _TokenTable(self._counted_in)
        self._compounds = _TokenTable(lambda word: as_counted(word, language)[:LONGEST_WORD])

    def read(self, lines: Sequence[str]) -> IndexedText:
        """Split a text."""
        tokens: list[str] = []
        text = LINE_END.join(lines)
        folded = ""
        has_spaces = is_spaced(text)
        sentences = marked(text)
        if has_spaces:
            for line in sentences.split(LINE_END):
                for sentence in line.split(SENTENCE):
                    tokens += sentence.split()
                    tokens.append(SENTENCE)
                tokens[-1] = LINE_END
            parts = list(map(self._searched.__getitem__, tokens))
        else:
            folded = small(sentences, self._language)
            parts = self._whole_text(folded)
        if self._has_compounds:
            # A segmenter of compounds reads whole lines, and their capitals.
            words = [text[start:end] for start, end in self._words.spans(text)]
            return IndexedText(parts, list(map(self._compounds.__getitem__, words)))
        if has_spaces:
            return IndexedText(parts, list(chain.from_iterable(map(self._counted.__getitem__, tokens))))
        folded = folded.replace(SENTENCE, "")
        return IndexedText(parts, [folded[start:end][:LONGEST_WORD] for start, end in self._words.spans(folded)])

    def _searched_in(self, token: str) -> str:
        """Return the units of a token of a script with spaces."""
        if token in _ENDS:
            return token
        folded = small(token, self._language)
        # Nine of ten tokens are one word, or one with a sign.
        parts = [folded] if folded.isalnum() else self._splitter.units(folded)
        units = [unit[:LONGEST_WORD] for unit in parts]
        self.units.update(units)
        return " ".join(units)

    def _counted_in(self, token: str) -> tuple[str, ...]:
        """Return the counted words of such a token."""
        searched = self._searched[token]
        # One unit is one word without hyphens.
        if searched and " " not in searched and token not in _ENDS:
            return (searched,)
        folded = small(token, self._language)
        return tuple(folded[start:end][:LONGEST_WORD] for start, end in self._words.spans(folded))

    def _whole_text(self, folded: str) -> list[str]:
        units = [unit[:LONGEST_WORD] for unit in self._splitter.units_and_ends(folded + LINE_END)]
        self.units.update(units)
        self.units -= _ENDS
        return units


class IndexSplitters(dict[str, WordsInIndex]):
    """What splits the texts of a shard, by language. Languages with the same rules share it."""

    def __init__(self, made_with: IndexTools) -> None:
        super().__init__()
        self._made_with = made_with

    def __missing__(self, language: str) -> WordsInIndex:
        rules = language if language in CHOICES or language in TURKIC else ""
        found = self[rules] if rules != language else WordsInIndex(self._made_with, rules)
        return self.setdefault(language, found)

    def units(self) -> set[str]:
        """Return the searched units of all texts."""
        return set[str]().union(*(words.units for words in self.values()))
