"""XML of feeds and sitemaps as a stream of records: hardened, forgiving, in bounded memory.

The document is cut at its root element, so that no DTD, and with it no entity, ever reaches the parser; that external
entities stay unread is asked of lxml besides (CVE-2026-41066). Depth and the size of a text have libxml2's own limits.
A bare ampersand is read as one. In broken XML every record that has its end tag is looked for on its own, besides what
the parser made of the whole; a text that breaks off with the document is never taken for a whole one.
"""

from __future__ import annotations

import io
import re
import sys
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from lxml import etree

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROOT = re.compile(r"<(?:[\w.-]{1,30}:)?(rss|feed|rdf|urlset|sitemapindex)(?=[\s>/])", re.IGNORECASE)
_PAGE = re.compile(r"<(?:!doctype\s+html|html|body)[\s>]", re.IGNORECASE)
_PROLOG = 16_384
_CUT = "\ue000"
_ILLEGAL = re.compile(f"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff{_CUT}]+")
_NUMERIC = re.compile(r"&#(?:([0-9]+)|[xX]([0-9a-fA-F]+));")
_BARE_AMPERSAND = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#[0-9]+|#[xX][0-9a-fA-F]+);)")
_MAX_NODES = 20_000
_MAX_SALVAGED = 50_000
_MAX_RECORD = 100_000
_OPTIONS = {"recover": True, "resolve_entities": False, "load_dtd": False, "no_network": True, "huge_tree": False}


def root_of(text: str) -> str | None:
    """Return the name of the root element, lower-case, without prefix, when it is that of a feed or a sitemap.

    Of a page it is none, though there may be such an element in it: blogs stated their trackbacks in RDF.
    """
    match = _ROOT.search(text, 0, _PROLOG)
    return match[1].lower() if match and not _PAGE.search(text, 0, match.start()) else None


def local_name(element: etree._Element) -> str:
    """Return the lower-case name of an element without its namespace or an undeclared prefix."""
    return _local(str(element.tag))


@lru_cache(maxsize=1024)
def _local(tag: str) -> str:
    return tag.rpartition("}")[2].rpartition(":")[2].lower()


class XmlRecords:
    """The elements of certain local names, one after the other, each with its children, gone when the next one comes.

    ``broken`` tells, once the records are read, whether the document was not well-formed; some may then come twice.
    """

    def __init__(self, text: str, names: frozenset[str]) -> None:
        match = _ROOT.search(text, 0, _PROLOG)
        self._text = _mended(text[match.start() :] if match else "")
        self._names = names
        self.broken = match is None

    def __iter__(self) -> Iterator[etree._Element]:
        ended = self._text.rstrip().endswith(">")
        source = io.BytesIO((self._text if ended else self._text + _CUT).encode())
        parser = etree.iterparse(source, events=("start", "end"), remove_comments=True, remove_pis=True, **_OPTIONS)
        try:
            yield from self._records(parser)
        except etree.XMLSyntaxError:
            self.broken = True
        self.broken = self.broken or bool(parser.error_log.filter_from_errors())
        if self.broken:
            yield from self._salvaged()

    def _records(self, parser: etree.iterparse) -> Iterator[etree._Element]:
        """Yield outermost records; whatever is closed outside of one is thrown away at once."""
        depth = nodes = 0
        for event, element in parser:
            nodes += 1
            if local_name(element) in self._names:
                depth += 1 if event == "start" else -1
                if event == "end" and depth == 0 and not _is_cut(element):
                    yield element
            if event == "end" and depth == 0:
                nodes = 0
                _discard(element)
            if nodes > _MAX_NODES:
                self.broken = True
                return

    def _salvaged(self) -> Iterator[etree._Element]:
        """Yield records parsed each on its own, from its start tag to the next end tag of that name."""
        start = re.compile(rf"<((?:[\w.-]{{1,30}}:)?(?:{'|'.join(sorted(self._names))}))(?=[\s>])", re.IGNORECASE)
        matches = list(islice(start.finditer(self._text), _MAX_SALVAGED))
        limits = [*(match.start() for match in matches[1:]), len(self._text)]
        for match, limit in zip(matches, limits, strict=False):
            end = self._text.find(f"</{match[1]}", match.end(), min(limit, match.end() + _MAX_RECORD))
            record = _parse(f"{self._text[match.start() : end]}</{match[1]}>") if end >= 0 else None
            if record is not None:
                yield record


def _parse(record: str) -> etree._Element | None:
    try:
        return etree.fromstring(record.encode(), etree.XMLParser(**_OPTIONS))
    except etree.XMLSyntaxError:
        return None


def _is_cut(element: etree._Element) -> bool:
    return any(_CUT in (child.text or "") for child in element)


def _mended(text: str) -> str:
    """Drop characters XML forbids, make U+FFFD of references to them, escape bare ampersands outside CDATA sections.

    A reference to a surrogate goes wherever it stands: lxml would fail over what libxml2 makes of it.
    """
    first, *sections = _NUMERIC.sub(_legal, _ILLEGAL.sub("", text)).split("<![CDATA[")
    parts = [_BARE_AMPERSAND.sub("&amp;", first)]
    for section in sections:
        data, end, rest = section.partition("]]>")
        parts.append(f"<![CDATA[{data}{end}{_BARE_AMPERSAND.sub('&amp;', rest)}")
    return "".join(parts)


def _legal(match: re.Match[str]) -> str:
    digits = (match[1] or match[2]).lstrip("0") or "0"
    code = int(digits[:8], 10 if match[1] else 16)
    return match[0] if code <= sys.maxunicode and not _ILLEGAL.match(chr(code)) else "\ufffd"


def _discard(element: etree._Element) -> None:
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]
