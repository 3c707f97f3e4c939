"""Views of the web page: each function reads what a URL asks for and returns a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.requests import Request

    from corpus_spider.web.application import Pages
    from corpus_spider.web.state import ServedCorpus


def served(request: Request) -> ServedCorpus:
    """Return the served corpus."""
    found: ServedCorpus = request.app.state.served
    return found


def pages(request: Request) -> Pages:
    """Return the maker of pages."""
    found: Pages = request.app.state.pages
    return found
