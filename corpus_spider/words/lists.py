"""Word lists: frequencies, keywords against a reference, collocates of a word, trends by month."""

from __future__ import annotations

import shlex
from bisect import bisect_left, bisect_right
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from corpus_spider.search.question import parse, phrases
from corpus_spider.words.counting import MILLION, Totals, dispersion, totals
from corpus_spider.words.keyness import log_dice, log_likelihood, log_ratio
from pipelines.text.words import as_counted, splitter, words

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from corpus_spider.search.manifest import Manifest, Selected
    from corpus_spider.search.question import Term
    from corpus_spider.search.searching import SearchIndex
    from corpus_spider.search.shard import Filters
    from pipelines.text.words import Words
    from storage.corpus import Corpus

LEAST = 5
"""Frequency from which on a word is a keyword or collocate."""
WINDOW = 5
"""Words to each side of a word in which its collocates are counted."""
MOST_DOCUMENTS = 2_000
"""Documents, the best ones, in which collocates are counted."""
_PAGE = 50
CRITICAL = 15.13
"""G2 of a keyword: p < .0001."""


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
    """A collocate: how often it is near the word, how often at all, and logDice."""

    word: str
    together: int
    frequency: int
    log_dice: float


@dataclass(frozen=True, slots=True)
class TrendRow:
    """A word in one month."""

    word: str
    month: str
    frequency: int
    per_million: float


@dataclass(frozen=True, slots=True)
class Sizes:
    """What a list was counted in."""

    documents: int
    tokens: int


def frequencies(manifest: Manifest, selected: Selected, most: int, without: Collection[str] = ()) -> list[WordRow]:
    """Return the most frequent words of a selection, except some."""
    cells = list(manifest.cells(selected))
    counted = totals(cells)
    order = np.argsort(-counted.frequencies, kind="stable")[: most + len(without)]
    texts = manifest.texts_of(counted.words[order].tolist())
    kept = [at for at in order.tolist() if texts[int(counted.words[at])] not in without][:most]
    spread = dispersion(cells, counted.words[np.array(kept, np.int64)])
    return [_row(counted, at, texts, float(each)) for at, each in zip(kept, spread, strict=True)]


def keywords(manifest: Manifest, selected: Selected, reference: Selected | None, most: int) -> list[KeyRow]:
    """Return the words that a selection has more of than a reference, by G2 and then by log ratio.

    ``reference``: None for the rest of the corpus in the same languages.
    """
    cells = list(manifest.cells(selected))
    here = totals(cells)
    there = totals(list(manifest.cells(reference or selected.widened())))
    if reference is None:
        there = _less(there, here)
    if not here.tokens or not there.tokens:
        return []
    counted = there.frequency_of(here.words)
    sure = log_likelihood(here.frequencies, counted, here.tokens, there.tokens)
    size = log_ratio(here.frequencies, counted, here.tokens, there.tokens)
    chosen = np.flatnonzero((size > 0) & (sure >= CRITICAL) & (here.frequencies >= LEAST))
    order = chosen[np.argsort(-sure[chosen], kind="stable")][:most]
    texts = manifest.texts_of(here.words[order].tolist())
    spread = dispersion(cells, here.words[order])
    return [
        KeyRow(
            texts[int(here.words[at])],
            int(here.frequencies[at]),
            round(float(here.frequencies[at] * MILLION / here.tokens), 2),
            round(float(counted[at] * MILLION / there.tokens), 2),
            round(float(sure[at]), 2),
            round(float(size[at]), 2),
            round(float(each), 3),
        )
        for at, each in zip(order, spread, strict=True)
    ]


def why_empty(manifest: Manifest, selected: Selected, reference: Selected | None) -> str:
    """Say why there is no keyword: nothing to compare with, or no word that differs enough."""
    compared = sizes(manifest, reference or selected.widened()).tokens
    if reference is None:
        compared -= sizes(manifest, selected).tokens
    if not compared:
        return "There is nothing to compare with. Choose a site or a time, so that a rest remains."
    words = f"No word is {LEAST} times there with a log-likelihood of {CRITICAL} or more."
    return f"{words} Choose more texts, or another reference."


def why_no_collocate(text: str) -> str:
    """Say why a word has no collocate, and which command shows its places."""
    near = f"within {WINDOW} words of it"
    return f"No word stands {LEAST} times or more {near}. `corpus-spider search {shlex.quote(text)}` shows its places."


def collocates(
    index: SearchIndex,
    corpus: Corpus,
    text: str,
    filters: Filters,
    selected: Selected,
    most: int,
    documents: int = MOST_DOCUMENTS,
) -> list[CollocateRow]:
    """Return the words that stand near a word or phrase more than their frequency lets expect, by logDice.

    Counted within a line, `WINDOW` words to each side, in the best ``documents``.
    """
    question = parse(text, splitter())
    wanted = [phrase.terms for phrase in phrases(question)]
    ids = index.find(text, filters, most=documents).ids
    near: Counter[str] = Counter()
    nodes = 0
    for start in range(0, len(ids), _PAGE):
        for document in corpus.documents.of_ids(ids[start : start + _PAGE]):
            counter = words(document.language)
            for line in (document.title or "", *document.text.split("\n")):
                nodes += _count_near(line, counter, wanted, near)
    close = [word for word, together in near.items() if together >= LEAST]
    known = index.manifest.ids_by_text(close)
    counted = totals(list(index.manifest.cells(selected)))
    numbers = np.array([known.get(word, 0) for word in close], np.int64)
    overall = counted.frequency_of(numbers)
    together = np.array([near[word] for word in close], np.int64)
    scores = log_dice(together, nodes, np.maximum(overall, together))
    order = np.argsort(-scores, kind="stable")[:most]
    return [CollocateRow(close[at], int(together[at]), int(overall[at]), round(float(scores[at]), 2)) for at in order]


def trend(manifest: Manifest, selected: Selected, chosen: Sequence[str]) -> list[TrendRow]:
    """Return the frequencies of some words in each month of the selection, months without them as 0."""
    small = [as_counted(word) for word in chosen]
    known = manifest.ids_by_text(small)
    counts: dict[str, Counter[str]] = {}
    tokens: Counter[str] = Counter()
    for cell in manifest.cells(selected):
        month = counts.setdefault(cell.key.month, Counter())
        tokens[cell.key.month] += cell.tokens
        for word in small:
            place = np.searchsorted(cell.words, known.get(word, 0))
            if place < len(cell.words) and cell.words[place] == known.get(word, 0):
                month[word] += int(cell.frequencies[place])
    return [
        TrendRow(word, month, of_month[word], round(of_month[word] * MILLION / max(1, tokens[month]), 2))
        for word in small
        for month, of_month in sorted(counts.items())
    ]


def why_no_trend(rows: Sequence[TrendRow]) -> list[str]:
    """Say of each word of a trend that no month has it, and which command shows its places."""
    found = Counter[str]()
    for row in rows:
        found[row.word] += row.frequency
    return [
        f'"{word}" is not a counted word here. `corpus-spider search {shlex.quote(word)}` finds phrases.'
        for word, frequency in found.items()
        if not frequency
    ]


def sizes(manifest: Manifest, selected: Selected) -> Sizes:
    """Return the number of documents and words of a selection."""
    cells = manifest.sizes(selected)
    return Sizes(sum(cell.documents for cell in cells), sum(cell.tokens for cell in cells))


def _row(counted: Totals, at: int, texts: Mapping[int, str], spread: float) -> WordRow:
    frequency = int(counted.frequencies[at])
    return WordRow(
        texts[int(counted.words[at])],
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


def _count_near(line: str, counter: Words, wanted: Sequence[tuple[Term, ...]], near: Counter[str]) -> int:
    """Add the words near each place of the wanted phrases in a line. Return the number of places.

    A phrase is of searched units. Its neighbours are counted words, without those that it shares letters with.
    """
    units = splitter().spans(line)
    texts = [line[start:end].casefold() for start, end in units]
    places = [
        (units[at][0], units[at + len(terms) - 1][1])
        for at in range(len(texts))
        for terms in wanted
        if at + len(terms) <= len(texts) and all(term.matches(texts[at + n]) for n, term in enumerate(terms))
    ]
    if not places:
        return 0
    counted = counter.spans(line)
    starts, ends = [start for start, _ in counted], [end for _, end in counted]
    for start, end in places:
        before, after = bisect_right(ends, start), bisect_left(starts, end)
        around = [*counted[max(0, before - WINDOW) : before], *counted[after : after + WINDOW]]
        near.update(as_counted(line[a:b]) for a, b in around)
    return len(places)
