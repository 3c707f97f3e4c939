"""Number of words in a search index. Apart from the manifest, which needs numpy."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

FILE = "index.db"
"""Manifest of a search index."""


def count_words(folder: Path) -> int | None:
    """Return the number of words that the search index in this folder counted. None without a readable index."""
    file = folder / FILE
    if not file.is_file():
        return None
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as manifest:
            return manifest.execute("SELECT sum(tokens) FROM total").fetchone()[0]  # type: ignore[no-any-return]
    except sqlite3.Error:
        return None
