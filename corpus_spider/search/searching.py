"""Search an open index: the documents of all shards in one order, and the hits of a question in them."""

from __future__ import annotations

import heapq
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from itertools import compress, islice, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from corpus_spider.config.values import first_names, nearest
from corpus_spider.search.hits.concordance import IndexedPlaces
from corpus_spider.search.hits.concordance_rules import (
    DAY,
    RANK,
)
from corpus_spider.search.hits.hit_counts import HitCounts, HitTally
from corpus_spider.search.hits.matching import BlockMatcher, Places, hits, hits_by
from corpus_spider.search.index import shard
from corpus_spider.search.index.builder import REMOVALS, is_complete, shard_folder
from corpus_spider.search.index.made_with import IndexTools
from corpus_spider.search.index.manifest import INDEX_FORMAT, Manifest, unreadable
from corpus_spider.search.index.question_meanings import QuestionMeanings
from corpus_spider.search.index.shard_threads import in_threads
from corpus_spider.search.index.token_store import SelectedTokens, TokenStore
from corpus_spider.search.index.totals import FILE
from corpus_spider.search.question.question_parser import parse
from corpus_spider.search.question.term import WORD_ATTRIBUTE
from corpus_spider.search.question.tree import (
    Conjunction,
    attributes,
    document_fields,
    field_values,
    is_exact,
)
from storage import time_limit
from storage.documents.selection import Selection
from storage.errors import ConfigError, UnfinishedIndexError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    import numpy.typing as npt
    import tantivy

    from corpus_spider.search.hits.matching import NumbersOf
    from corpus_spider.search.index.shard import QuestionMeaning, Shard
    from corpus_spider.search.index.token_block import TokenBlock
    from corpus_spider.search.question.term import Term
    from corpus_spider.search.question.tree import Question
    from storage.corpus import Corpus

_BUILD = "Run `corpus-spider index`."


@dataclass(frozen=True, slots=True)
class FoundDocuments:
    """Found documents: their number, the ids of the wanted ones, and the number by each of `shard.GROUPS`."""

    number: int
    ids: list[str]
    groups: dict[str, dict[str, int]]

    @classmethod
    def of(cls, results: Sequence[shard.Result], most: int, skip: int = 0) -> FoundDocuments:
        """Merge what the shards found. Only the ids of one page are read: those before page 300 would take a second."""
        first = heapq.merge(*map(_ordered, results), key=itemgetter(0))
        ids = [result.id_of(address) for _, address, result in islice(first, skip, skip + most)]
        return cls(sum(result.documents for result in results), ids, _groups(results))


@dataclass(frozen=True, slots=True)
class _ShardMatches:
    """What a question finds in the tokens of one shard: ids of documents, and the number of hits."""

    documents: list[str]
    tally: HitTally


@dataclass(frozen=True)
class ShardHits:
    """Hits of a question in documents of one shard, which any thread can read.

    ``documents``: their numbers. ``found``: number of all documents of the shard that have the words.
    """

    documents: npt.NDArray[np.int64]
    found: int
    _blocks: Callable[..., Iterator[tuple[TokenBlock, NumbersOf]]]
    _question: Question

    def read(self, *, grouped: bool = False) -> Iterator[tuple[TokenBlock, Places]]:
        """Yield the hits block by block; see `matching.hits`. ``grouped``: with the counted words of the blocks."""
        for block, numbers_of in self._blocks(self.documents, grouped=grouped):
            yield block, hits(self._question, block, numbers_of)


@dataclass(frozen=True)
class SearchIndex:
    """An open index. Use it from one thread. It remembers what its last question has found."""

    manifest: Manifest
    shards: tuple[Shard, ...]
    _matches: dict[tuple[Question, Selection], list[_ShardMatches]] = field(default_factory=dict)

    @classmethod
    @contextmanager
    def open(cls, folder: Path, corpus: Corpus) -> Iterator[SearchIndex]:
        """Open the index of a corpus.

        ConfigError if there is none, or if a removal has not reached it; UnfinishedIndexError while it is made.
        """
        shard.require_library()
        if not (folder / FILE).exists():
            raise ConfigError("this corpus has no search index yet", where=str(folder), do=_BUILD)
        with Manifest.open(folder, read_only=True) as manifest:
            _require_current(manifest.settings(), corpus, folder)
            yield cls(manifest, _shards(manifest, folder))

    @cached_property
    def made_with(self) -> IndexTools:
        """What splits the texts of the index."""
        return IndexTools.of(self.manifest.settings())

    @cached_property
    def _meanings(self) -> QuestionMeanings:
        return QuestionMeanings(self.manifest, self.shards, self.made_with)

    @cached_property
    def tokens(self) -> TokenStore:
        """The tokens of the texts as numbers."""
        return TokenStore([each.tokens for each in self.shards])

    def blocks(self, asked: str | Question, selection: Selection) -> Iterator[TokenBlock]:
        """Yield the tokens of all documents with the words of a question. Arguments and errors as of `find`."""
        for part in self.texts(asked, selection):
            yield from part

    def texts(self, asked: str | Question | None, selection: Selection) -> list[SelectedTokens]:
        """Return what reads the tokens of `blocks` in each shard, in any thread and several times."""
        question = (self.parsed(asked) if asked.strip() else None) if isinstance(asked, str) else asked
        if question is None and selection == Selection(languages=selection.languages):
            return [SelectedTokens(each.tokens, None, selection.languages) for each in self.shards]
        readings = self._meanings.of(question, selection.languages) if question else {}
        return [
            SelectedTokens(each.tokens, partial(each.numbers, question, selection, readings)) for each in self.shards
        ]

    def hits(self, asked: str | Question, selection: Selection) -> Iterator[tuple[TokenBlock, Places]]:
        """Yield the hits of a question in all documents that `find` finds, block by block; see `matching.hits`."""
        question = self.parsed(asked) if isinstance(asked, str) else asked
        for part in self.hits_by_shard(question, selection):
            yield from part.read()

    def hits_by_shard(
        self, question: Question, selection: Selection, most_documents: int | None = None
    ) -> list[ShardHits]:
        """Return what reads the `hits` of each shard. ``most_documents``: of more, so many are taken evenly."""
        readings = self._meanings.of(question, selection.languages)
        found = list(in_threads(lambda each: each.numbers(question, selection, readings), self.shards))
        number = sum(map(len, found))
        most = number if most_documents is None else most_documents
        return [
            ShardHits(
                documents if number <= most else documents[: len(documents) * most // number],
                len(documents),
                partial(self._numbered, each, question, readings),
                question,
            )
            for each, documents in zip(self.shards, found, strict=True)
        ]

    def indexed_places(self, question: Question, selection: Selection, ids: Sequence[str]) -> dict[str, IndexedPlaces]:
        """Return the hits of a question in some documents by their ids, if it needs lemmas or tags; else nothing.

        The text alone does not say what the index knows of its tokens. Each look goes through the blocks of all shards.
        """
        found: dict[str, IndexedPlaces] = {}
        if not attributes(question):
            return found
        readings = self._meanings.of(question, selection.languages)
        for each in self.shards:
            documents = each.numbers(question, selection, readings, ids)
            for block, numbers_of in self._numbered(each, question, readings, documents):
                starts, ends = hits(question, block, numbers_of)
                bounds = [*block.document_starts.tolist(), len(block.tokens)]
                for document, (first, last) in zip(block.documents, pairwise(bounds), strict=True):
                    here = slice(*np.searchsorted(starts, [first, last]).tolist())
                    found[document] = IndexedPlaces(last - first, Places(starts[here] - first, ends[here] - first))
        return found

    def count_hits(self, question: Question, selection: Selection, seconds: float) -> HitCounts:
        """Count the hits of a question in all documents that `find` finds, in about so many seconds."""
        return self.counts(self.tally(question, selection, seconds), question, selection)

    def tally(self, question: Question, selection: Selection, seconds: float) -> HitTally:
        """Add up the hits of a question."""
        if is_exact(question):
            tallies = self._tallies(question, selection, time.monotonic() + seconds)
        else:
            tallies = (each.tally for each in self._matched(question, selection))
        whole = HitTally()
        for each in tallies:
            whole.add_tally(each)
        return whole

    def counts(self, tally: HitTally, question: Question, selection: Selection) -> HitCounts:
        """Return the counts of hits, with their number in a million tokens unless there are more hits."""
        return tally.counts(self._searched_tokens(question, selection) if tally.is_complete else None)

    def _searched_tokens(self, question: Question, selection: Selection) -> Counter[str]:
        """Count the tokens of all documents that a selection and the fields of a question choose, by language."""
        texts = self.texts(_all_hold(document_fields(question)), selection)
        found = Counter[str]()
        for tokens in in_threads(SelectedTokens.number_of_tokens, texts):
            found.update(tokens)
        return found

    def _tallies(self, question: Question, selection: Selection, ends_at: float) -> Iterator[HitTally]:
        """Count the hits in each shard, until this time of the monotonic clock."""
        readings = self._meanings.of(question, selection.languages)

        def counted_in(each: Shard) -> HitTally:
            tally = HitTally()
            if each is not self.shards[0] and time.monotonic() > ends_at:
                tally.is_complete = False
                return tally
            blocks = self._numbered(each, question, readings, each.numbers(question, selection, readings))
            tally.add_all(((block, hits(question, block, numbers_of)) for block, numbers_of in blocks), ends_at)
            return tally

        return in_threads(counted_in, self.shards)

    def _matched(self, question: Question, selection: Selection) -> list[_ShardMatches]:
        """Find in each shard the documents in which the words of a question stand as it says, and count the hits."""
        if (question, selection) not in self._matches:
            readings = self._meanings.of(question, selection.languages)

            def matched_in(each: Shard) -> _ShardMatches:
                matches = _ShardMatches([], HitTally())
                documents = each.numbers(question, selection, readings)
                for block, numbers_of in self._numbered(each, question, readings, documents):
                    matcher = BlockMatcher(block, numbers_of)
                    matches.documents.extend(compress(block.documents, matcher.holds(question).tolist()))
                    matches.tally.add(block, hits_by(matcher, question))
                return matches

            self._matches.clear()
            self._matches[question, selection] = list(in_threads(matched_in, self.shards))
        return self._matches[question, selection]

    def _numbered(
        self,
        each: Shard,
        question: Question,
        readings: dict[QuestionMeaning, list[str]],
        documents: npt.NDArray[np.int64],
        *,
        grouped: bool = False,
    ) -> Iterator[tuple[TokenBlock, NumbersOf]]:
        """Yield the blocks of some documents of a shard, and what gives the numbers of a question's terms there."""
        spellings = {language: reading.spellings for reading, languages in readings.items() for language in languages}

        @cache
        def numbers(term: Term, language: str) -> npt.NDArray[np.int64]:
            if term.attribute != WORD_ATTRIBUTE:
                return each.tokens.meant(term)
            return np.array(list(each.tokens.vocabulary.numbers(spellings[language][term]).values()), np.int64)

        for block in each.tokens.blocks(documents, annotated=bool(attributes(question)), grouped=grouped):
            time_limit.check()
            yield block, partial(numbers, language=block.language)

    def parsed(self, text: str, *, as_phrase: bool = False) -> Question:
        """Read a question by the units of the index. ConfigError says what is wrong with it."""
        tools = self.made_with
        question = parse(text, tools.splitter, as_phrase=as_phrase, annotated=tools.all_attributes)
        if named := {each.value for each in field_values(question) if each.name == "site"}:
            _refuse_unknown_sites(named, {size.key.site for size in self.manifest.sizes()})
        return question

    def find(
        self, asked: str | Question, selection: Selection, *, most: int, skip: int = 0, order: str = RANK
    ) -> FoundDocuments:
        """Find documents. An empty text finds all selected ones. ``skip``: first ones left out.

        Raises ConfigError for a selection by what the index does not know.
        """
        question = (self.parsed(asked) if asked.strip() else None) if isinstance(asked, str) else asked
        return FoundDocuments.of(self.results(question, selection, most=most + skip, order=order), most, skip)

    def results(self, question: Question | None, selection: Selection, *, most: int, order: str) -> list[shard.Result]:
        """Find the first documents of each shard."""
        readings = self._meanings.of(question, selection.languages) if question else {}
        by_day = order == DAY or question is None
        only: list[list[str] | None] = [None] * len(self.shards)
        if question is not None and not is_exact(question):
            only = [each.documents for each in self._matched(question, selection)]

        def found_in(asked: tuple[Shard, list[str] | None]) -> shard.Result:
            each, documents = asked
            return each.search(question, selection, readings, most=most, by_day=by_day, only=documents)

        return list(in_threads(found_in, list(zip(self.shards, only, strict=True))))

    def hits_by_document(
        self, question: Question, selection: Selection, results: Sequence[shard.Result]
    ) -> Iterator[npt.NDArray[np.int64]]:
        """Yield for each shard the number of hits of each document that it found, in the order of the result."""
        readings = self._meanings.of(question, selection.languages)
        for each, result in zip(self.shards, results, strict=True):
            documents = result.numbers_of([address for _, address in result.first])
            counts = np.zeros(len(each.tokens), np.int64)
            for block, numbers_of in self._numbered(each, question, readings, documents):
                places = hits(question, block, numbers_of)
                at = block.documents_at(places.starts)
                counts[block.numbers] = np.bincount(at, minlength=len(block.documents))
            yield counts[documents]

    def per_day(self, selection: Selection) -> dict[str, int]:
        """Return the number of documents of each day on which one was published, in order."""
        sums: Counter[str] = Counter()
        for each in self.shards:
            sums.update(each.per_day(selection))
        return dict(sorted(sums.items()))


def _shards(manifest: Manifest, folder: Path) -> tuple[Shard, ...]:
    """Open the shards. A refresh may replace some between the manifest and their files, so look again then."""
    while True:
        numbers = manifest.shards()
        try:
            return tuple(shard.Shard.open(shard_folder(folder, number)) for number in numbers)
        except ValueError as error:
            if manifest.shards() == numbers:
                raise unreadable(folder, error) from error


def _refuse_unknown_sites(named: Iterable[str], known: Collection[str]) -> None:
    """Raise ConfigError for a site of a question that no document has: it would find nothing without a reason."""
    for name in named:
        if name not in known:
            what = f"the search index has no document of site:{name:.60}{nearest(name, known)}"
            raise ConfigError(what, do=f"Sites: {first_names(sorted(known))}.")


def _all_hold(parts: tuple[Question, ...]) -> Question | None:
    """Return the question that all parts must hold; None without a part."""
    return Conjunction(parts) if len(parts) > 1 else next(iter(parts), None)


def _groups(results: Sequence[shard.Result]) -> dict[str, dict[str, int]]:
    """Add the numbers of the shards: months in order, the other groups with the largest first."""
    sums = {name: Counter[str]() for name in shard.GROUPS}
    for result in results:
        for name, numbers in result.groups.items():
            sums[name].update(numbers)
    ordered = {name: dict(numbers.most_common()) for name, numbers in sums.items()}
    return ordered | {"month": dict(sorted(sums["month"].items()))}


def _require_current(settings: dict[str, str], corpus: Corpus, folder: Path) -> None:
    if not is_complete(settings):
        do = "It answers when `corpus-spider index` has finished. An interrupted one goes on where it stopped."
        raise UnfinishedIndexError("the first search index is not complete yet", where=str(folder), do=do)
    if settings.get("format") != str(INDEX_FORMAT):
        raise ConfigError("the search index is of another release", where=str(folder), do=_BUILD)
    if settings.get(REMOVALS) != corpus.removal_mark():
        what = "a removal has not reached the search index, which does not answer until it has"
        raise ConfigError(what, where=str(folder), do=_BUILD)


def _ordered(result: shard.Result) -> Iterator[tuple[float, tantivy.DocAddress, shard.Result]]:
    """Return the hits of a shard with the negative of their order: the highest rank or the last day comes first."""
    return ((-order, address, result) for order, address in result.first)
