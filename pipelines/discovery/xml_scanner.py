"""Scan the XML of feeds and sitemaps for records: hardened, tolerant, in limited memory.

- The document is cut before its root element, so no DTD and no entity reach the parser. lxml is set to ignore external
  entities too (CVE-2026-41066). libxml2's own limits apply to depth and to the size of a text.
- A bare ampersand is read as one.
- In broken XML each record with an end tag is also parsed on its own. An element that is cut at the end of the document
  is dropped.
"""

from __future__ import annotations

import io
import re
import sys
from contextlib import suppress
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
    """Return the name of the root element, in lower case without prefix, if it is that of a feed or a sitemap.

    Pages have none, even if they contain such an element: blogs stated their trackbacks in RDF.
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
    """Iterator over the elements with certain local names and their children. Each is freed before the next one.

    After the iteration ``broken`` is true if the document was not well-formed. Some records may then come twice.
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
        """Yield outermost records. Elements that are closed outside of one are freed immediately."""
        depth = nodes = 0
        for event, element in parser:
            nodes += 1
            if local_name(element) in self._names:
                depth += 1 if event == "start" else -1
                if event == "end" and depth == 0:
                    for child in [child for child in element if _CUT in (child.text or "")]:
                        element.remove(child)
                    yield element
            if event == "end" and depth == 0:
                nodes = 0
                element.clear()
                parent = element.getparent()
                while parent is not None and element.getprevious() is not None:
                    del parent[0]
            if nodes > _MAX_NODES:
                self.broken = True
                return

    def _salvaged(self) -> Iterator[etree._Element]:
        """Yield records, each parsed on its own, from its start tag to the next end tag of that name."""
        start = re.compile(rf"<((?:[\w.-]{{1,30}}:)?(?:{'|'.join(sorted(self._names))}))(?=[\s>])", re.IGNORECASE)
        matches = list(islice(start.finditer(self._text), _MAX_SALVAGED))
        limits = [*(match.start() for match in matches[1:]), len(self._text)]
        for match, limit in zip(matches, limits, strict=False):
            end = self._text.find(f"</{match[1]}", match.end(), min(limit, match.end() + _MAX_RECORD))
            if end < 0:
                continue
            record = f"{self._text[match.start() : end]}</{match[1]}>"
            element: etree._Element | None = None
            with suppress(etree.XMLSyntaxError):
                element = etree.fromstring(record.encode(), etree.XMLParser(**_OPTIONS))
            if element is not None:
                yield element


def _mended(text: str) -> str:
    """Drop characters that XML forbids, replace references to them, and escape bare ampersands outside CDATA sections.

    References to surrogates are replaced everywhere, because lxml fails on libxml2's result.
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
