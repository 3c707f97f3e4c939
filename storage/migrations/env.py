"""What alembic runs: the revisions, on the connection and inside the transaction that `migrate` hands over."""

from __future__ import annotations

from alembic import context

from storage.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, transactional_ddl=True)
context.run_migrations()
