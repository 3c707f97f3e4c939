"""The text of a short piece of HTML, read at once where its markup is plain: what R2L, DANA and BTE show of a page.

``columns`` reads whole pages with arrays, which take a hundred passes however short they are. A piece of some
kilobytes is split at its tags sooner; one with markup that is not plain is left to ``columns``.
"""

from __future__ import annotations

import re
from html import unescape

from pipelines.extractors import columns
from pipelines.extractors.lexer import BLOCKS, BOXES, CODE, DROPPED
from pipelines.extractors.soup import collapsed
from pipelines.extractors.tag_codes import NAMES

SHORT = 1 << 17
FEW = 128
"""Tags of a part that is split sooner where they are found already."""
_TAG = re.compile(r"<(/?[a-zA-Z][^\s/<>]*+)([^<>]*+)>", re.ASCII)
_WELL_FORMED = re.compile(r"""(?:\s++[^\s=>"'/]++(?:=(?:"[^"]*+"|'[^']*+'|[^\s"'>]++))?+)*+\s*+/?""", re.ASCII)
_LINE_END, _DROPS = "\0", "\1"
_ENDS_LINE = BLOCKS | {f"/{name}" for name in BLOCKS}


def _parting(name: str) -> str:
    name = name.lower()
    return _DROPS if name in DROPPED else _LINE_END * (name in _ENDS_LINE)


class _Partings(dict[str, str]):
    """What stands for a tag between texts, by its name: the end of a line, or nothing."""

    def __missing__(self, name: str) -> str:
        return _parting(name) if name.isascii() else ""


_PARTINGS = _Partings({f"{slash}{name}": _parting(f"{slash}{name}") for name in NAMES[1:] for slash in ("", "/")})


def paragraphs(html: str) -> tuple[str, ...]:
    """Return all that a piece of HTML shows, as ``columns.paragraphs`` does."""
    found = _plain(html) if len(html) <= SHORT else None
    return columns.paragraphs(columns.read(html.encode())) if found is None else found


def paragraphs_of(part: columns.Page) -> tuple[str, ...]:
    """Return all that a part of a page shows after Step 0, as ``columns.paragraphs`` does."""
    found = _plain(part.source.decode(), part.codes.size) if part.codes.size <= FEW else None
    return columns.paragraphs(part) if found is None else found


def _plain(html: str, tags: int | None = None) -> tuple[str, ...] | None:
    """Return the text of a piece whose markup is plain, and, where that is known, of so many tags; else None."""
    parts = _TAG.split(html)
    texts, names, attributes = parts[::3], parts[1::3], parts[2::3]
    joined = "".join(texts)
    if "<" in joined or (">" in joined and not _ends_are_plain(texts, attributes)) or _may_hide(attributes):
        return None
    partings = list(map(_PARTINGS.__getitem__, names))
    if tags not in {None, len(names)} or (tags is not None and _DROPS in partings):
        return None
    if _DROPS in partings:
        _drop(texts, names, partings)
    if "&" in joined:
        texts = [unescape(text) if "&" in text else text for text in texts]
    pieces = [""] * (len(texts) + len(partings))
    pieces[::2], pieces[1::2] = texts, partings
    return tuple([line for part in "".join(pieces).split(_LINE_END) if (line := collapsed(part))])


def _ends_are_plain(texts: list[str], attributes: list[str]) -> bool:
    """Say whether tags with a text behind that holds ``>`` are written so well that they end where they seem to."""
    behind = (index for index, text in enumerate(texts) if index and ">" in text)
    return all(_WELL_FORMED.fullmatch(attributes[index - 1]) for index in behind)


def _may_hide(attributes: list[str]) -> bool:
    joined = f"{'>'.join(attributes)}>".lower()
    return ("hidden" in joined or "none" in joined) and columns.HIDDEN.search(joined.encode()) is not None


def _drop(texts: list[str], names: list[str], partings: list[str]) -> None:
    """Empty what is dropped with its content; what never ends loses its tag only, and code all behind it."""
    names = [name.lower() for name in names]
    unended = set[str]()
    first = _index(partings, _DROPS, 0)
    while first is not None:
        name = names[first]
        partings[first] = " " * (name in BOXES)
        end = None if name in unended else _index(names, f"/{name}", first)
        if end is None:
            unended.add(name)
            end = len(names) if name in CODE else first
        inside = range(first + 1, end + 1)
        texts[inside.start : inside.stop] = [""] * len(inside)
        partings[inside.start : inside.stop] = [""] * (min(inside.stop, len(names)) - inside.start)
        first = _index(partings, _DROPS, end + 1)


def _index(column: list[str], value: str, start: int) -> int | None:
    try:
        return column.index(value, start)
    except ValueError:
        return None
