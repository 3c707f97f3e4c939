"""A page after Step 0 in columns: where its tags begin and end and what they are, found with arrays, not one by one.

The page is read as UTF-8. A tag begins at ``<`` before a letter, or a slash and a letter. It ends at the next ``>``
where that is the only one before the next tag; where there are more, or none, its quotation marks decide (HTML
standard, 13.2.5). What Step 0 drops is cut out, as in ``soup``: comments and code, and elements without content. Only
such are looked at one by one.
"""

from __future__ import annotations

import re
from html import unescape
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pipelines.extractors.flat import body_start
from pipelines.extractors.lexer import BLOCKS, BOXES, DROPPED, REMOVED, VOID, Closers, name_set, sanitise, tag_end
from pipelines.extractors.soup import collapsed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Places = NDArray[np.signedinteger[Any]]
    Codes = NDArray[np.int16]
    Words = NDArray[np.uint64]
    Bytes = NDArray[np.uint8]
    Mask = NDArray[np.bool_]

_INLINE = name_set("a abbr b big cite code del em font i ins label mark q s small span strike strong sub sup time tt u")
NAMES = ("", *sorted(BLOCKS | REMOVED | _INLINE | {"html"}))
"""Names that are told apart; the code of a tag is twice the place of its name, and one more for end tags."""
BETWEEN = "<\0"
_BETWEEN = BETWEEN.encode()
"""Parts texts that are read at once: no text holds it, and no reference crosses it."""

_NUMBERS = {name.encode(): number for number, name in enumerate(NAMES) if name}
_DECLARATION = -1
"""The code of what begins with ``<!``, ``<?``, or ``</`` before no letter."""
_LESS_THAN, _GREATER, _SLASH = b"<>/"
AHEAD = b" " * 10
"""A slash and the first eight letters of a name are looked for behind every less-than sign, the last one too."""
_AT_ONCE, _MANY = 1 << 20, 1 << 16
_PARTINGS = "", " ", "\0"
_NAME = re.compile(rb"[^\s/<>]*")
_HIDDEN = re.compile(rb"""\s(?:hidden(?=[\s/>=])|style\s*=\s*["']?[^"'>]{0,400}?display\s*:\s*none)""")
_NO_PLACE = np.zeros(1, dtype=np.int32)
_SPACE = np.zeros(256, dtype=bool)
_SPACE[list(b"\t\n\v\f\r ")] = True
_ONES = np.uint64(0x0101010101010101)
_SPACES, _GREATERS, _SLASHES, _HIGHEST = _ONES * np.array([0x21, _GREATER, _SLASH, 0x80], dtype=np.uint64)
_ONE, _SEVEN = np.uint64(1), np.uint64(7)


def code_of(name: str) -> int:
    """Return the code of a start tag; 0 for names that are not told apart."""
    return 2 * _NUMBERS.get(name.encode(), 0)


def codes_of(names: Iterable[str], *, ends: bool = False) -> Mask:
    """Return a table of all codes that says which are those of some start tags, and with ``ends`` of end tags."""
    table = np.zeros(2 * len(NAMES) + 1, dtype=bool)
    for name in names:
        table[code_of(name) : code_of(name) + 1 + ends] = True
    return table


def _short_names() -> tuple[np.uint64, Words, Codes]:
    """Return names of up to seven letters as little-endian integers, each where its remainder is, with their codes.

    The divisor comes first: the least by which all leave different remainders.
    """
    short = {int.from_bytes(name, "little"): 2 * number for name, number in _NUMBERS.items() if len(name) < 8}
    divisor = next(divisor for divisor in count(len(short)) if len({key % divisor for key in short}) == len(short))
    keys, codes = np.full(divisor, -1).astype(np.uint64), np.zeros(divisor, dtype=np.int16)
    for key, code in short.items():
        keys[key % divisor], codes[key % divisor] = key, code
    return np.uint64(divisor), keys, codes


_DIVISOR, _KEYS, _KEY_CODES = _short_names()
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


def read(html: str) -> Page:
    """Return the body of a page, or the whole page where there is no body tag, without what Step 0 drops."""
    raw = _encoded(html)
    lower = raw.lower()
    tags = _tags(lower)
    inside = _resolve(lower.decode("latin-1"), raw, tags)
    removed = _REMOVES[tags.codes]
    cut = np.flatnonzero(removed & ~inside)
    return _cut(Page(raw, *tags[:3]), ~(removed | inside), cut, tags.ends[cut])


class Texts(NamedTuple):
    """The texts of a page that are more than ASCII white space, as written in the source, ``BETWEEN`` them.

    ``places`` are their numbers among all texts, ``blanks`` how many texts before each are white space.
    """

    joined: str
    places: Places
    blanks: Places

    def readable(self) -> list[str]:
        """Return the texts with references read."""
        if not self.places.size:
            return []
        return (unescape(self.joined) if "&" in self.joined else self.joined).split(BETWEEN)


def texts_of(page: Page) -> Texts:
    """Read the texts of a page."""
    starts, ends = page.bounds()
    places = np.flatnonzero(ends > starts)
    joined, texts = list[bytes](), np.ones(places.size, dtype=bool)
    for first in range(0, places.size, _MANY):
        part = places[first : first + _MANY]
        pieces = _slices(page.source, starts[part], ends[part])
        blank = [piece.isspace() for piece in pieces]
        texts[first : first + _MANY] ^= np.array(blank)
        pieces = [piece for piece, is_blank in zip(pieces, blank, strict=True) if not is_blank]
        if pieces:
            joined.append(_apart(pieces))
    return Texts(_BETWEEN.join(joined).decode(), places[texts], np.cumsum(~texts)[texts])


def _apart(pieces: list[bytes]) -> bytes:
    """Join texts with what stands between texts; NULs in them go."""
    joined = _BETWEEN.join(pieces)
    return joined if joined.count(b"\0") < len(pieces) else _BETWEEN.join([one.replace(b"\0", b"") for one in pieces])


def rendered(page: Page, texts: Texts, readable: list[str], wanted: Places | None = None) -> tuple[str, ...]:
    """Return the readable texts of a page, or some of them, as paragraphs, as ``soup.paragraphs`` does."""
    places, blanks = texts.places, texts.blanks
    if wanted is not None:
        places, blanks = places[wanted], blanks[wanted]
        readable = [readable[index] for index in wanted.tolist()]
    if not readable:
        return ()
    lines = np.cumsum(np.concatenate(((False,), _BREAKS[page.codes])), dtype=np.int32)[places]
    between = np.where(lines[1:] != lines[:-1], 2, blanks[1:] != blanks[:-1]).tolist()
    joined = "".join([_PARTINGS[part] + text for part, text in zip([0, *between], readable, strict=True)])
    return tuple([line for part in joined.split("\0") if (line := collapsed(part))])


def _encoded(html: str) -> bytes:
    try:
        return html[body_start(html) :].encode()
    except UnicodeEncodeError:
        return _encoded(sanitise(html))


def _tags(lower: bytes) -> _Tags:
    """Find all tags and declarations, those in comments and code too."""
    data = np.frombuffer(lower + AHEAD, dtype=np.uint8)
    size = len(lower)
    found = [_marks(lower, data, first, min(first + _AT_ONCE, size)) for first in range(0, size or 1, _AT_ONCE)]
    marks, opens, codes = (np.concatenate(column) for column in zip(*found, strict=True))
    marks = np.append(marks, np.full(2, size, dtype=marks.dtype))
    opens = np.append(opens, (True, True))
    at = np.flatnonzero(opens[:-2])
    ends = np.minimum(marks[at + 1] + 1, marks.dtype.type(size))
    return _Tags(marks[at], ends, codes, ~opens[at + 1] & opens[at + 2])


def _marks(lower: bytes, data: Bytes, first: int, stop: int) -> tuple[Places, Mask, Codes]:
    """Return where tags and declarations begin and ``>`` stands in a part, which of both it is, and the codes."""
    marks = np.flatnonzero((data[first:stop] | 2) == _GREATER)
    if data.size > _AT_ONCE:
        marks = marks.astype(np.int32) + np.int32(first)
    opens = data[marks] == _LESS_THAN
    starts = marks[opens] + 1
    lead = data[starts]
    slash = lead == _SLASH
    starts += slash
    named = (data[starts] - ord("a")).astype(np.uint8) < 26
    kept = named | slash | (lead == ord("!")) | (lead == ord("?"))
    if not kept.all():
        every = ~opens
        every[opens] = kept
        marks, opens = marks[every], opens[every]
        starts, slash, named = starts[kept], slash[kept], named[kept]
    codes = name_codes(lower, data, starts) + slash
    codes[~named] = _DECLARATION
    return marks, opens, codes


def name_codes(lower: bytes, data: Bytes, starts: Places) -> Codes:
    """Return the codes of names by their first eight bytes, of which those before the first that ends a name count."""
    names = np.ndarray((data.size - 7,), dtype="<u8", buffer=data, strides=(1,))[starts]
    ends = ((names - _SPACES) & ~names | _zeros(names ^ _GREATERS) | _zeros(names ^ _SLASHES)) & _HIGHEST
    unit = (ends & (~ends + _ONE)) >> _SEVEN  # 1 in the first byte that ends the name; 0 if none does
    keys = names & (unit - _ONE)
    place = keys % _DIVISOR
    codes = np.where(_KEYS[place] == keys, _KEY_CODES[place], np.int16(0))
    for index in np.flatnonzero(unit == 0).tolist():
        codes[index] = 2 * _NUMBERS.get(_name(lower, int(starts[index])), 0)
    return codes


def _zeros(words: Words) -> Words:
    """Return words in which the highest bit of the first byte is set that is 0; more may be in those after it."""
    return (words - _ONES) & ~words


def _name(lower: bytes, start: int) -> bytes:
    """Return the name that begins at a place."""
    name = _NAME.match(lower, start)
    return name[0] if name else b""


def _resolve(text: str, raw: bytes, tags: _Tags) -> Mask:
    """Set the ends of what is not plain, and of what is dropped with its content; return what lies inside of it."""
    closers, done = Closers(text), 0
    inside = np.zeros(tags.starts.size + 1, dtype=np.int8)
    odd = np.flatnonzero(~tags.plain | _DROPS[tags.codes] | (tags.codes < 0))
    for first in range(0, odd.size, _MANY):
        part = odd[first : first + _MANY]
        indices, ends = list[int](), list[int]()
        columns = (part, *(column[part] for column in tags))
        for index, start, end, code, plain in zip(*(column.tolist() for column in columns), strict=True):
            if start < done:
                continue
            if code < 0:
                done = _declaration_end(text, raw, start, closers)
            else:
                done = end if plain else tag_end(text, start)
                if _DROPS_TOO[code]:
                    done = closers.after(NAMES[code >> 1], done) or done
            indices.append(index)
            ends.append(done)
        _enclose(tags, inside, np.array(indices, dtype=np.intp), np.array(ends, dtype=tags.ends.dtype))
    return np.cumsum(inside[:-1], dtype=np.int8).view(bool)


def _enclose(tags: _Tags, inside: NDArray[np.int8], indices: Places, ends: Places) -> None:
    """Set the ends of some tags, and mark where what lies inside of them begins and ends."""
    tags.ends[indices] = ends
    inside[indices + 1] += 1
    inside[tags.starts.searchsorted(ends)] -= 1


def _declaration_end(text: str, raw: bytes, start: int, closers: Closers) -> int:
    if text.startswith("<!--", start):
        return closers.after_declaration("<!--", start + 4)
    if raw.startswith(b"<![CDATA[", start):
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
        if index < done or not _HIDDEN.search(lower, int(page.starts[index]), int(page.ends[index])):
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
    hidden, none = positions(lower, b"hidden"), positions(lower, b"none")
    hidden = hidden[_SPACE[data[hidden - 1]]]
    before = data[none - 1]
    places = np.concatenate((hidden, none[_SPACE[before] | (before == ord(":"))]))
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
    name = _name(lower, int(page.starts[index]) + 1)
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
