"""XML of feeds and sitemaps as a stream of records: hardened, forgiving, in bounded memory.

The document is cut at its root element, so that no DTD, and with it no entity, ever reaches the parser; that external
entities stay unread is asked of lxml besides (CVE-2026-41066). Depth and the size of a text have libxml2's own limits.
Broken XML gives every record up to where it cannot be followed any more; a bare ampersand is read as one.
"""

from __future__ import annotations

import io
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from lxml import etree

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROOT = re.compile(r"<(?:[\w.-]{1,30}:)?(rss|feed|rdf|urlset|sitemapindex)(?=[\s>/])", re.IGNORECASE)
_PROLOG = 16_384
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]+")
_BARE_AMPERSAND = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});)")
_MAX_NODES = 20_000


def root_of(text: str) -> str | None:
    """Return the name of the root element, lower-case, without prefix, when it is that of a feed or a sitemap."""
    match = _ROOT.search(text, 0, _PROLOG)
    return match[1].lower() if match else None


def local_name(element: etree._Element) -> str:
    """Return the lower-case name of an element without its namespace or an undeclared prefix."""
    return _local(str(element.tag))


@lru_cache(maxsize=1024)
def _local(tag: str) -> str:
    return tag.rpartition("}")[2].rpartition(":")[2].lower()


class XmlRecords:
    """The elements of certain local names, one after the other, each with its children, gone when the next one comes.

    ``broken`` tells, once the records are read, whether the document was not well-formed.
    """

    def __init__(self, text: str, names: frozenset[str]) -> None:
        match = _ROOT.search(text, 0, _PROLOG)
        self._source = io.BytesIO(_mended(text[match.start() :] if match else ""))
        self._names = names
        self.broken = match is None

    def __iter__(self) -> Iterator[etree._Element]:
        parser = etree.iterparse(
            self._source,
            events=("start", "end"),
            recover=True,
            resolve_entities=False,
            load_dtd=False,
            no_network=True,
            huge_tree=False,
            remove_comments=True,
            remove_pis=True,
        )
        try:
            yield from self._records(parser)
        except etree.XMLSyntaxError:
            self.broken = True
        self.broken = self.broken or bool(parser.error_log.filter_from_errors())

    def _records(self, parser: etree.iterparse) -> Iterator[etree._Element]:
        """Yield outermost records; whatever is closed outside of one is thrown away at once."""
        depth = nodes = 0
        for event, element in parser:
            nodes += 1
            if local_name(element) in self._names:
                depth += 1 if event == "start" else -1
                if event == "end" and depth == 0:
                    yield element
            if event == "end" and depth == 0:
                nodes = 0
                _discard(element)
            if nodes > _MAX_NODES:
                self.broken = True
                return


def _mended(text: str) -> bytes:
    """Drop characters XML forbids and escape bare ampersands outside CDATA sections."""
    first, *sections = _ILLEGAL.sub("", text).split("<![CDATA[")
    parts = [_BARE_AMPERSAND.sub("&amp;", first)]
    for section in sections:
        data, end, rest = section.partition("]]>")
        parts.append(f"<![CDATA[{data}{end}{_BARE_AMPERSAND.sub('&amp;', rest)}")
    return "".join(parts).encode()


def _discard(element: etree._Element) -> None:
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]
