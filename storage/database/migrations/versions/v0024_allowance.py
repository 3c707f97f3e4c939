"""Columns for the nightly allowance of a site, and for the URLs that a run left suspended.

The usual number of the last run of each site is the mean of its earlier runs.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("run_site", sa.Column("suspended", _BIG, nullable=False, server_default="0"))
    op.add_column("run_site", sa.Column("allowance", sa.Integer()))
    op.add_column("run_site", sa.Column("usual", sa.Double(), nullable=False, server_default="0"))
    # One pass over all runs: a query for each site would read the runs of all sites again.
    runs = sa.table("run_site", *map(sa.column, ("site", "run_id", "articles", "fetched", "usual")))
    usual = sa.func.avg(sa.case((runs.c.fetched > 0, runs.c.articles)))
    per_site = sa.select(runs.c.site, sa.func.max(runs.c.run_id), usual).group_by(runs.c.site)
    connection = op.get_bind()
    rows = [
        {"of_site": site, "of_run": run_id, "found": float(number)}
        for site, run_id, number in connection.execute(per_site).all()
        if number is not None
    ]
    if rows:
        last = runs.c.site == sa.bindparam("of_site"), runs.c.run_id == sa.bindparam("of_run")
        connection.execute(sa.update(runs).where(*last).values(usual=sa.bindparam("found")), rows)
