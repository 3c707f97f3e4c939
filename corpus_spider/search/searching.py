"""Answer a question: documents of all shards in one order, and their lines in context."""

from __future__ import annotations

import heapq
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from itertools import compress, islice
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from corpus_spider.config.version import program_version
from corpus_spider.search.hits.citation import citation
from corpus_spider.search.hits.concordance import ConcordanceLine, SoughtWords, lines
from corpus_spider.search.hits.concordance_rules import CONTEXT_FIELDS, DAY, LINE_FIELDS, NODE, RANK, sort_places
from corpus_spider.search.hits.hit_counts import COUNT_SECONDS, HitCounts, counted_hits
from corpus_spider.search.hits.matching import BlockMatcher, hits
from corpus_spider.search.index import shard
from corpus_spider.search.index.builder import REFRESHED, REMOVALS, is_complete, shard_folder
from corpus_spider.search.index.made_with import IndexTools
from corpus_spider.search.index.manifest import INDEX_FORMAT, Manifest, unreadable
from corpus_spider.search.index.shard import QuestionMeaning
from corpus_spider.search.index.token_store import TokenStore
from corpus_spider.search.index.totals import FILE
from corpus_spider.search.question.question_parser import parse
from corpus_spider.search.question.term import looked_up
from corpus_spider.search.question.tree import has_fields, is_exact, shown, side_by_side, terms
from pipelines.text.collation import sort_key
from pipelines.text.tokenizer import SPACED_WORDS
from storage import time_limit
from storage.documents.model import day_of
from storage.documents.selection import Selection
from storage.errors import ConfigError, UnfinishedIndexError
from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    import numpy.typing as npt
    import tantivy

    from corpus_spider.search.hits.matching import NumbersOf, Places
    from corpus_spider.search.index.shard import Shard
    from corpus_spider.search.index.token_block import TokenBlock
    from corpus_spider.search.question.term import Term
    from corpus_spider.search.question.tree import Question
    from pipelines.text.collation import SortKey
    from storage.corpus import Corpus
    from storage.documents.model import CorpusDocument

SORTED_DOCUMENTS = 500
"""Documents whose lines are sorted by a neighbouring word: the best ones."""
MAX_SHOWN_GROUPS = 12
"""Sites or months whose numbers are shown beside a concordance."""
_PAGE = 50
_BUILD = "Run `corpus-spider index`."


@dataclass(frozen=True, slots=True)
class ConcordancePlace:
    """A line of a concordance with its document."""

    id: str
    url: str
    title: str | None
    site: str
    language: str
    script: str
    day: str
    line: ConcordanceLine

    @property
    def reference(self) -> str:
        """The document of the line: site, day, title and address."""
        title = f' "{self.title}".' if self.title else ""
        return f"{self.site}, {self.day}.{title} {self.url}"

    def row(self) -> dict[str, str | None]:
        """Return the line with the reference to its document, as files and Python have it: `LINE_FIELDS`."""
        return {name: getattr(self.line if name in CONTEXT_FIELDS else self, name) for name in LINE_FIELDS}


@dataclass(frozen=True, slots=True)
class FoundDocuments:
    """Found documents: their number, the ids of the wanted ones, and the number by each of `shard.GROUPS`."""

    number: int
    ids: list[str]
    groups: dict[str, dict[str, int]]


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """Answer to a question. ``documents``: their number, also those whose lines are not among ``places``."""

    documents: int
    places: tuple[ConcordancePlace, ...]
    read: int
    """Documents that the lines were looked for in."""
    groups: dict[str, dict[str, int]]
    """Number of documents by each of `shard.GROUPS`."""
    counts: HitCounts
    searched: str = ""
    """The question as it was understood."""
    cite: str = ""
    """A line to copy that says what the answer is about."""

    def main_groups(self, name: str) -> list[tuple[str, int]]:
        """Return the last `MAX_SHOWN_GROUPS` months, or so many of the other groups with the most documents.

        >>> many = {f"site{number}": 20 - number for number in range(20)}
        >>> none = HitCounts(0, True, None, {}, {})
        >>> SearchAnswer(20, (), 20, {"site": many}, none).main_groups("site")[0]
        ('site0', 20)
        """
        every = list(self.groups.get(name, {}).items())
        return every[-MAX_SHOWN_GROUPS:] if name == "month" else every[:MAX_SHOWN_GROUPS]


@dataclass(frozen=True)
class SearchIndex:
    """An open index. Use it from one thread."""

    manifest: Manifest
    shards: tuple[Shard, ...]

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
    def tokens(self) -> TokenStore:
        """The tokens of the texts as numbers."""
        return TokenStore([each.tokens for each in self.shards])

    def blocks(self, asked: str | Question, selection: Selection) -> Iterator[TokenBlock]:
        """Yield the tokens of all documents with the words of a question. Arguments and errors as of `find`."""
        question = (self.parsed(asked) if asked.strip() else None) if isinstance(asked, str) else asked
        readings = self._readings(question, selection.languages) if question else {}
        if not question and selection == Selection(languages=selection.languages):
            yield from self.tokens.blocks(None, selection.languages)
            return
        for each in self.shards:
            for block in each.tokens.blocks(each.numbers(question, selection, readings)):
                time_limit.check()
                yield block

    def hits(self, asked: str | Question, selection: Selection) -> Iterator[tuple[TokenBlock, Places]]:
        """Yield the hits of a question in all documents that `find` finds, block by block; see `matching.hits`."""
        question = self.parsed(asked) if isinstance(asked, str) else asked
        readings = self._readings(question, selection.languages)
        for each in self.shards:
            for block, numbers_of in self._numbered(each, question, selection, readings):
                yield block, hits(question, block, numbers_of)

    def _exact(
        self, each: Shard, question: Question, selection: Selection, readings: dict[QuestionMeaning, list[str]]
    ) -> list[str]:
        """Return the ids of the documents of a shard in which the words of a question stand as it says."""
        return [
            document
            for block, numbers_of in self._numbered(each, question, selection, readings)
            for document in compress(block.documents, BlockMatcher(block, numbers_of).holds(question).tolist())
        ]

    def _numbered(
        self, each: Shard, question: Question, selection: Selection, readings: dict[QuestionMeaning, list[str]]
    ) -> Iterator[tuple[TokenBlock, NumbersOf]]:
        """Yield the blocks of a shard with the words of a question, and what gives the numbers of its terms there."""
        spellings = {language: reading.spellings for reading, languages in readings.items() for language in languages}

        @cache
        def numbers(term: Term, language: str) -> npt.NDArray[np.int64]:
            return np.array(list(each.tokens.vocabulary.numbers(spellings[language][term]).values()), np.int64)

        for block in each.tokens.blocks(each.numbers(question, selection, readings)):
            time_limit.check()
            yield block, partial(numbers, language=block.language)

    def parsed(self, text: str, *, as_phrase: bool = False) -> Question:
        """Read a question by the units of the index. ConfigError says what is wrong with it."""
        return parse(text, self.made_with.splitter, as_phrase=as_phrase)

    def find(
        self, asked: str | Question, selection: Selection, *, most: int, skip: int = 0, order: str = RANK
    ) -> FoundDocuments:
        """Find documents. An empty text finds all selected ones. ``skip``: first ones left out.

        Raises ConfigError for a selection by what the index does not know.
        """
        question = (self.parsed(asked) if asked.strip() else None) if isinstance(asked, str) else asked
        readings = self._readings(question, selection.languages) if question else {}
        by_day = order == DAY or question is None
        results = [
            each.search(
                question,
                selection,
                readings,
                most=most + skip,
                by_day=by_day,
                only=None
                if question is None or is_exact(question)
                else self._exact(each, question, selection, readings),
            )
            for each in self.shards
        ]
        # Only the ids of this page are read: those of all documents before page 300 would take a second.
        first = heapq.merge(*map(_ordered, results), key=itemgetter(0))
        ids = [result.id_of(address) for _, address, result in islice(first, skip, skip + most)]
        return FoundDocuments(sum(result.documents for result in results), ids, _groups(results))

    def concordance(
        self,
        corpus: Corpus,
        text: str,
        selection: Selection,
        *,
        most: int,
        order: str = RANK,
        context: int = 0,
        unique: bool = False,
        name: str = "",
        seconds: float = COUNT_SECONDS,
    ) -> SearchAnswer:
        """Answer a question with at most so many lines in context.

        ``context``: words on each side, 0 for the usual. ``unique``: equal lines once. ``name``: of the corpus,
        for the line that cites the answer. ``seconds``: time in which the hits are counted.
        """
        by_word = sort_places(order)
        question, split = self.parsed(text), self.made_with.splitter
        sought_in = cache(partial(SoughtWords, question))
        found = self.find(question, selection, most=SORTED_DOCUMENTS if by_word else most, order=order)
        places: list[ConcordancePlace] = []
        known: set[tuple[str, str, str]] = set()
        read = 0
        for start in range(0, len(found.ids), _PAGE):
            if len(places) >= most and not by_word:
                break
            for document in corpus.documents.of_ids(found.ids[start : start + _PAGE]):
                read += 1
                whole, sought = f"{document.title or ''}\n{document.text}", sought_in(document.language)
                here = lines(whole, sought, split, most, context)
                if unique:
                    here = [line for line in here if _is_new(line, known)]
                places += (_place(document, line) for line in here)
        if by_word:
            languages = list(found.groups["language"])
            places.sort(key=partial(_by_words, sort_key(languages[0] if len(languages) == 1 else ""), by_word))
        searched = self._understood(question, selection, found)
        made = self.manifest.settings().get(REFRESHED, "")
        counts = counted_hits(self.hits(question, selection), self._words(question, selection), seconds)
        cite = citation(name, made, searched, selection, found.number, counts, version=program_version())
        return SearchAnswer(found.number, tuple(places[:most]), read, found.groups, counts, searched, cite)

    def _words(self, question: Question, selection: Selection) -> int | None:
        """Return the number of words of the selected documents; None if it is not known."""
        counted_by = Selection(languages=selection.languages, sites=selection.sites)
        if has_fields(question) or selection != counted_by:
            return None
        return sum(size.tokens for size in self.manifest.sizes(selection))

    def _understood(self, question: Question, selection: Selection, found: FoundDocuments) -> str:
        """Say what was searched; of words side by side, how many documents have them so."""
        spaced = SPACED_WORDS.intersection(found.groups["language"])
        if not spaced or not (near := side_by_side(question)):
            return shown(question)
        phrase = near[0]
        together = self.find(phrase, replace(selection, languages=tuple(spaced)), most=1).number
        names = " and ".join(sorted(spaced))
        return f"{shown(question)}; in {names} first {shown(phrase)}, in {counted(together, 'document')}"

    def per_day(self, selection: Selection) -> dict[str, int]:
        """Return the number of documents of each day on which one was published, in order."""
        sums: Counter[str] = Counter()
        for each in self.shards:
            sums.update(each.per_day(selection))
        return dict(sorted(sums.items()))

    def _readings(self, question: Question, wanted: Sequence[str]) -> dict[QuestionMeaning, list[str]]:
        """Return what a question means, with the languages in which it means that.

        Words of the index are looked up by a form that is equal in all languages, then compared in each.
        """
        near = side_by_side(question)
        looked_up = {term: self._looked_up(term) for term in terms(question)}
        readings: dict[QuestionMeaning, list[str]] = {}
        for language in wanted or self.manifest.languages():
            time_limit.check()
            found = {
                # An expression is compared with words as they are written, in any language.
                term: tuple(word for word in words if term.is_expression or term.matches(word, language))
                for term, words in looked_up.items()
            }
            reading = QuestionMeaning(found, near if language in SPACED_WORDS else ())
            readings.setdefault(reading, []).append(language)
        return readings

    def _looked_up(self, term: Term) -> list[str]:
        """Return the searched words of the index that a term may mean in some language."""
        if term.is_expression:
            return list(term.expressed(self.manifest.searched_words()))
        found = (self.manifest.spellings(start, glob, exact=term.exact) for start, glob in looked_up(term))
        return list(dict.fromkeys(word for words in found for word in words))


def _shards(manifest: Manifest, folder: Path) -> tuple[Shard, ...]:
    """Open the shards. A refresh may replace some between the manifest and their files, so look again then."""
    while True:
        numbers = manifest.shards()
        try:
            return tuple(shard.Shard.open(shard_folder(folder, number)) for number in numbers)
        except ValueError as error:
            if manifest.shards() == numbers:
                raise unreadable(folder, error) from error


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


def _is_new(line: ConcordanceLine, known: set[tuple[str, str, str]]) -> bool:
    """Return whether no line has had the same words, and remember it."""
    before = len(known)
    known.add((line.left, line.keyword, line.right))
    return len(known) > before


def _by_words(
    order_of: Callable[[str], SortKey], named: Sequence[str], place: ConcordancePlace
) -> tuple[tuple[SortKey, ...], str]:
    return tuple(order_of(_word_at(place.line, each)) for each in named), place.id


def _word_at(line: ConcordanceLine, name: str) -> str:
    """Return the word of a line that one of `SORT_PLACES` names; "" beyond its end."""
    if name == NODE:
        return line.keyword
    words = line.left_words if name[1] == "L" else line.right_words
    return words[int(name[0]) - 1] if len(words) >= int(name[0]) else ""


def _place(document: CorpusDocument, line: ConcordanceLine) -> ConcordancePlace:
    day = day_of(document.date, document.fetched_at)
    return ConcordancePlace(
        document.id, document.url, document.title, document.site, document.language, document.script, day, line
    )
