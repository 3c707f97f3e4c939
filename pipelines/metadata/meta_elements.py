"""Read the meta elements of a page by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pipelines.markup.page_view import ReadElement

META_ELEMENTS = "meta[content]"
MAX_CONTENTS = 3
"""Meta elements of one name that are read."""


def read_metas(elements: Iterable[ReadElement]) -> dict[str, list[str]]:
    """Return the contents of meta elements by lower-case name, property or itemprop."""
    metas: dict[str, list[str]] = {}
    for _, _, attributes in elements:
        content = (attributes.get("content") or "").strip()
        for key in {attributes.get("name"), attributes.get("property"), attributes.get("itemprop")} - {None}:
            if key and content:
                metas.setdefault(key.strip().lower(), []).append(content)
    return metas


def contents_of(metas: Mapping[str, list[str]], names: Iterable[str]) -> Iterator[str]:
    """Yield the contents of the meta elements of some names, name by name."""
    for name in names:
        yield from metas.get(name, [])[:MAX_CONTENTS]
