"""Tables of a corpus, in the order in which a page passes through them.

run and WARC file -> frontier (site, host, url) -> fetch -> site model -> fingerprint and duplicate set -> document and
its text; then removals. A change needs a migration (storage/database/migrations/versions). A test compares them.

A database searches the tables that refer to a row before it deletes the row. So the columns of a foreign key have an
index, unless the rows of the other table stay. Without a foreign key, `storage.consistency` looks for missing rows.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    TextClause,
    UniqueConstraint,
    false,
    literal_column,
    text,
)

from storage.database.columns import (
    MomentColumn,
    StatedIntegerColumn,
    TextColumn,
    column_of,
)
from storage.fields import columns
from storage.records import DOCUMENT, DOCUMENT_TEXT, SITE_COUNTERS

_MIGRATIONS = Path(__file__).parent / "migrations" / "versions"
SCHEMA_VERSION = max(path.name[1:5] for path in _MIGRATIONS.glob("v????_*.py"))
"""Schema of the last migration, from the name of its file."""
FIRST_SCHEMA = "0024"
"""Schema of the first migration. States of the program before its first release had earlier ones."""
MAX_URL = 2000
"""Longest canonical URL in the frontier, in ASCII characters. A PostgreSQL index entry must be below 2704 bytes."""

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)
Big = BigInteger().with_variant(Integer(), "sqlite")


def where(condition: TextClause) -> dict[str, str]:
    """Return the information on a partial index. Its migration has the condition for both databases.

    An argument such as ``postgresql_where`` would import the dialects of both databases, a tenth of a second, in every
    command.
    """
    return {"where": condition.text}


run = Table(
    "run",
    metadata,
    Column("id", Big, primary_key=True),
    Column("token", TextColumn, nullable=False, unique=True),
    Column("started", MomentColumn, nullable=False),
    Column("finished", MomentColumn),
    Column("exit_code", Integer),
    Column("config", TextColumn, nullable=False),
    Column("summary", TextColumn),
    Column("pid", Integer, nullable=False),
    Column("host", TextColumn, nullable=False),
)

warc_file = Table(
    "warc_file",
    metadata,
    Column("id", Big, primary_key=True),
    Column("name", TextColumn, nullable=False, unique=True),
    Column("run_id", Big, ForeignKey(run.c.id)),
    Column("state", TextColumn, nullable=False),
    Column("bytes", Big),
    Column("removed_at", MomentColumn),
    Column("removed_because", TextColumn),
    Column("missing_since", MomentColumn),
    Column("machine", TextColumn),
)
"""``missing_since``: when a crawl found that the file is not in the folder. NULL while it is there. Its pages wait.
``machine``: the machine whose folder has it. NULL if each machine of the corpus reaches it.
"""

site = Table(
    "site",
    metadata,
    Column("name", TextColumn, primary_key=True),
    Column("licence", TextColumn),
    Column("link_rules", TextColumn),
)
"""``link_rules``: digest of the link rules that the queue of the site follows; empty if it is unknown."""

host = Table(
    "host",
    metadata,
    Column("site", TextColumn, primary_key=True),
    Column("name", TextColumn, primary_key=True),
    Column("paused_until", Double, nullable=False, server_default="0"),
)
"""``paused_until``: epoch seconds until which the host requested a pause."""

url = Table(
    "url",
    metadata,
    Column("id", Big, primary_key=True),
    Column("url", TextColumn, nullable=False, unique=True),
    Column("fetch_url", TextColumn, nullable=False),
    Column("site", TextColumn, nullable=False),
    Column("host", TextColumn, nullable=False),
    Column("kind", TextColumn, nullable=False),
    Column("state", TextColumn, nullable=False),
    Column("seed", Boolean, nullable=False),
    Column("priority", Integer, nullable=False),
    Column("depth", Integer, nullable=False),
    Column("hops", Integer, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("next_try", Double, nullable=False),
    Column("reason", TextColumn),
    Column("leased_by", Big, ForeignKey(run.c.id)),
    Column("lease_token", Big),
    Column("found_from", Big, ForeignKey("url.id"), index=True),
    Column("found_at", MomentColumn, nullable=False),
    Column("dated", Double, nullable=False, server_default="0"),
    Column("due_again", Double),
    Column("period", Double, nullable=False, server_default="0"),
    Column("unchanged", Integer, nullable=False, server_default="0"),
    Column("failures", Integer, nullable=False, server_default="0"),
    Column("reads", Integer, nullable=False, server_default="0"),
    Column("read_at", Double, nullable=False, server_default="0"),
    Column("news_at", Double, nullable=False, server_default="0"),
)
"""``dated``: date of publication or change in a feed or sitemap, 0 if unknown. ``due_again``: time when a done or
failed URL becomes pending again, NULL for never. The other columns belong to storage.frontier.recrawl_schedule. Times
are epoch seconds.
"""
FIRST_TRY = "(1 / (1 + attempts + failures))"
"""1 for a URL without a failed attempt or visit, 0 for a retry (integer division). Only in this spelling both databases
use the index below. PostgreSQL rewrites a condition that is negated.
"""
_pending = text("state = 'pending'")
Index(
    "ix_url_due",
    url.c.site,
    url.c.host,
    literal_column(FIRST_TRY, Integer).desc(),
    url.c.priority.desc(),
    url.c.dated.desc(),
    url.c.depth,
    url.c.id,
    url.c.next_try,
    info=where(_pending),
)
_settled = text("state <> 'pending'")
Index("ix_url_settled", url.c.site, url.c.state, url.c.reason, info=where(_settled))
_again = text("due_again IS NOT NULL")
Index("ix_url_due_again", url.c.site, url.c.due_again, info=where(_again))
IS_SOURCE = text("(seed OR kind <> 'page' OR period > 0)")
"""Condition of sources. Only in this spelling both databases use the index below."""
Index("ix_url_source", url.c.site, info=where(IS_SOURCE))

_removed = text("reason = 'removed'")
Index("ix_url_removed", url.c.id, info=where(_removed))

robots = Table(
    "robots",
    metadata,
    Column("origin", TextColumn, primary_key=True),
    Column("fetched_at", MomentColumn, nullable=False),
    Column("status", StatedIntegerColumn, nullable=False),
    Column("verdict", TextColumn, nullable=False),
    Column("sha256", TextColumn, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("crawl_delay", Double),
)
"""Last readable robots.txt of each origin, its body compressed with zlib."""

terms = Table(
    "terms",
    metadata,
    Column("id", Big, primary_key=True),
    Column("key", TextColumn, nullable=False, unique=True),
    Column("robots", TextColumn, nullable=False),
    Column("robots_sha256", TextColumn, nullable=False),
    Column("tdm", Integer),
    Column("tdm_policy", TextColumn),
)
"""Terms of use in a host's files for the fetched URLs. Rows are added and never changed."""

fetch = Table(
    "http_fetch",
    metadata,
    Column("id", Big, primary_key=True),
    Column("url_id", Big, ForeignKey(url.c.id), index=True),
    Column("run_id", Big, ForeignKey(run.c.id)),
    Column("uri", TextColumn, nullable=False),
    Column("kind", TextColumn, nullable=False),
    Column("fetched_at", MomentColumn, nullable=False),
    Column("status", StatedIntegerColumn, nullable=False),
    Column("mime", TextColumn),
    Column("ip", TextColumn),
    Column("truncated", TextColumn),
    Column("warc_id", Big, ForeignKey(warc_file.c.id), nullable=False),
    Column("warc_offset", Big, nullable=False),
    Column("warc_length", Big, nullable=False),
    Column("record_id", TextColumn, nullable=False),
    Column("payload_digest", TextColumn, nullable=False),
    Column("outcome", TextColumn),
    Column("reason", TextColumn),
    Column("detail", TextColumn),
    Column("language", TextColumn),
    Column("version", Integer),
    Column("crashes", Integer, nullable=False),
    Column("original_id", Big),
    Column("terms_id", Big, ForeignKey(terms.c.id)),
    Column("recovered", Boolean, nullable=False, server_default=false()),
    UniqueConstraint("warc_id", "warc_offset"),
)
"""``original_id``: for a revisit record, the fetch whose response record has the payload. ``recovered``: an import
found the record by a search after damage, or its end.
"""
Index("ix_http_fetch_outcome_reason", fetch.c.outcome, fetch.c.reason)
_awaiting = text("outcome IS NULL")
Index("ix_http_fetch_awaiting", fetch.c.id, fetch.c.url_id, info=where(_awaiting))
_recovered = text("recovered")
Index("ix_http_fetch_recovered", fetch.c.id, info=where(_recovered))

original = Table(
    "original",
    metadata,
    Column("url_id", Big, ForeignKey(url.c.id), primary_key=True, autoincrement=False),
    Column("fetch_id", Big, nullable=False),
    Column("etag", TextColumn, nullable=False),
    Column("modified", TextColumn, nullable=False),
    Column("rules", TextColumn, nullable=False),
)
"""Last full response (200) of a URL, with its validators for conditional requests. ``rules``: see Schedule."""

site_model = Table(
    "site_model",
    metadata,
    Column("id", TextColumn, primary_key=True),
    Column("site", TextColumn, nullable=False, index=True),
    Column("created", MomentColumn, nullable=False),
    Column("scheme", TextColumn, nullable=False),
    Column("pages", Integer, nullable=False),
    Column("documents", Integer, nullable=False),
    Column("template", LargeBinary, nullable=False),
    Column("own_lines", LargeBinary),
)
"""Rows are added and never changed, so that a document can be reproduced with its model. ``own_lines``: digests of the
publisher's own lines, packed (storage.bytes.lines); NULL if there are none.
"""

recurring_line = Table(
    "recurring_line",
    metadata,
    Column("site", TextColumn, primary_key=True),
    Column("digest", BigInteger, primary_key=True, autoincrement=False),
    Column("texts", Integer, nullable=False),
    sqlite_with_rowid=False,
)
"""Recurring lines of a site with the number of texts, as last learned; see storage.documents.recurring_lines."""

run_site = Table(
    "run_site",
    metadata,
    Column("run_id", Big, ForeignKey(run.c.id), primary_key=True, autoincrement=False),
    Column("site", TextColumn, primary_key=True),
    Column("after_fetch", Big, nullable=False),
    Column("after_url", Big, nullable=False),
    Column("pending_count", Boolean, nullable=False),
    *(Column(name, Big, nullable=False, server_default="0") for name in SITE_COUNTERS),
    Column("seconds", Double, nullable=False, server_default="0"),
    Column("reasons", TextColumn),
    Column("allowance", Integer),
    Column("usual", Double, nullable=False, server_default="0"),
)
"""Counters of a run at a site: zeros while it runs, computed at its end (storage.runs.site_runs). ``after_fetch`` and
``after_url``: the last ids at its start. ``pending_count``: the counters are not final. ``allowance`` (NULL: that of a
first night) and ``usual``: see storage.runs.allowance.
"""
Index("ix_run_site_site", run_site.c.site, run_site.c.run_id)
_uncounted = text("pending_count")
Index("ix_run_site_uncounted", run_site.c.site, run_site.c.run_id, info=where(_uncounted))

run_failure = Table(
    "run_failure",
    metadata,
    Column("run_id", Big, ForeignKey(run.c.id), primary_key=True, autoincrement=False),
    Column("site", TextColumn, primary_key=True),
    Column("reason", TextColumn, primary_key=True),
    Column("tries", Integer, nullable=False),
)
"""Attempts without an exchange, which have no fetch row."""

scheme = Table(
    "scheme",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", TextColumn, nullable=False, unique=True),
)

duplicate_set = Table(
    "duplicate_set",
    metadata,
    Column("id", Big, primary_key=True),
    Column("size", Integer, nullable=False),
    Column("representative_id", Big),
)
"""``representative_id``: id of a document. No foreign key, because the two tables would refer to each other."""

fingerprint = Table(
    "fingerprint",
    metadata,
    Column("id", Big, primary_key=True),
    Column("set_id", Big, ForeignKey(duplicate_set.c.id), nullable=False, index=True),
    Column("scheme_id", Integer, ForeignKey(scheme.c.id), nullable=False),
    Column("exact", LargeBinary, nullable=False),
    Column("shingles", Integer, nullable=False),
    Column("sketch", LargeBinary, nullable=False),
    Column("bands", LargeBinary, nullable=False),
    Column("numbers", LargeBinary),
    UniqueConstraint("exact", "scheme_id"),
)

band = Table(
    "band",
    metadata,
    Column("key", BigInteger, primary_key=True, autoincrement=False),
    Column("fingerprint_id", Big, primary_key=True, autoincrement=False),
    sqlite_with_rowid=False,
)

near_duplicate = Table(
    "near_duplicate",
    metadata,
    Column("a", Big, ForeignKey(fingerprint.c.id), primary_key=True, autoincrement=False),
    Column("b", Big, ForeignKey(fingerprint.c.id), primary_key=True, autoincrement=False, index=True),
    Column("jaccard", Double, nullable=False),
)

document = Table(
    "document",
    metadata,
    Column("id", Big, primary_key=True),
    Column("public_id", TextColumn, nullable=False, unique=True),
    Column("url_id", Big, ForeignKey(url.c.id), nullable=False),
    Column("version", Integer, nullable=False),
    Column("fetch_id", Big, ForeignKey(fetch.c.id), nullable=False, unique=True),
    Column("fingerprint_id", Big, ForeignKey(fingerprint.c.id), nullable=False, index=True),
    Column("site", TextColumn, nullable=False),
    Column("day", TextColumn, nullable=False),
    Column("processed_at", MomentColumn, nullable=False),
    Column("superseded", Boolean, nullable=False, server_default=false()),
    Column("reserved", Boolean, nullable=False, server_default=false()),
    Column("own_lines", LargeBinary),
    *map(column_of, columns(DOCUMENT)),
    UniqueConstraint("url_id", "version"),
)
"""Its other columns are those of `DocumentFields`. ``superseded``: a later version exists, or a document of the same
page at its canonical URL, or the document is a shortened version of an earlier one (its fetch has the reason
``shortened``). ``reserved``: its use for text and data mining, AI or archiving is reserved. ``own_lines``: digests of
the publisher's own lines that were left out of the text; NULL if there were none.
"""
Index("ix_document_canonical", document.c.canonical)
Index("ix_document_processed_at", document.c.processed_at)
_reserved = text("reserved")
_pending_day = text("published_zone = 'pending'")
# Without rows and use, but part of the first schema.
Index("ix_document_pending_day", document.c.id, info=where(_pending_day))
Index("ix_document_reserved", document.c.id, info=where(_reserved))
_ruled = text("rules IS NOT NULL")
Index("ix_document_rules", document.c.site, document.c.fetch_id, info=where(_ruled))
_licensed = text("licence_url IS NOT NULL")
Index("ix_document_licensed", document.c.id, info=where(_licensed))
Index("ix_document_counts", document.c.site, document.c.language, document.c.superseded, document.c.chars)

document_text = Table(
    "document_text",
    metadata,
    Column("document_id", Big, ForeignKey(document.c.id), primary_key=True, autoincrement=False),
    *map(column_of, columns(DOCUMENT_TEXT)),
)
"""Separate from `document`, so that counting and selecting a million documents does not read their texts."""

metadata_change = Table(
    "metadata_change",
    metadata,
    Column("document_id", Big, ForeignKey(document.c.id), primary_key=True, autoincrement=False),
    Column("field", TextColumn, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("old", TextColumn),
    Column("reason", TextColumn, nullable=False),
    Column("fetch_id", Big),
    Column("changed_at", MomentColumn, nullable=False),
)
"""Earlier values of a document's title, authors and date that a later visit or re-extraction replaced, in order."""

removal = Table(
    "removal",
    metadata,
    Column("id", Big, primary_key=True),
    Column("token", TextColumn, nullable=False, unique=True),
    Column("kind", TextColumn, nullable=False),
    Column("value", TextColumn, nullable=False),
    Column("reason", TextColumn, nullable=False),
    Column("asked", MomentColumn, nullable=False),
    Column("finished", MomentColumn),
    Column("pages", Integer, nullable=False),
    Column("documents", Integer, nullable=False),
    Column("deferred", Boolean, nullable=False, server_default=false()),
)
"""Requested removals. ``value``: the named URL, domain, id or hashed author. The kind ``undo`` records that a removal
was lifted; its value is the id of that removal. ``deferred``: it is unfinished, and only SQLite's file is left to
rewrite.
"""

tombstone = Table(
    "tombstone",
    metadata,
    Column("kind", TextColumn, primary_key=True),
    Column("value", TextColumn, primary_key=True),
    Column("removal_id", Big, ForeignKey(removal.c.id), nullable=False, index=True),
)
"""Blocked pages, domains with everything below them, and hashed author names; see storage.blocklist.tombstones."""

machine_removal = Table(
    "machine_removal",
    metadata,
    Column("machine", TextColumn, primary_key=True),
    Column("asked", MomentColumn),
)
"""Machines that have not yet carried out the removals in their WARC files. ``asked``: NULL until the texts are
withdrawn.
"""

removed_document = Table(
    "removed_document",
    metadata,
    Column("public_id", TextColumn, primary_key=True),
    Column("removal_id", Big, ForeignKey(removal.c.id), nullable=False, index=True),
)
