"""What the query of a URL selects, and the same selection as a query and as a command. Pure."""

from __future__ import annotations

import shlex
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from corpus_spider.config.selections import NAMED, options_of, read_selection, selection_of, texts_of
from corpus_spider.search.hits.concordance_rules import (
    ALL_LINES,
    MAX_CONTEXT_WORDS,
    MAX_PAGES,
    MAX_SEED,
    RANK,
    USUAL_SEED,
    WantedLines,
    sort_places,
)
from corpus_spider.search.question.question_parser import MAX_QUESTION_CHARS
from storage.documents.selection import INDEX, Selection, Texts, honoured
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from starlette.datastructures import QueryParams

    from storage.documents.selection import Dimension

PAGE = 25
"""Documents of one page."""
LAST_PAGE = 400
"""Last page of documents. Older ones are reached with a day."""
MAX_SAMPLE = 1_000
"""Lines of a random sample. The command takes more."""
EVERYTHING = Selection()
MAX_TEXT_CHARS = 200
"""Characters of a text in a URL. Longer ones are cut."""
_CORRECT = "Correct it in the address of the page, or choose it in the form."


@dataclass(frozen=True, slots=True)
class WebQuery:
    """What a URL asks for: a question, a selection, an order, and which lines in which form."""

    question: str = ""
    selection: Selection = EVERYTHING
    """Selected documents: those of the named selection, changed by ``own``."""
    order: str = ""
    """Order that the URL names. The lines have the usual one without it."""
    named: str = ""
    """Name of a selection of corpus.toml."""
    own: Selection = EVERYTHING
    """What the URL itself selects."""
    lines: WantedLines = ALL_LINES
    """Of a list of documents only their page counts."""

    @property
    def page(self) -> int:
        """Number of the page, from 1."""
        return self.lines.page

    @classmethod
    def of(cls, own: Selection, *, named: str = "", base: Selection = EVERYTHING, **others: Any) -> WebQuery:
        """Return the query for a selection of its own, over the named one."""
        return cls(selection=own.over(base), named=named, own=own, **others)

    def query(self, **changes: str | int | None) -> str:
        """Return the query of a URL for this and some changes; None takes a value out. Begins with ``?``.

        A change of something else leads to the first page.
        """
        values: dict[str, Sequence[str]] = {"q": (self.question,)}
        values |= {each.parameter: () for each in honoured(INDEX)}
        values |= {each.parameter: texts_of(each, value) for each, value in self.own.given()}
        values |= {NAMED: (self.named,), "order": (self.order,)}
        lines = self.lines
        if lines.sample:
            values |= {"sample": (str(lines.sample),), "seed": (str(lines.seed),)}
        values |= {"context": (str(lines.context),)} if lines.context else {}
        values |= {"unique": ("yes",)} if lines.unique else {}
        values |= {"page": (str(self.page),)} if self.page > 1 and not changes else {}
        values |= {name: () if value is None else (str(value),) for name, value in changes.items()}
        pairs = [(name, each) for name, given in values.items() for each in given if each]
        return f"?{urlencode(pairs)}" if pairs else "?"

    def command(self) -> str:
        """Return the command that gives the same selection: `search` with a question, else `export`."""
        options = [*([f"--{NAMED}", self.named] if self.named else []), *options_of(self.own)]
        if not self.question:
            return shlex.join(["corpus-spider", "export", "-o", "documents.jsonl", *options])
        options += self.lines.options
        if self.question.startswith("-"):
            # It would be read as an option.
            return shlex.join(["corpus-spider", "search", *options, "--", self.question])
        return shlex.join(["corpus-spider", "search", self.question, *options])


def web_query(query: QueryParams, selections: Mapping[str, Selection]) -> WebQuery:
    """Read the query of a URL. ``selections``: those of corpus.toml.

    Raises ConfigError for a value that makes no sense, or another name of a selection: the page would be about other
    documents.
    """
    own = Selection()
    for each in honoured(INDEX):
        value = _value(each, query)
        if value is not None:
            try:
                own = read_selection({each.name: value}).over(own)
            except ConfigError as error:
                raise ConfigError(f"{each.parameter}: {error.what}", do=_CORRECT) from None
    named, order = query.get(NAMED, ""), query.get("order", "")
    base = selection_of({NAMED: named}, selections) if named else EVERYTHING
    if order:
        sort_places(order)
    lines = WantedLines(
        page=int(min(MAX_PAGES, max(1, _number(query, "page")))),
        order=order or RANK,
        context=int(min(MAX_CONTEXT_WORDS, _number(query, "context"))),
        unique=query.get("unique") == "yes",
        sample=int(min(MAX_SAMPLE, _number(query, "sample"))),
        seed=int(min(MAX_SEED, _number(query, "seed"))) if query.get("seed") else USUAL_SEED,
    )
    return WebQuery.of(
        own,
        named=named,
        base=base,
        # One more than a question may have: it is refused, and not read in part.
        question=query.get("q", "").strip()[: MAX_QUESTION_CHARS + 1],
        order=order,
        lines=lines,
    )


def _value(dimension: Dimension, query: QueryParams) -> object:
    """Return the value of a dimension, as Python and TOML have it; None for one that is not given."""
    given = [text.strip()[:MAX_TEXT_CHARS] for text in query.getlist(dimension.parameter)]
    # A comma separates the values of an option too. No name has one.
    texts = [part.strip() for text in given for part in text.split(",") if part.strip()]
    if not texts:
        return None
    if dimension.kind == Texts:
        return texts
    text = texts[0] if len(texts) == 1 else ",".join(texts)
    if dimension.kind is bool:
        return True if text == dimension.flag_value else text
    if dimension.kind in {int, float}:
        with suppress(ValueError):
            return dimension.kind(text)
    return text


def _number(query: Mapping[str, str], name: str) -> float:
    try:
        value = float(query.get(name, "") or 0)
    except ValueError:
        return 0.0
    return value if 0 <= value < float("inf") else 0.0
