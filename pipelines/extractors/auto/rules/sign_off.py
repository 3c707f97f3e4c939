"""Remove the signature at the end of a text.

Vietnamese papers name the author only there. Of 801 gold pages 11 end so. On one of them the true text has the line.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import islice, takewhile
from typing import TYPE_CHECKING

from pipelines.extractors.auto.blocks.page import KIND
from pipelines.extractors.auto.rules.parts import around, is_heading, naming_of

if TYPE_CHECKING:
    from pipelines.extractors.auto.blocks.page import Array, Page

LAST, SIGNED = 2, 100
"""Blocks at the end of a text that may be a signature, and characters of one, at most."""
AROUND, HELD = 2, 2
"""Elements around a signature that may align it, and blocks of such an element, at most."""
MOST = 0.2
"""Share of the text, at most, in signatures."""
_CELL = KIND["td"]
"""Cells are aligned for another reason: columns of figures."""
_FLUSH = {
    side: re.compile(rf'\salign="?{side}\b|\sstyle="[^"]{{0,400}}?\btext-align\s*:\s*{side}\b', re.IGNORECASE)
    for side in ("left", "right")
}
_FROM_RIGHT = frozenset({"R", "AL"})
_AUTHOR = re.compile(
    r"(?<![a-z])(?:by-?lines?|authors?|writers?|reporters?|posted-?(?:by|on)|pub-?date|date|time|timestamp|dateline"
    r"|(?:post|entry|article|story|news|page)-?(?:meta|info|details?))(?![a-z])(?!-(?:text|bio|intro|desc|description|note|quote))"
)
_LETTER = re.compile(r"[^\W\d_]")


def unsigned(page: Page, chosen: Array) -> Array:
    """Return the chosen blocks without signatures at the end: short lines that are no sentences.

    A signature is aligned to the side where lines end, or an element around it is named as a byline.
    """
    last = page.count - 1 - int(chosen[::-1].argmax())
    if not _may_sign(page, last):
        return chosen
    taken = chosen.nonzero()[0][: -LAST - 1 : -1].tolist()
    signed = list(takewhile(lambda index: _may_sign(page, index) and _is_set_apart(page, index), taken))
    if not signed or page.texts.chars[signed].sum() > MOST * page.texts.chars[chosen].sum():
        return chosen
    left = chosen.copy()
    left[signed] = False
    return left


def _is_set_apart(page: Page, index: int) -> bool:
    letter = _LETTER.search(page.blocks.texts[index])
    side = "left" if letter and unicodedata.bidirectional(letter[0]) in _FROM_RIGHT else "right"
    elements = page.blocks.elements
    small = takewhile(lambda element: page.held[element] <= HELD, around(page.blocks, index))
    return any(_is_signed(elements.tags[elements.tag[element]], side) for element in islice(small, AROUND))


def _may_sign(page: Page, index: int) -> bool:
    short = page.texts.chars[index] <= SIGNED and not page.texts.ends_sentence[index]
    return bool(short and not page.kind[index] & _CELL)


@lru_cache(maxsize=2**10)
def _is_signed(tag: str, side: str) -> bool:
    return _FLUSH[side].search(tag) is not None or (
        not is_heading(tag.partition(" ")[0]) and _AUTHOR.search(naming_of(tag)) is not None
    )
