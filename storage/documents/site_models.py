"""`corpus.models`: learned site models. Rows are immutable, their id is a digest, the newest of a site is in force."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.bytes.lines import unpack
from storage.database.schema import document, fetch, site_model, warc_file
from storage.database.transactions import upsert
from storage.documents import recurring_lines
from storage.fetches.fetches import POINTER_COLUMNS, pointer_of
from storage.fetches.machines import is_here

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from storage.database.transactions import AnyRow, Database
    from storage.documents.own_lines import PageLines
    from storage.documents.recurring_lines import SiteLines
    from storage.records import Pointer

_DOCUMENTS_PER_PAGE = 4
"""Documents read per wanted page, because the versions of a URL are one page."""


@dataclass(frozen=True, slots=True)
class LearnedModel:
    """A site model learned from some pages, with its time."""

    site: str
    created: datetime
    scheme: str
    """Scheme of the block keys in ``template`` (``pipelines.extractors.auto.blocks.site_template``)."""
    pages: int
    """Number of pages it was learned from."""
    documents: int
    """Number of documents of the site at that time."""
    template: bytes = field(repr=False)
    own_lines: bytes = field(default=b"", repr=False)
    """Digests of the publisher's own lines, packed (``storage.bytes.lines``)."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was learned."""
        return not (self.template or self.own_lines)

    @property
    def id(self) -> str:
        """12 hexadecimal digits of the SHA-256 of the content."""
        stated = (self.site, self.created.isoformat(), self.scheme, self.pages, self.documents)
        return hashlib.sha256(f"{stated}".encode() + self.template + self.own_lines).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class SiteModels:
    """Site models and recurring lines. Reached as ``corpus.models``. Safe to call from any thread."""

    database: Database
    machine: str = ""

    def add(self, models: Collection[LearnedModel]) -> None:
        """Store site models. From then on they are the newest of their sites."""
        self.database.write(lambda connection: add(connection, models))

    def newest(self, sites: Collection[str]) -> dict[str, LearnedModel]:
        """Return the newest model of each site that has one, by site."""
        return self.database.read(lambda connection: newest(connection, sites))

    def find(self, model_id: str) -> LearnedModel | None:
        """Return the model with this id; None if there is none."""
        return self.database.read(lambda connection: find(connection, model_id))

    def used_by(self, fetch_id: int) -> str | None:
        """Return the ``site_model`` of the document of a fetch; None if the fetch gave no document."""
        return self.database.read(lambda connection: model_used(connection, fetch_id))

    def newest_pages(self, site: str, limit: int) -> list[Pointer]:
        """Return the originals on this machine of the newest documents of a site, one for each URL."""
        return self.database.read(lambda connection: newest_pages(connection, self.machine, site, limit))

    def learn_lines(self, site: str, seen: PageLines) -> SiteLines:
        """Learn which lines recur in the newest texts of a site. ``seen``: lines of its pages. Changes nothing."""
        return self.database.read(lambda connection: recurring_lines.read_texts(connection, site, seen))

    def keep_lines(self, site: str, found: SiteLines) -> None:
        """Store the recurring lines of a site, in place of those stored before."""
        self.database.write(lambda connection: recurring_lines.keep(connection, site, found.recurring))


_MODELS = sa.select(
    *(site_model.c.site, site_model.c.created, site_model.c.scheme, site_model.c.pages, site_model.c.documents),
    *(site_model.c.template, site_model.c.own_lines),
)


def add(connection: Connection, models: Collection[LearnedModel]) -> None:
    """Store models. Existing ones stay as they are."""
    columns = ("id", "site", "created", "scheme", "pages", "documents", "template")
    rows = [
        {name: getattr(model, name) for name in columns} | {"own_lines": model.own_lines or None} for model in models
    ]
    if rows:
        connection.execute(upsert(connection, site_model).on_conflict_do_nothing(index_elements=["id"]), rows)


def newest(connection: Connection, sites: Collection[str]) -> dict[str, LearnedModel]:
    """Return the newest model of each site that has one, by site."""
    last = sa.func.row_number().over(
        partition_by=site_model.c.site, order_by=(site_model.c.created.desc(), site_model.c.id.desc())
    )
    ranked = sa.select(site_model.c.id, last.label("place")).where(site_model.c.site.in_(sites)).subquery()
    statement = _MODELS.join(ranked, ranked.c.id == site_model.c.id).where(ranked.c.place == 1)
    return {row.site: _model(row) for row in connection.execute(statement)}


def find(connection: Connection, model_id: str) -> LearnedModel | None:
    """Return the model with this id; None if there is none."""
    row = connection.execute(_MODELS.where(site_model.c.id == model_id)).first()
    return None if row is None else _model(row)


def learned_model(version: str) -> str:
    """Return the id of the learned model in the ``site_model`` of a document; "" if there was none."""
    return version.partition("-")[2]


def own_lines(connection: Connection, model_ids: Collection[str]) -> dict[str, frozenset[int]]:
    """Return the publisher's own lines by model, for models that have some."""
    statement = sa.select(site_model.c.id, site_model.c.own_lines).where(site_model.c.id.in_(model_ids))
    return {row.id: lines for row in connection.execute(statement) if (lines := unpack(bytes(row.own_lines or b"")))}


def _model(row: AnyRow) -> LearnedModel:
    return LearnedModel(
        row.site, row.created, row.scheme, row.pages, row.documents, bytes(row.template), bytes(row.own_lines or b"")
    )


def newest_pages(connection: Connection, machine: str, site: str, limit: int) -> list[Pointer]:
    """Return the originals of up to ``limit`` documents of a site, newest first, one for each URL.

    Originals on other machines are left out.
    """
    of_site = sa.select(document.c.url_id, document.c.fetch_id).where(document.c.site == site)
    if machine:
        of_site = of_site.join(fetch, fetch.c.id == document.c.fetch_id)
        of_site = of_site.join(warc_file, warc_file.c.id == fetch.c.warc_id).where(is_here(machine))
    newest_documents = of_site.order_by(document.c.fetch_id.desc()).limit(_DOCUMENTS_PER_PAGE * limit).subquery()
    statement = (
        sa.select(newest_documents.c.url_id, *POINTER_COLUMNS)
        .join(fetch, fetch.c.id == newest_documents.c.fetch_id)
        .join(warc_file, warc_file.c.id == fetch.c.warc_id)
        .order_by(fetch.c.id.desc())
    )
    found: dict[int, Pointer] = {}
    for row in connection.execute(statement):
        found.setdefault(row.url_id, pointer_of(row))
    return list(found.values())[:limit]


def model_used(connection: Connection, fetch_id: int) -> str | None:
    """Return the site model used for the document of a fetch; None if the fetch gave no document."""
    return connection.execute(sa.select(document.c.site_model).where(document.c.fetch_id == fetch_id)).scalar()
