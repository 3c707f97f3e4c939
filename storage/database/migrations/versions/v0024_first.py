"""Create all tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa
from alembic import op

if TYPE_CHECKING:
    from collections.abc import Sequence

revision = "0024"
down_revision = None

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    _create_runs()
    _create_frontier()
    _create_fetches()
    _create_site_models()
    _create_run_counters()
    _create_duplicates()
    _create_documents()
    _create_removals()


def _create_partial_index(name: str, table: str, columns: Sequence[str | sa.TextClause], condition: str) -> None:
    where = sa.text(condition)
    op.create_index(name, table, columns, sqlite_where=where, postgresql_where=where)


def _create_runs() -> None:
    op.create_table(
        "run",
        sa.Column("id", _BIG, nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("started", _MOMENT, nullable=False),
        sa.Column("finished", _MOMENT),
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
        sa.Column("removed_at", _MOMENT),
        sa.Column("removed_because", sa.Text()),
        sa.Column("missing_since", _MOMENT),
        sa.PrimaryKeyConstraint("id", name="pk_warc_file"),
        sa.UniqueConstraint("name", name="uq_warc_file_name"),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name="fk_warc_file_run_id"),
    )


def _create_frontier() -> None:
    op.create_table(
        "site",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("licence", sa.Text()),
        sa.Column("link_rules", sa.Text()),
        sa.PrimaryKeyConstraint("name", name="pk_site"),
    )
    op.create_table(
        "host",
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("paused_until", sa.Double(), nullable=False, server_default="0"),
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
        sa.Column("found_at", _MOMENT, nullable=False),
        sa.Column("dated", sa.Double(), nullable=False, server_default="0"),
        sa.Column("period", sa.Double(), nullable=False, server_default="0"),
        sa.Column("read_at", sa.Double(), nullable=False, server_default="0"),
        sa.Column("news_at", sa.Double(), nullable=False, server_default="0"),
        sa.Column("unchanged", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("failures", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("reads", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("due_again", sa.Double()),
        sa.PrimaryKeyConstraint("id", name="pk_url"),
        sa.UniqueConstraint("url", name="uq_url_url"),
        sa.ForeignKeyConstraint(["found_from"], ["url.id"], name="fk_url_found_from"),
        sa.ForeignKeyConstraint(["leased_by"], ["run.id"], name="fk_url_leased_by"),
    )
    _create_partial_index(
        "ix_url_due",
        "url",
        [
            "site",
            "host",
            sa.text("(1 / (1 + attempts + failures)) DESC"),
            sa.text("priority DESC"),
            sa.text("dated DESC"),
            "depth",
            "id",
            "next_try",
        ],
        "state = 'pending'",
    )
    _create_partial_index("ix_url_due_again", "url", ["site", "due_again"], "due_again IS NOT NULL")
    op.create_index("ix_url_found_from", "url", ["found_from"])
    _create_partial_index("ix_url_removed", "url", ["id"], "reason = 'removed'")
    _create_partial_index("ix_url_settled", "url", ["site", "state", "reason"], "state <> 'pending'")
    _create_partial_index("ix_url_source", "url", ["site"], "(seed OR kind <> 'page' OR period > 0)")


def _create_fetches() -> None:
    op.create_table(
        "robots",
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("fetched_at", _MOMENT, nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("crawl_delay", sa.Double()),
        sa.PrimaryKeyConstraint("origin", name="pk_robots"),
    )
    op.create_table(
        "terms",
        sa.Column("id", _BIG, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("robots", sa.Text(), nullable=False),
        sa.Column("robots_sha256", sa.Text(), nullable=False),
        sa.Column("tdm", sa.Integer()),
        sa.Column("tdm_policy", sa.Text()),
        sa.PrimaryKeyConstraint("id", name="pk_terms"),
        sa.UniqueConstraint("key", name="uq_terms_key"),
    )
    op.create_table(
        "http_fetch",
        sa.Column("id", _BIG, nullable=False),
        sa.Column("url_id", _BIG),
        sa.Column("run_id", _BIG),
        sa.Column("uri", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("fetched_at", _MOMENT, nullable=False),
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
        sa.Column("original_id", _BIG),
        sa.Column("terms_id", _BIG),
        sa.Column("recovered", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.PrimaryKeyConstraint("id", name="pk_http_fetch"),
        sa.UniqueConstraint("warc_id", "warc_offset", name="uq_http_fetch_warc_id_warc_offset"),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name="fk_http_fetch_run_id"),
        sa.ForeignKeyConstraint(["terms_id"], ["terms.id"], name="fk_http_fetch_terms_id"),
        sa.ForeignKeyConstraint(["url_id"], ["url.id"], name="fk_http_fetch_url_id"),
        sa.ForeignKeyConstraint(["warc_id"], ["warc_file.id"], name="fk_http_fetch_warc_id"),
    )
    _create_partial_index("ix_http_fetch_awaiting", "http_fetch", ["id", "url_id"], "outcome IS NULL")
    op.create_index("ix_http_fetch_outcome_reason", "http_fetch", ["outcome", "reason"])
    _create_partial_index("ix_http_fetch_recovered", "http_fetch", ["id"], "recovered")
    op.create_index("ix_http_fetch_url_id", "http_fetch", ["url_id"])
    op.create_table(
        "original",
        sa.Column("url_id", _BIG, autoincrement=False, nullable=False),
        sa.Column("fetch_id", _BIG, nullable=False),
        sa.Column("etag", sa.Text(), nullable=False),
        sa.Column("modified", sa.Text(), nullable=False),
        sa.Column("rules", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("url_id", name="pk_original"),
        sa.ForeignKeyConstraint(["url_id"], ["url.id"], name="fk_original_url_id"),
    )


def _create_site_models() -> None:
    op.create_table(
        "site_model",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("created", _MOMENT, nullable=False),
        sa.Column("scheme", sa.Text(), nullable=False),
        sa.Column("pages", sa.Integer(), nullable=False),
        sa.Column("documents", sa.Integer(), nullable=False),
        sa.Column("template", sa.LargeBinary(), nullable=False),
        sa.Column("own_lines", sa.LargeBinary()),
        sa.PrimaryKeyConstraint("id", name="pk_site_model"),
    )
    op.create_index("ix_site_model_site", "site_model", ["site"])
    op.create_table(
        "recurring_line",
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("digest", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("texts", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("site", "digest", name="pk_recurring_line"),
        sqlite_with_rowid=False,
    )


def _create_run_counters() -> None:
    op.create_table(
        "run_site",
        sa.Column("run_id", _BIG, autoincrement=False, nullable=False),
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("after_fetch", _BIG, nullable=False),
        sa.Column("after_url", _BIG, nullable=False),
        sa.Column("pending_count", sa.Boolean(), nullable=False),
        sa.Column("found", _BIG, nullable=False, server_default="0"),
        sa.Column("fetched", _BIG, nullable=False, server_default="0"),
        sa.Column("unchanged", _BIG, nullable=False, server_default="0"),
        sa.Column("articles", _BIG, nullable=False, server_default="0"),
        sa.Column("versions", _BIG, nullable=False, server_default="0"),
        sa.Column("refused", _BIG, nullable=False, server_default="0"),
        sa.Column("robots", _BIG, nullable=False, server_default="0"),
        sa.Column("http_errors", _BIG, nullable=False, server_default="0"),
        sa.Column("failed", _BIG, nullable=False, server_default="0"),
        sa.Column("no_text", _BIG, nullable=False, server_default="0"),
        sa.Column("short", _BIG, nullable=False, server_default="0"),
        sa.Column("undated", _BIG, nullable=False, server_default="0"),
        sa.Column("language", _BIG, nullable=False, server_default="0"),
        sa.Column("duplicates", _BIG, nullable=False, server_default="0"),
        sa.Column("awaiting", _BIG, nullable=False, server_default="0"),
        sa.Column("bytes", _BIG, nullable=False, server_default="0"),
        sa.Column("seconds", sa.Double(), nullable=False, server_default="0"),
        sa.Column("reasons", sa.Text()),
        sa.Column("suspended", _BIG, nullable=False, server_default="0"),
        sa.Column("allowance", sa.Integer()),
        sa.Column("usual", sa.Double(), nullable=False, server_default="0"),
        sa.PrimaryKeyConstraint("run_id", "site", name="pk_run_site"),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name="fk_run_site_run_id"),
    )
    op.create_index("ix_run_site_site", "run_site", ["site", "run_id"])
    _create_partial_index("ix_run_site_uncounted", "run_site", ["site", "run_id"], "pending_count")
    op.create_table(
        "run_failure",
        sa.Column("run_id", _BIG, autoincrement=False, nullable=False),
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "site", "reason", name="pk_run_failure"),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name="fk_run_failure_run_id"),
    )


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
        sa.Column("numbers", sa.LargeBinary()),
        sa.PrimaryKeyConstraint("id", name="pk_fingerprint"),
        sa.UniqueConstraint("exact", "scheme_id", name="uq_fingerprint_exact_scheme_id"),
        sa.ForeignKeyConstraint(["scheme_id"], ["scheme.id"], name="fk_fingerprint_scheme_id"),
        sa.ForeignKeyConstraint(["set_id"], ["duplicate_set.id"], name="fk_fingerprint_set_id"),
    )
    op.create_index("ix_fingerprint_set_id", "fingerprint", ["set_id"])
    op.create_table(
        "band",
        sa.Column("key", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("fingerprint_id", _BIG, autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("key", "fingerprint_id", name="pk_band"),
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
        sa.Column("processed_at", _MOMENT, nullable=False),
        sa.Column("confidence", sa.Double()),
        sa.Column("published_calendar", sa.Text()),
        sa.Column("published_source", sa.Text()),
        sa.Column("published_confidence", sa.Double()),
        sa.Column("superseded", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("tdm", sa.Integer()),
        sa.Column("tdm_policy", sa.Text()),
        sa.Column("tdm_source", sa.Text()),
        sa.Column("licence_url", sa.Text()),
        sa.Column("reserved", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("quality", sa.Text()),
        sa.Column("foreign_share", sa.Double()),
        sa.Column("authors", sa.Text()),
        sa.Column("published_zone", sa.Text()),
        sa.Column("title_source", sa.Text()),
        sa.Column("author_source", sa.Text()),
        sa.Column("rules", sa.Text()),
        sa.Column("own_lines", sa.LargeBinary()),
        sa.PrimaryKeyConstraint("id", name="pk_document"),
        sa.UniqueConstraint("fetch_id", name="uq_document_fetch_id"),
        sa.UniqueConstraint("public_id", name="uq_document_public_id"),
        sa.UniqueConstraint("url_id", "version", name="uq_document_url_id_version"),
        sa.ForeignKeyConstraint(["fetch_id"], ["http_fetch.id"], name="fk_document_fetch_id"),
        sa.ForeignKeyConstraint(["fingerprint_id"], ["fingerprint.id"], name="fk_document_fingerprint_id"),
        sa.ForeignKeyConstraint(["url_id"], ["url.id"], name="fk_document_url_id"),
    )
    op.create_index("ix_document_canonical", "document", ["canonical"])
    op.create_index("ix_document_counts", "document", ["site", "language", "superseded", "chars"])
    op.create_index("ix_document_fingerprint_id", "document", ["fingerprint_id"])
    _create_partial_index("ix_document_licensed", "document", ["id"], "licence_url IS NOT NULL")
    _create_partial_index("ix_document_pending_day", "document", ["id"], "published_zone = 'pending'")
    op.create_index("ix_document_processed_at", "document", ["processed_at"])
    _create_partial_index("ix_document_reserved", "document", ["id"], "reserved")
    _create_partial_index("ix_document_rules", "document", ["site", "fetch_id"], "rules IS NOT NULL")
    op.create_table(
        "document_text",
        sa.Column("document_id", _BIG, autoincrement=False, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("kinds", sa.Text()),
        sa.Column("captions", sa.Text()),
        sa.Column("comments", sa.Text()),
        sa.Column("languages", sa.Text()),
        sa.PrimaryKeyConstraint("document_id", name="pk_document_text"),
        sa.ForeignKeyConstraint(["document_id"], ["document.id"], name="fk_document_text_document_id"),
    )
    op.create_table(
        "metadata_change",
        sa.Column("document_id", _BIG, autoincrement=False, nullable=False),
        sa.Column("field", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("old", sa.Text()),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("fetch_id", _BIG),
        sa.Column("changed_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("document_id", "field", "number", name="pk_metadata_change"),
        sa.ForeignKeyConstraint(["document_id"], ["document.id"], name="fk_metadata_change_document_id_document"),
    )


def _create_removals() -> None:
    op.create_table(
        "removal",
        sa.Column("id", _BIG, nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("asked", _MOMENT, nullable=False),
        sa.Column("finished", _MOMENT),
        sa.Column("pages", sa.Integer(), nullable=False),
        sa.Column("documents", sa.Integer(), nullable=False),
        sa.Column("deferred", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.PrimaryKeyConstraint("id", name="pk_removal"),
        sa.UniqueConstraint("token", name="uq_removal_token"),
    )
    op.create_table(
        "tombstone",
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("removal_id", _BIG, nullable=False),
        sa.PrimaryKeyConstraint("kind", "value", name="pk_tombstone"),
        sa.ForeignKeyConstraint(["removal_id"], ["removal.id"], name="fk_tombstone_removal_id"),
    )
    op.create_index("ix_tombstone_removal_id", "tombstone", ["removal_id"])
    op.create_table(
        "removed_document",
        sa.Column("public_id", sa.Text(), nullable=False),
        sa.Column("removal_id", _BIG, nullable=False),
        sa.PrimaryKeyConstraint("public_id", name="pk_removed_document"),
        sa.ForeignKeyConstraint(["removal_id"], ["removal.id"], name="fk_removed_document_removal_id"),
    )
    op.create_index("ix_removed_document_removal_id", "removed_document", ["removal_id"])
