"""Make the HTML of a page from its template, with what every page shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.responses import HTMLResponse

from corpus_spider.web.translation import languages, marked, url_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jinja2 import Environment
    from starlette.requests import Request

    from corpus_spider.web.state import ServedCorpus

VIEWS = (
    ("/documents", marked("Documents")),
    ("/words", marked("Words")),
    ("/crawls", marked("Crawls")),
    ("/sites", marked("Sites")),
    ("/dropped", marked("Dropped")),
    ("/about", marked("About")),
)
"""Entries of the menu."""


@dataclass(frozen=True, slots=True)
class Pages:
    """Makes HTML from templates, with the values that every page shows."""

    served: ServedCorpus
    templates: Environment

    def __call__(
        self, request: Request, template: str, values: Mapping[str, object] | None = None, status: int = 200
    ) -> HTMLResponse:
        """Return a page."""
        path, query = request.url.path, request.url.query
        shared = {
            "corpus_name": self.served.config.corpus.name,
            "views": VIEWS,
            "here": path,
            "page_languages": [(each, url_in(path, query, each.code)) for each in languages().values()],
        }
        page = self.templates.get_template(template)
        return HTMLResponse(page.render({**shared, "question": "", **(values or {})}), status)
