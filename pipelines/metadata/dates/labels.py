"""Labels of dates: the words beside a date that say published, updated, or something else (a licence, a deadline).

The words (labels.toml) are those of newspapers in many languages.
"""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pipelines.metadata.dates.figures import WITHOUT_FIGURES
from pipelines.metadata.dates.months import fold

if TYPE_CHECKING:
    from collections.abc import Sequence

PUBLISHED, UPDATED, OTHER, PLAIN = "published", "updated", "other", ""
_KINDS = (UPDATED, PUBLISHED, OTHER)
_TABLE = Path(__file__).with_name("labels.toml")
_WORDS = re.compile(r"\\.|[^\\]+")
_NO_PLAIN_PART = re.compile(r"\\.[+*?]?|\(.*\)[?*+]?|\[.*?\][?*+]?|.(?:[?*]|\{.*?\})|[.^$+]")
"""Part of an expression that is no letter, or optional."""
_MIN_KEY_CHARS, _MAX_KEY_CHARS = 2, 4


def _labels() -> dict[str, list[str]]:
    """Return, by kind, expressions for labels in the form of `fold`."""
    words = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    return {kind: list(map(_folded, chain.from_iterable(words[kind].values()))) for kind in _KINDS}


def _folded(label: str) -> str:
    return _WORDS.sub(lambda part: part[0] if part[0][0] == "\\" else fold(part[0]), label)


def _key(label: str) -> str:
    """Return letters that each text with a label has, or "": the start of the longest plain part of its expression."""
    parts = _NO_PLAIN_PART.split(label)
    return "" if any("|" in part for part in parts) else max(parts, key=len)[:_MAX_KEY_CHARS]


_LABELS = _labels()
_EITHER = {kind: "|".join(labels) for kind, labels in _LABELS.items()}
_LABEL = re.compile("|".join(f"(?P<{kind}>{either})" for kind, either in _EITHER.items()))
_KEYS = {key for labels in _LABELS.values() for key in map(_key, labels) if len(key) >= _MIN_KEY_CHARS}
_KEY_LENGTHS = sorted({len(key) for key in _KEYS})
_WITHOUT_KEY = re.compile(
    "|".join(label for labels in _LABELS.values() for label in labels if len(_key(label)) < _MIN_KEY_CHARS)
)
PUBLISHED_OR_UPDATED = f"(?:{_EITHER[PUBLISHED]}|{_EITHER[UPDATED]})"
"""A regular expression for folded text."""
_BREAK = re.compile(r"[|·•:;,.()/–—-]|\d{3}|.{30}")
"""Sign, year or length that ends the phrase of a label."""
_DIGITS = re.compile(rf"\d(?:\D*\d){{2}}|{WITHOUT_FIGURES}")
"""At least three digits, as in 5 Nov 24, or a part of a date without figures."""


class Portion(NamedTuple):
    """A part of a text that may contain a date, and the kind of its label."""

    kind: str
    text: str


def portions(text: str) -> list[Portion]:
    """Split a text at the labels of its dates. It stays whole if only one part has digits.

    A label refers to the part after it, or before it if the last part is empty ("2024年11月5日 公開").

    >>> [part.kind for part in portions("Updated 6 Nov 2024, first published 5 Nov 2024")]
    ['updated', 'published']
    """
    if text.isascii() and not _DIGITS.search(text):
        return []
    folded, labels = _labels_in(text)
    if not labels:
        return [Portion(PLAIN, text)] if _DIGITS.search(text) else []
    kinds = _kinds(folded, labels)
    starts, ends = [label.start() for label in labels], [label.end() for label in labels]
    pieces = [folded[begin:end] for begin, end in zip([0, *ends], [*starts, len(folded)], strict=True)]
    after = kinds[-1] != OTHER and _DIGITS.search(pieces[0]) and not _DIGITS.search(pieces[-1])
    parts = map(Portion, [*kinds, PLAIN] if after else [PLAIN, *kinds], pieces)
    dated = [part for part in parts if _DIGITS.search(part.text)]
    return [Portion(dated[0].kind, text)] if len(dated) == 1 else dated


def label_before(text: str) -> str:
    """Return the kind of the last label in a text before a date."""
    found = _kinds(*_labels_in(text))
    return found[-1] if found else PLAIN


@lru_cache(maxsize=256)
def _labels_in(text: str) -> tuple[str, tuple[re.Match[str], ...]]:
    """Return a text, folded, and its labels. Elements in one another have one text."""
    folded = fold(text)
    return folded, tuple(_LABEL.finditer(folded)) if _may_have_label(folded) else ()


def _may_have_label(folded: str) -> bool:
    """Return whether a folded text has the key of a label: nine of ten have no label, and its search takes .2 ms."""
    runs = ({folded[at : at + length] for at in range(len(folded))} for length in _KEY_LENGTHS)
    return any(not _KEYS.isdisjoint(run) for run in runs) or _WITHOUT_KEY.search(folded) is not None


def _kinds(folded: str, labels: Sequence[re.Match[str]]) -> list[str]:
    """Return the kinds of labels. One that follows the name of a law within its phrase is of that law.

    >>> portions("Decree published 5 May 2024")[0].kind, portions("Decrees | Published 5 May 2024")[0].kind
    ('other', 'published')
    """
    kinds: list[str] = []
    for label in labels:
        end = labels[len(kinds) - 1].end() if kinds else 0
        in_phrase = kinds and kinds[-1] == OTHER and not _BREAK.search(folded, end, label.start())
        kinds.append(OTHER if in_phrase else label.lastgroup or PLAIN)
    return kinds


def without_labels(text: str) -> str:
    """Return a text, folded, with a space for each label."""
    return _LABEL.sub(" ", fold(text))
