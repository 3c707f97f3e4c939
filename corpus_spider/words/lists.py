"""Word lists: frequencies, keywords against a reference, collocates of a word, trends by month."""

from __future__ import annotations

import shlex
from bisect import bisect_left, bisect_right
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np
from msgspec import UNSET, UnsetType

from corpus_spider.search.question.tree import is_exact, phrases
from corpus_spider.words.collocation_rules import BOTH, LEFT, MIN_FREQUENCY, RIGHT, USUAL, CollocationRules
from corpus_spider.words.counting import MILLION, Totals, dispersion, totals
from corpus_spider.words.keyness import (
    association,
    log_dice,
    log_likelihood,
    log_ratio,
    mutual_information,
    t_score,
)
from corpus_spider.words.outside_counts import OutsideCounts
from corpus_spider.words.references import Reference, RestOfCorpus
from pipelines.text.equal_letters import small
from pipelines.text.word_forms import letters
from pipelines.text.words import as_counted
from storage.documents.selection import Selection
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import numpy.typing as npt

    from corpus_spider.search.index.manifest import Cell, Manifest
    from corpus_spider.search.question.term import Term
    from corpus_spider.search.searching import SearchIndex
    from pipelines.text.words import Splitter, WordSplitter
    from storage.corpus import Corpus

MOST_DOCUMENTS = 2_000
"""Documents, the best ones, in which collocates are counted."""
_PAGE = 50
CRITICAL_G2 = 15.13
"""G2 of a keyword: p < .0001."""


_READ_AT_ONCE = 2_000


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


Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class WordTable(Generic[Row]):
    """Size of the selection, and the rows of the list."""

    documents: int
    tokens: int
    rows: Sequence[Row]
    annotations: Mapping[str, str] | UnsetType = UNSET
    """Which library gave the lemmas in each language, if lemmas were counted."""


@dataclass(slots=True)
class SharedSpellings:
    """Counts of words by the form that their spellings share. It remembers the spellings."""

    counts: Counter[str] = field(default_factory=Counter)
    spellings: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, form: str, word: str) -> None:
        """Count a word."""
        self.counts[form] += 1
        self.spellings.setdefault(form, Counter())[word] += 1

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
    return kept, _spelled(manifest, cells, chosen)


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


def why_no_collocate(text: str, rules: CollocationRules = USUAL) -> str:
    """Say why a word has no collocate, and which command shows its places."""
    side = "" if rules.side == BOTH else f" to the {rules.side}"
    found = f"No word stands {rules.min_frequency} times or more within {rules.window} words of it{side}."
    return f"{found} {_search_for(text)} shows its places."


def _search_for(text: str) -> str:
    """Return the command that finds words side by side as a phrase."""
    is_phrase = len(text.split()) > 1 and '"' not in text
    quoted = f'"{text}"' if is_phrase else text
    return f"`corpus-spider search {shlex.quote(quoted)}`"


def collocates(
    index: SearchIndex,
    corpus: Corpus,
    text: str,
    selected: Selection,
    most: int,
    documents: int = MOST_DOCUMENTS,
    how: CountingRules = AS_ONE,
    rules: CollocationRules = USUAL,
) -> list[CollocateRow]:
    """Return the words that stand near a word or phrase more than their frequency lets expect, best first.

    Counted within a line, in the best ``documents``. Words side by side in ``text`` are one phrase. A word that is near
    two places counts once.
    """
    question = index.parsed(text, as_phrase=True)
    if not is_exact(question):
        what = "collocates are of words and phrases, not of NEAR, gaps, tokens in square brackets or titles"
        raise ConfigError(what, where=text[:80], do="`search --order 1L` sorts the places of such a question.")
    wanted = [phrase.terms for phrase in phrases(question)]
    ids = index.find(question, whole_months(selected), most=documents).ids
    near = SharedSpellings()
    nodes = 0
    for start in range(0, len(ids), _PAGE):
        for document in corpus.documents.of_ids(ids[start : start + _PAGE]):
            splitters = index.made_with.splitter, index.made_with.words(document.language)
            for line in document.searched_lines:
                nodes += _count_near(line, splitters, wanted, near, document.language, how, rules)
    close = [
        word for word, together in near.counts.items() if together >= rules.min_frequency and not how.is_left_out(word)
    ]
    known = index.manifest.ids_by_text(close)
    whole = totals(list(index.manifest.cells(selected, one_spelling=how.one_spelling)))
    overall = whole.frequency_of(np.array([known.get(word, 0) for word in close], np.int64))
    together = np.array([near.counts[word] for word in close], np.int64)
    at_least = np.maximum(overall, together)
    # What was counted near the node is a part of the selection, and words may have been added to it since.
    around = near.counts.total()
    size = max(whole.tokens, around + 1)
    expected = around * at_least / size
    scores = {
        "log_dice": log_dice(together, nodes, at_least),
        "log_likelihood": association(together, around, at_least, size),
        "t_score": t_score(together, expected),
        "mutual_information": mutual_information(together, expected),
    }
    return [
        CollocateRow(
            near.spelled(close[at]),
            int(together[at]),
            int(overall[at]),
            **{name: round(float(each[at]), 2) for name, each in scores.items()},
        )
        for at in np.argsort(-scores[rules.measure], kind="stable")[:most]
    ]


def whole_months(selected: Selection) -> Selection:
    """Return a selection of whole months: words are counted by month."""
    since, until = selected.since, selected.until
    return replace(selected, since=since and f"{since[:7]}-01", until=until and f"{until[:7]}-31")


def trend(
    manifest: Manifest, selected: Selection, chosen: Sequence[str], how: CountingRules = AS_ONE
) -> list[TrendRow]:
    """Return the frequencies of some words in each month of the selection, months without them as 0."""
    counts: dict[str, Counter[str]] = {}
    tokens: Counter[str] = Counter()
    ids: dict[str, dict[str, int]] = {}
    for cell in manifest.cells(selected, one_spelling=how.one_spelling):
        language = cell.key.language
        if language not in ids:
            forms = {word: how.form(as_counted(word, language), language) for word in chosen}
            known = manifest.ids_by_text(forms.values())
            ids[language] = {word: known.get(form, 0) for word, form in forms.items()}
        month = counts.setdefault(cell.key.month, Counter())
        tokens[cell.key.month] += cell.tokens
        for word, number in ids[language].items():
            place = np.searchsorted(cell.words, number)
            if place < len(cell.words) and cell.words[place] == number:
                month[word] += int(cell.frequencies[place])
    return [
        TrendRow(
            as_counted(word, ""), month, of_month[word], round(of_month[word] * MILLION / max(1, tokens[month]), 2)
        )
        for word in chosen
        for month, of_month in sorted(counts.items())
    ]


def why_no_trend(rows: Sequence[TrendRow]) -> list[str]:
    """Say of each word of a trend that no month has it, and which command shows its places."""
    found = Counter[str]()
    for row in rows:
        found[row.word] += row.frequency
    return [
        f'"{word}" is not a counted word here. {_search_for(word)} shows its places in the texts.'
        for word, frequency in found.items()
        if not frequency
    ]


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


def _count_near(
    line: str,
    splitters: tuple[Splitter, WordSplitter],
    wanted: Sequence[tuple[Term, ...]],
    near: SharedSpellings,
    language: str,
    how: CountingRules,
    rules: CollocationRules,
) -> int:
    """Add the words near the places of the wanted phrases in a line. Return the number of places.

    A phrase is of searched units. Its neighbours are counted words, without those that it shares letters with.
    """
    units = splitters[0].spans(line)
    texts = [small(line[start:end], language) for start, end in units]
    places = [
        (units[at][0], units[at + len(terms) - 1][1])
        for at in range(len(texts))
        for terms in wanted
        if at + len(terms) <= len(texts) and all(term.matches(texts[at + n], language) for n, term in enumerate(terms))
    ]
    if not places:
        return 0
    words = splitters[1].spans(line)
    starts, ends = [start for start, _ in words], [end for _, end in words]
    around: set[int] = set()
    for start, end in places:
        before, after = bisect_right(ends, start), bisect_left(starts, end)
        if rules.side != RIGHT:
            around.update(range(max(0, before - rules.window), before))
        if rules.side != LEFT:
            around.update(range(after, min(len(words), after + rules.window)))
    for at in around:
        word = as_counted(line[slice(*words[at])], language)
        near.add(how.form(word, language), word)
    return len(places)
