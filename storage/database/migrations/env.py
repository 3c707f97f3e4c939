"""Alembic environment: run the revisions on the connection and in the transaction of `migrate`."""

from __future__ import annotations

from alembic import context

from storage.database.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=True,
    on_version_apply=context.config.attributes["on_step"],
)
context.run_migrations()
