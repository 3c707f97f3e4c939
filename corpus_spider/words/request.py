"""Request of a word list: which list of which documents."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpus_spider.config.loader import load
from corpus_spider.config.selections import NAMED, selection_of
from corpus_spider.words import lists
from corpus_spider.words.lists import CollocationRules, CountingRules, Reference, WordTable
from corpus_spider.words.outside_counts import OutsideCounts, read_corpus, read_list
from pipelines.quality.stop_word_lists import stop_forms_of
from storage.documents.selection import COUNTS, Day, Texts, honoured
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from corpus_spider.search.searching import SearchIndex
    from storage.corpus import Corpus
    from storage.documents.selection import Selection

REST = "rest"
OF_LIST, OF_CORPUS = "list", "corpus"
"""Keys of a reference from elsewhere: a file of words and frequencies, the folder of another corpus."""
ONE, EXACT = "one", "exact"
SPELLINGS = (ONE, EXACT)
"""Spellings of a word count as one row, by the equal letters of the language, or each as its own."""
NO_DOCUMENT = "no document in the index matches"
NO_WORD = "No word passes the thresholds."


@dataclass(frozen=True, slots=True)
class WordList:
    """Request of a list: keywords against a reference, collocates around a word, trends of words, else frequencies."""

    against: str = ""
    around: str = ""
    trends: tuple[str, ...] = ()
    """Words to count in each month."""
    without_stop_words: bool = False
    limit: int = 50
    spelling: str = ONE
    searched: int = lists.MOST_DOCUMENTS
    """Documents in which collocates are counted."""
    named: Mapping[str, Selection] = field(default_factory=dict)
    """Selections that ``against`` may name."""
    near: CollocationRules = lists.USUAL
    """How collocates are counted."""


@dataclass(frozen=True, slots=True)
class WordAnswer:
    """A list with the size of its selection, why the list is empty, and sentences on how it was counted."""

    table: WordTable[Any]
    why_empty: str
    notes: tuple[str, ...]


def word_list(
    index: SearchIndex, corpus: Corpus, selected: Selection, wanted: WordList, place: str = "--against"
) -> WordAnswer:
    """Return a list of the words of a selection. It has no rows if no text of the index is selected.

    Only collocates honour dimensions of the selection that have no counts. ``place`` names the option of the reference
    in errors.
    """
    sized = selected.only(COUNTS) if wanted.around else selected
    found = lists.sizes(index.manifest, sized)
    rows = rows_of(index, corpus, selected, wanted, place) if found.tokens else ()
    why = NO_WORD
    if not rows and wanted.against:
        why = lists.why_empty(index.manifest, selected, reference_of(wanted.against, selected, place, wanted.named))
    elif not rows and wanted.around:
        why = lists.why_no_collocate(wanted.around, wanted.near)
    languages = selected.languages or tuple(index.manifest.languages())
    notes = index.made_with.notes(languages)
    if wanted.without_stop_words:
        notes = [*notes, *_unknown_stop_words(languages)]
    return WordAnswer(WordTable(found.documents, found.tokens, rows), why, tuple(notes))


def rows_of(
    index: SearchIndex, corpus: Corpus, selected: Selection, wanted: WordList, place: str = "--against"
) -> Sequence[Any]:
    """Return the rows of a list, of one of the types in `lists`. Raises ConfigError for an invalid reference.

    ``place`` names the option of the reference in the error.
    """
    how = _counting(index, selected, wanted)
    if wanted.against:
        reference = reference_of(wanted.against, selected, place, wanted.named)
        return lists.keywords(index.manifest, selected, reference, wanted.limit, how)
    if wanted.around:
        near = collocation_rules(wanted.near)
        return lists.collocates(index, corpus, wanted.around, selected, wanted.limit, wanted.searched, how, near)
    if wanted.trends:
        return lists.trend(index.manifest, selected, wanted.trends, how)
    return lists.frequencies(index.manifest, selected, wanted.limit, how)


def collocation_rules(rules: CollocationRules) -> CollocationRules:
    """Return rules whose values are possible. Raises ConfigError."""
    for where, value, known in (("side", rules.side, lists.SIDES), ("measure", rules.measure, lists.MEASURES)):
        if value not in known:
            raise ConfigError(
                f"expected one of {', '.join(known)}, got {value!r:.60}", where=where, do=f"Write {known[0]}."
            )
    for where, number, most in (("window", rules.window, lists.MAX_WINDOW), ("min_frequency", rules.least, 10**9)):
        if not isinstance(number, int) or not 1 <= number <= most:
            raise ConfigError(f"expected a number from 1 to {most:,}, got {number!r:.60}", where=where, do="Change it.")
    return rules


def _counting(index: SearchIndex, selected: Selection, wanted: WordList) -> CountingRules:
    """Return how a list counts. Without a selected language, stop words are those of all languages of the index."""
    if wanted.spelling not in SPELLINGS:
        do = f"Write one of {', '.join(SPELLINGS)}."
        raise ConfigError(f"expected a way to count spellings, got {wanted.spelling!r:.60}", where="spelling", do=do)
    if not wanted.without_stop_words:
        return CountingRules(wanted.spelling == ONE)
    if wanted.trends:
        what = "stop words are left out of lists, and not of the words that you name"
        raise ConfigError(what, where="stop words", do="Leave one of the two out.")
    languages = selected.languages or tuple(index.manifest.languages())
    return CountingRules(wanted.spelling == ONE, {code: stop_forms_of(code) for code in languages})


def _unknown_stop_words(languages: Sequence[str]) -> list[str]:
    """Return a sentence for each language of which no stop words are known, so that none are left out."""
    return [f"{code}: no stop words are known, and none are left out." for code in languages if not stop_forms_of(code)]


def reference_of(text: str, selected: Selection, place: str, named: Mapping[str, Selection] | None = None) -> Reference:
    """Return the reference that a text describes; None for the rest of the corpus. Raises ConfigError for another text.

    ``place`` names the option in the error, ``named`` are the selections of corpus.toml.
    """
    if text.strip() == REST:
        return None
    kind, _, path = text.partition("=")
    if kind in {OF_LIST, OF_CORPUS}:
        return _outside(kind, path, selected, place)
    known = {NAMED: "NAME"} | {e.name: "YYYY-MM" if e.kind == Day else e.metavar for e in honoured(COUNTS)}
    texts = {each.name for each in honoured(COUNTS) if each.kind == Texts}
    given: dict[str, Any] = {}
    for part in text.replace(",", " ").split():
        key, equals, value = part.partition("=")
        if not equals or key not in known or not value:
            keys = " ".join(f"{name}={form}" for name, form in known.items())
            do = f"Write rest, list=FILE, corpus=FOLDER, or a selection by {keys}."
            raise ConfigError(f'expected a selection, got "{part[:60]}"', where=place, do=do)
        given[key] = (*given.get(key, ()), value) if key in texts else value
    try:
        reference = selection_of(given, named or {})
        reference.require(COUNTS)
    except ConfigError as error:
        raise ConfigError(f"{error.where}: {error.what}", where=place, do=error.do) from None
    return reference if reference.languages else replace(reference, languages=selected.languages)


def _outside(kind: str, path: str, selected: Selection, place: str) -> OutsideCounts:
    """Return the counts of a list or of another corpus, in the one language of the selection."""
    if len(selected.languages) != 1:
        do = "Name one language with --language."
        raise ConfigError("a reference from elsewhere is compared with one language", where=place, do=do)
    if not path:
        what = f"expected {kind}={'FILE' if kind == OF_LIST else 'FOLDER'}"
        raise ConfigError(what, where=place, do="Name it.")
    try:
        named = Path(path).expanduser()
        named.exists()
    except (RuntimeError, ValueError, OSError) as error:
        raise ConfigError(f"is no path: {error}", where=f"{place} {kind}", do="Name a file or folder.") from None
    return read_list(named) if kind == OF_LIST else read_corpus(load(named).index_folder, selected.languages[0])
