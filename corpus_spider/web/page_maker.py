"""Make the HTML of a page from its template, with what every page shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.responses import HTMLResponse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jinja2 import Environment
    from starlette.requests import Request

    from corpus_spider.web.state import ServedCorpus

VIEWS = (
    ("/documents", "Documents"),
    ("/words", "Words"),
    ("/crawls", "Crawls"),
    ("/sites", "Sites"),
    ("/dropped", "Dropped"),
    ("/about", "About"),
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
        shared = {"corpus_name": self.served.config.corpus.name, "views": VIEWS, "here": request.url.path}
        page = self.templates.get_template(template)
        return HTMLResponse(page.render({**shared, "question": "", **(values or {})}), status)
