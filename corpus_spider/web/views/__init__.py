"""Views of the web page: each function reads what a URL asks for and returns a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus_spider.config.selections import refuse_mistakes
from corpus_spider.export.exporter import refuse_unknown_names
from storage.errors import ConfigError

if TYPE_CHECKING:
    from starlette.requests import Request

    from corpus_spider.web.page_maker import Pages
    from corpus_spider.web.state import ServedCorpus
    from storage.documents.selection import Selection


def served(request: Request) -> ServedCorpus:
    """Return the served corpus."""
    found: ServedCorpus = request.app.state.served
    return found


def refusal(here: ServedCorpus, selection: Selection) -> ConfigError | None:
    """Return the error with which a command would refuse a selection that no document can meet."""
    try:
        refuse_mistakes(selection)
        refuse_unknown_names(here.config, here.corpus, selection, here.status)
    except ConfigError as error:
        return error
    return None


def pages(request: Request) -> Pages:
    """Return the maker of pages."""
    found: Pages = request.app.state.pages
    return found
