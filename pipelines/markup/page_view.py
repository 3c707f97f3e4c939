"""One view of a decoded page for all its readers: it is parsed once, and one query lists its elements."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from selectolax.lexbor import SelectolaxError

from pipelines.markup.tree import encoded, parse_unguarded, strain
from pipelines.urls.url import parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from selectolax.lexbor import LexborHTMLParser, LexborNode

MAX_ELEMENTS = 250_000
"""Elements of a page that are listed. Some pages of 10 MiB have millions."""
MAX_METAS = 1000
"""Meta elements of a page that are read."""
MAX_CONTENTS = 3
"""Meta elements of one name that are read."""
MAX_REFERENCES = 20_000
"""Elements with a reference that are read."""
JSONLD_ELEMENTS, MAX_JSONLD, MAX_JSONLD_CHARS = 'script[type*="ld+json" i]', 30, 2**20
"""Scripts with JSON-LD: their selector, their number, and characters of each that are read."""


class ReadElement(NamedTuple):
    """An element of a page with its name and attributes."""

    node: LexborNode
    tag: str
    attributes: dict[str, str | None]


class PageView:
    """A decoded page with its tree and its elements.

    What several readers need is listed here once. Readers do not change the tree: one that must do so takes a copy.
    """

    def __init__(self, html: str) -> None:
        self.html = html
        source = encoded(html)
        self.problem = strain(source)
        """Why the page would strain the parser; "" if it would not."""
        self.source = b"" if self.problem else source
        """The page in UTF-8, as the parser reads it; empty if it would strain the parser."""
        self.tree = parse_unguarded(self.source)

    @cached_property
    def elements(self) -> list[LexborNode]:
        """The elements, in the order of the page. Those in a ``<template>`` are no part of the page."""
        return self.tree.css("*")[:MAX_ELEMENTS]

    @cached_property
    def _places(self) -> Mapping[str | None, list[int]]:
        """By tag, the indices of its elements."""
        places: dict[str | None, list[int]] = defaultdict(list)
        for at, node in enumerate(self.elements):
            places[node.tag].append(at)
        return dict(places)

    def of(self, *tags: str) -> list[LexborNode]:
        """Return the elements with one of some tags, in the order of the page. A query of the tree takes longer."""
        places = [at for tag in tags for at in self._places.get(tag, ())]
        return [self.elements[at] for at in (places if len(tags) == 1 else sorted(places))]

    def _read(self, *tags: str) -> Iterator[ReadElement]:
        return (ReadElement(node, node.tag or "", node.attributes) for node in self.of(*tags))

    @cached_property
    def title(self) -> str:
        """The text of the title element: that of the head, or the first one; "" without one."""
        titles = self.of("title")
        of_head = (node for node in titles if node.parent is not None and node.parent.tag == "head")
        element = next(of_head, titles[0] if titles else None)
        return element.text() if element else ""

    @cached_property
    def metas(self) -> list[ReadElement]:
        """The meta elements."""
        return list(islice(self._read("meta"), MAX_METAS))

    @cached_property
    def contents(self) -> dict[str, list[str]]:
        """The contents of meta elements by lower-case name, property or itemprop. None is empty."""
        contents: dict[str, list[str]] = {}
        for _, _, attributes in self.metas:
            content = (attributes.get("content") or "").strip()
            for key in {attributes.get("name"), attributes.get("property"), attributes.get("itemprop")} - {None}:
                if key and content:
                    contents.setdefault(key.strip().lower(), []).append(content)
        return contents

    @cached_property
    def references(self) -> list[ReadElement]:
        """The ``a``, ``area`` and ``link`` elements with a reference."""
        found = (each for each in self._read("a", "area", "link") if "href" in each.attributes)
        return list(islice(found, MAX_REFERENCES))

    @cached_property
    def jsonld(self) -> list[str]:
        """The texts of the scripts with JSON-LD."""
        scripts = (each for each in self._read("script") if "ld+json" in (each.attributes.get("type") or "").lower())
        return [each.node.text()[:MAX_JSONLD_CHARS] for each in islice(scripts, MAX_JSONLD)]

    def base_of(self, url: str) -> str:
        """Return the base URL of a page's references: its ``<base>`` if that is http(s), else its own URL.

        HTML Standard, section 4.2.3.
        """
        based = next((each for each in self._read("base") if "href" in each.attributes), None)
        address = parse(based.attributes["href"] or "", url) if based else None
        return address.fetchable if address else url

    def copy_of_tree(self) -> LexborHTMLParser:
        """Return a copy of the tree, for a reader that changes it. This takes a third of the time of a parse.

        The copy has no content of ``<template>``, which browsers do not show. selectolax 1.0 does not copy a page whose
        doctype has a system identifier alone, so such a page is parsed again.
        """
        try:
            return self.tree.clone()
        except SelectolaxError:
            return parse_unguarded(self.source)


def contents_of(contents: Mapping[str, list[str]], names: Iterable[str]) -> Iterator[str]:
    """Yield the contents of the meta elements of some names, name by name."""
    for name in names:
        yield from contents.get(name, [])[:MAX_CONTENTS]
