"""Search: a concordance, with the numbers by site and month."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

from corpus_spider.config.selections import texts_of
from corpus_spider.search.hits.concordance_rules import ORDERS, RANK, sort_places
from corpus_spider.web.formatting import direction
from corpus_spider.web.query import web_query
from corpus_spider.web.time_axis import bounds, per_month
from corpus_spider.web.timeline import timeline
from corpus_spider.web.translation import page_direction
from corpus_spider.web.views import downloads, pages, refusal, served
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request
    from starlette.responses import Response

    from corpus_spider.search.searching import ConcordancePlace

MORE_ORDERS = ("1L,2L,3L", "1R,2R,3R", "node,1R,1L")
"""Orders by several words of a line that the page offers."""
_FILTERS = frozenset({"language", "site", "section", "since", "until"})
"""Parameters of the selection that the form of the page has. The others it keeps."""
LINES = 50
"""Lines at first, and lines that a click adds."""
MAX_SHOWN_LINES = 500
COUNT_SECONDS = 0.3
"""Time in which the page counts hits. The command has longer."""


def page(request: Request) -> Response:
    """Show the answer to a question; without one, how to ask."""
    here = served(request)
    asked = web_query(request.query_params, here.selections)
    answer, error = None, refusal(here, asked.selection) if asked.question else None
    order = asked.order or RANK
    wanted = request.query_params.get("lines", "")
    lines = min(MAX_SHOWN_LINES, max(LINES, int(wanted))) if wanted.isascii() and wanted.isdigit() else LINES
    if asked.question:
        with here.index() as index:
            # To sort lines by a neighbouring word, hundreds of documents are read.
            turn = here.expensive() if sort_places(order) else nullcontext()
            try:
                with turn:
                    answer = index.concordance(
                        here.corpus,
                        asked.question,
                        asked.selection,
                        most=lines,
                        order=order,
                        name=here.config.corpus.name,
                        seconds=COUNT_SECONDS,
                    )
            except ConfigError as problem:
                error = problem
    groups = answer.groups if answer else {}
    numbers = {
        name: [(value, number, asked.query(**{name: value})) for value, number in answer.main_groups(name)]
        for name in ("site", "section", "author")
        if answer
    }
    months = [(label, number, asked.query(**bounds(label))) for label, number in per_month(groups.get("month", {}))]
    values: dict[str, object] = {
        "asked": asked,
        "answer": answer,
        "error": error,
        "orders": (*ORDERS, *MORE_ORDERS),
        "formats": downloads.LINE_TYPES,
        "most": downloads.MAX_DOWNLOAD_LINES,
        "order": order,
        "numbers": numbers,
        "chart": timeline(months, right_to_left=page_direction() == "rtl"),
        "choices": {
            name: (sorted({*groups.get(name, ()), *chosen}), chosen)
            for name, chosen in (
                ("language", asked.own.languages),
                ("site", asked.own.sites),
                ("section", asked.own.sections),
            )
        },
        "kept": [
            (each.parameter, text)
            for each, value in asked.own.given()
            if each.parameter not in _FILTERS
            for text in texts_of(each, value)
        ],
        "selections": here.selections,
        "more": lines + LINES if answer and len(answer.places) == lines < MAX_SHOWN_LINES else 0,
        "tables": by_direction(answer.places if answer else ()),
    }
    return pages(request)(request, "search.html", {**values, "question": asked.question})


def by_direction(places: Sequence[ConcordancePlace]) -> list[tuple[str, list[ConcordancePlace]]]:
    """Return the lines of a concordance by their direction, each in order: the columns of a table have one direction.

    In a right-to-left language the context before the keyword is to its right.
    """
    found: dict[str, list[ConcordancePlace]] = {}
    for place in places:
        found.setdefault(direction(place.script), []).append(place)
    return list(found.items())
