"""Documents: a list with filters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from corpus_spider.config.selections import texts_of
from corpus_spider.search.hits.concordance_rules import DAY, RANK
from corpus_spider.search.index.shard import GROUPS
from corpus_spider.web.query import LAST_PAGE, PAGE, web_query
from corpus_spider.web.views import downloads, pages, refusal, served
from storage.documents.model import stated_day
from storage.documents.selection import INDEX, Day, Texts, honoured

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.requests import Request
    from starlette.responses import Response

    from storage.documents.model import CorpusDocument
    from storage.documents.selection import Dimension, Selection

ORDERS = (DAY, RANK)
_ELEMENTS: dict[Any, str] = {Texts: "choice", Day: "date", int: "number", float: "share", bool: "flag"}
"""Element of the form for each type of a dimension."""


def listing(request: Request) -> Response:
    """Show a page of the selected documents, newest first."""
    here = served(request)
    asked = web_query(request.query_params, here.selections)
    asked = replace(asked, lines=replace(asked.lines, page=min(asked.page, LAST_PAGE), sample=0))
    order = asked.order if asked.order in ORDERS else DAY
    with here.index() as index:
        found = index.find(asked.question, asked.selection, most=PAGE, skip=(asked.page - 1) * PAGE, order=order)
    shown = here.corpus.documents.of_ids(found.ids)
    shown = newest_first(shown) if order == DAY or not asked.question else shown
    values = {"asked": asked, "found": found, "documents": shown, "per_page": PAGE, "deepest": LAST_PAGE}
    values |= {
        "formats": downloads.TYPES,
        "most": downloads.MAX_DOWNLOAD_DOCUMENTS,
        "form": form_fields(asked.own),
    }
    values |= {"refused": refusal(here, asked.selection), "selections": here.selections}
    return pages(request)(request, "documents.html", {**values, "question": asked.question})


@dataclass(frozen=True, slots=True)
class FormField:
    """A dimension of the selection in the form. ``kind``: of the element that shows it."""

    dimension: Dimension
    kind: str
    values: tuple[str, ...]


def form_fields(selection: Selection) -> list[FormField]:
    """Return the fields of the form, in the order of the dimensions."""
    given = {each.field: texts_of(each, value) for each, value in selection.given()}
    return [FormField(each, _element(each), given.get(each.field, ())) for each in honoured(INDEX)]


def _element(dimension: Dimension) -> str:
    """Return the kind of the element: a list is of what the index counts."""
    return "text" if dimension.kind == Texts and dimension.index_field not in GROUPS else _ELEMENTS[dimension.kind]


def newest_first(documents: Iterable[CorpusDocument]) -> list[CorpusDocument]:
    """Sort documents by the moment of publication: the index knows the day alone. Those without a date come last."""
    return sorted(documents, key=_moment, reverse=True)


def _moment(document: CorpusDocument) -> datetime:
    if not document.date or not stated_day(document.date):
        return datetime.min.replace(tzinfo=UTC)
    stated = datetime.fromisoformat(document.date)
    return stated if stated.tzinfo else stated.replace(tzinfo=UTC)
