"""Names of authors that are similar to one that no document has. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rapidfuzz import fuzz, process

from storage.documents.text_conditions import author_form, sought_name
from storage.plain_letters import without_marks

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_NAMES = 3
_MIN_SIMILARITY = 60.0
"""Per cent of `rapidfuzz.fuzz.ratio`."""


def similar_names(name: str, known: Iterable[str]) -> list[str]:
    """Return up to three known names: those with these words in any marks, then those with similar letters.

    >>> similar_names("Nguyên", ["Lan Anh", "Nguyễn Văn Hoà"]), similar_names("Lan Ahn", ["Lê B", "Lan Anh"])
    (['Nguyễn Văn Hoà'], ['Lan Anh'])
    """
    names = list(known)
    bare = without_marks(sought_name(name))
    having = [each for each in names if bare in author_form((each,))]
    forms = [without_marks(sought_name(each)) for each in names]
    close = process.extract(bare, forms, scorer=fuzz.ratio, limit=MAX_NAMES, score_cutoff=_MIN_SIMILARITY)
    return list(dict.fromkeys([*having, *(names[at] for _, _, at in close)]))[:MAX_NAMES]
