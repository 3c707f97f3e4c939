"""Column types that work alike on both databases: text from hostile pages, times, lists."""

from __future__ import annotations

import json
import math
import re
from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import astuple
from sqlalchemy import Column, DateTime, Double, Integer, Text, TypeDecorator

from storage.records import Quality, StoredForm

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.engine import Dialect

    from storage.fields import Field

_lines = msgspec.json.Decoder(tuple[str, ...])
_numbers = msgspec.json.Decoder(tuple[int | float | None, ...])
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")

_MAX_INTEGER = 2**31 - 1
_SIGNALS = len(Quality.__struct_fields__)


def storable(value: str) -> str:
    """Replace characters that databases refuse, NUL and lone surrogates, by U+FFFD."""
    return _UNSTORABLE.sub("\ufffd", value)


def as_moment(value: str | datetime) -> datetime:
    """Return the time a driver gives as aware UTC. SQLite gives naive times, perhaps as text."""
    read = datetime.fromisoformat(value) if isinstance(value, str) else value
    return read.astimezone(UTC) if read.tzinfo else read.replace(tzinfo=UTC)


def as_lines(value: str | None) -> tuple[str, ...]:
    """Read what `LinesColumn` stores."""
    return _lines.decode(value) if value else ()


def as_runs(value: str | None) -> tuple[str, ...]:
    """Read what `RunsColumn` stores."""
    words: list[str] = []
    for run in value.split("\n") if value else ():
        count, _, word = run.rpartition("*")
        words += [word] * int(count or 1)
    return tuple(words)


def as_words(value: str) -> tuple[str, ...]:
    """Read what `WordsColumn` stores."""
    return tuple(value.split())


def as_letters(value: str | None) -> str:
    """Read what `LettersColumn` stores."""
    return value or ""


def as_numbers(value: str | None) -> tuple[int | float | None, ...]:
    """Read what `QualityColumn` stores."""
    return _numbers.decode(value) if value else ()


def as_quality(value: str | None) -> Quality | None:
    """Read what `QualityColumn` stores as signals; None for those of another release."""
    signals = as_numbers(value)
    return Quality(*signals) if len(signals) == _SIGNALS else None  # type: ignore[arg-type]


class TextColumn(TypeDecorator[str]):
    """Text of any length and content, as hostile pages may contain."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else storable(str(value))


class StatedIntegerColumn(TypeDecorator[int]):
    """An integer stated by a server, such as a status, limited to 32 bits."""

    impl = Integer
    cache_ok = True

    def process_bind_param(self, value: int | None, dialect: Dialect) -> int | None:
        return None if value is None else max(-_MAX_INTEGER - 1, min(value, _MAX_INTEGER))


class MomentColumn(TypeDecorator[datetime]):
    """A point in time. Always aware and UTC in Python; SQLite stores naive text."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.astimezone(UTC).replace(tzinfo=None if dialect.name == "sqlite" else UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return as_moment(value)


class LinesColumn(TypeDecorator[tuple[str, ...]]):
    """Texts as a JSON list; NULL for none."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: tuple[str, ...] | None, dialect: Dialect) -> str | None:
        return json.dumps([storable(each) for each in value], ensure_ascii=False) if value else None

    def process_result_value(self, value: str | None, dialect: Dialect) -> tuple[str, ...]:
        return as_lines(value)


class QualityColumn(TypeDecorator[tuple[float | None, ...]]):
    """The signals of a text as a JSON list of numbers; NULL for none. A signal that is not finite is null.

    It gives the numbers as they are stored, so that a copy also has those of another release.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Quality | tuple[float | None, ...] | None, dialect: Dialect) -> str | None:
        if not value:
            return None
        signals = astuple(value) if isinstance(value, Quality) else value
        finite = [each if each is not None and math.isfinite(each) else None for each in signals]
        return json.dumps(finite, separators=(",", ":"))

    def process_result_value(self, value: str | None, dialect: Dialect) -> tuple[float | None, ...]:
        return as_numbers(value)


class WordsColumn(TypeDecorator[tuple[str, ...]]):
    """Words without spaces, joined by spaces."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: tuple[str, ...] | None, dialect: Dialect) -> str:
        return storable(" ".join(value or ()))

    def process_result_value(self, value: str | None, dialect: Dialect) -> tuple[str, ...]:
        return as_words(value or "")


class LettersColumn(TextColumn):
    """Text; NULL if it is empty."""

    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        return super().process_bind_param(value or None, dialect)

    def process_result_value(self, value: Any, dialect: Dialect) -> str:
        return as_letters(value)


class RunsColumn(TypeDecorator[tuple[str, ...]]):
    """Short repeating words without line ends, one a line. ``3*`` before a word means three in a row. NULL for none."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: tuple[str, ...] | None, dialect: Dialect) -> str | None:
        runs = ((len(list(run)), word) for word, run in groupby(value or ()))
        return storable("\n".join(f"{count}*{word}" if count > 1 else word for count, word in runs)) or None

    def process_result_value(self, value: str | None, dialect: Dialect) -> tuple[str, ...]:
        return as_runs(value)


_TYPES = {str: TextColumn, int: Integer, float: Double, tuple: LinesColumn, Quality: QualityColumn}
_FORMS = {StoredForm.RUNS: RunsColumn, StoredForm.WORDS: WordsColumn, StoredForm.LETTERS: LettersColumn}
_WITHOUT_NULL = (TextColumn, Integer, Double, WordsColumn)
READERS: dict[type, Callable[[Any], Any]] = {
    MomentColumn: as_moment,
    LinesColumn: as_lines,
    RunsColumn: as_runs,
    WordsColumn: as_words,
    LettersColumn: as_letters,
    QualityColumn: as_quality,
}
"""Functions from the value that a driver gives to that of a field, by the type of its column."""


def column_of(field: Field) -> Column[Any]:
    """Return the column of a field. Columns of lists hold NULL for an empty one."""
    kind = _FORMS.get(field.note.form) or _TYPES[field.kind]
    return Column(field.column, kind, nullable=field.optional or kind not in _WITHOUT_NULL)
