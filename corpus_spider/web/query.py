"""What the query of a URL selects, and the same selection as a query and as a command. Pure."""

from __future__ import annotations

import shlex
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from corpus_spider.config.selections import NAMED, options_of, read_day, selection_of, texts_of
from corpus_spider.config.values import WrongValueError
from storage.documents.selection import INDEX, Day, Selection, Texts, honoured

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from starlette.datastructures import QueryParams

    from storage.documents.selection import Dimension

PAGE = 25
"""Documents of one page."""
LAST_PAGE = 400
"""Last page. Older documents are reached with a day."""
EVERYTHING = Selection()
MAX_TEXT_CHARS = 200
"""Characters of a text in a URL. Longer ones are cut."""
MAX_QUESTION_CHARS = 1_000
"""Characters of a question in a URL. The rest is cut."""


@dataclass(frozen=True, slots=True)
class WebQuery:
    """What a URL asks for: a question, a selection, an order and a page, from 1."""

    question: str = ""
    selection: Selection = EVERYTHING
    """Selected documents: those of the named selection, changed by ``own``."""
    order: str = ""
    page: int = 1
    named: str = ""
    """Name of a selection of corpus.toml."""
    own: Selection = EVERYTHING
    """What the URL itself selects."""

    @classmethod
    def of(cls, own: Selection, *, named: str = "", base: Selection = EVERYTHING, **others: Any) -> WebQuery:
        """Return the query for a selection of its own, over the named one."""
        return cls(selection=own.over(base), named=named, own=own, **others)

    def query(self, **changes: str | int | None) -> str:
        """Return the query of a URL for this and some changes; None takes a value out. Begins with ``?``."""
        values: dict[str, Sequence[str]] = {"q": (self.question,)}
        values |= {each.parameter: () for each in honoured(INDEX)}
        values |= {each.parameter: texts_of(each, value) for each, value in self.own.given()}
        values |= {NAMED: (self.named,), "order": (self.order,), "page": (str(self.page) if self.page > 1 else "",)}
        values |= {name: () if value is None else (str(value),) for name, value in changes.items()}
        pairs = [(name, each) for name, given in values.items() for each in given if each]
        return f"?{urlencode(pairs)}" if pairs else "?"

    def command(self) -> str:
        """Return the command that gives the same selection: `search` with a question, else `export`."""
        options = [*([f"--{NAMED}", self.named] if self.named else []), *options_of(self.own)]
        if not self.question:
            return shlex.join(["corpus-spider", "export", "-o", "documents.jsonl", *options])
        if self.question.startswith("-"):
            # It would be read as an option.
            return shlex.join(["corpus-spider", "search", *options, "--", self.question])
        return shlex.join(["corpus-spider", "search", self.question, *options])


def web_query(query: QueryParams, selections: Mapping[str, Selection]) -> WebQuery:
    """Read the query of a URL. Values that make no sense are left out. ``selections``: those of corpus.toml.

    Raises ConfigError for another name of a selection: the page would be about other documents.
    """
    given = {each.field: _value(each, query) for each in honoured(INDEX)}
    own = Selection(**{field: value for field, value in given.items() if value is not None})
    named = query.get(NAMED, "")
    base = selection_of({NAMED: named}, selections) if named else EVERYTHING
    page = int(min(LAST_PAGE, max(1, _number(query, "page"))))
    return WebQuery.of(
        own,
        named=named,
        base=base,
        question=query.get("q", "").strip()[:MAX_QUESTION_CHARS],
        order=query.get("order", "")[:10],
        page=page,
    )


def _value(dimension: Dimension, query: QueryParams) -> Any:
    """Return the value of a dimension; None for one that is not given or makes no sense."""
    name = dimension.parameter
    if dimension.kind == Texts:
        # A comma separates the values of an option. No name has one.
        texts = (each.strip()[:MAX_TEXT_CHARS] for each in query.getlist(name))
        return tuple(each for each in texts if each and "," not in each)
    if dimension.kind == Day:
        with suppress(WrongValueError):
            return read_day(query.get(name, ""), is_last=dimension.is_last)
        return None
    if dimension.kind is bool:
        return query.get(name) == dimension.flag_value
    return dimension.kind(min(dimension.most, _number(query, name)))


def _number(query: Mapping[str, str], name: str) -> float:
    try:
        value = float(query.get(name, "") or 0)
    except ValueError:
        return 0.0
    return value if 0 <= value < float("inf") else 0.0
