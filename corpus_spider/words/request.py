"""Request of a word list: which list of which documents."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from corpus_spider.words import lists
from corpus_spider.words.collocation_rules import USUAL, CollocationRules
from corpus_spider.words.lists import CountingRules, WordTable
from corpus_spider.words.ngram_rules import UNITS_NOTE, require_possible
from corpus_spider.words.ngrams import count_ngrams
from pipelines.quality.stop_word_lists import stop_forms_of
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corpus_spider.search.searching import SearchIndex
    from corpus_spider.words.references import Reference
    from storage.corpus import Corpus
    from storage.documents.selection import Selection

ONE, EXACT = "one", "exact"
SPELLINGS = (ONE, EXACT)
"""Spellings of a word count as one row, by the equal letters of the language, or each as its own."""
NO_DOCUMENT = "no document in the index matches"
NO_WORD = "No word passes the thresholds."
NO_NGRAM = "No n-gram is so frequent. A smaller least frequency lists more."


@dataclass(frozen=True, slots=True)
class WordList:
    """Request of a list: keywords against a reference, collocates of a word, n-grams, trends, else frequencies."""

    against: Reference | None = None
    around: str = ""
    trends: tuple[str, ...] = ()
    """Words to count in each month."""
    without_stop_words: bool = False
    limit: int = 50
    spelling: str = ONE
    searched: int = lists.MOST_DOCUMENTS
    """Documents in which collocates are counted."""
    near: CollocationRules = USUAL
    """How collocates are counted. Its least frequency is that of n-grams too."""
    ngrams: int = 0
    """Units of the n-grams to list instead of words."""


@dataclass(frozen=True, slots=True)
class WordAnswer:
    """A list with the size of its selection, why the list is empty, and sentences on how it was counted."""

    table: WordTable[Any]
    why_empty: str
    notes: tuple[str, ...]


def word_list(index: SearchIndex, corpus: Corpus, selected: Selection, wanted: WordList) -> WordAnswer:
    """Return a list of the words of a selection. It has no rows if no text of the index is selected.

    Raises ConfigError for a selection by what has no counts, and for rules of collocates without a word.
    """
    usual = replace(USUAL, min_frequency=wanted.near.min_frequency) if wanted.ngrams else USUAL
    if wanted.near != usual and not wanted.around:
        what = "window, side, min_frequency and measure are for collocates, and no word is named"
        do = "Name the word with around. A least frequency is for n-grams too."
        raise ConfigError(what, where="words", do=do)
    found = lists.sizes(index.manifest, selected)
    if wanted.ngrams and found.tokens:
        return _ngrams(index, selected, wanted)
    rows = rows_of(index, corpus, selected, wanted) if found.tokens else ()
    why = NO_WORD
    if not rows and wanted.against:
        why = lists.why_empty(index.manifest, selected, wanted.against)
    elif not rows and wanted.around:
        why = lists.why_no_collocate(wanted.around, wanted.near)
    languages = selected.languages or tuple(index.manifest.languages())
    notes = index.made_with.notes(languages)
    if wanted.without_stop_words:
        notes = [*notes, *_unknown_stop_words(languages)]
    return WordAnswer(WordTable(found.documents, found.tokens, rows), why, tuple(notes))


def _ngrams(index: SearchIndex, selected: Selection, wanted: WordList) -> WordAnswer:
    require_possible(wanted.ngrams)
    wanted.near.require_possible()
    if wanted.without_stop_words or wanted.spelling != ONE:
        what = "n-grams are counted with all words, and each spelling by itself"
        raise ConfigError(what, where="ngrams", do="Leave the stop words and the spelling out.")
    read = partial(index.blocks, "", lists.whole_months(selected))
    table = count_ngrams(read, wanted.ngrams, wanted.limit, wanted.near.min_frequency)
    return WordAnswer(table, NO_NGRAM, (UNITS_NOTE,))


def rows_of(index: SearchIndex, corpus: Corpus, selected: Selection, wanted: WordList) -> Sequence[Any]:
    """Return the rows of a list, of one of the types in `lists`. Raises ConfigError for rules that are none."""
    languages = selected.languages or (tuple(index.manifest.languages()) if wanted.without_stop_words else ())
    how = counting_rules(wanted, languages)
    if wanted.against:
        return lists.keywords(index.manifest, selected, wanted.against, wanted.limit, how)
    if wanted.around:
        wanted.near.require_possible()
        return lists.collocates(index, corpus, wanted.around, selected, wanted.limit, wanted.searched, how, wanted.near)
    if wanted.trends:
        return lists.trend(index.manifest, selected, wanted.trends, how)
    return lists.frequencies(index.manifest, selected, wanted.limit, how)


def counting_rules(wanted: WordList, languages: Sequence[str]) -> CountingRules:
    """Return how a list counts. Stop words are those of the languages. ConfigError for rules that are none."""
    if wanted.spelling not in SPELLINGS:
        do = f"Write one of {', '.join(SPELLINGS)}."
        raise ConfigError(f"expected a way to count spellings, got {wanted.spelling!r:.60}", where="spelling", do=do)
    if not wanted.without_stop_words:
        return CountingRules(wanted.spelling == ONE)
    if wanted.trends:
        what = "stop words are left out of lists, and not of the words that you name"
        raise ConfigError(what, where="stop words", do="Leave one of the two out.")
    return CountingRules(wanted.spelling == ONE, {code: stop_forms_of(code) for code in languages})


def _unknown_stop_words(languages: Sequence[str]) -> list[str]:
    """Return a sentence for each language of which no stop words are known, so that none are left out."""
    return [f"{code}: no stop words are known, and none are left out." for code in languages if not stop_forms_of(code)]
