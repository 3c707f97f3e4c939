"""Tables of the first release."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    _create_runs()
    _create_frontier()
    _create_fetches()
    _create_duplicates()
    _create_documents()


def _create_runs() -> None:
    op.create_table(
        "run",
        sa.Column("id", _BIG, nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("started", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished", sa.DateTime(timezone=True)),
        sa.Column("exit_code", sa.Integer()),
        sa.Column("config", sa.Text(), nullable=False),
        sa.Column("summary", sa.Text()),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_run"),
        sa.UniqueConstraint("token", name="uq_run_token"),
    )
    op.create_table(
        "warc_file",
        sa.Column("id", _BIG, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("run_id", _BIG),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("bytes", _BIG),
        sa.PrimaryKeyConstraint("id", name="pk_warc_file"),
        sa.UniqueConstraint("name", name="uq_warc_file_name"),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name="fk_warc_file_run_id"),
    )


def _create_frontier() -> None:
    op.create_table(
        "site",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("licence", sa.Text()),
        sa.PrimaryKeyConstraint("name", name="pk_site"),
    )
    op.create_table(
        "host",
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("site", "name", name="pk_host"),
    )
    op.create_table(
        "url",
        sa.Column("id", _BIG, nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("fetch_url", sa.Text(), nullable=False),
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("seed", sa.Boolean(), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("depth", sa.Integer(), nullable=False),
        sa.Column("hops", sa.Integer(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_try", sa.Double(), nullable=False),
        sa.Column("reason", sa.Text()),
        sa.Column("leased_by", _BIG),
        sa.Column("lease_token", _BIG),
        sa.Column("found_from", _BIG),
        sa.Column("found_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_url"),
        sa.UniqueConstraint("url", name="uq_url_url"),
        sa.ForeignKeyConstraint(["leased_by"], ["run.id"], name="fk_url_leased_by"),
        sa.ForeignKeyConstraint(["found_from"], ["url.id"], name="fk_url_found_from"),
    )
    op.create_index(
        "ix_url_due",
        "url",
        ["site", "host", sa.text("priority DESC"), "depth", "id", "next_try"],
        sqlite_where=sa.text("state = 'pending'"),
        postgresql_where=sa.text("state = 'pending'"),
    )
    op.create_index(
        "ix_url_settled",
        "url",
        ["site", "state", "reason"],
        sqlite_where=sa.text("state <> 'pending'"),
        postgresql_where=sa.text("state <> 'pending'"),
    )


def _create_fetches() -> None:
    op.create_table(
        "http_fetch",
        sa.Column("id", _BIG, nullable=False),
        sa.Column("url_id", _BIG),
        sa.Column("run_id", _BIG),
        sa.Column("uri", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("fetched_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("mime", sa.Text()),
        sa.Column("ip", sa.Text()),
        sa.Column("truncated", sa.Text()),
        sa.Column("warc_id", _BIG, nullable=False),
        sa.Column("warc_offset", _BIG, nullable=False),
        sa.Column("warc_length", _BIG, nullable=False),
        sa.Column("record_id", sa.Text(), nullable=False),
        sa.Column("payload_digest", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text()),
        sa.Column("reason", sa.Text()),
        sa.Column("detail", sa.Text()),
        sa.Column("language", sa.Text()),
        sa.Column("version", sa.Integer()),
        sa.Column("crashes", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_http_fetch"),
        sa.UniqueConstraint("warc_id", "warc_offset", name="uq_http_fetch_warc_id_warc_offset"),
        sa.ForeignKeyConstraint(["url_id"], ["url.id"], name="fk_http_fetch_url_id"),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name="fk_http_fetch_run_id"),
        sa.ForeignKeyConstraint(["warc_id"], ["warc_file.id"], name="fk_http_fetch_warc_id"),
    )
    op.create_index(
        "ix_http_fetch_awaiting",
        "http_fetch",
        ["id", "url_id"],
        sqlite_where=sa.text("outcome IS NULL"),
        postgresql_where=sa.text("outcome IS NULL"),
    )
    op.create_index("ix_http_fetch_outcome_reason", "http_fetch", ["outcome", "reason"])
    op.create_index("ix_http_fetch_url_id", "http_fetch", ["url_id"])


def _create_duplicates() -> None:
    op.create_table(
        "scheme",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_scheme"),
        sa.UniqueConstraint("name", name="uq_scheme_name"),
    )
    op.create_table(
        "duplicate_set",
        sa.Column("id", _BIG, nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("representative_id", _BIG),
        sa.PrimaryKeyConstraint("id", name="pk_duplicate_set"),
    )
    op.create_table(
        "fingerprint",
        sa.Column("id", _BIG, nullable=False),
        sa.Column("set_id", _BIG, nullable=False),
        sa.Column("scheme_id", sa.Integer(), nullable=False),
        sa.Column("exact", sa.LargeBinary(), nullable=False),
        sa.Column("shingles", sa.Integer(), nullable=False),
        sa.Column("sketch", sa.LargeBinary(), nullable=False),
        sa.Column("bands", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_fingerprint"),
        sa.UniqueConstraint("exact", "scheme_id", name="uq_fingerprint_exact_scheme_id"),
        sa.ForeignKeyConstraint(["set_id"], ["duplicate_set.id"], name="fk_fingerprint_set_id"),
        sa.ForeignKeyConstraint(["scheme_id"], ["scheme.id"], name="fk_fingerprint_scheme_id"),
    )
    op.create_index("ix_fingerprint_set_id", "fingerprint", ["set_id"])
    op.create_table(
        "band",
        sa.Column("key", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("fingerprint_id", _BIG, autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("key", "fingerprint_id", name="pk_band"),
        sa.ForeignKeyConstraint(["fingerprint_id"], ["fingerprint.id"], name="fk_band_fingerprint_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "near_duplicate",
        sa.Column("a", _BIG, autoincrement=False, nullable=False),
        sa.Column("b", _BIG, autoincrement=False, nullable=False),
        sa.Column("jaccard", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("a", "b", name="pk_near_duplicate"),
        sa.ForeignKeyConstraint(["a"], ["fingerprint.id"], name="fk_near_duplicate_a"),
        sa.ForeignKeyConstraint(["b"], ["fingerprint.id"], name="fk_near_duplicate_b"),
    )
    op.create_index("ix_near_duplicate_b", "near_duplicate", ["b"])


def _create_documents() -> None:
    op.create_table(
        "document",
        sa.Column("id", _BIG, nullable=False),
        sa.Column("public_id", sa.Text(), nullable=False),
        sa.Column("url_id", _BIG, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("fetch_id", _BIG, nullable=False),
        sa.Column("fingerprint_id", _BIG, nullable=False),
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("language_confidence", sa.Double(), nullable=False),
        sa.Column("script", sa.Text(), nullable=False),
        sa.Column("script_share", sa.Double(), nullable=False),
        sa.Column("chars", sa.Integer(), nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("title", sa.Text()),
        sa.Column("author", sa.Text()),
        sa.Column("published", sa.Text()),
        sa.Column("published_text", sa.Text()),
        sa.Column("canonical", sa.Text()),
        sa.Column("directives", sa.Text(), nullable=False),
        sa.Column("extractor", sa.Text(), nullable=False),
        sa.Column("extractor_version", sa.Text(), nullable=False),
        sa.Column("extractor_reason", sa.Text(), nullable=False),
        sa.Column("encoding", sa.Text(), nullable=False),
        sa.Column("encoding_source", sa.Text(), nullable=False),
        sa.Column("replaced", sa.Double(), nullable=False),
        sa.Column("site_model", sa.Text(), nullable=False),
        sa.Column("processed_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_document"),
        sa.UniqueConstraint("fetch_id", name="uq_document_fetch_id"),
        sa.UniqueConstraint("public_id", name="uq_document_public_id"),
        sa.UniqueConstraint("url_id", "version", name="uq_document_url_id_version"),
        sa.ForeignKeyConstraint(["url_id"], ["url.id"], name="fk_document_url_id"),
        sa.ForeignKeyConstraint(["fetch_id"], ["http_fetch.id"], name="fk_document_fetch_id"),
        sa.ForeignKeyConstraint(["fingerprint_id"], ["fingerprint.id"], name="fk_document_fingerprint_id"),
    )
    op.create_index("ix_document_fingerprint_id", "document", ["fingerprint_id"])
    op.create_index("ix_document_site_language_chars", "document", ["site", "language", "chars"])
    op.create_table(
        "document_text",
        sa.Column("document_id", _BIG, autoincrement=False, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("document_id", name="pk_document_text"),
        sa.ForeignKeyConstraint(["document_id"], ["document.id"], name="fk_document_text_document_id"),
    )
