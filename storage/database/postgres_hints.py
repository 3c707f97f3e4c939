"""Hints for errors of a PostgreSQL server, by SQLSTATE, or by message before there is a session.

A refused connection has no SQLSTATE. Messages in other languages get the general hint.
"""

from __future__ import annotations

import re

REACH = "Check that the database is running and reachable, then start again."
SERVER = "Check the log of the server, then start again."
_AWAY = ("08", "53", "57", "58", "XX")
"""Error classes of a server that is down, out of resources or broken. Other classes concern the statement."""
_TABLES = (
    "Another program has changed these tables, or uses tables with these names. Restore them, or name another database."
)
_BY_STATE = {
    "25006": "Name the primary server, not a standby. Check that default_transaction_read_only is off for this role.",
    "3F000": "Correct the search_path of the role, or create the schema it names: CREATE SCHEMA NAME.",
    "40001": "Start again. If the server is a standby, let it wait longer for readers (hot_standby_feedback).",
    "42501": "Ask the owner of the database to grant this role its rights on the schema and the tables.",
    "42703": _TABLES,
    "42P01": _TABLES,
    "42P07": _TABLES,
    "53200": "Raise the server's number of locks (max_locks_per_transaction), or crawl fewer sites at a time.",
    "55P03": "Find the session that holds the locks (pg_locks), then start again.",
    "57014": "Find out what cancels statements on the server, then start again.",
}
"""By SQLSTATE (PostgreSQL, appendix A)."""
_BY_WORDS = (
    (
        r"password|authentication|pg_hba\.conf|role .* (?:does not exist|is not permitted)",
        "Correct user and password in the URL of the database, or ask its administrator to admit this user.",
    ),
    (r'database ".*" does not exist', "Create it with: createdb --encoding=UTF8 --template=template0 NAME"),
    (
        r"too many (?:connections|clients)|connection slots",
        "Raise the connection limit of the server (max_connections) or of the role, or end other programs.",
    ),
    (
        r"\bSSL\b|sslmode|certificate|invalid connection option|bad value|invalid .* value",
        "Correct the parameters of the database URL (such as sslmode), or the server's certificate.",
    ),
)


def advice(message: str, state: str) -> str:
    """Return a hint for an error of a server, by its message and SQLSTATE ("" if it has none)."""
    if state:
        return _BY_STATE.get(state, REACH if state.startswith(_AWAY) else SERVER)
    return next((do for words, do in _BY_WORDS if re.search(words, message)), REACH)
