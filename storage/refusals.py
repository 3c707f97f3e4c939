"""Rows that a database refuses for what is in them: told from other errors, and parted from the rest of their group."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from sqlalchemy.exc import DBAPIError, StatementError

from storage.errors import DatabaseError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

T = TypeVar("T")
R = TypeVar("R")

CONTENT_ERRORS = (StatementError, ValueError, OverflowError)
"""What drivers raise for a value of their own accord, besides errors of the database."""
_CONTENT_STATES = ("22", "23", "54")
"""SQLSTATE classes: data exception, integrity constraint violation, program limit exceeded (an index entry, say)."""
_CONTENT_NAMES = ("SQLITE_CONSTRAINT", "SQLITE_TOOBIG", "SQLITE_MISMATCH")


class NotStorableError(DatabaseError):
    """The database refuses a row for what is in it; other rows it would take (exit 4)."""


def is_refusal(error: BaseException) -> bool:
    """Say whether the database, or its driver, found fault with a value."""
    if not isinstance(error, DBAPIError):
        return isinstance(error, CONTENT_ERRORS)
    cause = error.orig or error
    state, name = getattr(cause, "sqlstate", None) or "", getattr(cause, "sqlite_errorname", None) or ""
    known = state.startswith(_CONTENT_STATES) or name.startswith(_CONTENT_NAMES)
    return known or (not state and type(cause).__name__ in {"DataError", "IntegrityError", "InterfaceError"})


def write_apart(
    write: Callable[[Sequence[T]], R], group: Sequence[T], stand_ins: Callable[[T, NotStorableError], Sequence[T]]
) -> list[tuple[Sequence[T], R]]:
    """Write a group; when the database refuses it, in halves, down to the single items it refuses.

    For such an item the first of its ``stand_ins`` that is taken is written. Returns what was written, in order, with
    what ``write`` returned. Raises NotStorableError when no stand-in is taken either.
    """
    try:
        return [(group, write(group))]
    except NotStorableError as error:
        if len(group) == 1:
            return [_write_stand_in(write, stand_ins(group[0], error), error)]
    middle = len(group) // 2
    return [*write_apart(write, group[:middle], stand_ins), *write_apart(write, group[middle:], stand_ins)]


def _write_stand_in(
    write: Callable[[Sequence[T]], R], stand_ins: Sequence[T], refused: NotStorableError
) -> tuple[Sequence[T], R]:
    for each in stand_ins:
        try:
            return [each], write([each])
        except NotStorableError as error:
            refused = error
    raise refused
