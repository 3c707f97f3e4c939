"""Views of the web page: each function reads what a URL asks for and returns a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus_spider.config.selections import refuse_mistakes
from corpus_spider.export.exporter import refuse_unknown_sites
from corpus_spider.web.query import web_query

if TYPE_CHECKING:
    from starlette.requests import Request

    from corpus_spider.web.application import Pages
    from corpus_spider.web.query import WebQuery
    from corpus_spider.web.state import ServedCorpus


def served(request: Request) -> ServedCorpus:
    """Return the served corpus."""
    found: ServedCorpus = request.app.state.served
    return found


def asked_of(request: Request) -> WebQuery:
    """Return what the query of a URL asks for. Raises ConfigError for a selection that commands refuse."""
    here, asked = served(request), web_query(request.query_params)
    refuse_mistakes(asked.selection)
    refuse_unknown_sites(here.config, here.status, asked.selection.sites)
    return asked


def pages(request: Request) -> Pages:
    """Return the maker of pages."""
    found: Pages = request.app.state.pages
    return found
