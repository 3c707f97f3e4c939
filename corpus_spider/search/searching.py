"""Answer a question: documents of all shards in one order, and their lines in context."""

from __future__ import annotations

import heapq
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING

from corpus_spider.search import shard
from corpus_spider.search.builder import REMOVALS, is_complete, shard_folder
from corpus_spider.search.concordance import Line, Sought, lines
from corpus_spider.search.manifest import FORMAT, Manifest, unreadable
from corpus_spider.search.question import parse
from corpus_spider.search.totals import FILE
from pipelines.text.words import splitter
from storage.documents.model import day_of
from storage.errors import ConfigError, UnfinishedIndexError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import tantivy

    from corpus_spider.search.question import Term
    from corpus_spider.search.shard import Filters, Shard
    from storage.corpus import Corpus
    from storage.documents.model import CorpusDocument

RANK, DAY, LEFT, RIGHT = "rank", "date", "left", "right"
ORDERS = (RANK, DAY, LEFT, RIGHT)
"""Orders of a concordance: the best documents first, the newest first, by the word to the left or right."""
SORTED_DOCUMENTS = 500
"""Documents whose lines are sorted by a neighbouring word: the best ones."""
_PAGE = 50
_BUILD = "Run `corpus-spider index`."


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a concordance with its document."""

    id: str
    url: str
    title: str | None
    site: str
    language: str
    script: str
    day: str
    line: Line


@dataclass(frozen=True, slots=True)
class Documents:
    """Found documents: their number, the ids of the wanted ones, and the number by each of `shard.GROUPS`."""

    number: int
    ids: list[str]
    groups: dict[str, dict[str, int]]


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer to a question. ``documents``: their number, also those whose lines are not among ``places``."""

    documents: int
    places: tuple[Place, ...]
    read: int
    """Documents that the lines were looked for in."""
    groups: dict[str, dict[str, int]]
    """Number of documents by site, language, month and extractor."""


@dataclass(frozen=True, slots=True)
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

    def find(self, text: str, filters: Filters, *, most: int, skip: int = 0, order: str = RANK) -> Documents:
        """Find documents. An empty ``text`` finds all that pass the filters. ``skip``: first ones left out."""
        question = parse(text, splitter()) if text.strip() else None
        spellings = cache(self._spellings)
        by_day = order == DAY or question is None
        results = [each.search(question, filters, spellings, most=most + skip, by_day=by_day) for each in self.shards]
        # Only the ids of this page are read: those of all documents before page 300 would take a second.
        first = heapq.merge(*map(_ordered, results), key=itemgetter(0))
        ids = [result.id_of(address) for _, address, result in islice(first, skip, skip + most)]
        return Documents(sum(result.documents for result in results), ids, _groups(results))

    def concordance(self, corpus: Corpus, text: str, filters: Filters, *, most: int, order: str = RANK) -> Answer:
        """Answer a question with at most so many lines in context."""
        by_word = order in {LEFT, RIGHT}
        sought, split = Sought(parse(text, splitter())), splitter()
        found = self.find(text, filters, most=SORTED_DOCUMENTS if by_word else most, order=order)
        places: list[Place] = []
        read = 0
        for start in range(0, len(found.ids), _PAGE):
            if len(places) >= most and not by_word:
                break
            for document in corpus.documents.of_ids(found.ids[start : start + _PAGE]):
                read += 1
                whole = f"{document.title or ''}\n{document.text}"
                places += (_place(document, line) for line in lines(whole, sought, split, most))
        if by_word:
            places.sort(key=_by_left if order == LEFT else _by_right)
        return Answer(found.number, tuple(places[:most]), read, found.groups)

    def per_day(self, filters: Filters) -> dict[str, int]:
        """Return the number of documents of each day on which one was published, in order."""
        sums: Counter[str] = Counter()
        for each in self.shards:
            sums.update(each.per_day(filters))
        return dict(sorted(sums.items()))

    def _spellings(self, term: Term) -> list[str]:
        return self.manifest.spellings(term.form, term.value, prefix=term.prefix)


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
    if settings.get("format") != str(FORMAT):
        raise ConfigError("the search index is of another release", where=str(folder), do=_BUILD)
    if settings.get(REMOVALS) != corpus.removal_mark():
        what = "a removal has not reached the search index, which does not answer until it has"
        raise ConfigError(what, where=str(folder), do=_BUILD)


def _ordered(result: shard.Result) -> Iterator[tuple[float, tantivy.DocAddress, shard.Result]]:
    """Return the hits of a shard with the negative of their order: the highest rank or the last day comes first."""
    return ((-order, address, result) for order, address in result.first)


def _by_left(place: Place) -> tuple[str, str, str]:
    return place.line.left_word, place.line.right_word, place.id


def _by_right(place: Place) -> tuple[str, str, str]:
    return place.line.right_word, place.line.left_word, place.id


def _place(document: CorpusDocument, line: Line) -> Place:
    day = day_of(document.published, document.fetched_at)
    return Place(
        document.id, document.url, document.title, document.site, document.language, document.script, day, line
    )
