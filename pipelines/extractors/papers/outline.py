"""Block-level elements of a page, numbered in the order in which they open, and the texts in links.

One loop reads the tags that open or close a block or a link. A missing end tag is implied, as in ``nesting``, by the
end of the element around it or by a start tag. A stray end tag does nothing. A link ends with the block in which it
began, or where the next link begins.
"""

from __future__ import annotations

import re
from array import array
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pipelines.markup.lexer import BLOCKS, places
from pipelines.markup.nesting import IMPLIED_ENDS
from pipelines.markup.tag_codes import NAMES, code_of, codes_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pipelines.extractors.papers.tag_columns import Page

    Numbers = NDArray[np.int32]
    Codes = NDArray[np.int16]
    Column = list[int] | array[int]

ELEMENTS = BLOCKS - {"br", "hr", "html", "body"}
_LINK, _LINK_END = code_of("a"), code_of("a") + 1
_AT_ONCE = 1 << 16
_HREF = re.compile(rb"\shref\s*=", re.IGNORECASE)
_FOLLOWED = codes_of(ELEMENTS | {"a"}, ends=True)
_ENDED_BY = [frozenset[int]()] * (2 * len(NAMES))
for _name, _enders in IMPLIED_ENDS.items():
    _ENDED_BY[code_of(_name)] = frozenset(code_of(name) for name in _enders)


class Outline(NamedTuple):
    """The elements of a page, the body 0, and its leaves.

    For each element ``parents`` has the element around it, ``firsts`` its first leaf and ``lasts`` the leaf after its
    last. For each leaf ``where`` has the innermost element and ``links`` the number of its link, or 0.
    """

    parents: Numbers
    firsts: Numbers
    lasts: Numbers
    where: Numbers
    links: Numbers


def follow(page: Page, leaves: NDArray[np.signedinteger[Any]]) -> Outline:
    """Read the tags of a page that open or close blocks and links; leaves are given as numbers of texts.

    Text N precedes tag N. The loop does not visit leaves: the tag before a leaf decides its element.
    """
    tags = places(_FOLLOWED[page.codes] & ~_named_places(page))
    *elements, inside, links = _outline(page.codes[tags], leaves.searchsorted(tags, "right").astype(np.int32))
    behind = tags.searchsorted(leaves)
    parents, firsts, lasts = (np.asarray(column, dtype=np.int32) for column in elements)
    lasts[lasts < 0] = leaves.size
    return Outline(parents, firsts, lasts, *(np.asarray(column, dtype=np.int32)[behind] for column in (inside, links)))


def _named_places(page: Page) -> NDArray[np.bool_]:
    """Mark links without an address, ``<a name>``. They open no link: few are ever closed."""
    marks = np.zeros(page.codes.size, dtype=bool)
    links = np.flatnonzero(page.codes == _LINK)
    for link, start, end in zip(links.tolist(), page.starts[links].tolist(), page.ends[links].tolist(), strict=True):
        marks[link] = not _HREF.search(page.source, start, end)
    return marks


def _outline(codes: Codes, before: Numbers) -> tuple[Column, ...]:
    """Return the columns of an outline, from the codes of the tags and the number of leaves before each tag.

    ``parents``, ``firsts`` and ``lasts`` have one row for each element; ``lasts`` is negative for elements left open.
    ``inside`` and ``links`` have one row for the beginning and one behind each tag: the innermost element and the
    number of the link. Lists are faster, but millions of rows need arrays.
    """
    firsts, lasts, parents, inside, links = (_column(number, codes.size) for number in (0, -1, 0, 0, 0))
    names, numbers, counts = [0], [0], [0] * (2 * len(NAMES))
    link = depth = around = seen = 0
    parts = (slice(first, first + _AT_ONCE) for first in range(0, codes.size, _AT_ONCE))
    for code, leaf in chain.from_iterable(
        zip(codes[part].tolist(), before[part].tolist(), strict=True) for part in parts
    ):
        if code == _LINK:
            seen += 1
            link, depth, around = seen, len(numbers), numbers[-1]
        elif code == _LINK_END:
            link = 0
        else:
            if code & 1:
                name = -1
                while name != code - 1 and counts[code - 1]:
                    name = names.pop()
                    counts[name] -= 1
                    lasts[numbers.pop()] = leaf
            else:
                while code in _ENDED_BY[names[-1]]:
                    counts[names.pop()] -= 1
                    lasts[numbers.pop()] = leaf
                parents.append(numbers[-1])
                numbers.append(len(firsts))
                firsts.append(leaf)
                lasts.append(-1)
                names.append(code)
                counts[code] += 1
            if link and (len(numbers) < depth or numbers[depth - 1] != around):
                link = 0
        inside.append(numbers[-1])
        links.append(link)
    return parents, firsts, lasts, inside, links


def _column(number: int, size: int) -> Column:
    return [number] if size < _AT_ONCE else array("i", [number])
