"""Count the words of the texts between tags.

Words are separated by white space or control characters. Scripts written without spaces (Thai, Chinese, ...) have no
such words. There, a piece of some characters counts as one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pipelines.extractors.papers.tag_columns import MANY, slices
from pipelines.text.text_size import UNSPACED

if TYPE_CHECKING:
    from pipelines.extractors.papers.tag_columns import Page

UNSPACED_WORD = 6
"""Characters of such a script that count as one word, at most."""

_UNSPACED_WORDS = re.compile(
    f"[{''.join(f'{chr(first)}-{chr(last)}' for first, last in UNSPACED)}]{{1,{UNSPACED_WORD}}}"
)
_CONTROL = re.compile("[\x01-\x08\x0e-\x1b]")
_WORD = re.compile(r"\S++")
_LONG = 1 << 17
"""Characters."""
_BETWEEN = "\0"
"""No text of a page has NULs."""


def words_between(page: Page) -> list[int]:
    """Return the number of words before, between and after the tags of a page: one number more than there are tags."""
    starts, ends = page.bounds()
    counts = list[int]()
    for first in range(0, starts.size, MANY):
        part = slice(first, first + MANY)
        texts = _BETWEEN.encode().join(slices(page.source, starts[part], ends[part])).decode()
        texts = _CONTROL.sub(" ", texts)
        if not texts.isascii():
            texts = _UNSPACED_WORDS.sub(" x ", texts)
        counts += [
            # A string for every word of a long text takes many times its size.
            len(text.split()) if len(text) < _LONG else sum(1 for _ in _WORD.finditer(text))
            for text in texts.split(_BETWEEN)
        ]
    return counts
