"""Rows of a list as CSV or JSON lines."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def text_of_rows(rows: Sequence[Mapping[str, Any]], form: str) -> str:
    """Return rows with the same keys. ``form``: ``csv``, with the keys in the first line, or ``jsonl``.

    No cell of a CSV is a formula of a spreadsheet.

    >>> text_of_rows([{"word": "phủ, chính", "documents": 2}], "csv")
    'word,documents\\n"phủ, chính",2\\n'
    """
    if form == "jsonl":
        import msgspec

        return "".join(f"{msgspec.json.encode(row).decode()}\n" for row in rows)
    from storage.exports.spreadsheet import cell

    text = io.StringIO()
    if rows:
        writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: cell(value) for name, value in row.items()} for row in rows)
    return text.getvalue()
