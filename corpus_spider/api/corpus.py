"""`corpus_spider.open`: a corpus for reading, as documents, data frames, search results and word lists."""

from __future__ import annotations

import os
import warnings
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

from corpus_spider.api.document import Document
from corpus_spider.api.filters import request_of, selection_for
from corpus_spider.api.tables import Concordance, Rows, html_table
from storage.errors import ConfigError, CorpusError
from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import TracebackType
    from typing import Unpack

    import pandas
    import polars
    import pyarrow

    from corpus_spider.api.filters import DocumentFilters
    from corpus_spider.config.model import Config
    from corpus_spider.export.request import ExportRequest
    from corpus_spider.search.searching import SearchIndex
    from storage.corpus import Corpus as Store
    from storage.documents.model import CorpusDocument, Status
    from storage.documents.selection import NamedSelectionKeywords

MAX_NOTEBOOK_ROWS = 10
"""Languages and sites in a notebook."""


def open_corpus(where: str | os.PathLike[str] = ".", *, settings: Mapping[str, object] | None = None) -> Corpus:
    """Open a corpus for reading.

    Args:
        where: a folder with a corpus.toml, a corpus.toml, the file of an SQLite database, or the URL of a database such
            as ``postgresql://user@host/news``. A database file gets the corpus.toml beside it if that names it.
        settings: settings that replace those of corpus.toml, such as ``{"corpus.index": "/fast/index"}``.

    Nothing is written to the database: it refuses every change. Close the corpus, or use it in a ``with`` statement.
    Raises ConfigError if there is no corpus, NewerCorpusError or DatabaseError if it cannot be opened.
    """
    config = config_of(where, settings or {})
    config.require_corpus()
    return Corpus(config)


def config_of(where: str | os.PathLike[str], settings: Mapping[str, object]) -> Config:
    """Return the configuration of a corpus. See `open_corpus`."""
    from corpus_spider.config.loader import FILE_NAME, assemble, load

    place = os.fspath(where)
    if not isinstance(place, str):
        raise ConfigError(
            f"expected the name of a folder or file, or a URL, got {place!r}",
            where="open",
            do="Give a str or a pathlib.Path.",
        )
    if "://" in place:
        return assemble({}, {**settings, "corpus.database": place}, os.environ, None)
    path = Path(place).expanduser()
    if path.is_file() and not _is_database(path):
        return load(path, overrides=settings)
    if not path.is_file():
        if path.is_dir() and not (path / FILE_NAME).is_file():
            do = "Name a folder with a corpus.toml, a corpus.toml, a database file, or the URL of a database."
            raise ConfigError(f"this folder has no {FILE_NAME}", where=str(path), do=do)
        return load(path, overrides=settings)
    database = f"sqlite:///{path.resolve()}"
    beside = path.resolve().parent / FILE_NAME
    if beside.is_file() and (config := load(beside, overrides=settings)).database_url == database:
        return config
    # Relative paths, such as that of the search index, are beside the database.
    return assemble({}, {**settings, "corpus.database": database}, os.environ, beside)


def _is_database(path: Path) -> bool:
    """Return whether a file is one of SQLite, whose first bytes say so. An empty file is none."""
    try:
        with path.open("rb") as stream:
            return stream.read(16) == b"SQLite format 3\0"
    except OSError as error:
        raise ConfigError(
            f"cannot be read: {error.strerror}", where=str(path), do="See whether you may read the file."
        ) from None


class Corpus(AbstractContextManager["Corpus"]):
    """A corpus that is open for reading. Made by `corpus_spider.open`.

    Documents come as `corpus-spider export` writes them: newest versions, one of each set of duplicates, without
    removed texts. The filters of each method are the options of `export`.
    """

    def __init__(self, config: Config) -> None:
        from storage.corpus import Corpus as Store

        self.config = config
        """The settings of the corpus, also those that have their default."""
        self._store: Store | None = Store.open(config.database_url, read_only=True)

    def __reduce__(self) -> tuple[type[Corpus], tuple[Config]]:
        """Pickle the settings. The copy opens the corpus again, for another process or ``Dataset.from_generator``."""
        return Corpus, (self.config,)

    def close(self) -> None:
        """Close the database. Safe to repeat."""
        if self._store is not None:
            self._store.close()
        self._store = None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __enter__(self) -> Self:
        return self

    @property
    def store(self) -> Store:
        """The read-only `storage.corpus.Corpus`, for what this class does not offer."""
        if self._store is None:
            raise CorpusError("the corpus is closed", where=self.name, do="Open it again with corpus_spider.open.")
        return self._store

    @property
    def name(self) -> str:
        """Name of the corpus in its corpus.toml, else of its database."""
        from storage.database.transactions import masked, parse_url

        has_file = self.config.path is not None and self.config.path.is_file()
        named = self.config.corpus.name if has_file else ""
        return named or Path(masked(parse_url(self.config.database_url))).name

    def __len__(self) -> int:
        """Count the documents that `documents` yields without filters."""
        return self.store.documents.count(request_of({}).selection)

    def __bool__(self) -> bool:
        """Return True: also an empty corpus is one."""
        return True

    def __iter__(self) -> Iterator[Document]:
        return self.documents()

    def documents(self, **filters: Unpack[DocumentFilters]) -> Iterator[Document]:
        """Return an iterator over the documents, in the order of their ids. Memory use is constant.

        It shows the corpus as it is at the first document, also while a crawl adds some. Filters are checked at once.
        """
        wanted, rows = self._selected(filters)
        return map(partial(Document.of_corpus, fields=wanted.fields), rows)

    def find(self, id_or_url: str) -> Document | None:
        """Return the document with this id, or the newest version of this URL; None if the corpus has none."""
        from corpus_spider.export.exporter import with_licences

        found = self.store.documents.find(id_or_url)
        rows = with_licences([found] if found else [], self.config.site_licences())
        return next(map(Document.of_corpus, rows), None)

    def to_batches(self, **filters: Unpack[DocumentFilters]) -> pyarrow.RecordBatchReader:
        """Return the documents as a reader of Arrow record batches, with the schema of an export in Parquet.

        A batch has 256 documents at most, and only one is in memory. Read it in a loop, or hand it to a library.
        """
        import pyarrow

        from storage.exports.formats.parquet import record_batches, schema
        from storage.fields import FIELDS

        wanted, rows = self._selected(filters)
        fields = wanted.fields or FIELDS
        return pyarrow.RecordBatchReader.from_batches(schema(fields), record_batches(rows, fields))

    def to_arrow(self, **filters: Unpack[DocumentFilters]) -> pyarrow.Table:
        """Return the documents as an Arrow table in memory, read by batches."""
        return self.to_batches(**filters).read_all()

    def to_pandas(self, **filters: Unpack[DocumentFilters]) -> pandas.DataFrame:
        """Return the documents as a pandas data frame. Needs pandas."""
        _require("pandas")
        # Each column of the Arrow table is freed when it is converted, so memory holds the texts about once.
        return self.to_arrow(**filters).to_pandas(split_blocks=True, self_destruct=True)

    def to_polars(self, **filters: Unpack[DocumentFilters]) -> polars.DataFrame:
        """Return the documents as a Polars data frame. Needs polars."""
        _require("polars")
        import polars

        return polars.DataFrame(self.to_arrow(**filters))

    def search(
        self,
        question: str,
        *,
        order: str = "rank",
        limit: int | None = None,
        page: int = 1,
        sample_size: int = 0,
        seed: int = 1,
        context: int = 0,
        unique: bool = False,
        **filters: Unpack[NamedSelectionKeywords],
    ) -> Rows:
        """Find words in the texts, each with its context, in the syntax of `corpus-spider search`. Needs tantivy.

        Args:
            question: words, ``"a phrase"``, wildcards such as ``govern*`` or ``wom?n``, ``/regular expressions/``,
                ``AND``, ``OR``, ``NOT`` and brackets, ``a NEAR/5 b``, ``a ... b``, ``[word="gov.*"] []{0,3} b``,
                ``[lemma="go"]`` and ``[tag="N.*"]`` in an index with lemmas and tags,
                ``title:``, ``author:``, ``section:``, ``site:`` and ``date:``.
            order: ``rank``, ``date``, or by the words of the lines: ``left``, ``right``, or up to three places such as
                ``1L,2L,node``.
            limit: maximum number of lines, 1 to 10,000; by default 20, or those of the sample.
            page: which lines: 2 goes on behind the first ``limit`` ones.
            sample_size: so many hits by chance instead of all, 0 for all hits.
            seed: another number gives another sample.
            context: words on each side, 0 for the usual.
            unique: equal lines once.
            filters: options of `corpus-spider search` that choose documents.

        Return a row for each line: ``left``, ``keyword``, ``right``, and ``id``, ``url``, ``title``, ``site``,
        ``language`` and ``day`` of its document. Its ``totals`` have the number of documents, the counts of hits
        (``hits``, `HitCounts`), the number of lines on all pages (``lines``, see `SearchAnswer`), the question as it
        was understood (``searched``), a line that cites the answer (``cite``), the values of fields that no document
        has (``absent``), and authors with similar names (``similar``).

        The search index is refreshed first, in its own folder, unless another program does. It is derived data.
        Raises ConfigError for a filter that is wrong, and its child ``QuestionError`` for a question: ``start`` and
        ``end`` are the place of the fault in ``question``.
        """
        from corpus_spider.export.exporter import refuse_unknown_names
        from corpus_spider.search.answers import answered
        from corpus_spider.search.hits.concordance_rules import (
            MAX_CONTEXT_WORDS,
            MAX_LINES,
            MAX_PAGES,
            MAX_SEED,
            USUAL_LINES,
            WantedLines,
        )
        from storage.documents.selection import INDEX

        most = (sample_size or USUAL_LINES) if limit is None else limit
        for where, value, least, largest in (
            ("sample_size", sample_size, 0, MAX_LINES),
            ("limit", most, 1, MAX_LINES),
            ("page", page, 1, MAX_PAGES),
            ("seed", seed, 0, MAX_SEED),
        ):
            _require_number(where, value, least, largest)
        if not isinstance(context, int) or not 0 <= context <= MAX_CONTEXT_WORDS:
            what = f"expected a number of words from 0 to {MAX_CONTEXT_WORDS}, got {context!r:.60}"
            raise ConfigError(what, where="context", do="Without it lines have the usual context.")
        selection = selection_for(INDEX, filters, "search", self.config.selections)
        refuse_unknown_names(self.config, self.store, selection)
        with self._index() as index:
            wanted = WantedLines(most, page, order, context, unique, sample_size, seed)
            answer = answered(index, self.store, question, selection, wanted, name=self.name)
        rows = (each.row() for each in answer.places)
        totals = {
            "documents": answer.documents,
            "hits": answer.counts,
            "lines": answer.lines,
            "by": answer.groups,
            "searched": answer.searched,
            "cite": answer.cite,
            "absent": answer.absent,
            "similar": answer.similar,
        }
        return Concordance(rows, totals)

    def words(
        self,
        *trends: str,
        against: str = "",
        around: str = "",
        by: str = "",
        ngrams: int = 0,
        window: int = 5,
        side: str = "both",
        min_frequency: int = 5,
        measure: str = "log_dice",
        lemma: bool = False,
        without_stop_words: bool = False,
        spelling: str = "one",
        limit: int = 50,
        **filters: Unpack[NamedSelectionKeywords],
    ) -> Rows:
        """List words by frequency, as `corpus-spider words` does. Needs tantivy.

        Args:
            trends: words to count in each month, instead of a list; ``govern*`` is the sum of what it means. A phrase
                or another question of `search` is counted by its hits. ``by="month"`` may be named with them.
            against: keywords against a reference, ``"rest"``, ``"list=FILE"``, ``"corpus=FOLDER"``,
                ``"selection=NAME"`` or ``"site=NAME language=CODE since=YYYY-MM"``.
            around: collocates of a word, a phrase or another question of `search`.
            ngrams: the most frequent sequences of so many units in a sentence, 2 to 5.
            window: words to a side of the word in which they are counted, 1 to 20.
            side: ``both``, ``left`` (before it) or ``right``.
            min_frequency: how often a collocate stands near it, or how often an n-gram stands there.
            measure: order of collocates: ``log_dice``, ``log_likelihood``, ``t_score`` or ``mutual_information``.
            lemma: count lemmas, in the texts. Needs the extra ``lemma``. ``totals`` names the library by language.
            without_stop_words: leave the most common words out of a list.
            spelling: ``one``: spellings of a word are one row; ``exact``: each has its own.
            filters: ``language``, ``site``, and ``since`` and ``until``: months of publication, by any day in them.

        Return rows with the columns of the command. Their ``totals`` have the number of documents and tokens, and
        what the tokens are (``unit``): ``counted words``, for n-grams ``searched tokens``.
        Raises ConfigError for a wrong reference, for ``by`` without words, or if no document matches.
        """
        from dataclasses import asdict

        from corpus_spider.words.collocation_rules import CollocationRules
        from corpus_spider.words.lemmas import lemma_list
        from corpus_spider.words.references import reference_of
        from corpus_spider.words.request import NO_DOCUMENT, WordList, word_list
        from storage.documents.selection import COUNTS

        if sum(map(bool, (trends, against, around, ngrams, lemma))) > 1:
            what = "trends, against, around, ngrams and lemma exclude each other"
            raise ConfigError(what, where="words", do="Call it once for each.")
        if by and (by != "month" or not trends):
            do = 'Write words("price", by="month").'
            raise ConfigError(f'expected words to count and by="month", got by={by!r:.60}', where="words", do=do)
        _require_number("limit", limit, 1, 100_000)
        selected = selection_for(COUNTS, filters, "words", self.config.selections)
        near = CollocationRules(window, side, min_frequency, measure)
        reference = reference_of(against, selected, "against", self.config.selections) if against else None
        wanted = WordList(reference, around, trends, without_stop_words, limit, spelling, near=near, ngrams=ngrams)
        if lemma:
            found = lemma_list(self.store, selected, wanted)
        else:
            with self._index() as index:
                found = word_list(index, selected, wanted)
        if not found.table.tokens:
            do = "print(corpus) shows the languages, corpus_spider.open(…).documents() the texts."
            raise ConfigError(NO_DOCUMENT, where="words", do=do)
        for sentence in found.notes:
            warnings.warn(sentence, stacklevel=2)
        totals: dict[str, object] = {
            "documents": found.table.documents,
            "tokens": found.table.tokens,
            "unit": found.table.unit,
        }
        totals |= {"annotations": dict(found.table.annotations)} if found.table.annotations else {}
        return Rows(map(asdict, found.table.rows), totals)

    @contextmanager
    def _index(self) -> Iterator[SearchIndex]:
        """Open the search index, refreshed."""
        from corpus_spider.search.index.builder import refresh_if_alone
        from corpus_spider.search.searching import SearchIndex

        folder = self.config.index_folder
        # In this process: a further one would import the caller's program again.
        if why_not := refresh_if_alone(self.store, self.config.database_url, folder, 1):
            # The caller of the method that opened it, through the context manager.
            warnings.warn(why_not, stacklevel=4)
        with SearchIndex.open(folder, self.store) as index:
            yield index

    def _selected(self, filters: DocumentFilters) -> tuple[ExportRequest, Iterator[CorpusDocument]]:
        """Return the request of these filters, and the documents as an export gets them."""
        from corpus_spider.export.exporter import prepared, refuse_unknown_names

        wanted = request_of(filters, self.config.selections)
        refuse_unknown_names(self.config, self.store, wanted.selection)
        return wanted, prepared(self.config, wanted, self.store.documents(wanted.selection))

    def __repr__(self) -> str:
        if self._store is None:
            return f"<Corpus {self.name}, closed>"
        status = self._store.status()
        codes = [row.key for row in status.by_language]
        languages = ", ".join([*codes[:5], *(["…"] if len(codes) > 5 else [])]) or "no language"
        return f"<Corpus {self.name}: {counted(status.documents - status.duplicates, 'document')} in {languages}>"

    def _repr_html_(self) -> str:
        """Return a table of languages and sites for notebooks."""
        from html import escape

        heading = f"<p><b>{escape(repr(self)[1:-1])}</b></p>"
        return heading if self._store is None else heading + _counts(self._store.status())


def _require_number(where: str, value: object, least: int, most: int) -> None:
    if not isinstance(value, int) or not least <= value <= most:
        what = f"expected a whole number from {least} to {most:,}, got {value!r:.60}"
        raise ConfigError(what, where=where, do="Choose one in this range.")


def _counts(status: Status) -> str:
    tables = []
    for kind, rows in (("language", status.by_language), ("site", status.by_site)):
        tables.append(
            html_table((kind, "documents", "characters"), [(r.key, r.count, r.chars) for r in rows[:MAX_NOTEBOOK_ROWS]])
        )
        if len(rows) > MAX_NOTEBOOK_ROWS:
            tables.append(f"<p>{len(rows) - MAX_NOTEBOOK_ROWS:,} more</p>")
    note = f"<p>{status.duplicates:,} of these are duplicates, which documents() leaves out.</p>"
    return "".join([*tables, note if status.duplicates else ""])


def _require(library: str) -> None:
    """Raise ConfigError with the command that installs a missing library."""
    from importlib.util import find_spec

    if find_spec(library) is None:
        do = f"pip install {library}   (in a checkout: make data)"
        raise ConfigError(f"{library} is not installed", where=f"to_{library}", do=do)
