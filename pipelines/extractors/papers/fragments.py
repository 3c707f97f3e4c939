"""The text of a short piece of HTML, read at once where its markup is plain: what R2L and DANA show of a page.

``columns`` reads whole pages with arrays, which take a hundred passes however short they are. A piece of some
kilobytes is split at its tags sooner; one with markup that is not plain is left to ``columns``.
"""

from __future__ import annotations

import re
from html import unescape

from pipelines.extractors.papers import page_texts
from pipelines.extractors.papers.hidden import HIDDEN
from pipelines.extractors.papers.tag_columns import read
from pipelines.markup.lexer import BLOCKS, BOXES, CODE, DROPPED, VOID
from pipelines.markup.soup import collapsed
from pipelines.markup.tag_codes import NAMES

SHORT = 1 << 17
_TAG = re.compile(r"<(/?[a-zA-Z][^\s/<>]*+)([^<>]*+)>", re.ASCII)
_WELL_FORMED = re.compile(r"""(?:\s++[^\s=>"'/]++(?:=(?:"[^"]*+"|'[^']*+'|[^\s"'>]++))?+)*+\s*+/?""", re.ASCII)
_LINE_END, _DROPS = "\0", "\1"
_ENDS_LINE = BLOCKS | {f"/{name}" for name in BLOCKS}
_NEVER_HIDDEN = VOID | {"html", "body", ""}


def _parting(name: str) -> str:
    name = name.lower()
    return _DROPS if name in DROPPED else _LINE_END * (name in _ENDS_LINE)


class _Partings(dict[str, str]):
    """What stands for a tag between texts, by its name: the end of a line, or nothing."""

    def __missing__(self, name: str) -> str:
        return _parting(name) if name.isascii() else ""


_PARTINGS = _Partings({f"{slash}{name}": _parting(f"{slash}{name}") for name in NAMES[1:] for slash in ("", "/")})


class _Piece:
    """Texts and tags of a piece by turns, a text first and last: names and attributes of tags, and what parts texts."""

    def __init__(self, html: str) -> None:
        parts = _TAG.split(html)
        self.texts, self.names, self.attributes = parts[::3], parts[1::3], parts[2::3]
        self.partings = list(map(_PARTINGS.__getitem__, self.names))
        self.text = "".join(self.texts)

    def empty(self, tags: range) -> None:
        """Take out some tags and the texts between them; where there are no more tags, the last text too."""
        self.texts[tags.start + 1 : tags.stop] = [""] * (len(tags) - 1)
        for column in (self.names, self.partings):
            column[tags.start : tags.stop] = [""] * len(column[tags.start : tags.stop])

    def characters(self, tags: range) -> int:
        """Return how many characters stand between some tags, with the spaces that stand for boxes."""
        texts, partings = self.texts[tags.start + 1 : tags.stop], self.partings[tags.start : tags.stop]
        return sum(map(len, texts)) + partings.count(" ")

    def lines(self) -> tuple[str, ...]:
        """Return the lines that are shown."""
        texts = self.texts
        if "&" in self.text:
            texts = [unescape(text) if "&" in text else text for text in texts]
        pieces = [""] * (len(texts) + len(self.partings))
        pieces[::2], pieces[1::2] = texts, self.partings
        return tuple([line for part in "".join(pieces).split(_LINE_END) if (line := collapsed(part))])


def paragraphs(html: str) -> tuple[str, ...]:
    """Return all that a piece of HTML shows, as ``page_texts.paragraphs`` does."""
    found = _plain(html) if len(html) <= SHORT else None
    return page_texts.paragraphs(read(html.encode())) if found is None else found


def _plain(html: str) -> tuple[str, ...] | None:
    """Return the text of a piece whose markup is plain, else None."""
    piece = _Piece(html)
    if "<" in piece.text or (">" in piece.text and not _ends_are_plain(piece.texts, piece.attributes)):
        return None
    if _DROPS in piece.partings:
        _drop(piece)
    return piece.lines() if not _may_hide(piece.attributes) or _hide(piece) else None


def _ends_are_plain(texts: list[str], attributes: list[str]) -> bool:
    """Say whether tags with a text behind that holds ``>`` are written so well that they end where they seem to."""
    behind = (index for index, text in enumerate(texts) if index and ">" in text)
    return all(_WELL_FORMED.fullmatch(attributes[index - 1]) for index in behind)


def _may_hide(attributes: list[str]) -> bool:
    joined = f"{'>'.join(attributes)}>".lower()
    return ("hidden" in joined or "none" in joined) and HIDDEN.search(joined.encode()) is not None


def _drop(piece: _Piece) -> None:
    """Take out what is dropped with its content; what never ends loses its tag only, and code all behind it."""
    piece.names = names = _lower(piece.names)
    unended = set[str]()
    first = _index(piece.partings, _DROPS, 0)
    while first is not None:
        name = names[first]
        end = None if name in unended else _index(names, f"/{name}", first)
        if end is None:
            unended.add(name)
            end = len(names) if name in CODE else first
        piece.empty(range(first, end + 1))
        piece.partings[first] = " " * (name in BOXES)
        first = _index(piece.partings, _DROPS, end + 1)


def _hide(piece: _Piece) -> bool:
    """Take out hidden elements by the rules of ``hidden.shown``; False where a name is too odd to be told here."""
    piece.names = _lower(piece.names)
    hidden, done = list[range](), 0
    for index, (name, rest) in enumerate(zip(piece.names, piece.attributes, strict=True)):
        if index < done or name in _NEVER_HIDDEN or name[0] == "/" or not _may_hide([rest]):
            continue
        if not name.isascii():
            return False
        end = _end(piece.names, index)
        if end is None:
            return True
        done = end + 1
        hidden.append(range(index, done))
    everything = len("".join(piece.texts)) + piece.partings.count(" ")
    if 2 * sum(map(piece.characters, hidden)) <= everything:
        for tags in hidden:
            piece.empty(tags)
    return True


def _lower(names: list[str]) -> list[str]:
    """Return names in lower case, as bytes have it: some letters beyond ASCII become ASCII ones else."""
    return [name.lower() if name.isascii() else name for name in names]


def _end(names: list[str], index: int) -> int | None:
    """Return the tag that ends an element, by counting tags of its name; None if it never ends."""
    name, depth = names[index], 1
    for place in range(index + 1, len(names)):
        if names[place] == f"/{name}" or names[place] == name == "p":  # a paragraph ends where the next begins
            depth -= 1
        elif names[place] == name:
            depth += 1
        if not depth:
            return place
    return None


def _index(column: list[str], value: str, start: int) -> int | None:
    try:
        return column.index(value, start)
    except ValueError:
        return None
