"""Reserved use of a text, by robots directives and W3C TDMRep."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from storage.records import Metadata

RESERVING = frozenset({"noai", "noarchive"})
"""Robots directives that reserve uses of a corpus. ``noimageai`` is not one: a corpus keeps no images."""

RECORD, SKIP = "record", "skip"
"""Handling of reserved pages: mark the document, or make none."""


def reservations(stated: Metadata) -> list[str]:
    """Return the reservations of a page, most important first: ``tdm``, then directives; empty if there are none."""
    return (["tdm"] if stated.tdm == 1 else []) + sorted(RESERVING.intersection(stated.directives))


def is_reserved(stated: Metadata) -> bool:
    """Return whether the use of a page's text is reserved."""
    return bool(reservations(stated))
