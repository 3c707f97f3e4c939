"""What the words beside a date say of it: published, updated, or a date of something else (a licence, a deadline).

The words (labels.toml) are those of newspapers in many languages.
"""

from __future__ import annotations

import re
import tomllib
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pipelines.dating.hebrew import HEBREW_YEAR
from pipelines.dating.months import fold

if TYPE_CHECKING:
    from collections.abc import Iterator

PUBLISHED, UPDATED, OTHER, PLAIN = "published", "updated", "other", ""
_KINDS = (UPDATED, PUBLISHED, OTHER)
_TABLE = Path(__file__).with_name("labels.toml")
_WORDS = re.compile(r"\\.|[^\\]+")


def _folded(words: str) -> str:
    """Return a regular expression for words as `fold` writes them."""
    return _WORDS.sub(lambda part: part[0] if part[0][0] == "\\" else fold(part[0]), words)


def _labels() -> dict[str, str]:
    """Return by its kind a regular expression for any label."""
    words = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    return {kind: _folded("|".join(chain.from_iterable(words[kind].values()))) for kind in _KINDS}


_EITHER = _labels()
_LABEL = re.compile("|".join(f"(?P<{kind}>{either})" for kind, either in _EITHER.items()))
PUBLISHED_OR_UPDATED = f"(?:{_EITHER[PUBLISHED]}|{_EITHER[UPDATED]})"
"""A regular expression, for folded text."""
_DIGITS = re.compile(rf"\d(?:\D*\d){{2}}|{HEBREW_YEAR}")
"""Hardly a date has fewer: 5 Nov 24. One of the Hebrew calendar has none."""


class Portion(NamedTuple):
    """A part of a text that may state a date, and what its label says of it."""

    kind: str
    text: str


def portions(text: str) -> list[Portion]:
    """Cut a text at the labels of its dates; it stays whole where only one part of it has figures.

    A label speaks of what follows it, or of what stands before where nothing follows the last ("2024年11月5日 公開").

    >>> [part.kind for part in portions("Updated 6 Nov 2024, first published 5 Nov 2024")]
    ['updated', 'published']
    """
    folded = fold(text)
    labels = list(_LABEL.finditer(folded))
    if not labels:
        return [Portion(PLAIN, text)] if _DIGITS.search(text) else []
    dated = [part for part in _parts(folded, labels) if _DIGITS.search(part.text)]
    return [Portion(dated[0].kind, text)] if len(dated) == 1 else dated


def _parts(text: str, labels: list[re.Match[str]]) -> Iterator[Portion]:
    kinds = [label.lastgroup or PLAIN for label in labels]
    starts, ends = [label.start() for label in labels], [label.end() for label in labels]
    pieces = [text[begin:end] for begin, end in zip([0, *ends], [*starts, len(text)], strict=True)]
    if kinds[-1] != OTHER and _DIGITS.search(pieces[0]) and not _DIGITS.search(pieces[-1]):
        return map(Portion, [*kinds, PLAIN], pieces)
    return map(Portion, [PLAIN, *kinds], pieces)


def label_before(text: str) -> str:
    """Return what the last label of a text says of the date that follows it."""
    found = [label.lastgroup or PLAIN for label in _LABEL.finditer(fold(text))]
    return found[-1] if found else PLAIN


def without_labels(text: str) -> str:
    """Return a text, folded, with a space for each label of a date."""
    return _LABEL.sub(" ", fold(text))
