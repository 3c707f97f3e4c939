"""URL shapes: the parts of a URL that vary from article to article are replaced by their class.

``/the-thao/viet-nam-thang-dam-4765432.html`` has the shape ``/{w}/{s}-{d}.html``: a word, then words and a number. The
articles of a site share one shape or a few. Sections, tags and lists have others.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, unquote

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipelines.urls.url import Address

SLUG_WORDS = 4
"""Words from which a segment is a headline and not a name."""
_YEARS = re.compile(r"(?:19[9]|20\d)\d")
_EXTENSION = re.compile(r"[A-Za-z]{2,5}")
_SEPARATOR = re.compile(r"[-_+.,~\s]+")
_MIXED = re.compile(r"(?=[^\d]*\d)(?=\d*[a-z])[0-9a-z]{8,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_REGEX = {
    "{y}": r"\d{4}",
    "{n}": r"\d{1,2}",
    "{d}": r"\d{3,}",
    "{id}": r"(?=[^/?]*\d)[0-9A-Za-z-]{8,}",
    "{slug}": r"[^/?]*(?:[-_+.]|%20)[^/?]*",
    "{s}": r"[^/?]+",
    "{w}": r"[^/?]+",
}
_CLASS = re.compile(r"\{\w+\}")
NUMBER_SLOT = re.compile(r"\{(?:n|y|d|id)\}")
"""A number, a year or an identifier in a shape."""


class UrlShape(NamedTuple):
    """A path and query with classes for their parts.

    ``{y}`` year, ``{n}`` small number, ``{d}`` number, ``{id}`` letters and digits, ``{slug}`` headline, ``{w}`` word,
    ``{s}-{d}`` words and a number.
    """

    text: str
    folder: str
    """Literal segments of words above the last segment: ``/the-thao/``."""

    @property
    def distinguishes(self) -> bool:
        """Whether it has a part that differs between articles."""
        return any(part in self.text for part in ("{d}", "{id}", "{slug}", "{y}/{n}"))

    @property
    def numbered(self) -> bool:
        """Whether a number or a key differs between its articles, not the headline only."""
        return any(part in self.text for part in ("{d}", "{id}", "{y}/{n}"))

    @property
    def name(self) -> UrlShape:
        """The same shape with names in place of headlines."""
        return UrlShape(self.text.replace("{slug}", "{w}"), self.folder)

    def regex(self, *, literal: bool = False) -> str:
        """Return a regular expression for URLs of this shape, to search in a canonical URL.

        With ``literal`` it matches in this folder only.
        """
        parts, position = [], 0
        folders = iter(quote(self.folder).split("/") if literal and self.folder else ())
        for match in _CLASS.finditer(self.text):
            folder = next(folders, "") if match[0] == "{w}" else ""
            parts += [re.escape(self.text[position : match.start()]), re.escape(folder) or _REGEX[match[0]]]
            position = match.end()
        return "".join(("^https?://[^/]+", *parts, re.escape(self.text[position:]), "$")).replace(r"\-", "-")


def shape_of(address: Address) -> UrlShape:
    """Return the shape of a URL without its host."""
    return _shape(address.path, address.query)


def shapes_of(addresses: Iterable[Address]) -> list[UrlShape]:
    """Return the shape of each URL, without its host."""
    return [_shape(address.path, address.query) for address in addresses]


@lru_cache(maxsize=8192)
def _shape(path: str, query: str) -> UrlShape:
    segments = unquote(path).split("/")[1:]
    classes = [_segment(segment) for segment in segments]
    pairs = (pair.partition("=") for pair in query.split("&") if pair)
    asked = "&".join(f"{name}={_value(value)}" for name, _, value in pairs)
    words = [segment for segment, kind in zip(segments[:-1], classes, strict=False) if kind == "{w}"]
    return UrlShape("/" + "/".join(classes) + (f"?{asked}" if asked else ""), "/".join(words))


def _value(value: str) -> str:
    return "{d}" if value.isdigit() and len(value) > 2 else "{n}" if value.isdigit() else "{s}"


@lru_cache(maxsize=8192)
def _segment(segment: str) -> str:
    if segment.isalpha() or not segment:
        return "{w}" if segment else ""
    stem, dot, extension = segment.rpartition(".")
    if not stem or not _EXTENSION.fullmatch(extension):
        stem, dot, extension = segment, "", ""
    if stem.isdigit():
        kind = "{n}" if len(stem) < 3 else "{y}" if _YEARS.fullmatch(stem) else "{d}"
    elif _MIXED.fullmatch(stem):
        kind = "{id}"
    else:
        kind = _words(stem)
    return kind + dot + extension.lower()


def _words(stem: str) -> str:
    """Return the class of a segment of words: with a number before or after them, a headline, or a name."""
    words = [word for word in _SEPARATOR.split(stem) if word]
    if not words:
        return "{w}"
    if re.search(r"\d{3,}$", words[-1]) and (len(words) > 1 or not words[-1].isdigit()):
        return "{s}-{d}" if words[-1].isdigit() else "{s}{d}"
    if len(words) > 1 and re.fullmatch(r"\d{3,}", words[0]):
        return "{d}-{s}"
    return "{slug}" if sum(len(word) > 1 for word in words) >= SLUG_WORDS else "{w}"
