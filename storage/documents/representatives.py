"""Duplicate sets for readers: the id of each set, and its representative by a rule.

Both follow from the documents of a set, as sets do (`storage.documents.duplicates`), and not from the order of arrival.
The id of a set is the smallest id of its current documents. It changes only when the set changes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from storage.database.schema import document, duplicate_set, fingerprint
from storage.database.transactions import chunks
from storage.documents.selection import CLEANEST, EARLIEST, LONGEST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sqlalchemy.engine import Connection
    from sqlalchemy.sql.compiler import SQLCompiler

_MAX_CACHED_SETS = 10_000
"""Sets cached while documents are streamed."""


class StoredRepresentative(NamedTuple):
    """The id of a set, and the document and page that represent it; None: as stored with the set.

    The id of a set of one is the id of its stored representative.
    """

    cluster: str | None = None
    representative: str | None = None
    url_id: int | None = None


AS_STORED = StoredRepresentative()


class _BytewiseText(FunctionElement[str]):
    """Text sorted by its bytes, as in SQLite, under any collation of a PostgreSQL database."""

    inherit_cache = True
    type = sa.Text()


@compiles(_BytewiseText)
def _as_it_is(element: _BytewiseText, compiler: SQLCompiler, **options: Any) -> str:
    return compiler.process(element.clauses, **options)


@compiles(_BytewiseText, "postgresql")
def _in_c(element: _BytewiseText, compiler: SQLCompiler, **options: Any) -> str:
    return f'{compiler.process(element.clauses, **options)} COLLATE "C"'


def _longest(one: sa.FromClause) -> tuple[sa.ColumnElement[Any], ...]:
    return one.c.chars.desc(), one.c.published.is_(None), one.c.public_id


def _earliest(one: sa.FromClause) -> tuple[sa.ColumnElement[Any], ...]:
    return one.c.day, one.c.published.is_(None), _BytewiseText(one.c.published), *_longest(one)


def _cleanest(one: sa.FromClause) -> tuple[sa.ColumnElement[Any], ...]:
    return sa.func.coalesce(one.c.confidence, -1).desc(), one.c.replaced, *_longest(one)


ORDERS: dict[str, Callable[[sa.FromClause], tuple[sa.ColumnElement[Any], ...]]] = {
    LONGEST: _longest,
    EARLIEST: _earliest,
    CLEANEST: _cleanest,
}
"""Order of documents by rule. The id comes last, so that the order is the same on every database."""


def of_versions(documents: sa.FromClause, versions: str) -> sa.ColumnElement[bool]:
    """Return the condition that a document is the first or last version of its page, or any."""
    if versions == "first":
        earlier = document.alias()
        return ~sa.exists().where(earlier.c.url_id == documents.c.url_id, earlier.c.version < documents.c.version)
    return documents.c.superseded.is_(False) if versions == "last" else sa.true()


def _is_stored(rule: str, versions: str) -> bool:
    """Return whether the representatives stored with the sets follow this rule."""
    return rule == LONGEST and versions != "first"


def unrepeated(rule: str, versions: str) -> sa.ColumnElement[bool]:
    """Return the condition that a document represents its set. For ``all`` versions: that its page does."""
    if not _is_stored(rule, versions):
        ranked = _ranked(rule, versions)
        chosen = sa.select(ranked.c.set_id, ranked.c.url_id).where(ranked.c.place == 1)
        if versions == "all":
            return sa.tuple_(_own_set, document.c.url_id).in_(chosen)
        return document.c.id.in_(sa.select(ranked.c.id).where(ranked.c.place == 1))
    if versions == "last":
        represents = sa.select(duplicate_set.c.representative_id).where(duplicate_set.c.id == _own_set)
        return document.c.id == represents.scalar_subquery()
    page = sa.select(_representative.c.url_id).join(
        duplicate_set, duplicate_set.c.representative_id == _representative.c.id
    )
    return document.c.url_id == page.where(duplicate_set.c.id == _own_set).scalar_subquery()


_representative = document.alias("of_set")
# Correlated subqueries, not joins: documents stay the outer loop, so their order needs no sorting.
_own_set = (
    sa.select(fingerprint.c.set_id)
    .where(fingerprint.c.id == document.c.fingerprint_id)
    .correlate(document)
    .scalar_subquery()
)


def _ranked(rule: str, versions: str, *, of_sets: bool = False) -> sa.Subquery:
    """Return the candidates for the representative of a set, each with its rank; current documents come first.

    ``of_sets``: only of the sets given at execution.
    """
    one, prints = document.alias(), fingerprint.alias()
    order = ORDERS[rule](one) if versions == "first" else (one.c.superseded, *ORDERS[rule](one))
    place = sa.func.row_number().over(partition_by=prints.c.set_id, order_by=order)
    columns = one.c.id, one.c.url_id, one.c.public_id, prints.c.set_id, place.label("place")
    ranked = sa.select(*columns).join(prints, prints.c.id == one.c.fingerprint_id)
    if of_sets:
        ranked = ranked.where(prints.c.set_id.in_(_SETS))
    return ranked.where(of_versions(one, "first") if versions == "first" else sa.true()).subquery()


@dataclass(slots=True)
class Sets:
    """Look up duplicate sets of several documents, by a rule."""

    connection: Connection
    rule: str = LONGEST
    versions: str = "last"
    _known: dict[int, StoredRepresentative] = field(default_factory=dict)

    @property
    def are_stored(self) -> bool:
        """Whether the stored representatives follow this rule."""
        return _is_stored(self.rule, self.versions)

    def look_up(self, set_ids: Iterable[int]) -> dict[int, StoredRepresentative]:
        """Return the data of these sets, and perhaps of others."""
        wanted = sorted(set(set_ids) - self._known.keys())
        if len(self._known) > _MAX_CACHED_SETS:
            wanted, self._known = sorted(set(set_ids)), {}
        for part in chunks(wanted):
            self._known.update(
                (set_id, StoredRepresentative(cluster)) for set_id, cluster in self._clusters(part).items()
            )
            if not self.are_stored:
                for row in self.connection.execute(_chosen(self.rule, self.versions), {"sets": part}):
                    self._known[row.set_id] = StoredRepresentative(
                        self._known[row.set_id].cluster, row.public_id, row.url_id
                    )
        return self._known

    def _clusters(self, set_ids: Sequence[int]) -> dict[int, str]:
        rows = sorted(self.connection.execute(_CLUSTERS, {"sets": set_ids}).all(), key=lambda row: not row.superseded)
        # Current documents come last and overwrite superseded ones.
        return {set_id: public_id for set_id, _, public_id in rows}


# Built once: building them takes longer than running them.
_SETS: sa.BindParameter[int] = sa.bindparam("sets", expanding=True)
_CLUSTERS = (
    sa.select(fingerprint.c.set_id, document.c.superseded, sa.func.min(document.c.public_id))
    .join(document, document.c.fingerprint_id == fingerprint.c.id)
    .where(fingerprint.c.set_id.in_(_SETS))
    .group_by(fingerprint.c.set_id, document.c.superseded)
)


@cache
def _chosen(rule: str, versions: str) -> sa.Select[tuple[int, str, int]]:
    """Return the query for the document that represents each set, and its page."""
    chosen = _ranked(rule, versions, of_sets=True)
    return sa.select(chosen.c.set_id, chosen.c.public_id, chosen.c.url_id).where(chosen.c.place == 1)
