"""Sphinx extension: make the reference from the program itself, when the site is built."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tables import expand

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the handler of the event."""
    app.connect("source-read", fill_in)
    return {"parallel_read_safe": True}


def fill_in(_: Sphinx, __: str, content: list[str]) -> None:
    """Put the tables of the program into a page."""
    content[0] = expand(content[0])
