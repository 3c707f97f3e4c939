"""Read the documents of a corpus: one document, or a snapshot of a selection. Read-only."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import msgspec
import sqlalchemy as sa

from storage.database.columns import READERS, as_quality
from storage.database.schema import (
    document,
    document_text,
    duplicate_set,
    fetch,
    fingerprint,
    metadata,
    metadata_change,
    scheme,
    site,
    terms,
    url,
    warc_file,
)
from storage.database.transactions import among
from storage.documents import recurring_lines
from storage.documents.model import (
    MIN_FOREIGN_SHARE,
    Columns,
    CorpusDocument,
    Outline,
    RelatedDocument,
    Stamp,
    stated_day,
)
from storage.documents.representatives import AS_STORED, Sets, of_versions, unrepeated
from storage.documents.sketches import SketchFormat
from storage.documents.text_conditions import FIELDS as BY_WORDS
from storage.documents.text_conditions import TextConditions, authors_of
from storage.errors import DamageError
from storage.fetches.fetches import POINTER_COLUMNS
from storage.fields import FIELDS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from sqlalchemy.engine import Connection

    from storage.database.transactions import AnyRow, Database
    from storage.documents.selection import Selection

_PUBLIC_ID = re.compile(r"[0-9a-f]{32}")
_representative = document.alias("representative")
_PAGE_OF_DOCUMENTS = 400
_PAGE_CHARS = 4 * 2**20

# Column of each field of a document.
_SOURCES: dict[str, sa.ColumnElement[Any]] = {
    **{each.name: metadata.tables[each.note.table].c[each.column] for each in FIELDS if each.note.table},
    "url": url.c.url,
    "fetched_at": fetch.c.fetched_at,
    "licence": site.c.licence,
    "exact": fingerprint.c.exact,
    "duplicates": duplicate_set.c.size,
    "duplicate_of": _representative.c.public_id,
    "robots": terms.c.robots,
    "robots_sha256": terms.c.robots_sha256,
    "cluster": sa.null(),
    "mixed": sa.cast(document.c.foreign_share >= MIN_FOREIGN_SHARE, sa.Integer),
    "recurring": sa.null(),
    **{column.name: column for column in POINTER_COLUMNS},
}
_FIELDS = CorpusDocument.__struct_fields__
_ASIDE = (document.c.url_id, _representative.c.url_id, fingerprint.c.set_id)


def _as_driven(column: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
    """Return a column whose values come as the driver gives them. SQLAlchemy's types take longer than the database."""
    return sa.type_coerce(column, sa.types.NullType()).label(None)


_FROM = (
    document.join(document_text, document_text.c.document_id == document.c.id)
    .join(url, url.c.id == document.c.url_id)
    .join(fetch, fetch.c.id == document.c.fetch_id)
    .join(warc_file, warc_file.c.id == fetch.c.warc_id)
    .join(fingerprint, fingerprint.c.id == document.c.fingerprint_id)
    .join(duplicate_set, duplicate_set.c.id == fingerprint.c.set_id)
    .join(_representative, _representative.c.id == duplicate_set.c.representative_id)
    .outerjoin(site, site.c.name == document.c.site)
    .outerjoin(terms, terms.c.id == fetch.c.terms_id)
)


def _rows(sources: Mapping[str, sa.ColumnElement[Any]]) -> sa.Select[Any]:
    return sa.select(*(_as_driven(sources[name]) for name in _FIELDS), *map(_as_driven, _ASIDE)).select_from(_FROM)


_DOCUMENT_ROWS = _rows(_SOURCES)

# Built once: building it takes as long as reading ten documents.
_OF_PAGE = document.c.id.in_(sa.bindparam("ids", expanding=True))
_ROWS_OF_PAGE = _DOCUMENT_ROWS.where(_OF_PAGE)

# SQLite may store bytes in a text column. They become 0, which is not mistaken for UTF-8 text.
_is_text = sa.func.typeof(document_text.c.text) == "text"
_UTF8 = sa.case((_is_text, sa.cast(document_text.c.text, sa.LargeBinary)), else_=0)
_UTF8_ROWS_OF_PAGE = _rows(_SOURCES | {"text": _UTF8}).where(_OF_PAGE)


@dataclass(frozen=True, slots=True)
class View:
    """A snapshot of the selected documents, in pages that can be read in any order."""

    connection: Connection
    selection: Selection
    sets: Sets
    recurring: Mapping[str, frozenset[int]]

    def pages(self, *, as_stored: bool = False) -> Iterator[Sequence[int]]:
        """Stream the row ids of the documents in the order of their public ids, in pages of a few hundred or fewer.

        ``as_stored``: each page has documents that were stored one after another.
        """
        wanted = selected_ids(self.connection, self.selection).add_columns(document.c.chars)
        wanted = wanted.order_by(None).order_by(document.c.id) if as_stored else wanted
        return _paged(self.connection.execute(wanted.execution_options(yield_per=_PAGE_OF_DOCUMENTS)))

    def stretches(self) -> Iterator[Sequence[int]]:
        """Stream the row ids of all documents in the sample, in the order of their public ids, from the index alone.

        `chosen` turns each stretch into pages of selected documents, in any order and process.
        """
        every = sa.select(document.c.id).where(*_in_sample(self.selection)).order_by(document.c.public_id)
        streamed = self.connection.execute(every.execution_options(yield_per=_PAGE_OF_DOCUMENTS))
        return streamed.scalars().partitions()

    def chosen(self, stretch: Sequence[int]) -> list[Sequence[int]]:
        """Return pages with the selected documents of a stretch: one page, or several if the texts are long."""
        wanted = selected_ids(self.connection, self.selection, rows=stretch).add_columns(document.c.chars)
        return list(_paged(self.connection.execute(wanted)))

    def documents(self, page: Sequence[int]) -> Iterator[CorpusDocument]:
        """Read the documents of a page, in the order of their public ids."""
        return _records(self._columns(_ROWS_OF_PAGE, page))

    def utf8_columns(self, page: Sequence[int]) -> Columns:
        """Read the documents of a page from SQLite by fields, texts as stored bytes.

        Decoding takes a quarter of the time, and formats in UTF-8 would undo it. The caller checks that the bytes are
        UTF-8.
        """
        return self._columns(_UTF8_ROWS_OF_PAGE, page)

    def _columns(self, statement: sa.Select[Any], page: Sequence[int]) -> Columns:
        # Rows of the driver: making SQLAlchemy's rows takes a tenth of the time.
        rows = self.connection.execute(statement, {"ids": page}).cursor.fetchall()
        return _in_sets(sorted(rows, key=itemgetter(_ID)), self.sets, self.recurring)


def _paged(rows: Iterable[sa.Row[int, int]]) -> Iterator[Sequence[int]]:
    """Yield pages of row ids from (row id, characters), small enough to read one page at once."""
    page: list[int] = []
    chars = 0
    for row_id, size in rows:
        page.append(row_id)
        chars += size
        if len(page) >= _PAGE_OF_DOCUMENTS or chars >= _PAGE_CHARS:
            yield page
            page, chars = [], 0
    if page:
        yield page


@contextmanager
def view(database: Database, selection: Selection) -> Iterator[View]:
    """Open a snapshot of the corpus for the duration of the block.

    The file is not mapped into memory: that saves a tenth of an export's CPU time, but each process then counts as
    large as the file, and job schedulers kill it.
    """
    with database.snapshot() as connection:
        sets = Sets(connection, selection.representative, selection.versions)
        # The first query begins the transaction, and with it the snapshot.
        yield View(connection, selection, sets, recurring_lines.known(connection))


def stream_documents(database: Database, selection: Selection, *, as_stored: bool = False) -> Iterator[CorpusDocument]:
    """Stream the selected documents from one snapshot, a few hundred at a time. ``as_stored``: see `View.pages`."""
    with view(database, selection) as seen:
        for page in seen.pages(as_stored=as_stored):
            yield from seen.documents(page)


def stream_outlines(database: Database, selection: Selection) -> Iterator[Outline]:
    """Stream the outlines of the selected documents from one snapshot, in any order. Texts are not read."""
    columns = [_as_driven(_SOURCES[name]) for name in Outline.__struct_fields__]
    statement = sa.select(*columns).select_from(document.outerjoin(site, site.c.name == document.c.site))
    with database.snapshot() as connection:
        chosen = document.c.id.in_(selected_ids(connection, selection).order_by(None))
        for row in connection.execute(statement.where(chosen).execution_options(yield_per=_PAGE_OF_DOCUMENTS)):
            site_name, language, date, chars, quality, licence, licence_url = row
            yield Outline(site_name, language, date, chars, as_quality(quality), licence, licence_url)


def stream_stamps(database: Database, selection: Selection) -> Iterator[Stamp]:
    """Stream the stamps of the selected documents from one snapshot, in any order. Texts are not read."""
    names = ("id", "public_id", "site", "language", "published", "title", "author", "processed_at")
    statement = sa.select(*(_as_driven(document.c[name]) for name in names))
    with database.snapshot() as connection:
        chosen = document.c.id.in_(selected_ids(connection, selection).order_by(None))
        for row in connection.execute(statement.where(chosen).execution_options(yield_per=_PAGE_OF_DOCUMENTS)):
            row_id, public_id, site_name, language, published, title, author, processed = row
            day = stated_day(published)
            yield Stamp(row_id, public_id, site_name, language, day, title, author, str(processed))


def documents_of_rows(connection: Connection, rows: Sequence[int]) -> list[CorpusDocument]:
    """Return the documents with these row ids, in the order of their public ids. Missing rows are left out."""
    found = connection.execute(_ROWS_OF_PAGE, {"ids": rows}).cursor.fetchall()
    recurring = recurring_lines.known(connection)
    return list(_records(_in_sets(sorted(found, key=itemgetter(_ID)), Sets(connection), recurring)))


def documents_of_ids(connection: Connection, ids: Sequence[str]) -> list[CorpusDocument]:
    """Return the documents with these public ids, in the order of these ids. Unknown ids are left out."""
    rows = connection.execute(sa.select(document.c.id).where(document.c.public_id.in_(ids))).scalars().all()
    by_id = {one.id: one for one in documents_of_rows(connection, rows)}
    return [by_id[each] for each in ids if each in by_id]


def are_measured(connection: Connection, selection: Selection) -> bool:
    """Return whether the quality of all selected documents is stored. Earlier releases stored none."""
    unmeasured = selected_ids(connection, selection).order_by(None).where(document.c.quality.is_(None))
    return connection.execute(unmeasured.limit(1)).first() is None


def count(connection: Connection, selection: Selection) -> int:
    """Count the selected documents."""
    ids = selected_ids(connection, selection).order_by(None).subquery()
    counted: int = connection.execute(sa.select(sa.func.count()).select_from(ids)).scalar_one()
    return counted


def mark(connection: Connection) -> str:
    """Return a text that changes when documents are added, made again, healed or deleted."""
    made = sa.select(sa.func.count(), sa.func.max(document.c.id)).select_from(document)
    latest = sa.select(sa.func.max(document.c.processed_at))
    healed = sa.select(sa.func.count()).select_from(metadata_change)
    number, last = connection.execute(made).one()
    at, changes = connection.execute(latest).scalar(), connection.execute(healed).scalar()
    return f"{number} documents to {last}, made by {at}, {changes} changes"


def count_exceeds(connection: Connection, selection: Selection, number: int) -> bool:
    """Return whether more than ``number`` documents are selected."""
    return connection.execute(selected_ids(connection, selection).offset(number).limit(1)).first() is not None


def count_by_site(connection: Connection, sites: Collection[str]) -> dict[str, int]:
    """Count the documents of each site, all versions and duplicates included; 0 for sites without documents."""
    statement = sa.select(document.c.site, sa.func.count()).where(document.c.site.in_(sites)).group_by(document.c.site)
    return dict.fromkeys(sites, 0) | {row[0]: row[1] for row in connection.execute(statement)}


def _records(columns: Columns) -> Iterator[CorpusDocument]:
    return map(CorpusDocument, *columns.values())


def _in_sets(rows: Sequence[AnyRow], sets: Sets, recurring: Mapping[str, frozenset[int]]) -> Columns:
    """Return rows by fields, with data about their duplicate sets and the recurring lines of their sites.

    Raises DamageError if SQLite has a value of the wrong type.
    """
    known = sets.look_up([row[_SET_ID] for row in rows if row[_DUPLICATES] != 1 or not sets.are_stored])
    # By columns: a loop over fifty values of each row takes longer than everything done here.
    columns: list[Sequence[Any]] = list(zip(*rows, strict=True)) or [()] * (len(_FIELDS) + len(_ASIDE))
    for at, read in _READ:
        columns[at] = _read(columns, at, read)
    *fields, url_ids, representative_urls, set_ids = columns
    stored = fields[_DUPLICATE_OF]
    of_sets = [known.get(set_id, AS_STORED) for set_id in set_ids]
    fields[_CLUSTER] = [one.cluster or first for one, first in zip(of_sets, stored, strict=True)]
    fields[_DUPLICATE_OF] = [
        None if (one.url_id or represented) == url_id else one.representative or first
        for one, represented, url_id, first in zip(of_sets, representative_urls, url_ids, stored, strict=True)
    ]
    fields[_AUTHORS] = list(map(authors_of, fields[_AUTHORS], fields[_AUTHOR]))
    fields[_RECURRING] = list(map(recurring_lines.marks, fields[_TEXT], map(recurring.get, fields[_SITE])))
    return dict(zip(_FIELDS, fields, strict=True))


def _read(columns: Sequence[Sequence[Any]], at: int, read: Callable[[Any], Any]) -> list[Any]:
    values: list[Any] = []
    try:
        # The number of values read so far locates the error.
        values.extend(map(read, columns[at]))
    except (TypeError, ValueError, AttributeError) as error:
        do = "Restore the database from a backup. `corpus-spider check` lists other damage."
        raise DamageError(f"document {columns[_ID][len(values)]} cannot be read: {error}", do=do) from error
    return values


OF_SETS = frozenset({"versions", "include_duplicates", "representative", "sample"})
"""Dimensions of a selection whose conditions look at more than the document."""
_IS_DATED = sa.func.substr(document.c.published, 1, len("2026-11-20")) == document.c.day
"""Not so if the day of a document is that of its fetch."""
_CONDITIONS: dict[str, Callable[[Any], sa.ColumnElement[bool]]] = {
    "languages": document.c.language.in_,
    "sites": document.c.site.in_,
    "extractors": document.c.extractor.in_,
    "since": lambda day: _IS_DATED & (document.c.day >= day[:10]),
    "until": lambda day: _IS_DATED & (document.c.day <= day[:10]),
    "min_chars": lambda least: document.c.chars >= least,
    "min_confidence": lambda least: document.c.confidence >= least,
    "without_reserved": lambda _: sa.not_(document.c.reserved),
    "without_mixed": lambda _: sa.func.coalesce(document.c.foreign_share, 0.0) < MIN_FOREIGN_SHARE,
}
"""Condition of each other dimension, except those of `text_conditions`."""


def selected_ids(connection: Connection, selection: Selection, *, rows: Sequence[int] | None = None) -> sa.Select[int]:
    """Return the query for the row ids of the selected documents, in the order of their public ids.

    ``rows``: only these. Conditions that compare words are decided here, in the transaction of the connection.
    """
    statement = sa.select(document.c.id).order_by(document.c.public_id)
    statement = statement.where(of_versions(document, selection.versions))
    if rows is not None:
        statement = statement.where(among(connection, document.c.id, rows))
    if not selection.include_duplicates:
        statement = statement.where(unrepeated(selection.representative, selection.versions))
    given = {dimension.field: value for dimension, value in selection.given() if dimension.field not in OF_SETS}
    by_words = given.keys() & BY_WORDS
    conditions = (_CONDITIONS[field](value) for field, value in given.items() if field not in by_words)
    statement = statement.where(*conditions, *_in_sample(selection))
    if not by_words:
        return statement
    return statement.where(among(connection, document.c.id, _ids_by_words(connection, statement, selection)))


def _ids_by_words(connection: Connection, statement: sa.Select[int], selection: Selection) -> list[int]:
    """Return the row ids of a query whose section, authors and title the selection selects."""
    compared = statement.order_by(None).join(url, url.c.id == document.c.url_id)
    columns = (url.c.url, document.c.authors, document.c.author, document.c.title)
    wanted = TextConditions(selection)
    rows = connection.execute(compared.add_columns(*columns).execution_options(yield_per=_PAGE_OF_DOCUMENTS))
    return [row[0] for row in rows if wanted.hold(row.url, authors_of(row.authors, row.author), row.title)]


def _in_sample(selection: Selection) -> list[sa.ColumnElement[bool]]:
    low, high = selection.id_range()
    bounds = (low, document.c.public_id >= low), (high, document.c.public_id < high)
    return [condition for wanted, condition in bounds if wanted]


def find_document(connection: Connection, id_or_url: str) -> CorpusDocument | None:
    """Return the document with this public id, or the newest version of this canonical URL; None if there is none."""
    is_id = _PUBLIC_ID.fullmatch(id_or_url) is not None
    return _newest(connection, document.c.public_id == id_or_url if is_id else url.c.url == id_or_url)


def ids_like(connection: Connection, beginning: str, most: int) -> list[str]:
    """Return the public ids that begin with these hexadecimal digits, in order, ``most`` of them."""
    column = document.c.public_id
    # "g" follows the last digit, so both databases use the index of the column.
    within = column >= beginning, column < f"{beginning}g"
    return list(connection.scalars(sa.select(column).where(*within).order_by(column).limit(most)))


def versions_of(connection: Connection, public_id: str) -> list[RelatedDocument]:
    """Return all versions of the page of a document, oldest first."""
    page = sa.select(document.c.url_id).where(document.c.public_id == public_id).scalar_subquery()
    rows = connection.execute(_RELATED.where(document.c.url_id == page).order_by(document.c.version))
    return [_related(row) for row in rows]


def near(connection: Connection, public_id: str, limit: int) -> list[RelatedDocument]:
    """Return the current documents of a document's cluster, without the document, most similar first.

    Similarities are estimated from the sketches of their texts.
    """
    own = connection.execute(_SKETCH.where(document.c.public_id == public_id)).first()
    if own is None:
        return []
    others = (
        _RELATED.add_columns(fingerprint.c.id.label("print_id"), fingerprint.c.sketch, fingerprint.c.scheme_id)
        .join(fingerprint, fingerprint.c.id == document.c.fingerprint_id)
        .where(fingerprint.c.set_id == own.set_id, document.c.superseded.is_(False), document.c.public_id != public_id)
        .order_by(document.c.id.desc())
        .limit(_MOST_COMPARED)
    )
    found = []
    for row in connection.execute(others):
        known, (print_id, sketch, scheme_id) = row[:-3], row[-3:]
        comparable = scheme_id == own.scheme_id and 0 < len(sketch) == len(own.sketch)
        measured = SketchFormat.of(own.name).similarities(own.sketch, [sketch]) if comparable else None
        similarity = 1.0 if print_id == own.id else None if measured is None else float(measured[0])
        found.append(msgspec.structs.replace(_related(known), similarity=similarity))
    found.sort(key=lambda one: (-(one.similarity or 0.0), one.id))
    return found[:limit]


_MOST_COMPARED = 2000
"""Documents of a cluster that are compared with one, the newest."""
_SKETCH = (
    sa.select(fingerprint.c.id, fingerprint.c.set_id, fingerprint.c.sketch, fingerprint.c.scheme_id, scheme.c.name)
    .join(document, document.c.fingerprint_id == fingerprint.c.id)
    .join(scheme, scheme.c.id == fingerprint.c.scheme_id)
)
_RELATED = sa.select(
    document.c.public_id,
    url.c.url,
    *(document.c[name] for name in ("site", "title", "language", "published", "version", "chars")),
    fetch.c.fetched_at,
    document.c.superseded,
).select_from(document.join(url, url.c.id == document.c.url_id).join(fetch, fetch.c.id == document.c.fetch_id))


def _related(row: Sequence[Any]) -> RelatedDocument:
    """Return a document of a row of `_RELATED`."""
    related = RelatedDocument(*row)
    return msgspec.structs.replace(related, day=stated_day(related.day))


def _newest(connection: Connection, condition: sa.ColumnElement[bool]) -> CorpusDocument | None:
    row = connection.execute(_DOCUMENT_ROWS.where(condition).order_by(document.c.version.desc()).limit(1)).first()
    if row is None:
        return None
    recurring = {row[_SITE]: recurring_lines.known_in(connection, row[_SITE], row[_TEXT])}
    return next(_records(_in_sets([row], Sets(connection), recurring)))


_ID, _SITE, _TEXT, _DUPLICATES, _DUPLICATE_OF, _CLUSTER, _RECURRING, _AUTHOR, _AUTHORS = map(
    _FIELDS.index,
    ("id", "site", "text", "duplicates", "duplicate_of", "cluster", "recurring", "author", "authors"),
)
_SET_ID = len(_FIELDS) + _ASIDE.index(fingerprint.c.set_id)
_READERS: dict[str, Callable[[Any], Any]] = {
    **{name: READERS[type(source.type)] for name, source in _SOURCES.items() if type(source.type) in READERS},
    "exact": lambda digest: digest.hex(),
    "duplicates": lambda size: max(size, 1),
}
_READ = tuple((_FIELDS.index(name), read) for name, read in _READERS.items())
