"""Read documents of the corpus, and the lines in them that a question means."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from corpus_spider.search.hits.concordance import ConcordanceLine, SoughtWords, lines
from corpus_spider.search.hits.concordance_rules import CONTEXT_FIELDS, LINE_FIELDS, NODE
from storage.documents.model import stated_day

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from corpus_spider.search.hits.concordance import IndexedPlaces
    from corpus_spider.search.hits.hit_sample import SampledHit
    from corpus_spider.search.question.tree import Question
    from pipelines.text.collation import SortKey
    from pipelines.text.words import Splitter
    from storage.corpus import Corpus
    from storage.documents.model import CorpusDocument

_PAGE, _INDEXED_AT_ONCE = 50, 500


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


@dataclass(slots=True)
class LineReader:
    """Reads documents and takes lines in context from them. ``context``: as of `concordance.lines`.

    ``indexed``: gives hits that the texts alone do not show, by the ids of documents (`SearchIndex.indexed_places`).
    ``read``: number of documents that were read.
    """

    corpus: Corpus
    question: Question
    splitter: Splitter
    indexed: Callable[[Sequence[str]], Mapping[str, IndexedPlaces]]
    context: int = 0
    read: int = 0
    _sought: dict[str, SoughtWords] = field(default_factory=dict)
    _hits: Mapping[str, IndexedPlaces] = field(default_factory=dict)

    def every(self, ids: Iterable[str], most: int) -> Iterator[ConcordancePlace]:
        """Yield the lines of some documents, in the order of their ids, at most so many of each document."""
        for document in self._documents(ids):
            yield from self._of(document, most=most)

    def sampled(self, hits: Sequence[SampledHit]) -> list[ConcordancePlace]:
        """Return the lines of single hits, in their order. A hit whose document is gone has none."""
        numbers: defaultdict[str, list[int]] = defaultdict(list)
        for hit in hits:
            numbers[hit.document].append(hit.number)
        found: dict[tuple[str, int], ConcordancePlace] = {}
        for document in self._documents(numbers):
            wanted = sorted(numbers[document.id])
            found |= {
                (document.id, number): place
                # A text that has become shorter since has fewer lines.
                for number, place in zip(wanted, self._of(document, only=wanted), strict=False)
            }
        return [found[hit] for hit in hits if hit in found]

    def _documents(self, ids: Iterable[str]) -> Iterator[CorpusDocument]:
        left = iter(ids)
        while many := list(islice(left, _INDEXED_AT_ONCE)):
            self._hits = self.indexed(many)
            for start in range(0, len(many), _PAGE):
                for document in self.corpus.documents.of_ids(many[start : start + _PAGE]):
                    self.read += 1
                    yield document

    def _of(
        self, document: CorpusDocument, *, most: int = 0, only: Sequence[int] | None = None
    ) -> Iterator[ConcordancePlace]:
        sought = self._sought.get(document.language) or SoughtWords(self.question, document.language)
        self._sought[document.language] = sought
        text = "\n".join(document.searched_lines)
        hits = self._hits.get(document.id)
        for line in lines(text, sought, self.splitter, most, self.context, only, hits):
            yield _place(document, line)


def _place(document: CorpusDocument, line: ConcordanceLine) -> ConcordancePlace:
    day = stated_day(document.date)
    return ConcordancePlace(
        document.id, document.url, document.title, document.site, document.language, document.script, day, line
    )


def each_once(places: Iterable[ConcordancePlace]) -> Iterator[ConcordancePlace]:
    """Yield the places whose line no place before had."""
    known: set[tuple[str, str, str]] = set()
    for place in places:
        shown = place.line.left, place.line.keyword, place.line.right
        if shown not in known:
            known.add(shown)
            yield place


def sorted_by_words(
    places: Iterable[ConcordancePlace], named: Sequence[str], order_of: Callable[[str], SortKey]
) -> list[ConcordancePlace]:
    """Sort lines by some of their words, `SORT_PLACES`, and by the ids of their documents.

    ``order_of``: gives the order of words in a language.
    """
    return sorted(places, key=partial(_words_and_id, order_of, named))


def _words_and_id(
    order_of: Callable[[str], SortKey], named: Sequence[str], place: ConcordancePlace
) -> tuple[tuple[SortKey, ...], str]:
    return tuple(order_of(_word_at(place.line, each)) for each in named), place.id


def _word_at(line: ConcordanceLine, name: str) -> str:
    """Return the word of a line that one of `SORT_PLACES` names; "" beyond its end."""
    if name == NODE:
        return line.keyword
    words = line.left_words if name[1] == "L" else line.right_words
    return words[int(name[0]) - 1] if len(words) >= int(name[0]) else ""
