"""The block-level elements of a page, numbered as they open, and which of its texts lie in links: in one flat loop.

Only tags that open or close a block or a link are looked at. As in ``nesting``, a missing end tag is made up for by the
end of what is around it or by a start tag that implies it, and a stray one does nothing. A link ends with the block it
began in, or where the next begins.
"""

from __future__ import annotations

import re
from array import array
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pipelines.extractors.columns import positions
from pipelines.extractors.lexer import BLOCKS
from pipelines.extractors.nesting import IMPLIED_ENDS
from pipelines.extractors.tag_codes import NAMES, code_of, codes_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pipelines.extractors.columns import Page

    Numbers = NDArray[np.int32]
    Codes = NDArray[np.int16]

ELEMENTS = BLOCKS - {"br", "hr", "html", "body"}
_LEAF, _LINK, _LINK_END = -1, code_of("a"), code_of("a") + 1
_AT_ONCE = 1 << 16
_HREF = re.compile(rb"\shref\s*=", re.IGNORECASE)
_FOLLOWED = codes_of(ELEMENTS | {"a"}, ends=True)
_ENDED_BY = [frozenset[int]()] * (2 * len(NAMES))
for _name, _enders in IMPLIED_ENDS.items():
    _ENDED_BY[code_of(_name)] = frozenset(code_of(name) for name in _enders)


class Outline(NamedTuple):
    """The elements of a page, the body 0, and its leaves.

    Of each element ``parents`` has the one around it, ``firsts`` and ``lasts`` its first leaf and the one after its
    last. Of each leaf ``where`` has the innermost element and ``links`` the number of the link it is in, or 0.
    """

    parents: Numbers
    firsts: Numbers
    lasts: Numbers
    where: Numbers
    links: Numbers


def follow(page: Page, leaves: NDArray[np.signedinteger[Any]]) -> Outline:
    """Read the tags of a page that open or close blocks and links; leaves are given as numbers of texts."""
    events = np.zeros(2 * page.codes.size + 1, dtype=np.int16)
    events[1::2] = np.where(_FOLLOWED[page.codes] & ~_named_places(page), page.codes, 0)
    events[2 * leaves] = _LEAF
    events = events[events != 0]
    return Outline(*(np.frombuffer(column, dtype=np.int32) for column in _outline(events)))


def _named_places(page: Page) -> NDArray[np.bool_]:
    """Mark tags without an address, ``<a name>``, which open no link: few are ever closed."""
    marks = np.asarray(page.codes == _LINK, dtype=bool)
    places = positions(page.source, b" href=")
    marks[page.starts.searchsorted(places) - 1] = False
    odd = np.flatnonzero(marks)
    for link, start, end in zip(odd.tolist(), page.starts[odd].tolist(), page.ends[odd].tolist(), strict=True):
        marks[link] = not _HREF.search(page.source, start, end)
    return marks


class _Open:
    """Elements that are open, and of all so far where their leaves begin and end."""

    def __init__(self) -> None:
        self.names, self.numbers, self.counts = [0], [0], [0] * (2 * len(NAMES))
        self.parents, self.firsts, self.lasts = array("i", [0]), array("i", [0]), array("i", [0])

    def start(self, code: int, leaf: int) -> None:
        """Open an element, after closing what its start tag closes."""
        while code in _ENDED_BY[self.names[-1]]:
            self.pop(leaf)
        self.parents.append(self.numbers[-1])
        self.numbers.append(len(self.firsts))
        self.firsts.append(leaf)
        self.lasts.append(leaf)
        self.names.append(code)
        self.counts[code] += 1

    def end(self, code: int, leaf: int) -> None:
        """Close the innermost element of that code and all inside it; a stray end tag does nothing."""
        if self.counts[code]:
            while self.pop(leaf) != code:
                pass

    def pop(self, leaf: int) -> int:
        """Close the innermost element."""
        code = self.names.pop()
        self.counts[code] -= 1
        self.lasts[self.numbers.pop()] = leaf
        return code


def _outline(events: Codes) -> tuple[array[int], ...]:
    """Read leaves and codes of tags; return the columns of an outline, in narrow arrays: there may be millions."""
    elements, where, links = _Open(), array("i"), array("i")
    numbers = elements.numbers
    link = depth = around = seen = leaf = 0
    parts = (events[first : first + _AT_ONCE].tolist() for first in range(0, events.size, _AT_ONCE))
    for event in chain.from_iterable(parts):
        if event == _LEAF:
            where.append(numbers[-1])
            links.append(link)
            leaf += 1
        elif event == _LINK:
            seen += 1
            link, depth, around = seen, len(numbers), numbers[-1]
        elif event == _LINK_END:
            link = 0
        else:
            if event & 1:
                elements.end(event - 1, leaf)
            else:
                elements.start(event, leaf)
            if link and (len(numbers) < depth or numbers[depth - 1] != around):
                link = 0
    for number in numbers:
        elements.lasts[number] = leaf
    return elements.parents, elements.firsts, elements.lasts, where, links
