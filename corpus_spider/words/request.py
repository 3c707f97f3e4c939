"""Request of a word list: which list of which documents."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from corpus_spider.search.hits.hit_counts import SEARCHED_TOKENS
from corpus_spider.words import lists
from corpus_spider.words.collocates import MAX_DOCUMENTS, collocates
from corpus_spider.words.collocation_rules import USUAL, CollocationRules
from corpus_spider.words.hit_trends import trends
from corpus_spider.words.lists import CountingRules, WordTable
from corpus_spider.words.ngrams.ngram_counts import count_ngrams
from corpus_spider.words.ngrams.ngram_rules import UNITS_NOTE, require_possible
from pipelines.quality.stop_word_lists import stop_forms_of
from storage.errors import ConfigError
from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corpus_spider.search.searching import SearchIndex
    from corpus_spider.words.lists import Sizes
    from corpus_spider.words.references import Reference
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
    """Words, or questions, to count in each month."""
    without_stop_words: bool = False
    limit: int = 50
    spelling: str = ONE
    searched: int = MAX_DOCUMENTS
    """Documents in which collocates are counted, at most."""
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


def word_list(index: SearchIndex, selected: Selection, wanted: WordList) -> WordAnswer:
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
    if wanted.around and found.tokens:
        return _collocates(index, selected, wanted, found)
    rows = _rows_of(index, selected, wanted) if found.tokens else ()
    why = NO_WORD
    if not rows and wanted.against:
        why = lists.why_empty(index.manifest, selected, wanted.against)
    return WordAnswer(WordTable(found.documents, found.tokens, rows), why, tuple(_notes(index, selected, wanted)))


def _notes(index: SearchIndex, selected: Selection, wanted: WordList) -> list[str]:
    """Return how the words of a list are counted."""
    languages = selected.languages or tuple(index.manifest.languages())
    notes = index.made_with.notes(languages)
    shared = lists.shared_documents(index.manifest, selected, wanted.against) if wanted.against else 0
    if shared:
        notes = [*notes, f"The reference has {counted(shared, 'document')} of the selection too."]
    return [*notes, *_unknown_stop_words(languages)] if wanted.without_stop_words else notes


def _collocates(index: SearchIndex, selected: Selection, wanted: WordList, sizes: Sizes) -> WordAnswer:
    wanted.near.require_possible()
    how = counting_rules(wanted, _stop_word_languages(index, selected, wanted))
    found = collocates(index, wanted.around, selected, wanted.limit, wanted.searched, how, wanted.near)
    notes = _notes(index, selected, wanted)
    if found.documents < found.found:
        read = f"counted in {found.documents:,} of the {counted(found.found, 'document')} that have the words"
        notes.append(f"Collocates are {read}.")
    why = lists.why_no_collocate(index.parsed(wanted.around, as_phrase=True), wanted.near)
    return WordAnswer(WordTable(sizes.documents, sizes.tokens, found.rows), why, tuple(notes))


def _stop_word_languages(index: SearchIndex, selected: Selection, wanted: WordList) -> Sequence[str]:
    """Return the languages whose stop words are left out, if they are."""
    return selected.languages or (tuple(index.manifest.languages()) if wanted.without_stop_words else ())


def _ngrams(index: SearchIndex, selected: Selection, wanted: WordList) -> WordAnswer:
    require_possible(wanted.ngrams)
    wanted.near.require_possible()
    if wanted.without_stop_words or wanted.spelling != ONE:
        what = "n-grams are counted with all words, and each spelling by itself"
        raise ConfigError(what, where="ngrams", do="Leave the stop words and the spelling out.")
    texts = index.texts("", lists.whole_months(selected))
    table = count_ngrams(texts, wanted.ngrams, wanted.limit, wanted.near.min_frequency)
    return WordAnswer(replace(table, unit=SEARCHED_TOKENS), NO_NGRAM, (UNITS_NOTE,))


def _rows_of(index: SearchIndex, selected: Selection, wanted: WordList) -> Sequence[Any]:
    """Return the rows of frequencies, keywords or trends. Raises ConfigError for rules that are none."""
    how = counting_rules(wanted, _stop_word_languages(index, selected, wanted))
    if wanted.against:
        return lists.keywords(index.manifest, selected, wanted.against, wanted.limit, how)
    if wanted.trends:
        return trends(index, selected, wanted.trends, how)
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
