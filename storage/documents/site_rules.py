"""Documents by the rules of their site: what the rules matched in each run, and texts made with other rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import sqlalchemy as sa

from storage.database.schema import document, fetch, url
from storage.database.transactions import chunks

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from sqlalchemy.engine import Connection

_DIGITS = 12
"""Length of the fingerprint at the start of ``document.rules``."""


class RuledTexts(NamedTuple):
    """Number of documents of a run at a site for which the rules matched the same (see `SiteRules.note`)."""

    site: str
    run_id: int
    note: str
    documents: int
    url: str
    """Address of one of the pages."""


def ruled_texts(connection: Connection, sites: Collection[str], first_run: int) -> list[RuledTexts]:
    """Count the documents of these sites that were made with rules, from a run on, by run and what matched."""
    groups = (document.c.site, fetch.c.run_id, document.c.rules)
    of_runs = document.c.rules.is_not(None), fetch.c.run_id >= first_run
    counts = (
        sa.select(*groups, sa.func.count().label("documents"), sa.func.max(fetch.c.url_id).label("url_id"))
        .select_from(document.join(fetch, fetch.c.id == document.c.fetch_id))
        .where(*of_runs)
        .group_by(*groups)
    )
    found = []
    for part in chunks(sorted(sites)):
        one = counts.where(document.c.site.in_(part)).subquery()
        rows = sa.select(one.c.site, one.c.run_id, one.c.rules, one.c.documents, url.c.fetch_url)
        found += [RuledTexts(*row) for row in connection.execute(rows.join(url, url.c.id == one.c.url_id))]
    return sorted(found)


def with_other_rules(connection: Connection, fingerprints: Mapping[str, str]) -> dict[str, int]:
    """Count the documents of each site that were made with other rules than now. Sites without any are left out.

    ``fingerprints`` are those of the present rules by site; "" for a site without rules. A text that was made without
    rules has other rules than those of today.
    """
    found: dict[str, int] = {}
    for part in chunks(sorted(fingerprints)):
        ruled = sa.select(document.c.site, sa.func.substr(document.c.rules, 1, _DIGITS), sa.func.count())
        of_part = ruled.where(document.c.site.in_(part), document.c.rules.is_not(None))
        same = dict.fromkeys(part, 0)
        every = dict.fromkeys(part, 0)
        for site, fingerprint, count in connection.execute(of_part.group_by(sa.text("1, 2"))):
            every[site] += count
            same[site] += count * (fingerprint == fingerprints[site])
        # Texts without rules count where the site has rules now. The index of all counts answers.
        having = [site for site in part if fingerprints[site]]
        total = sa.select(document.c.site, sa.func.count().label("documents")).where(document.c.site.in_(having))
        every |= {row.site: row.documents for row in connection.execute(total.group_by(document.c.site))}
        found |= {site: left for site in part if (left := every[site] - same[site])}
    return found
