"""Word lists: frequencies, keywords against a reference, collocates of a word, trends by month."""

from __future__ import annotations

import shlex
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np
from msgspec import UNSET, UnsetType

from corpus_spider.search.question.term import WORD_ATTRIBUTE, Term
from corpus_spider.search.question.tree import shown
from corpus_spider.words.collocation_rules import BOTH, MIN_FREQUENCY, CollocationRules
from corpus_spider.words.counting import MILLION, Totals, dispersion, totals
from corpus_spider.words.keyness import (
    log_likelihood,
    log_ratio,
)
from corpus_spider.words.outside_counts import OutsideCounts
from corpus_spider.words.references import Reference, RestOfCorpus
from pipelines.text.word_forms import letters
from pipelines.text.words import as_counted
from storage.documents.selection import Selection

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    import numpy.typing as npt

    from corpus_spider.search.index.manifest import Cell, Manifest
    from corpus_spider.search.question.tree import Question

CRITICAL_G2 = 15.13
"""G2 of a keyword: p < .0001."""


_READ_AT_ONCE = 2_000
HITS = "hits"
"""How a question is counted that is no counted word."""


@dataclass(frozen=True, slots=True)
class CountingRules:
    """How words are counted: whether the spellings of a word are one. ``without``: forms of stop words by language."""

    one_spelling: bool = True
    without: Mapping[str, Collection[str]] = field(default_factory=dict)

    def form(self, word: str, language: str) -> str:
        """Return what a word counts as."""
        return letters(word, language) if self.one_spelling else word

    def is_left_out(self, word: str) -> bool:
        """Return whether a counted word is a stop word, in any spelling."""
        return any(letters(word, language) in forms for language, forms in self.without.items())


AS_ONE = CountingRules()


COUNTED_WORDS = "counted words"
"""The words of `pipelines.text.words`, which lists count."""
Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class WordTable(Generic[Row]):
    """Size of the selection, and the rows of the list.

    ``unit``: what the tokens are, and what rates are in a million of: `COUNTED_WORDS`, or for n-grams
    `corpus_spider.search.hits.hit_counts.SEARCHED_TOKENS`.
    """

    documents: int
    tokens: int
    rows: Sequence[Row]
    annotations: Mapping[str, str] | UnsetType = UNSET
    """Which library gave the lemmas in each language, if lemmas were counted."""
    unit: str = COUNTED_WORDS


@dataclass(slots=True)
class SharedSpellings:
    """Counts of words by the form that their spellings share. It remembers the spellings."""

    counts: Counter[str] = field(default_factory=Counter)
    spellings: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, form: str, word: str, number: int = 1) -> None:
        """Count a word so often."""
        self.counts[form] += number
        self.spellings.setdefault(form, Counter())[word] += number

    def spelled(self, form: str) -> str:
        """Return the most frequent spelling of a form."""
        return self.spellings[form].most_common(1)[0][0]


@dataclass(frozen=True, slots=True)
class WordRow:
    """A word with its frequency, also per million words, the documents it appears in, and its dispersion (DP)."""

    word: str
    frequency: int
    per_million: float
    documents: int
    dispersion: float


@dataclass(frozen=True, slots=True)
class KeyRow:
    """A keyword: frequencies per million here and in the reference, G2 and log ratio (see `keyness`)."""

    word: str
    frequency: int
    per_million: float
    reference_per_million: float
    log_likelihood: float
    log_ratio: float
    dispersion: float


@dataclass(frozen=True, slots=True)
class CollocateRow:
    """A collocate: how often it is near the word, how often at all, and how much they attract (see `keyness`)."""

    word: str
    together: int
    frequency: int
    log_dice: float
    log_likelihood: float
    t_score: float
    mutual_information: float


@dataclass(frozen=True, slots=True)
class TrendRow:
    """A word or a question in one month. ``per_million``: in a million counted words of the month.

    ``month``: YYYY-MM, or ``undated`` for documents without a date.
    ``counted_as``: ``word``, or ``hits`` for what is no counted word: the hits of a question.
    """

    word: str
    month: str
    frequency: int
    per_million: float
    counted_as: str = WORD_ATTRIBUTE


@dataclass(frozen=True, slots=True)
class Sizes:
    """What a list was counted in."""

    documents: int
    tokens: int


def frequencies(manifest: Manifest, selected: Selection, most: int, how: CountingRules = AS_ONE) -> list[WordRow]:
    """Return the most frequent words of a selection."""
    cells = list(manifest.cells(selected, one_spelling=how.one_spelling))
    counted = totals(cells)
    order = np.argsort(-counted.frequencies, kind="stable")
    kept, texts = _kept(manifest, cells, counted.words[order], most, how)
    spread = dispersion(cells, counted.words[order[kept]])
    return [
        word_row(counted, at, texts[int(counted.words[at])], float(each))
        for at, each in zip(order[kept].tolist(), spread, strict=True)
    ]


def keywords(
    manifest: Manifest, selected: Selection, reference: Reference, most: int, how: CountingRules = AS_ONE
) -> list[KeyRow]:
    """Return the words that a selection has more of than a reference, by G2 and then by log ratio.

    The rest of the corpus is that in the same languages. Counts from elsewhere need one language.
    """
    cells = list(manifest.cells(selected, one_spelling=how.one_spelling))
    here = totals(cells)
    counted, there = _counted_there(manifest, selected, here, reference, how)
    if not here.tokens or not there:
        return []
    sure = log_likelihood(here.frequencies, counted, here.tokens, there)
    size = log_ratio(here.frequencies, counted, here.tokens, there)
    chosen = np.flatnonzero((size > 0) & (sure >= CRITICAL_G2) & (here.frequencies >= MIN_FREQUENCY))
    order = chosen[np.argsort(-sure[chosen], kind="stable")]
    kept, texts = _kept(manifest, cells, here.words[order], most, how)
    order = order[kept]
    spread = dispersion(cells, here.words[order])
    return [
        KeyRow(
            texts[int(here.words[at])],
            int(here.frequencies[at]),
            round(float(here.frequencies[at] * MILLION / here.tokens), 2),
            round(float(counted[at] * MILLION / there), 2),
            round(float(sure[at]), 2),
            round(float(size[at]), 2),
            round(float(each), 3),
        )
        for at, each in zip(order, spread, strict=True)
    ]


def _counted_there(
    manifest: Manifest, selected: Selection, here: Totals, reference: Reference, how: CountingRules
) -> tuple[npt.NDArray[np.int64], int]:
    """Return the frequencies in a reference of the words that are here, and the words of the reference."""
    if isinstance(reference, OutsideCounts):
        [language] = selected.languages
        there = reference.by_form(partial(how.form, language=language))
        counted = np.zeros(len(here.words), np.int64)
        # Rare words are no keywords, and most words are rare.
        places = np.flatnonzero(here.frequencies >= MIN_FREQUENCY)
        for start in range(0, len(places), _READ_AT_ONCE):
            part = places[start : start + _READ_AT_ONCE]
            texts = manifest.texts_of(here.words[part].tolist())
            counted[part] = [there.get(texts[int(word)], 0) for word in here.words[part]]
        return counted, reference.tokens
    others = same_languages(selected) if isinstance(reference, RestOfCorpus) else reference
    compared = totals(list(manifest.cells(others, one_spelling=how.one_spelling)))
    if isinstance(reference, RestOfCorpus):
        compared = _less(compared, here)
    return compared.frequency_of(here.words), compared.tokens


def _kept(
    manifest: Manifest, cells: Sequence[Cell], words: npt.NDArray[np.int64], most: int, how: CountingRules
) -> tuple[list[int], dict[int, str]]:
    """Return the places of the first words that are wanted, at most so many, and how each is spelled most often."""
    kept: list[int] = []
    for start in range(0, len(words), _READ_AT_ONCE):
        if len(kept) >= most:
            break
        part = words[start : start + _READ_AT_ONCE].tolist()
        texts = manifest.texts_of(part)
        kept += [start + at for at, word in enumerate(part) if not how.is_left_out(texts[word])]
    kept = kept[:most]
    chosen = words[np.array(kept, np.int64)].tolist()
    return kept, _spelled(manifest, cells, chosen) if how.one_spelling else manifest.texts_of(chosen)


def _spelled(manifest: Manifest, cells: Sequence[Cell], words: Sequence[int]) -> dict[int, str]:
    """Return the most frequent spelling of each word. Only counts of single spellings (`Cell.one` 0) decide."""
    others = manifest.spelled(words)
    spelled = {word: word for word in words}
    if others:
        counted = totals([cell for cell in cells if not cell.one])
        for form, spellings in others.items():
            ids = np.array([form, *spellings], np.int64)
            spelled[form] = int(ids[np.argmax(counted.frequency_of(ids))])
    texts = manifest.texts_of(spelled.values())
    return {word: texts[each] for word, each in spelled.items()}


def same_languages(selected: Selection) -> Selection:
    """Return the selection of all texts in the same languages."""
    return Selection(languages=selected.languages)


def shared_documents(manifest: Manifest, selected: Selection, reference: Reference) -> int:
    """Return how many documents of a selection are in its reference too: they make its keywords weaker."""
    if not isinstance(reference, Selection):
        return 0
    there = {cell.key for cell in manifest.sizes(reference)}
    return sum(cell.documents for cell in manifest.sizes(selected) if cell.key in there)


def why_empty(manifest: Manifest, selected: Selection, reference: Reference) -> str:
    """Say why there is no keyword: nothing to compare with, or no word that differs enough."""
    match reference:
        case OutsideCounts():
            compared = reference.tokens
        case RestOfCorpus():
            compared = sizes(manifest, same_languages(selected)).tokens - sizes(manifest, selected).tokens
        case _:
            compared = sizes(manifest, reference).tokens
    if not compared:
        return "There is nothing to compare with. Choose a site or a time, so that a rest remains."
    words = f"No word is {MIN_FREQUENCY} times there with a log-likelihood of {CRITICAL_G2} or more."
    return f"{words} Choose more texts, or another reference."


def why_no_collocate(asked: Question, rules: CollocationRules) -> str:
    """Say why a question has no collocate, and which command shows its places."""
    side = "" if rules.side == BOTH else f" to the {rules.side}"
    found = f"No word stands {rules.min_frequency} times or more within {rules.window} words of it{side}."
    return f"{found} {_search_for(shown(asked))} shows its places."


def _search_for(question: str) -> str:
    """Return the command that shows the places of a question."""
    return f"`corpus-spider search {shlex.quote(question)}`"


def whole_months(selected: Selection) -> Selection:
    """Return a selection of whole months: words are counted by month."""
    since, until = selected.since, selected.until
    return replace(selected, since=since and f"{since[:7]}-01", until=until and f"{until[:7]}-31")


def trend(
    manifest: Manifest, selected: Selection, chosen: Sequence[str], how: CountingRules = AS_ONE
) -> list[TrendRow]:
    """Return the frequencies of some words in each month of the selection, months without them as 0.

    A word with wildcards is the sum of all counted words that it means, and each of their spellings is one.
    """
    counts: dict[str, Counter[str]] = {}
    tokens: Counter[str] = Counter()
    meant: dict[str, dict[str, npt.NDArray[np.int64]]] = {}
    patterns = {word for word in chosen if Term(word).is_pattern}
    for cell in manifest.cells(selected, one_spelling=how.one_spelling):
        language = cell.key.language
        if language not in meant:
            meant[language] = {word: _meant(manifest, word, language, how) for word in chosen}
        month = counts.setdefault(cell.key.month, Counter())
        tokens[cell.key.month] += cell.tokens
        for word, numbers in meant[language].items():
            # A cell that makes spellings one has no words of its own.
            if not cell.one or word not in patterns:
                month[word] += _frequency(cell, numbers)
    return [
        TrendRow(
            as_counted(word, ""), month, of_month[word], round(of_month[word] * MILLION / max(1, tokens[month]), 2)
        )
        for word in chosen
        for month, of_month in sorted(counts.items())
    ]


def _frequency(cell: Cell, words: npt.NDArray[np.int64]) -> int:
    """Return how often some words are in a cell, by their ids."""
    places = np.searchsorted(cell.words, words)
    is_here = places < len(cell.words)
    is_here[is_here] = cell.words[places[is_here]] == words[is_here]
    return int(cell.frequencies[places[is_here]].sum())


def _meant(manifest: Manifest, word: str, language: str, how: CountingRules) -> npt.NDArray[np.int64]:
    """Return the ids of the counted words that a word means in a language, with or without wildcards."""
    term = Term(word)
    if term.is_pattern:
        texts: Iterable[str] = [each for each in manifest.every_word() if term.matches(each, language)]
    else:
        texts = [how.form(as_counted(word, language), language)]
    return np.array(sorted(manifest.ids_by_text(texts).values()), np.int64)


def why_no_trend(rows: Sequence[TrendRow]) -> list[str]:
    """Say of each word or question of a trend that no month has it."""
    found = Counter[str]()
    for row in rows:
        found[row.word] += row.frequency
    return [f"No selected text has this: {word}" for word, frequency in found.items() if not frequency]


def sizes(manifest: Manifest, selected: Selection) -> Sizes:
    """Return the number of documents and words of a selection."""
    cells = manifest.sizes(selected)
    return Sizes(sum(cell.documents for cell in cells), sum(cell.tokens for cell in cells))


def word_row(counted: Totals, at: int, word: str, spread: float) -> WordRow:
    """Return the row of the word at a place of the counts. ``spread``: its dispersion."""
    frequency = int(counted.frequencies[at])
    return WordRow(
        word,
        frequency,
        round(frequency * MILLION / counted.tokens, 2),
        int(counted.appearances[at]),
        round(spread, 3),
    )


def _less(whole: Totals, part: Totals) -> Totals:
    """Return the counts of a whole without those of a part of it."""
    return Totals(
        whole.documents - part.documents,
        whole.tokens - part.tokens,
        whole.words,
        whole.frequencies - part.frequency_of(whole.words),
        whole.appearances,
    )
