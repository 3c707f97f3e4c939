"""Search: a concordance, with the numbers by site and month."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from corpus_spider.config.selections import texts_of
from corpus_spider.search.answers import answered
from corpus_spider.search.hits.concordance_rules import (
    MAX_CONTEXT_WORDS,
    MAX_SEED,
    ORDERS,
    sort_places,
)
from corpus_spider.web.charts.time_axis import bounds, per_month
from corpus_spider.web.charts.timeline import timeline
from corpus_spider.web.formatting import direction
from corpus_spider.web.query import MAX_SAMPLE, web_query
from corpus_spider.web.translation import page_direction
from corpus_spider.web.views import downloads, pages, refusal, served
from storage.documents.model import UNDATED
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request
    from starlette.responses import Response

    from corpus_spider.search.hits.line_reader import ConcordancePlace

MORE_ORDERS = ("1L,2L,3L", "1R,2R,3R", "node,1R,1L")
"""Orders by several words of a line that the page offers."""
_FILTERS = frozenset({"language", "site", "section", "since", "until"})
"""Parameters of the selection that the form of the page has. The others it keeps."""
LINES = 50
"""Lines of one page."""
COUNT_SECONDS, SAMPLE_SECONDS = 0.1, 2.0
"""Time in which the page counts hits, as an answer is due in .3, and takes a sample of them. The command has longer."""


def page(request: Request) -> Response:
    """Show the answer to a question; without one, how to ask."""
    here = served(request)
    asked = web_query(request.query_params, here.selections)
    answer, error = None, refusal(here, asked.selection) if asked.question else None
    wanted = replace(asked.lines, most=LINES)
    if asked.question:
        with here.index() as index:
            # To sort lines by a neighbouring word, hundreds of documents are read. A sample is of all hits.
            turn = here.expensive() if wanted.reads_much else nullcontext()
            try:
                with turn:
                    answer = answered(
                        index,
                        here.corpus,
                        asked.question,
                        asked.selection,
                        wanted,
                        name=here.config.corpus.name,
                        seconds=SAMPLE_SECONDS if wanted.sample else COUNT_SECONDS,
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
        "wanted": wanted,
        "numbers": numbers,
        "others": {name: answer.other_groups(name) for name in numbers} if answer else {},
        "undated": groups.get("month", {}).get(UNDATED, 0),
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
        "max_sample": MAX_SAMPLE,
        "max_seed": MAX_SEED,
        "max_context": MAX_CONTEXT_WORDS,
        "per_page": LINES,
        "is_sorted_by_words": bool(sort_places(wanted.order)),
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
