"""Identity of a schema in PostgreSQL, the same under each host name of the server."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

_MAY_READ = "SELECT has_function_privilege('pg_control_system()', 'execute')"
_IDENTITY = """SELECT system_identifier || '/' || current_database() || '/' || current_schema()
FROM pg_control_system()"""


def identity(connection: Connection) -> str:
    """Return number of the server, database and schema; "" if this role may not read the number."""
    if not connection.exec_driver_sql(_MAY_READ).scalar_one():
        return ""
    return str(connection.exec_driver_sql(_IDENTITY).scalar_one())
