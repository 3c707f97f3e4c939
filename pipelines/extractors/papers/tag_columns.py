"""Tags of a page after Step 0 of BTE, as columns: start, end and code of each tag. Array operations find them.

The page is read as UTF-8. A tag begins at ``<`` before a letter, or a slash and a letter. It ends at the next ``>`` if
that is the only one before the next tag. If there are more, or none, its quotation marks decide (HTML standard,
13.2.5). Step 0 cuts out comments, code and elements without content, as in ``soup``. A loop visits only these.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pipelines.markup.lexer import BOXES, CODE, DROPPED, REMOVED, Closers, places, tag_end
from pipelines.markup.tag_codes import AHEAD, code_of, codes_of, name_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Places = NDArray[np.signedinteger[Any]]
    Codes = NDArray[np.int16]
    Bytes = NDArray[np.uint8]
    Mask = NDArray[np.bool_]

_DECLARATION = -1
"""Code of a declaration: ``<!``, ``<?``, or ``</`` without a letter behind it."""
_LESS_THAN, _GREATER, _SLASH = b"<>/"
_AT_ONCE, MANY = 1 << 20, 1 << 16
"""Bytes read at a time; tags or texts read at a time. Larger figures take more memory."""
_NO_PLACE = np.zeros(1, dtype=np.int32)
_SCRIPT, _CODES_OF_CODE = code_of("script"), frozenset(map(code_of, CODE))
_DROPS, _REMOVES, _PARTS = codes_of(DROPPED), codes_of(REMOVED, ends=True), codes_of(BOXES)
_REMOVES[_DECLARATION] = True
_DROPS_TOO = _DROPS.tolist()


class Page(NamedTuple):
    """A page after Step 0, as UTF-8, with its tags: where they start and end, and their codes."""

    source: bytes
    starts: Places
    ends: Places
    codes: Codes

    def bounds(self) -> tuple[Places, Places]:
        """Return starts and ends of the texts before, between and after the tags: one more than there are tags."""
        starts, ends = np.empty((2, self.starts.size + 1), dtype=self.starts.dtype)
        starts[0], starts[1:] = 0, self.ends
        ends[:-1], ends[-1] = self.starts, len(self.source)
        return starts, ends

    def part(self, texts: slice) -> Page:
        """Return the part of a page that begins and ends with some texts."""
        starts, ends = self.bounds()
        first, tags = starts[texts.start], slice(texts.start, texts.stop - 1)
        source = self.source[int(first) : int(ends[texts.stop - 1])]
        return Page(source, self.starts[tags] - first, self.ends[tags] - first, self.codes[tags])


class _Tags(NamedTuple):
    """All that looks like a tag or declaration. A ``plain`` tag ends at the only ``>`` before the next."""

    starts: Places
    ends: Places
    codes: Codes
    plain: Mask


def read(raw: bytes) -> Page:
    """Return the page of ``encoded`` bytes after Step 0."""
    tags = _tags(raw)
    inside = _resolve(raw, tags)
    removed = _REMOVES[tags.codes]
    cut = np.flatnonzero(removed & ~inside)
    return cut_out(Page(raw, *tags[:3]), ~(removed | inside), cut, tags.ends[cut])


def _tags(raw: bytes) -> _Tags:
    """Find all tags and declarations, those in comments and code too."""
    data = np.frombuffer(raw + AHEAD, dtype=np.uint8)
    size = len(raw)
    found = [_marks(raw, data, first, min(first + _AT_ONCE, size)) for first in range(0, size or 1, _AT_ONCE)]
    marks, at, codes = found[0] if len(found) == 1 else _joined(found)
    plain = np.empty(at.size, dtype=bool)
    np.equal(at[1:] - at[:-1], 2, out=plain[:-1])
    plain[-1:] = marks.size - at[-1:] == 2
    return _Tags(marks[at], marks.take(at + 1, mode="clip") + 1, codes, plain)


def _joined(found: list[tuple[Places, Places, Codes]]) -> tuple[Places, Places, Codes]:
    """Join the results for parts of a page. Indices into the marks become indices into the marks of all parts."""
    marks, at, codes = zip(*found, strict=True)
    before = accumulate((part.size for part in marks), initial=0)
    shifted = [part + done for part, done in zip(at, before, strict=False)]
    return np.concatenate(marks), np.concatenate(shifted), np.concatenate(codes)


def _marks(raw: bytes, data: Bytes, first: int, stop: int) -> tuple[Places, Places, Codes]:
    """Return the offsets of tags, declarations and ``>`` in a part, the indices of all but ``>``, and their codes."""
    marks = np.flatnonzero((data[first:stop] | 2) == _GREATER)
    if data.size > _AT_ONCE:
        marks = marks.astype(np.int32) + np.int32(first)
    at = np.flatnonzero(data[marks] == _LESS_THAN).astype(marks.dtype, copy=False)
    starts = marks[at] + 1
    lead = data[starts]
    slash = lead == _SLASH
    starts += slash
    named = (data[starts] | 0x20) - np.uint8(ord("a")) < 26
    kept = named | slash | (lead == ord("!")) | (lead == ord("?"))
    if not kept.all():
        every = np.ones(marks.size, dtype=bool)
        every[at[~kept]] = False
        marks, at = marks[every], at[kept] - np.cumsum(~kept, dtype=marks.dtype)[kept]
        starts, slash, named = starts[kept], slash[kept], named[kept]
    codes = name_codes(raw, data, starts)
    codes += slash
    codes[~named] = _DECLARATION
    return marks, at, codes


class _Ends:
    """Finds the ends of elements that are dropped with their content, among the tags of a page."""

    def __init__(self, text: str, tags: _Tags) -> None:
        self.closers = Closers(text)
        self._size, self._tags = len(text), tags
        self._starts: dict[int, list[int] | Places] = {}

    def after(self, code: int, position: int) -> int | None:
        """Return where the end tag of an element stands; of code that never ends the end of the page, else None."""
        end = self._next(code + 1, position)
        if code == _SCRIPT and self._holds_comment_with_script(position, end or self._size):
            return self.closers.after("script", position)
        return self._size if end is None and code in _CODES_OF_CODE else end

    def _holds_comment_with_script(self, position: int, end: int) -> bool:
        return all((self._next(code, position) or end) < end for code in (_DECLARATION, _SCRIPT))

    def _next(self, code: int, position: int) -> int | None:
        starts = self._starts.get(code)
        if starts is None:
            starts = self._tags.starts[self._tags.codes == code]
            self._starts[code] = starts = starts.tolist() if starts.size < MANY else starts
        at = bisect_left(starts, position)
        return int(starts[at]) if at < len(starts) else None


def _resolve(raw: bytes, tags: _Tags) -> Mask:
    """Set the ends of tags that are not plain, and of dropped elements. Return the mask of the tags inside these."""
    text, done = raw.decode("latin-1"), 0
    found = _Ends(text, tags)
    inside = np.zeros(tags.starts.size + 1, dtype=np.int8)
    odd = places(~tags.plain | _DROPS[tags.codes] | (tags.codes < 0))
    for first in range(0, odd.size, MANY):
        part = odd[first : first + MANY]
        indices, ends = list[int](), list[int]()
        columns = (part, *(column[part] for column in tags))
        for index, start, end, code, plain in zip(*(column.tolist() for column in columns), strict=True):
            if start < done:
                continue
            if code < 0:
                done = _declaration_end(text, start, found.closers)
            else:
                done = end if plain else tag_end(text, start)
                if _DROPS_TOO[code]:
                    done = found.after(code, done) or done
            indices.append(index)
            ends.append(done)
        _enclose(tags, inside, np.array(indices, dtype=np.intp), np.array(ends, dtype=tags.ends.dtype))
    return np.cumsum(inside[:-1], dtype=np.int8).view(bool)


def _enclose(tags: _Tags, inside: NDArray[np.int8], indices: Places, ends: Places) -> None:
    """Set the ends of some tags, and mark where the tags inside them begin and end."""
    tags.ends[indices] = ends
    inside[indices + 1] += 1
    inside[tags.starts.searchsorted(ends)] -= 1


def _declaration_end(text: str, start: int, closers: Closers) -> int:
    if text.startswith("<!--", start):
        return closers.after_declaration("<!--", start + 4)
    if text.startswith("<![CDATA[", start):
        return closers.after_declaration("<![CDATA[", start + 9)
    return text.find(">", start) + 1 or len(text)


def slices(source: bytes, starts: Places, ends: Places) -> list[bytes]:
    """Return some parts of a source."""
    return [source[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]


def cut_out(page: Page, kept: Mask, cut: Places, ends: Places) -> Page:
    """Keep the tags ``kept``, and cut out the source from each tag ``cut`` to its ``ends``. ``BOXES`` leave a space."""
    tags = places(kept)
    starts, ends_of, codes = (column[tags] for column in page[1:])
    if not cut.size:
        return Page(page.source, starts, ends_of, codes)
    gaps, begins = _PARTS[page.codes[cut]], page.starts[cut]
    firsts, stops = np.concatenate((_NO_PLACE, ends)), np.append(begins, len(page.source))
    rest = []
    for first in range(0, firsts.size, MANY):
        pieces = slices(page.source, firsts[first : first + MANY], stops[first : first + MANY])
        for place in np.flatnonzero(gaps[first : first + MANY]).tolist():
            pieces[place] += b" "
        rest.append(b"".join(pieces))
    sizes = np.zeros(cut.size + 1, dtype=page.starts.dtype)
    np.cumsum(ends - begins - gaps, out=sizes[1:])
    less = sizes[cut.searchsorted(tags)]
    starts -= less
    ends_of -= less
    return Page(b"".join(rest), starts, ends_of, codes)
