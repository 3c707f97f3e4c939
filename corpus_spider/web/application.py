"""The application: which URL shows which view, and what an error looks like."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from corpus_spider.monitoring.advice import next_command
from corpus_spider.web import formatting
from corpus_spider.web.guard import Guard
from corpus_spider.web.language_choice import LanguageChoice
from corpus_spider.web.page_maker import Pages
from corpus_spider.web.state import BusyError
from corpus_spider.web.translation import gettext, marked, ngettext, page_direction, page_language
from corpus_spider.web.views import crawls, document, documents, downloads, dropped, overview, searching, words
from storage.errors import CorpusError, TooSlowError, UnfinishedIndexError

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from corpus_spider.web.state import ServedCorpus

logger = logging.getLogger(__name__)
FOLDER = Path(__file__).parent
_MESSAGES = {
    403: marked("This page opens only from this site."),
    404: marked("There is no such page here."),
    405: marked("Only GET and HEAD."),
}


def application(served: ServedCorpus, hosts: frozenset[str], token: str = "") -> Guard:
    """Return the application for a corpus, behind its guard."""
    templates = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )
    templates.filters.update(formatting.FILTERS)
    # A macro sees globals and not the values of its page, so the language is that of the request.
    templates.install_gettext_callables(gettext, ngettext, newstyle=True)  # type: ignore[attr-defined, unused-ignore]
    for each in (formatting.per_cent, next_command, page_language, page_direction):
        templates.globals[each.__name__] = each
    pages = Pages(served, templates)

    def http_error(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        headline = _MESSAGES.get(status, marked("This page cannot be shown."))
        return pages(request, "error.html", {"headline": headline, "what": "", "do": ""}, status)

    def corpus_error(request: Request, error: Exception) -> Response:
        if isinstance(error, TooSlowError):
            values = {"headline": marked("This takes too long."), "what": error.what, "do": error.do}
            return pages(request, "error.html", values, 503)
        if isinstance(error, UnfinishedIndexError):
            values = {"headline": marked("The search index is being made."), "what": error.what, "do": error.do}
            answer = pages(request, "error.html", values, 503)
            answer.headers["Retry-After"] = "60"
            return answer
        # The words are the program's own: they hold paths and settings, and nothing that came with the request.
        what, do = (error.what, error.do) if isinstance(error, CorpusError) else ("", "")
        values = {"headline": marked("This cannot be answered."), "what": what, "do": do}
        return pages(request, "error.html", values, 400)

    def busy(request: Request, error: Exception) -> Response:
        answer = pages(request, "error.html", {"headline": str(error), "what": "", "do": ""}, 503)
        answer.headers["Retry-After"] = "5"
        return answer

    def fault(request: Request, error: Exception) -> Response:
        logger.error("the view of %s failed", request.url.path, exc_info=error)
        return http_error(request, error)

    app = Starlette(
        routes=[
            Route("/", overview.page),
            Route("/documents", documents.listing),
            *(Route(f"/documents/{{id:str}}{path}", view) for path, view in document.ROUTES),
            Route("/download/documents.{format:str}", downloads.download),
            Route("/download/lines.{format:str}", downloads.download_lines),
            Route("/download/words.csv", words.download),
            Route("/search", searching.page),
            Route("/words", words.page),
            Route("/crawls", crawls.page),
            Route("/crawls/{run:int}", crawls.run),
            Route("/crawls/{run:int}/now", crawls.progress),
            Route("/sites", crawls.sites),
            Route("/dropped", dropped.listing),
            Route("/dropped/page", dropped.page),
            Route("/dropped/page/original", dropped.original),
            Route("/about", overview.about),
            Mount("/static", StaticFiles(directory=FOLDER / "static")),
        ],
        middleware=[Middleware(LanguageChoice)],
        exception_handlers={HTTPException: http_error, CorpusError: corpus_error, BusyError: busy, 500: fault},
    )
    app.state.served, app.state.pages = served, pages
    return Guard(app, hosts, token)
