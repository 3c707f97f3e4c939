"""Frequencies of lemmas. They are counted in the texts: the counts of the search index are of words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from corpus_spider.search.index.manifest import Cell, CellKey
from corpus_spider.words.counting import dispersion, totals
from corpus_spider.words.lists import SharedSpellings, WordTable, whole_months, word_row
from corpus_spider.words.request import NO_WORD, WordAnswer, counting_rules
from pipelines.text.annotation.annotated_text import annotated_tokens
from pipelines.text.annotation.annotator import LEMMA
from pipelines.text.annotation.choice import annotator_of, why_none
from pipelines.text.tokenizer import COMPOUND, tokenised
from pipelines.text.words import as_counted, words
from storage.documents.model import month_of
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from corpus_spider.words.lists import CountingRules, WordRow
    from corpus_spider.words.request import WordList
    from pipelines.text.annotation.annotator import Annotator
    from storage.corpus import Corpus
    from storage.documents.model import CorpusDocument
    from storage.documents.selection import Selection


@dataclass(slots=True)
class LemmaCell:
    """Counts of one language, site and month."""

    documents: int = 0
    tokens: int = 0
    frequencies: Counter[str] = field(default_factory=Counter)
    appearances: Counter[str] = field(default_factory=Counter)


def lemma_list(
    corpus: Corpus, selected: Selection, wanted: WordList, show: Callable[[int], None] = lambda _: None
) -> WordAnswer:
    """Return the most frequent lemmas of a selection. Documents in languages without lemmas are left out, with a note.

    Raises ConfigError if no selected language has lemmas, and if the library of a named language is missing. Without
    named languages a note says which library is missing, and the other languages are counted.
    """
    codes = sorted(selected.languages or (row.key for row in corpus.status().by_language))
    annotators: dict[str, Annotator] = {}
    others: list[str] = []
    missing: list[ConfigError] = []
    for code in codes:
        try:
            found = annotator_of(code)
        except ConfigError as error:
            if selected.languages:
                raise
            missing.append(error)
            others.append(f"{code}: not counted, because {error.what}: {error.do}")
            continue
        if found and LEMMA in found.attributes:
            annotators[code] = found
        else:
            others.append(why_none(code, "lemmas"))
    if missing and not annotators:
        raise missing[0]
    if not annotators:
        do = "Name a --language that docs/how-to/annotate.md lists with lemmas."
        raise ConfigError("no selected language has lemmas", where=", ".join(codes), do=do)
    how = counting_rules(wanted, tuple(annotators))
    spelled = SharedSpellings()
    chosen = whole_months(replace(selected, languages=tuple(annotators)))
    cells = count_lemmas(corpus.documents(chosen), annotators, how, spelled, show)
    notes = [*others, *(f"{code}: {each.description}" for code, each in annotators.items())]
    table = WordTable(
        sum(cell.documents for cell in cells.values()),
        sum(cell.tokens for cell in cells.values()),
        _rows(cells, wanted.limit, how, spelled),
        {code: each.description for code, each in annotators.items()},
    )
    return WordAnswer(table, NO_WORD, tuple(notes))


def count_lemmas(
    documents: Iterable[CorpusDocument],
    annotators: dict[str, Annotator],
    how: CountingRules,
    spelled: SharedSpellings,
    show: Callable[[int], None] = lambda _: None,
) -> dict[CellKey, LemmaCell]:
    """Return the counts of each language, site and month. ``spelled`` gets the spellings of each lemma."""
    cells: dict[CellKey, LemmaCell] = {}
    for number, document in enumerate(documents, 1):
        language = document.language
        counted = Counter[str]()
        for lemma in _lemmas(document, annotators[language]):
            word = as_counted(lemma, language)
            form = how.form(word, language)
            spelled.add(form, word)
            counted[form] += 1
        cell = cells.setdefault(CellKey(language, document.site, month_of(document.date)), LemmaCell())
        cell.documents += 1
        cell.tokens += counted.total()
        cell.frequencies.update(counted)
        cell.appearances.update(counted.keys())
        show(number)
    return cells


def _lemmas(document: CorpusDocument, annotator: Annotator) -> Iterator[str]:
    """Yield the lemma of each counted word of a document. A word whose lemma is not known is its own."""
    spans = words(document.language).unusual_spans
    for line in document.searched_lines:
        for token, annotation in annotated_tokens(tokenised(line, spans), annotator):
            if any(map(str.isalnum, token)):
                yield (annotation.lemma or token).replace(COMPOUND, " ")


def _rows(counts: dict[CellKey, LemmaCell], most: int, how: CountingRules, spelled: SharedSpellings) -> list[WordRow]:
    ids = {form: number for number, form in enumerate(sorted(spelled.counts))}
    cells = [_cell(key, cell, ids) for key, cell in sorted(counts.items())]
    counted = totals(cells)
    forms = sorted(ids)
    order = [
        at
        for at in np.argsort(-counted.frequencies, kind="stable").tolist()
        if not how.is_left_out(forms[int(counted.words[at])])
    ][:most]
    chosen = np.array(order, np.int64)
    spread = dispersion(cells, counted.words[chosen])
    return [
        word_row(counted, at, spelled.spelled(forms[int(counted.words[at])]), float(each))
        for at, each in zip(order, spread, strict=True)
    ]


def _cell(key: CellKey, cell: LemmaCell, ids: dict[str, int]) -> Cell:
    """Return counts as those of the search index, so that the same functions sum them."""
    forms = sorted(cell.frequencies, key=ids.__getitem__)
    return Cell(
        key,
        0,
        cell.documents,
        cell.tokens,
        np.array([ids[form] for form in forms], np.uint32),
        np.array([cell.frequencies[form] for form in forms], np.int64),
        np.array([cell.appearances[form] for form in forms], np.int64),
    )
