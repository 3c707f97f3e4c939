"""Rows that a database refuses because of their content: recognise them, and write the rest of their group."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from sqlalchemy.exc import DBAPIError, StatementError

from storage.errors import DatabaseError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

T = TypeVar("T")
R = TypeVar("R")

CONTENT_ERRORS = (StatementError, ValueError, OverflowError)
"""Errors that drivers raise themselves for a value."""
_CONTENT_STATES = ("22", "23", "54")
"""SQLSTATE classes: data exception, integrity constraint violation, program limit exceeded (an index entry)."""
_CONTENT_NAMES = ("SQLITE_CONSTRAINT", "SQLITE_TOOBIG", "SQLITE_MISMATCH")


class NotStorableError(DatabaseError):
    """The database refuses a row because of its content; it would accept other rows (exit 4)."""


def is_refusal(error: BaseException) -> bool:
    """Return whether the database or its driver refused a value."""
    if not isinstance(error, DBAPIError):
        return isinstance(error, CONTENT_ERRORS)
    cause = error.orig or error
    state, name = getattr(cause, "sqlstate", None) or "", getattr(cause, "sqlite_errorname", None) or ""
    known = state.startswith(_CONTENT_STATES) or name.startswith(_CONTENT_NAMES)
    return known or (not state and type(cause).__name__ in {"DataError", "IntegrityError", "InterfaceError"})


def write_apart(
    write: Callable[[Sequence[T]], R], group: Sequence[T], replacements: Callable[[T, NotStorableError], Sequence[T]]
) -> list[tuple[Sequence[T], R]]:
    """Write a group. If the database refuses it, write halves, down to the refused items.

    A refused item is replaced by the first of its ``replacements`` that is accepted. Return the written parts in order,
    with the results of ``write``. Raises NotStorableError if all replacements are refused too.
    """
    try:
        return [(group, write(group))]
    except NotStorableError as error:
        if len(group) == 1:
            return [_write_replacement(write, replacements(group[0], error), error)]
    middle = len(group) // 2
    return [*write_apart(write, group[:middle], replacements), *write_apart(write, group[middle:], replacements)]


def _write_replacement(
    write: Callable[[Sequence[T]], R], replacements: Sequence[T], refused: NotStorableError
) -> tuple[Sequence[T], R]:
    for each in replacements:
        try:
            return [each], write([each])
        except NotStorableError as error:
            refused = error
    raise refused
