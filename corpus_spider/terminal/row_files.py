"""Rows of a list as CSV or JSON lines."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def text_of_rows(rows: Sequence[Mapping[str, Any]], form: str, names: Sequence[str]) -> str:
    """Return rows with the keys ``names``. ``form``: ``csv``, with the names in the first line, or ``jsonl``.

    No cell of a CSV is a formula of a spreadsheet.

    >>> text_of_rows([{"word": "phủ, chính", "documents": 2}], "csv", ("word", "documents"))
    'word,documents\\n"phủ, chính",2\\n'
    """
    if form == "jsonl":
        import msgspec

        return "".join(f"{msgspec.json.encode(row).decode()}\n" for row in rows)
    from storage.exports.formats.spreadsheet import cell

    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: cell(value) for name, value in row.items()} for row in rows)
    return text.getvalue()
