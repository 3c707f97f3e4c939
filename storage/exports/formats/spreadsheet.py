"""Write CSV (RFC 4180) that a spreadsheet shows as it is: UTF-8 with a byte order mark, and no cell is a formula.

Lists and measures are JSON. A spreadsheet would run a text that begins with ``=``, ``+``, ``-``, ``@``, a tab or a
carriage return (OWASP, "CSV injection"), so such a cell begins with an apostrophe. Texts that begin with apostrophes
before one of these get one more: to read a text back, take off one apostrophe before ``'*[=+@\\t\\r-]``.
"""

from __future__ import annotations

import csv
import io
import re
from datetime import datetime
from typing import TYPE_CHECKING, BinaryIO

import msgspec

from storage.exports.fields import encodable, named
from storage.fields import FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from storage.documents.model import CorpusDocument
    from storage.exports.fields import Value
    from storage.fields import Fields

BYTE_ORDER_MARK = "\ufeff"
"""Without it, spreadsheets read UTF-8 as a Windows code page."""
_FORMULA = re.compile("'*[=+@\t\r-]")


def write(rows: Iterable[CorpusDocument], stream: BinaryIO, fields: Fields = FIELDS) -> None:
    """Write the names of the fields after a byte order mark, then a record for each row."""
    stream.write((BYTE_ORDER_MARK + _line([field.name for field in fields])).encode())
    stream.writelines(_line(list(map(cell, named(encodable(row), fields).values()))).encode() for row in rows)


def cell(value: Value) -> str:
    """Return a value as the text of a cell; null is empty.

    >>> cell("=1+1"), cell("'=x"), cell("'tis"), cell(-1), cell(None), cell(("a", "b"))
    ("'=1+1", "''=x", "'tis", '-1', '', '["a","b"]')
    """
    match value:
        case None:
            return ""
        case str():
            return f"'{value}" if _FORMULA.match(value) else value
        case int() | float():
            return str(value)
        case datetime():
            return value.isoformat()
        case _:
            return msgspec.json.encode(value).decode()


def _line(cells: list[str]) -> str:
    line = io.StringIO(newline="")
    csv.writer(line).writerow(cells)
    return line.getvalue()
