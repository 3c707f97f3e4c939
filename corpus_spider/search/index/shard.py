"""One shard of a search index: the words of some thousand documents with their positions, in tantivy's files.

A shard is made once and never changed. Documents that go are left out when their shard is rebuilt, so no file holds
words of a text that is gone. This module alone imports tantivy.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from corpus_spider.search.question.tree import (
    Conjunction,
    DayRange,
    Disjunction,
    FieldValue,
    Negation,
    Phrase,
    candidates,
)
from storage.documents.model import month_of
from storage.documents.selection import INDEX, Day, Texts
from storage.documents.text_conditions import author_form, sought_name, title_form, title_words
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt
    import tantivy

    from corpus_spider.search.index.token_file import ShardTokens
    from corpus_spider.search.question.term import Term
    from corpus_spider.search.question.tree import Question
    from storage.documents.selection import Dimension, Selection

_MISSING = "search needs the package tantivy"
_HOW = "Install the extra `search`: make web, or pip install 'corpus-spider[search]'."
_MOST_GROUPS = 10_000
_FIRST_DAY = 1
"""Smallest number of a day. 0 is no date."""
_MOST_RANKED = 200
"""Spellings of a word up to which each is ranked by itself."""
_SIGN = re.compile(r"[\\.+*?()|\[\]{}^$]")
_HEAP = 64 * 2**20
LONGEST_WORD = 80
"""Characters of a word in the index. Longer ones are no words of a language."""
GROUPS = ("site", "language", "month", "extractor", "section", "author")
"""What found documents are counted by. A document may have no section, and several authors."""
WEIGHT_OF_A_PHRASE = 1_000.0
"""Score of words side by side, for each word. Ranks by frequency are below 100."""
LINE_END = "\u2029"
"""Word between two lines, so that no phrase reaches over a line end."""


def _library() -> object:
    try:
        import tantivy
    except ImportError as error:
        raise ConfigError(_MISSING, do=_HOW) from error
    return tantivy


def require_library() -> None:
    """Raise ConfigError if tantivy is not installed."""
    _library()


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A document for the index. ``words``: its units in order, with spaces between them.

    ``day``: of its publication, YYYY-MM-DD; "" if none is stated.
    """

    id: str
    site: str
    language: str
    day: str
    words: str
    extractor: str
    confidence: float | None
    reserved: bool
    chars: int
    section: str
    authors: tuple[str, ...]
    title: str | None


@dataclass(frozen=True)
class QuestionMeaning:
    """What a question means in some languages: the words of texts for each term, and the phrases that come first.

    A term without an entry may be in any document: too many words have its lemma or tag.
    """

    spellings: dict[Term, tuple[str, ...]]
    near: tuple[Phrase, ...] = ()

    def __hash__(self) -> int:
        return hash((*self.spellings.items(), self.near))


@dataclass(frozen=True, slots=True)
class Result:
    """What one shard finds: the first documents, and the number of all by each of `GROUPS`."""

    documents: int
    first: tuple[tuple[float, tantivy.DocAddress], ...]
    """The larger number comes first: the rank (BM25) or the day, with the place of the document in the shard."""
    id_of: Callable[[tantivy.DocAddress], str]
    """Reads the id of a document."""
    numbers_of: Callable[[list[tantivy.DocAddress]], npt.NDArray[np.int64]]
    """Reads the numbers of documents within the shard."""
    groups: dict[str, dict[str, int]]


def _schema() -> tantivy.Schema:
    import tantivy

    fields = tantivy.SchemaBuilder()
    fields.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
    fields.add_text_field("words", tokenizer_name="whitespace", index_option="position")
    for name in ("title", "author_form"):
        fields.add_text_field(name, tokenizer_name="whitespace", index_option="position")
    for name in (*GROUPS, "reserved"):
        fields.add_text_field(name, fast=True, tokenizer_name="raw", index_option="basic")
    for name in ("day", "chars"):
        fields.add_unsigned_field(name, indexed=True, fast=True)
    fields.add_unsigned_field("number", fast=True)
    fields.add_float_field("confidence", indexed=True, fast=True)
    return fields.build()


def day_number(day: str) -> int:
    """Return a day as a number that sorts alike: 2026-11-26 is 20261126. "" is 0, before all days.

    >>> day_number("2026-11-26"), day_number("")
    (20261126, 0)
    """
    return int(day[:10].replace("-", "") or 0)


def write(folder: Path, entries: Iterable[IndexEntry]) -> None:
    """Make a shard in a folder. ValueError or OSError if the disk refuses.

    A document has the number of its place among the entries, as in the tokens of the shard (`token_file`).
    """
    import tantivy

    index = tantivy.Index(_schema(), path=str(folder))
    writer = index.writer(heap_size=_HEAP, num_threads=1)
    for number, entry in enumerate(entries):
        document = tantivy.Document()
        document.add_text("id", entry.id)
        document.add_text("words", entry.words)
        for name, values in _texts(entry).items():
            for value in values:
                document.add_text(name, value)
        document.add_text("title", title_form(entry.title))
        document.add_text("author_form", author_form(entry.authors))
        document.add_text("reserved", str(int(entry.reserved)))
        document.add_unsigned("day", day_number(entry.day))
        document.add_float("confidence", entry.confidence or 0.0)
        document.add_unsigned("chars", entry.chars)
        document.add_unsigned("number", number)
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()


def _texts(entry: IndexEntry) -> dict[str, Iterable[str]]:
    """Return the values of a document by the fields that have whole texts."""
    return {
        "site": (entry.site,),
        "language": (entry.language,),
        "month": (month_of(entry.day),),
        "extractor": (entry.extractor,),
        "section": filter(None, (entry.section,)),
        "author": dict.fromkeys(entry.authors),
    }


@dataclass(frozen=True, slots=True)
class Shard:
    """An open shard."""

    index: tantivy.Index
    tokens: ShardTokens

    @classmethod
    def open(cls, folder: Path) -> Shard:
        """Open the shard in a folder. ValueError if it is damaged or missing."""
        import tantivy

        from corpus_spider.search.index.token_file import ShardTokens

        index = tantivy.Index.open(str(folder))
        try:
            return cls(index, ShardTokens(folder))
        except OSError as error:
            raise ValueError(str(error)) from error

    def search(
        self,
        question: Question | None,
        selection: Selection,
        readings: Mapping[QuestionMeaning, Sequence[str]],
        *,
        most: int,
        by_day: bool,
        only: Sequence[str] | None = None,
    ) -> Result:
        """Find documents. ``readings``: languages by what the question means in them. ``by_day``: newest first.

        ``question``: None for all selected documents. ``only``: ids of those that have the places of the question;
        without them a document counts that has its words.
        """
        import numpy as np

        query = _Queries(self.index.schema).filtered(question, selection, readings, only)
        searcher = self.index.searcher()
        hits = searcher.search(query, most, order_by_field="day" if by_day else None)
        wanted = {name: {"terms": {"field": name, "size": _MOST_GROUPS}} for name in GROUPS}
        counted = searcher.aggregate(query, wanted)
        groups = {name: {row["key"]: row["doc_count"] for row in counted[name]["buckets"]} for name in GROUPS}
        return Result(
            sum(groups["site"].values()),
            tuple(hits.hits),
            lambda at: searcher.doc(at)["id"][0],
            lambda at: np.array(searcher.fast_field_values("number", at), np.int64),
            groups,
        )

    def numbers(
        self,
        question: Question | None,
        selection: Selection,
        readings: Mapping[QuestionMeaning, Sequence[str]],
        only: Sequence[str] | None = None,
    ) -> npt.NDArray[np.int64]:
        """Return the numbers of all documents with the words of a question. Arguments and errors as of `search`."""
        import numpy as np

        query = _Queries(self.index.schema).filtered(question, selection, readings, only)
        searcher = self.index.searcher()
        # Found in the order of their numbers, they come with them: no document is read.
        hits = searcher.search(query, max(1, searcher.num_docs), order_by_field="number").hits
        return np.fromiter((number for number, _ in hits), np.int64, len(hits))

    def has(self, value: FieldValue) -> bool:
        """Return whether a document has a value in a field."""
        return bool(self.index.searcher().search(_Queries(self.index.schema).of_value(value), 1).hits)

    def authors(self) -> list[str]:
        """Return the authors of all documents, at most 10,000, those with the most documents first."""
        import tantivy

        terms = {"author": {"terms": {"field": "author", "size": _MOST_GROUPS}}}
        counted = self.index.searcher().aggregate(tantivy.Query.all_query(), terms)
        return [row["key"] for row in counted["author"]["buckets"]]

    def ids(self) -> set[str]:
        """Return the ids of all documents that the shard holds."""
        import tantivy

        searcher = self.index.searcher()
        hits = searcher.search(tantivy.Query.all_query(), max(1, searcher.num_docs)).hits
        return {searcher.doc(address)["id"][0] for _, address in hits}

    def per_day(self, selection: Selection) -> dict[str, int]:
        """Return the number of documents of each day, YYYY-MM-DD, without those that have no date."""
        query = _Queries(self.index.schema).filtered(None, selection, {})
        counted = self.index.searcher().aggregate(query, {"day": {"terms": {"field": "day", "size": _MOST_GROUPS}}})
        days = {str(int(row["key"])): row["doc_count"] for row in counted["day"]["buckets"] if row["key"]}
        return {f"{day[:4]}-{day[4:6]}-{day[6:]}": number for day, number in days.items()}


@dataclass(frozen=True, slots=True)
class _Queries:
    """Makes tantivy's query of a question."""

    schema: tantivy.Schema

    def filtered(
        self,
        question: Question | None,
        selection: Selection,
        readings: Mapping[QuestionMeaning, Sequence[str]],
        only: Sequence[str] | None = None,
    ) -> tantivy.Query:
        import tantivy

        selection.require(INDEX)
        parts = [self._read(question, readings) if question else tantivy.Query.all_query()]
        parts += (self._filter(dimension, value) for dimension, value in selection.given())
        if only is not None:
            parts.append(tantivy.Query.term_set_query(self.schema, "id", list(only)))
        # Filters decide and do not rank.
        ranked = [parts[0], *(tantivy.Query.const_score_query(each, 0.0) for each in parts[1:])]
        return tantivy.Query.boolean_query([(tantivy.Occur.Must, each) for each in ranked])

    def of_value(self, wanted: FieldValue) -> tantivy.Query:
        """Return the query for the documents with a value in a field."""
        import tantivy

        if wanted.name == "author":
            return self._of_author(wanted.value)
        return tantivy.Query.term_query(self.schema, wanted.name, wanted.value)

    def _of_author(self, name: str) -> tantivy.Query:
        """Return the query for the documents by an author whose name has these words in a row."""
        return self._row("author_form", sought_name(name).split())

    def _filter(self, dimension: Dimension, value: Any) -> tantivy.Query:
        """Return the query for the documents that one dimension of a selection selects."""
        import tantivy

        name = dimension.index_field
        if name == "title":
            titles = [(tantivy.Occur.Must, self._row(name, title_words(text))) for text in value]
            return tantivy.Query.boolean_query(titles)
        if name == "author_form":
            return tantivy.Query.boolean_query([(tantivy.Occur.Should, self._of_author(each)) for each in value])
        if dimension.kind == Texts:
            return tantivy.Query.term_set_query(self.schema, name, list(value))
        if dimension.kind is bool:
            return tantivy.Query.term_query(self.schema, name, "0")
        if dimension.kind == Day:
            return self._of_days(*(("", value) if dimension.is_last else (value, "")))
        kind = tantivy.FieldType.Float if dimension.kind is float else tantivy.FieldType.Unsigned
        return tantivy.Query.range_query(self.schema, name, kind, value, None)

    def _of_days(self, first: str, last: str) -> tantivy.Query:
        """Return the query for the documents with a date from a day to another one, "" for no bound."""
        import tantivy

        bounds = day_number(first) or _FIRST_DAY, day_number(last) or None
        return tantivy.Query.range_query(self.schema, "day", tantivy.FieldType.Unsigned, *bounds)

    def _read(self, question: Question, readings: Mapping[QuestionMeaning, Sequence[str]]) -> tantivy.Query:
        """Return the query of a question, in each language by what it means there."""
        import tantivy

        if len(readings) == 1:
            return self._near(question, *readings)
        must, should = tantivy.Occur.Must, tantivy.Occur.Should
        each = []
        for reading, languages in readings.items():
            of_language = tantivy.Query.term_set_query(self.schema, "language", list(languages))
            parts = [(must, self._near(question, reading)), (must, tantivy.Query.const_score_query(of_language, 0.0))]
            each.append((should, tantivy.Query.boolean_query(parts)))
        return tantivy.Query.boolean_query(each) if each else tantivy.Query.empty_query()

    def _near(self, question: Question, reading: QuestionMeaning) -> tantivy.Query:
        """Return the query of a question, by which documents with its words side by side come first."""
        import tantivy

        words = candidates(question)
        whole = self._query(words, reading) if words else tantivy.Query.all_query()
        if not reading.near:
            return whole
        first = [self._phrase(phrase.terms, reading) for phrase in reading.near]
        weights = [WEIGHT_OF_A_PHRASE * len(phrase.terms) for phrase in reading.near]
        should = [tantivy.Query.const_score_query(each, weight) for each, weight in zip(first, weights, strict=True)]
        return tantivy.Query.boolean_query(
            [(tantivy.Occur.Must, whole), *((tantivy.Occur.Should, each) for each in should)]
        )

    def _query(self, question: Question, reading: QuestionMeaning) -> tantivy.Query:
        import tantivy

        must, should, must_not = tantivy.Occur.Must, tantivy.Occur.Should, tantivy.Occur.MustNot
        match question:
            case Phrase(terms):
                return self._phrase(terms, reading)
            case Conjunction(parts):
                each = [(must_not if isinstance(part, Negation) else must, part) for part in parts]
                queries = [
                    (occur, self._query(part.part if isinstance(part, Negation) else part, reading))
                    for occur, part in each
                ]
                # A query of exclusions alone finds nothing in tantivy.
                return tantivy.Query.boolean_query(
                    [*queries, (must, tantivy.Query.all_query())]
                    if all(occur == must_not for occur, _ in queries)
                    else queries
                )
            case Disjunction(parts):
                return tantivy.Query.boolean_query([(should, self._query(part, reading)) for part in parts])
            case Negation(part):
                return tantivy.Query.boolean_query(
                    [(must, tantivy.Query.all_query()), (must_not, self._query(part, reading))]
                )
            case FieldValue():
                return self._unranked(self.of_value(question))
            case DayRange(first, last):
                return self._unranked(self._of_days(first, last))
            case _:
                raise TypeError(f"the index does not know {type(question).__name__}")

    def _unranked(self, query: tantivy.Query) -> tantivy.Query:
        import tantivy

        return tantivy.Query.const_score_query(query, 0.0)

    def _phrase(self, terms: Sequence[Term], reading: QuestionMeaning) -> tantivy.Query:
        import tantivy

        if any(term not in reading.spellings for term in terms):
            return tantivy.Query.all_query()
        choices = [list(reading.spellings[term]) for term in terms]
        if not all(choices):
            return tantivy.Query.empty_query()
        if len(choices) == 1:
            [words] = choices
            if len(words) > _MOST_RANKED:
                return tantivy.Query.term_set_query(self.schema, "words", words)
            each = [tantivy.Query.term_query(self.schema, "words", word) for word in words]
            return each[0] if len(each) == 1 else tantivy.Query.disjunction_max_query(each)
        if all(len(words) == 1 for words in choices):
            return self._row("words", [words[0] for words in choices])
        patterns: list[str | tuple[int, str]] = ["|".join(map(_escaped, words)) for words in choices]
        return tantivy.Query.regex_phrase_query(self.schema, "words", patterns)

    def _row(self, name: str, words: Sequence[str]) -> tantivy.Query:
        """Return the query for words in a row."""
        import tantivy

        if not words:
            return tantivy.Query.empty_query()
        if len(words) == 1:
            return tantivy.Query.term_query(self.schema, name, words[0])
        return tantivy.Query.phrase_query(self.schema, name, list(words))


def _escaped(word: str) -> str:
    return _SIGN.sub(r"\\\g<0>", word)
