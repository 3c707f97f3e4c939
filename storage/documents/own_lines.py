"""Learn the publisher's own lines of a site: appeals for money, notices of affiliate links, offers of subscriptions.

They are in many texts of the site, word for word. Other lines are too, and belong to the texts: the first line of a
column, the notes of a weather report, a prayer. Those are in texts of one author or of one section.

Lines that were left out of a text count like its lines. Otherwise a line would come back once it is left out.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SAMPLE_SETS = 300
"""Newest duplicate sets of a site to learn from. Layouts and campaigns change."""
LEAST_SETS = 5
LEAST_SHARE = 0.1
"""An own line is in so many sets, plus this share of the others: in 5 sets of 5, 6 of 10, 10 of 50, 35 of 300.

In a small sample a running story repeats a paragraph as often as a campaign repeats its appeal.
"""
LEAST_SETS_OF_SEEN = 3
"""The same for a line on enough pages of the site. Only a line that was taken for text is left out of texts.

One text of an article is not enough: other pages may repeat its first sentences beside a link to it.
"""
MAX_LINES = 500
"""Own lines of a site, the most frequent first."""
SERIES_SHARE = 0.8
"""Share of the texts of a line in one section or by one author, from which they may be a series."""
WHOLE_SHARE = 0.5
"""Share of all texts of the site in that section or by that author, from which they are no series."""


class LinedText(NamedTuple):
    """The lines of a text by their digests, with what may make it a part of a series."""

    lines: frozenset[int]
    """With the lines that were left out of it."""
    author: str
    section: str


@dataclass(frozen=True, slots=True)
class PageLines:
    """Lines of some pages of a site, in any place: their number of pages, and the number of all pages."""

    on_pages: Mapping[int, int] = field(default_factory=dict)
    pages: int = 0


def find_own_lines(texts: Sequence[LinedText], seen: PageLines) -> list[int]:
    """Return the own lines of a site, the most frequent first, from one text of each of its newest duplicate sets.

    ``seen``: lines of its pages. An extractor leaves out many own lines by itself, so a line that is on enough pages
    needs fewer texts.
    """
    number = Counter(line for text in texts for line in text.lines)
    least = _least(len(texts))
    often = {line for line, count in number.items() if count >= least}
    least = _least(seen.pages)
    often |= {line for line, count in seen.on_pages.items() if count >= least and number[line] >= LEAST_SETS_OF_SEEN}
    having: dict[int, list[LinedText]] = defaultdict(list)
    for text in texts:
        for line in text.lines & often:
            having[line].append(text)
    sections, authors = Counter(text.section for text in texts), Counter(text.author for text in texts)
    found = [
        line
        for line, these in having.items()
        if not _is_series(Counter(text.section for text in these), sections, len(these), len(texts))
        and not _is_series(Counter(text.author for text in these), authors, len(these), len(texts))
    ]
    return sorted(found, key=lambda line: (-number[line], line))[:MAX_LINES]


def _least(number: int) -> float:
    """Return the number of sets, or pages, that an own line must be in."""
    return LEAST_SETS + LEAST_SHARE * max(0, number - LEAST_SETS)


def _is_series(values: Counter[str], of_all: Counter[str], count: int, count_of_all: int) -> bool:
    """Return whether most texts of a line have one value, and most texts of the site another one."""
    value, number = values.most_common(1)[0]
    return number >= SERIES_SHARE * count and of_all[value] < WHOLE_SHARE * count_of_all
