"""Answer a question with a page of lines in context, and with what cites and counts them."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from corpus_spider.config.version import program_version
from corpus_spider.search.hits.citation import citation
from corpus_spider.search.hits.concordance_rules import (
    ALL_LINES,
    DAY,
    RANK,
    SORTED_DOCUMENTS,
    SORTED_LINES,
    UNIQUE_DOCUMENTS,
    WantedLines,
    sort_places,
)
from corpus_spider.search.hits.hit_counts import COUNT_SECONDS, HitCounts, HitTally
from corpus_spider.search.hits.hit_sample import HitSample
from corpus_spider.search.hits.line_reader import ConcordancePlace, LineReader, each_once, sorted_by_words
from corpus_spider.search.hits.similar_names import similar_names
from corpus_spider.search.index.builder import REFRESHED
from corpus_spider.search.question.tree import (
    Conjunction,
    FieldValue,
    Negation,
    attributes,
    field_values,
    shown,
    side_by_side,
)
from corpus_spider.search.searching import FoundDocuments
from pipelines.text.collation import sort_key
from pipelines.text.tokenizer import SPACED_WORDS
from storage.documents.model import UNDATED
from storage.documents.selection import Texts
from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from corpus_spider.search.index import shard
    from corpus_spider.search.question.tree import Question
    from corpus_spider.search.searching import SearchIndex
    from storage.corpus import Corpus
    from storage.documents.selection import Selection

MAX_SHOWN_GROUPS = 12
"""Sites or months whose numbers are shown beside a concordance."""


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """Answer to a question. ``documents``: their number, also those whose lines are not among ``places``.

    ``lines``: number of lines on all pages. These are all hits, those of the sorted documents, or those of the sample.
    Null: not counted within its time, or equal lines are left out. ``first``: number of the first line of this page,
    from 1. ``has_more``: whether a page comes after it.
    """

    documents: int
    places: tuple[ConcordancePlace, ...]
    read: int
    """Documents that the lines were looked for in."""
    groups: dict[str, dict[str, int]]
    """Number of documents by each of `shard.GROUPS`. Those without a date have the month `UNDATED`."""
    counts: HitCounts
    searched: str = ""
    """The question as it was understood."""
    cite: str = ""
    """A line to copy that says what the answer is about."""
    lines: int | None = None
    first: int = 1
    has_more: bool = False
    absent: tuple[str, ...] = ()
    """Values of fields in the question and the selection that no document of the index has: ``author:Oakes``."""
    similar: tuple[str, ...] = ()
    """Authors of the index whose names are similar to those that are absent."""

    def main_groups(self, name: str) -> list[tuple[str, int]]:
        """Return the last `MAX_SHOWN_GROUPS` months, or so many of the other groups with the most documents.

        The documents without a date are a row more behind the months.

        >>> many = {f"site{number}": 20 - number for number in range(20)}
        >>> none = HitCounts(0, True, None, None, {}, {})
        >>> SearchAnswer(20, (), 20, {"site": many}, none).main_groups("site")[0]
        ('site0', 20)
        """
        every = list(self.groups.get(name, {}).items())
        if name != "month":
            return every[:MAX_SHOWN_GROUPS]
        undated = [each for each in every if each[0] == UNDATED]
        return [*every[: len(every) - len(undated)][-MAX_SHOWN_GROUPS:], *undated]

    def other_groups(self, name: str) -> int:
        """Return the number of groups that are not among `main_groups`."""
        return len(self.groups.get(name, {})) - len(self.main_groups(name))


def answered(
    index: SearchIndex,
    corpus: Corpus,
    text: str,
    selection: Selection,
    wanted: WantedLines = ALL_LINES,
    *,
    name: str = "",
    seconds: float = COUNT_SECONDS,
) -> SearchAnswer:
    """Answer a question with a page of lines in context.

    ``name``: of the corpus, for the line that cites the answer. ``seconds``: time in which the hits are counted,
    and the sample is taken.
    """
    question = index.parsed(text)
    sample = HitSample(wanted.sample, wanted.seed) if wanted.sample else None
    first = _documents_at_first(wanted)
    results = index.results(question, selection, most=first, order=wanted.order)
    found = FoundDocuments.of(results, 0 if wanted.is_of_all and wanted.skipped else first)
    if sample:
        tally = HitTally()
        tally.add_all(sample.passing(index.hits(question, selection)), time.monotonic() + seconds)
        counts = index.counts(tally, question, selection)
    else:
        counts = index.count_hits(question, selection, seconds)
    indexed = partial(index.indexed_places, question, selection)
    reader = LineReader(corpus, question, index.made_with.splitter, indexed, wanted.context)
    # One line more says whether there is a page after this one.
    most = wanted.most + 1
    number: int | None = None
    if wanted.is_of_all:
        number = counts.hits if counts.is_complete else None
        places = _page(index, reader, found, results, selection, wanted)
    elif sample and not wanted.unique and wanted.order == RANK:
        number = len(sample.hits)
        places = reader.sampled(sample.hits[wanted.skipped : wanted.skipped + most])
    elif sample or sort_places(wanted.order):
        every = _in_order(reader, found, wanted, sample)
        number = len(every)
        places = every[wanted.skipped : wanted.skipped + most]
    else:
        once = each_once(reader.every(found.ids, SORTED_LINES))
        places = list(islice(once, wanted.skipped, wanted.skipped + most))
    searched = _understood(index, question, selection, found, seconds)
    made = index.manifest.settings().get(REFRESHED, "")
    version = program_version()
    absent = _absent(index, question, selection)
    cite = citation(
        name, made, searched, selection, found.number, counts, version=version, sample=wanted.sample_options
    )
    return SearchAnswer(
        found.number,
        tuple(places[: wanted.most]),
        reader.read,
        found.groups,
        counts,
        searched,
        cite,
        number,
        wanted.skipped + 1,
        len(places) > wanted.most,
        tuple(map(shown, absent)),
        _similar(index, [each.value for each in absent if each.name == "author"]),
    )


def _page(
    index: SearchIndex,
    reader: LineReader,
    found: FoundDocuments,
    results: list[shard.Result],
    selection: Selection,
    wanted: WantedLines,
) -> list[ConcordancePlace]:
    """Return the lines of a page, and one more, in the order of their documents."""
    most = wanted.most + 1
    if not wanted.skipped:
        places = list(islice(reader.every(found.ids, most), most))
        if len(places) == most or len(found.ids) == found.number:
            return places
    ids, before = _documents_of_page(index, reader.question, selection, wanted, results)
    return list(islice(reader.every(ids, before + most), before, before + most))


def _documents_of_page(
    index: SearchIndex, question: Question, selection: Selection, wanted: WantedLines, results: list[shard.Result]
) -> tuple[list[str], int]:
    """Return the documents of the lines of a page and one more, and how many lines of the first come before.

    The hits of the documents before are counted by their tokens, and their texts are not read. ``results``: as
    many first documents as there are lines up to the end of the page.
    """
    most = last = wanted.skipped + wanted.most + 1
    number = sum(result.documents for result in results)
    while True:
        ranks = np.array([-rank for result in results for rank, _ in result.first], np.float64)
        counts = index.hits_by_document(question, selection, results)
        # Of equal ranks the first stays first, as where `find` merges them.
        order = np.argsort(ranks, kind="stable")[:most]
        ends = np.cumsum(np.concatenate([np.zeros(0, np.int64), *counts])[order])
        if most >= number or (len(ends) and ends[-1] >= last):
            break
        # Some documents have no hit, as with a NOT behind OR.
        most *= 2
        results = index.results(question, selection, most=most, order=wanted.order)
    first, end = int(np.searchsorted(ends, wanted.skipped, "right")), int(np.searchsorted(ends, last, "left")) + 1
    addresses = [(result, address) for result in results for _, address in result.first]
    ids = [result.id_of(address) for result, address in map(addresses.__getitem__, order[first:end].tolist())]
    return ids, wanted.skipped - (int(ends[first - 1]) if first else 0)


def _absent(index: SearchIndex, question: Question, selection: Selection) -> list[FieldValue]:
    """Return the values of fields in a question and a selection that no document has."""
    chosen = {
        FieldValue(each.name, text)
        for each, value in selection.given()
        if each.kind == Texts and each.index_field != "title"
        for text in value
    }
    wanted = chosen | field_values(question)
    return sorted((value for value in wanted if not any(each.has(value) for each in index.shards)), key=shown)


def _similar(index: SearchIndex, authors: Sequence[str]) -> tuple[str, ...]:
    """Return the authors of the index whose names are similar to some that it does not have."""
    if not authors:
        return ()
    known = dict.fromkeys(name for each in index.shards for name in each.authors())
    return tuple(dict.fromkeys(name for author in authors for name in similar_names(author, known)))


def _understood(
    index: SearchIndex, question: Question, selection: Selection, found: FoundDocuments, seconds: float
) -> str:
    """Say what was searched; of words side by side, how many hits they have so, and in how many documents.

    ``seconds``: time in which these hits are counted.
    """
    said = [shown(question)]
    if near := side_by_side(question):
        spaced = sorted(SPACED_WORDS.intersection(found.groups["language"]))
        # Twice negated, the question says which documents count, and none of its own places do.
        phrase = Conjunction((near[0], Negation(Negation(question))))
        chosen = replace(selection, languages=tuple(spaced))
        if spaced and (together := index.find(phrase, chosen, most=1).number):
            tally = index.tally(phrase, chosen, seconds)
            hits = f"{'' if tally.is_complete else 'more than '}{counted(tally.hits, 'hit')}"
            said.append(f"in {' and '.join(spaced)} first {shown(near[0])}, {hits} in {counted(together, 'document')}")
    return "; ".join([*said, *_annotated_in(index, question, selection)])


def _annotated_in(index: SearchIndex, question: Question, selection: Selection) -> Iterator[str]:
    """Yield for each attribute of a question in which languages tokens have it, unless all selected ones do."""
    languages = selection.languages or index.manifest.languages()
    for attribute in sorted(attributes(question)):
        known = [code for code in languages if attribute in index.made_with.attributes(code)]
        if len(known) < len(languages):
            yield f"{attribute} in {', '.join(sorted(known))}"


def _documents_at_first(wanted: WantedLines) -> int:
    """Return how many documents are found before lines are read."""
    if wanted.sample:
        return 1
    if sort_places(wanted.order):
        return SORTED_DOCUMENTS
    return UNIQUE_DOCUMENTS if wanted.unique else wanted.skipped + wanted.most + 1


def _in_order(
    reader: LineReader, found: FoundDocuments, wanted: WantedLines, sample: HitSample | None
) -> list[ConcordancePlace]:
    """Return the lines of a sample or of the found documents, as the order wants them."""
    places: Iterable[ConcordancePlace] = (
        reader.sampled(sample.hits) if sample else islice(reader.every(found.ids, SORTED_LINES), SORTED_LINES)
    )
    if wanted.unique:
        places = each_once(places)
    if wanted.order == RANK:
        return list(places)
    if wanted.order == DAY:
        return sorted(places, key=attrgetter("day"), reverse=True)
    languages = list(found.groups["language"])
    order_of = sort_key(languages[0] if len(languages) == 1 else "")
    return sorted_by_words(places, sort_places(wanted.order), order_of)
