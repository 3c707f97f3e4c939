"""Tell the names of newspapers, agencies and desks from those of persons, by the words of ``organisations.toml``."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path


def names_organisation(name: str) -> bool:
    """Return whether a name has a word that only organisations have.

    >>> names_organisation("Agence France-Presse"), names_organisation("Báo Đông"), names_organisation("Ann Press-Lee")
    (True, True, False)
    """
    return _pattern().search(name) is not None


@cache
def _pattern() -> re.Pattern[str]:
    table = tomllib.loads((Path(__file__).parent / "organisations.toml").read_text("utf-8"))
    words = sorted({re.escape(word) for every in table["words"].values() for word in every}, key=len, reverse=True)
    parts = [re.escape(part) for every in table["parts"].values() for part in every]
    return re.compile(rf"(?<![\w-])(?:{'|'.join(words)})(?![\w-])|{'|'.join(parts)}", re.IGNORECASE)
