"""Marks of the hits of a question in the text of a document. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from corpus_spider.search.hits.concordance import TextPlace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_PLACE = re.compile("([0-9]{1,7}):([0-9]{1,9})-([0-9]{1,9})")


class MarkedPart(NamedTuple):
    """A part of a line. ``is_hit``: whether it is marked. ``is_chosen``: whether a link led to it."""

    text: str
    is_hit: bool = False
    is_chosen: bool = False


def place_named(at: str, lines: Sequence[str]) -> TextPlace | None:
    """Return the place that an address names, ``LINE:START-END``; None if these lines do not have it.

    >>> place_named("1:0-3", ["Title", "Giá xăng"]), place_named("1:0-9", ["Title", "Giá xăng"])
    (TextPlace(line=1, start=0, end=3), None)
    """
    found = _PLACE.fullmatch(at)
    if not found:
        return None
    place = TextPlace(*map(int, found.groups()))
    return place if place.line < len(lines) and place.start < place.end <= len(lines[place.line]) else None


def marked_lines(
    lines: Sequence[str], hits: Iterable[TextPlace], chosen: TextPlace | None
) -> dict[int, list[MarkedPart]]:
    """Return the parts of each line that has a hit, by its number. ``hits``: in order, without overlaps.

    >>> marked_lines(["", "a b c"], [TextPlace(1, 0, 1), TextPlace(1, 2, 3)], TextPlace(1, 2, 3))[1][2]
    MarkedPart(text='b', is_hit=True, is_chosen=True)
    """
    by_line = defaultdict(list)
    for hit in hits:
        by_line[hit.line].append(hit)
    return {number: list(_parts(lines[number], here, chosen)) for number, here in by_line.items()}


def _parts(line: str, hits: Iterable[TextPlace], chosen: TextPlace | None) -> Iterator[MarkedPart]:
    at = 0
    for hit in hits:
        if at < hit.start:
            yield MarkedPart(line[at : hit.start])
        yield MarkedPart(line[hit.start : hit.end], True, hit == chosen)
        at = hit.end
    if at < len(line):
        yield MarkedPart(line[at:])
