"""Texts of a page in columns, and the paragraphs that the page shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pipelines.extractors.papers.hidden import shown
from pipelines.extractors.papers.tag_columns import MANY, slices
from pipelines.markup.lexer import BLOCKS, places
from pipelines.markup.soup import collapsed, unescaped
from pipelines.markup.tag_codes import codes_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipelines.extractors.papers.tag_columns import Mask, Page, Places

BETWEEN = "<\0"
_BETWEEN = BETWEEN.encode()
"""Separates texts that are read together. No text contains it, and no reference crosses it."""
_LINE_END = b"<\1\0"
"""Separates texts on lines of their own."""
_PARTINGS = "", " ", "\0"
_BREAKS = codes_of(BLOCKS, ends=True)


class Texts(NamedTuple):
    """Texts of a page that are more than ASCII white space, with unescaped references, separated by ``BETWEEN``.

    ``joined`` has many texts in each string: one string for each text could take ten times the size of the page.
    ``places`` are their indices among all texts. ``blanks`` is the number of white-space texts before each.
    """

    joined: tuple[str, ...]
    places: Places
    blanks: Places

    def parts(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the texts, many at a time, and the number of the first."""
        first = 0
        for joined in self.joined:
            part = joined.split(BETWEEN)
            yield first, part
            first += len(part)


def texts_of(page: Page) -> Texts:
    """Read the texts of a page."""
    starts, ends = page.bounds()
    filled = places(ends > starts)
    joined, texts = list[str](), np.ones(filled.size, dtype=bool)
    for first in range(0, filled.size, MANY):
        part = filled[first : first + MANY]
        pieces = slices(page.source, starts[part], ends[part])
        blank = [piece.isspace() for piece in pieces]
        texts[first : first + MANY] ^= np.array(blank)
        pieces = [piece for piece, is_blank in zip(pieces, blank, strict=True) if not is_blank]
        if pieces:
            joined.append(unescaped(_BETWEEN.join(pieces).decode()))
    return Texts(tuple(joined), filled[texts], np.cumsum(~texts, dtype=np.int32)[texts])


def paragraphs(page: Page) -> tuple[str, ...]:
    """Return the paragraphs that a page shows. A block-level tag ends a paragraph."""
    page = shown(page)
    refers = b"&" in page.source
    partings = (_BETWEEN, _LINE_END) if refers else (b"", b"\0")
    (starts, ends), breaks = page.bounds(), _BREAKS[page.codes]
    joined = list[str]()
    for first in range(0, starts.size, MANY):
        part = slice(first, first + MANY)
        pieces = slices(page.source, starts[part], ends[part])
        text = b"".join(_alternated(pieces, [partings[ends_line] for ends_line in breaks[part].tolist()])).decode()
        joined.append(unescaped(text).replace(BETWEEN, "") if refers else text)
    return tuple([line for part in "".join(joined).split(partings[1].decode()) if (line := collapsed(part))])


def _alternated(texts: list[bytes], partings: list[bytes]) -> list[bytes]:
    """Put a separator behind each text. The last text may have none."""
    pieces = [b""] * (2 * len(texts))
    pieces[::2], pieces[1 : 2 * len(partings) : 2] = texts, partings
    return pieces


def rendered(page: Page, texts: Texts, wanted: Mask) -> tuple[str, ...]:
    """Return the wanted texts of a page as paragraphs, as ``soup.paragraphs`` does."""
    numbers = places(wanted)
    if not numbers.size:
        return ()
    blanks = texts.blanks[numbers]
    lines = np.cumsum(np.concatenate(((False,), _BREAKS[page.codes])), dtype=np.int32)[texts.places[numbers]]
    between = np.zeros(numbers.size, dtype=np.int8)
    between[1:] = np.where(lines[1:] != lines[:-1], 2, blanks[1:] != blanks[:-1])
    joined = []
    for first, part in texts.parts():
        span = slice(*numbers.searchsorted((first, first + len(part))).tolist())
        partings = between[span].tolist()
        chosen = [part[number] for number in (numbers[span] - first).tolist()]
        joined.append("".join([_PARTINGS[kind] + text for kind, text in zip(partings, chosen, strict=True)]))
    return tuple([line for part in "".join(joined).split("\0") if (line := collapsed(part))])
