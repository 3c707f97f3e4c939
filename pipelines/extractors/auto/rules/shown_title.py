"""The title that is shown above the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.extractors.auto.blocks.marks import BIT
from pipelines.extractors.auto.blocks.walk import LINE, one_line
from pipelines.extractors.auto.rules.captions import MAX_CHARS, MAX_LINKED_SHARE
from pipelines.extractors.auto.rules.text_lines import is_heading

if TYPE_CHECKING:
    from pipelines.extractors.auto.blocks.page import PageBlocks
    from pipelines.extractors.auto.blocks.text_measures import Array
MIN_LIKENESS = 0.6
"""Share of the stated title from which a block is the title."""
MIN_TITLE_CHARS = 15
"""Characters, at least, of a line that is the title."""
MIN_TITLE_SHARE = 0.5
"""Share of the stated title, at least, in such a line."""
_PARTING = frozenset("|-–—·•»«:/_｜")


def shown_title(page: PageBlocks, likeness: Array) -> str:
    """Return the heading that is the stated title or most of it. On a page without an h1 a line may be the title.

    The heading of the comments ("3 replies to …") is not the title.
    """
    like = ((likeness > MIN_LIKENESS) & ((page.near & BIT["comment"]) == 0)).nonzero()[0].tolist()
    names = {index: page.blocks.elements.name(page.blocks.inside[index]) for index in like}
    headings = (index for index in like if is_heading(names[index]))
    best = max(headings, key=lambda index: (names[index] == "h1", likeness[index]), default=None)
    if best is None:
        return "" if page.h1.any() else _title_line(page)
    return " ".join(page.blocks.lines(best))


def _title_line(page: PageBlocks) -> str:
    """Return the first line at the start of a block that equals the stated title without the name of the site."""
    title = page.blocks.title[:MAX_CHARS]
    shortest = max(MIN_TITLE_CHARS, MIN_TITLE_SHARE * len(title))
    # A sieve: it counts neither spaces nor further lines.
    may_be = (2 * page.texts.chars >= shortest) & (page.link < MAX_LINKED_SHARE) & ~page.hidden
    for index in may_be.nonzero()[0].tolist() if len(title) >= shortest else ():
        line = one_line(page.blocks.texts[index][:MAX_CHARS].partition(LINE)[0])
        if len(line) >= shortest and _names(title, line):
            return line
    return ""


def _names(title: str, line: str) -> bool:
    """Return whether a title is a line, or a line and the name of a site after a separator."""
    behind, before = title.removeprefix(line), title.removesuffix(line)
    return (
        title == line
        or (behind != title and behind.lstrip()[:1] in _PARTING)
        or (before != title and before.rstrip()[-1:] in _PARTING)
    )
