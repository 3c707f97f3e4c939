"""When the use of a text is reserved, in the words of robots directives and of W3C TDMRep."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from storage.records import Metadata

RESERVING = frozenset({"noai", "noarchive"})
"""Robots directives that reserve what a corpus does with a text. ``noimageai`` speaks of pictures, which it keeps none
of.
"""

RECORD, SKIP = "record", "skip"
"""What becomes of a page that is reserved: its document says so, or it makes none."""


def reservations(stated: Metadata) -> list[str]:
    """Return what reserves a page's text, in the order of weight: ``tdm``, then directives; empty when nothing does."""
    return (["tdm"] if stated.tdm == 1 else []) + sorted(RESERVING.intersection(stated.directives))


def is_reserved(stated: Metadata) -> bool:
    """Say whether the use of a page's text is reserved."""
    return bool(reservations(stated))
