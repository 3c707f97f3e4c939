"""A page after Step 0 in columns: where its tags begin and end and what they are, found with arrays, not one by one.

The page is read as UTF-8. A tag begins at ``<`` before a letter, or a slash and a letter. It ends at the next ``>``
where that is the only one before the next tag; where there are more, or none, its quotation marks decide (HTML
standard, 13.2.5). What Step 0 drops is cut out, as in ``soup``: comments and code, and elements without content. Only
such are looked at one by one.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pipelines.extractors.lexer import (
    BLOCKS,
    BOXES,
    CODE,
    DROPPED,
    REMOVED,
    VOID,
    Closers,
    places,
    tag_end,
)
from pipelines.extractors.soup import collapsed, unescaped
from pipelines.extractors.tag_codes import AHEAD, NAMES, code_of, codes_of, name_at, name_codes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Places = NDArray[np.signedinteger[Any]]
    Codes = NDArray[np.int16]
    Bytes = NDArray[np.uint8]
    Mask = NDArray[np.bool_]

BETWEEN = "<\0"
_BETWEEN = BETWEEN.encode()
"""Parts texts that are read at once: no text holds it, and no reference crosses it."""
_LINE_END = b"<\1\0"
"""The same for texts on lines of their own."""

_DECLARATION = -1
"""The code of what begins with ``<!``, ``<?``, or ``</`` before no letter."""
_LESS_THAN, _GREATER, _SLASH = b"<>/"
_AT_ONCE, _MANY = 1 << 20, 1 << 16
_PARTINGS = "", " ", "\0"
HIDDEN = re.compile(rb"""\s(?:hidden(?=[\s/>=])|style\s*=\s*["']?[^"'>]{0,400}?display\s*:\s*none)""")
_NO_PLACE = np.zeros(1, dtype=np.int32)
_SPACE = np.zeros(256, dtype=bool)
_SPACE[list(b"\t\n\v\f\r ")] = True
_SCRIPT, _CODES_OF_CODE = code_of("script"), frozenset(map(code_of, CODE))
_DROPS, _REMOVES, _PARTS = codes_of(DROPPED), codes_of(REMOVED, ends=True), codes_of(BOXES)
_REMOVES[_DECLARATION] = True
_DROPS_TOO = _DROPS.tolist()
_BREAKS = codes_of(BLOCKS, ends=True)
_HIDES = ~codes_of(VOID | {"html", "body"}) & (np.arange(2 * len(NAMES) + 1) % 2 == 0)
_HIDES[_DECLARATION] = False


class Page(NamedTuple):
    """A page after Step 0, as UTF-8, with its tags: where they start and end, and their codes."""

    source: bytes
    starts: Places
    ends: Places
    codes: Codes

    def bounds(self) -> tuple[Places, Places]:
        """Return where the texts before, between and after the tags start and end: one more than there are tags."""
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
    """All that looks like a tag or declaration; ``plain`` ones end at the only ``>`` before the next."""

    starts: Places
    ends: Places
    codes: Codes
    plain: Mask


def read(raw: bytes) -> Page:
    """Return a page that is ``encoded`` without what Step 0 drops."""
    tags = _tags(raw)
    inside = _resolve(raw, tags)
    removed = _REMOVES[tags.codes]
    cut = np.flatnonzero(removed & ~inside)
    return _cut(Page(raw, *tags[:3]), ~(removed | inside), cut, tags.ends[cut])


class Texts(NamedTuple):
    """The texts of a page that are more than ASCII white space, with references read, ``BETWEEN`` them.

    ``joined`` are many at a time; as strings of their own all texts of a page could take ten times its size.
    ``places`` are their numbers among all texts, ``blanks`` how many texts before each are white space.
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
    for first in range(0, filled.size, _MANY):
        part = filled[first : first + _MANY]
        pieces = _slices(page.source, starts[part], ends[part])
        blank = [piece.isspace() for piece in pieces]
        texts[first : first + _MANY] ^= np.array(blank)
        pieces = [piece for piece, is_blank in zip(pieces, blank, strict=True) if not is_blank]
        if pieces:
            joined.append(unescaped(_BETWEEN.join(pieces).decode()))
    return Texts(tuple(joined), filled[texts], np.cumsum(~texts, dtype=np.int32)[texts])


def paragraphs(page: Page) -> tuple[str, ...]:
    """Return all that a page shows: texts are parted where a block-level tag stands between."""
    page = shown(page)
    refers = b"&" in page.source
    partings = (_BETWEEN, _LINE_END) if refers else (b"", b"\0")
    (starts, ends), breaks = page.bounds(), _BREAKS[page.codes]
    joined = list[str]()
    for first in range(0, starts.size, _MANY):
        part = slice(first, first + _MANY)
        pieces = _slices(page.source, starts[part], ends[part])
        text = b"".join(_alternated(pieces, [partings[ends_line] for ends_line in breaks[part].tolist()])).decode()
        joined.append(unescaped(text).replace(BETWEEN, "") if refers else text)
    return tuple([line for part in "".join(joined).split(partings[1].decode()) if (line := collapsed(part))])


def _alternated(texts: list[bytes], partings: list[bytes]) -> list[bytes]:
    """Put what parts texts behind each of them; the last may have nothing behind."""
    pieces = [b""] * (2 * len(texts))
    pieces[::2], pieces[1 : 2 * len(partings) : 2] = texts, partings
    return pieces


def rendered(page: Page, texts: Texts, wanted: Mask | None = None) -> tuple[str, ...]:
    """Return the texts of a page, or those wanted, as paragraphs, as ``soup.paragraphs`` does."""
    numbers = np.arange(texts.places.size, dtype=np.int32) if wanted is None else places(wanted)
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
        chosen = part if wanted is None else [part[number] for number in (numbers[span] - first).tolist()]
        joined.append("".join([_PARTINGS[kind] + text for kind, text in zip(partings, chosen, strict=True)]))
    return tuple([line for part in "".join(joined).split("\0") if (line := collapsed(part))])


def _tags(raw: bytes) -> _Tags:
    """Find all tags and declarations, those in comments and code too."""
    data = np.frombuffer(raw + AHEAD, dtype=np.uint8)
    size = len(raw)
    found = [_marks(raw, data, first, min(first + _AT_ONCE, size)) for first in range(0, size or 1, _AT_ONCE)]
    marks, opens, codes = found[0] if len(found) == 1 else map(np.concatenate, zip(*found, strict=True))
    marks = np.append(marks, np.full(2, size, dtype=marks.dtype))
    opens = np.append(opens, (True, True))
    at = places(opens[:-2])
    ends = np.minimum(marks[at + 1] + 1, marks.dtype.type(size))
    return _Tags(marks[at], ends, codes, ~opens[at + 1] & opens[at + 2])


def _marks(raw: bytes, data: Bytes, first: int, stop: int) -> tuple[Places, Mask, Codes]:
    """Return where tags and declarations begin and ``>`` stands in a part, which of both it is, and the codes."""
    marks = np.flatnonzero((data[first:stop] | 2) == _GREATER)
    if data.size > _AT_ONCE:
        marks = marks.astype(np.int32) + np.int32(first)
    opens = data[marks] == _LESS_THAN
    starts = marks[opens] + 1
    lead = data[starts]
    slash = lead == _SLASH
    starts += slash
    named = (data[starts] | 0x20) - np.uint8(ord("a")) < 26
    kept = named | slash | (lead == ord("!")) | (lead == ord("?"))
    if not kept.all():
        every = ~opens
        every[opens] = kept
        marks, opens = marks[every], opens[every]
        starts, slash, named = starts[kept], slash[kept], named[kept]
    codes = name_codes(raw, data, starts) + slash
    codes[~named] = _DECLARATION
    return marks, opens, codes


class _Ends:
    """Finds among the tags of a page where elements end that are dropped with their content."""

    def __init__(self, text: str, tags: _Tags) -> None:
        self.closers = Closers(text)
        self._size, self._tags = len(text), tags
        self._starts: dict[int, Places] = {}

    def after(self, code: int, position: int) -> int | None:
        """Return where the end tag of an element stands; of code that never ends the end of the page, else None."""
        end = self._next(code + 1, position)
        if code == _SCRIPT and (self._next(_DECLARATION, position) or self._size) < (end or self._size):
            return self.closers.after("script", position)  # a comment in it may hold scripts
        return self._size if end is None and code in _CODES_OF_CODE else end

    def _next(self, code: int, position: int) -> int | None:
        if code not in self._starts:
            self._starts[code] = self._tags.starts[self._tags.codes == code]
        starts = self._starts[code]
        at = bisect_left(starts, position)
        return int(starts[at]) if at < starts.size else None


def _resolve(raw: bytes, tags: _Tags) -> Mask:
    """Set the ends of what is not plain, and of what is dropped with its content; return what lies inside of it."""
    text, done = raw.decode("latin-1"), 0
    found = _Ends(text, tags)
    inside = np.zeros(tags.starts.size + 1, dtype=np.int8)
    odd = places(~tags.plain | _DROPS[tags.codes] | (tags.codes < 0))
    for first in range(0, odd.size, _MANY):
        part = odd[first : first + _MANY]
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
    """Set the ends of some tags, and mark where what lies inside of them begins and ends."""
    tags.ends[indices] = ends
    inside[indices + 1] += 1
    inside[tags.starts.searchsorted(ends)] -= 1


def _declaration_end(text: str, start: int, closers: Closers) -> int:
    if text.startswith("<!--", start):
        return closers.after_declaration("<!--", start + 4)
    if text.startswith("<![CDATA[", start):
        return closers.after_declaration("<![CDATA[", start + 9)
    return text.find(">", start) + 1 or len(text)


def _slices(source: bytes, starts: Places, ends: Places) -> list[bytes]:
    return [source[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]


def _cut(page: Page, kept: Mask, cut: Places, ends: Places) -> Page:
    """Keep some tags; cut out what begins with some others, up to ``ends``. What boxes part, a space parts."""
    if not cut.size:
        return Page(page.source, page.starts[kept], page.ends[kept], page.codes[kept])
    gaps, starts = _PARTS[page.codes[cut]], page.starts[cut]
    firsts, stops = np.concatenate((_NO_PLACE, ends)), np.append(starts, len(page.source))
    rest = []
    for first in range(0, firsts.size, _MANY):
        pieces = _slices(page.source, firsts[first : first + _MANY], stops[first : first + _MANY])
        for place in np.flatnonzero(gaps[first : first + _MANY]).tolist():
            pieces[place] += b" "
        rest.append(b"".join(pieces))
    less = np.zeros(kept.size, dtype=page.starts.dtype)
    less[cut] = ends - starts - gaps
    less = np.cumsum(less, dtype=less.dtype)[kept]
    return Page(b"".join(rest), page.starts[kept] - less, page.ends[kept] - less, page.codes[kept])


def shown(page: Page) -> Page:
    """Return a page without hidden elements (``hidden``, ``display:none``).

    As in ``soup``, one that never ends hides nothing, and nothing is hidden should it be most of the page.
    """
    lower = page.source.lower()
    firsts, lasts, done = list[int](), list[int](), 0
    for index in _suspects(page, lower):
        if index < done or not HIDDEN.search(lower, int(page.starts[index]), int(page.ends[index])):
            continue
        last = _last_tag(page, lower, index)
        if last is None:
            return page
        firsts.append(index)
        lasts.append(last)
        done = last + 1
    if not firsts or not _credible(page, np.array(firsts), np.array(lasts)):
        return page
    kept = np.ones(page.codes.size, dtype=bool)
    for first, last in zip(firsts, lasts, strict=True):
        kept[first : last + 1] = False
    return _cut(page, kept, np.array(firsts), page.ends[lasts])


def _suspects(page: Page, lower: bytes) -> list[int]:
    """Return the start tags that hold a word that may hide something, parted from others as it has to be."""
    data = np.frombuffer(lower, dtype=np.uint8)
    hidden = positions(lower, b"hidden")
    places = np.concatenate((hidden[_SPACE[data[hidden - 1]]], positions(lower, b"display")))
    if not places.size or not page.starts.size:
        return []
    around = page.starts.searchsorted(places) - 1
    around = around[(around >= 0) & (places < page.ends[around]) & _HIDES[page.codes[around]]]
    return sorted(set(around.tolist()))


def positions(text: bytes, word: bytes) -> Places:
    """Return where a word begins each time it stands in a text."""
    sizes = np.array([len(part) for part in text.split(word)[:-1]], dtype=np.int32)
    return np.cumsum(sizes + len(word), dtype=np.int32) - len(word)


def _last_tag(page: Page, lower: bytes, index: int) -> int | None:
    """Return the tag that ends an element, by counting tags of its name; None if it never ends."""
    code = int(page.codes[index])
    if not code:
        return _last_by_name(page, lower, index)
    depth, first, size = 1, index + 1, 64
    while first < page.codes.size:
        part = page.codes[first : first + size]
        deeper = np.where(part & 1, -1, -1 if NAMES[code >> 1] == "p" else 1)  # a paragraph ends where the next begins
        steps = np.where((part | 1) == code + 1, deeper, 0)
        depths = depth + np.cumsum(steps)
        end = int((depths == 0).argmax())
        if not depths[end]:
            return first + end
        depth, first, size = int(depths[-1]), first + size, 4 * size
    return None


def _last_by_name(page: Page, lower: bytes, index: int) -> int | None:
    name = name_at(lower, int(page.starts[index]) + 1)
    depth, pattern = 1, re.compile(rb"<(/?)%b(?=[\s/>])" % re.escape(name))
    for match in pattern.finditer(lower, int(page.ends[index])):
        at = int(page.starts.searchsorted(match.start()))
        if at < page.starts.size and page.starts[at] == match.start():
            depth += -1 if match[1] else 1
            if not depth:
                return at
    return None


def _credible(page: Page, firsts: Places, lasts: Places) -> bool:
    """Say whether most of a page's text is shown; else a script will show what is hidden."""
    starts, ends = page.bounds()
    sizes = np.cumsum(ends - starts)
    if 5 * int((sizes[lasts] - sizes[firsts]).sum()) <= sizes[-1]:  # no character has more than four bytes
        return True
    steps = np.zeros(starts.size, dtype=np.int8)
    steps[firsts + 1] += 1
    steps[lasts + 1] -= 1
    within = np.cumsum(steps, dtype=np.int8).view(bool)
    hidden, others = (_characters(page.source, starts[mask], ends[mask]) for mask in (within, ~within))
    return hidden <= others


def _characters(source: bytes, starts: Places, ends: Places) -> int:
    return len(b"".join(_slices(source, starts, ends)).decode())
