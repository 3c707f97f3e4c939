"""Tables of the reference, made from the program's own definitions. Pure: from a name to Markdown.

A page has a comment ``<!-- from code: NAME -->`` where the tables of NAME stand.
"""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Any, get_args, get_origin

from corpus_spider.config import sections
from corpus_spider.exit_codes import REASONS
from corpus_spider.presets.new_corpus import default_in_words
from corpus_spider.terminal.reasons import DROPPED, FAILED
from corpus_spider.terminal.vocabulary import SIGNS, THINGS
from pipelines.metadata.publication_date import TRUST
from storage.exports.descriptions import DESCRIPTIONS
from storage.exports.fields import FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from corpus_spider.config.values import Key

MARK = re.compile(r"^<!-- from code: ([a-z-]+) -->$", re.MULTILINE)
TYPES = {
    "str": "text",
    "int": "whole number",
    "float": "number",
    "bool": "true or false",
    "tuple": "list of texts",
    "datetime": "time, UTC",
    "Quality": "numbers by name",
}
"""Words for types of values."""


def expand(text: str) -> str:
    """Return a page with each comment replaced by its tables. Raises KeyError for an unknown name."""
    return MARK.sub(lambda match: TABLES[match[1]](), text)


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Format a Markdown table. Bars in cells are escaped."""
    lines = [tuple(heads), *(tuple(cell.replace("|", r"\|") for cell in row) for row in rows)]
    shown = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join([shown[0], f"|{' --- |' * len(lines[0])}", *shown[1:], ""])


def settings() -> str:
    """Return a section for each table of corpus.toml: its keys with type, default and explanation."""
    parts = []
    for section in all_sections():
        title, _, about = (section.__doc__ or "").partition(": ")
        rows = [
            (f"`{name}`", type_in_words(sections.kinds(section)[name], key), default_of(section, name), key.explanation)
            for name, key in sections.keys(section).items()
        ]
        parts += [f"## {title.replace('``', '`')}", "", f"{about[:1].upper()}{about[1:]}".replace("``", "`"), ""]
        parts += [table(("key", "type", "default", "meaning"), rows)]
    return "\n".join(parts)


def all_sections() -> Iterator[type[Any]]:
    """Yield the tables of corpus.toml, each a dataclass of the sections whose description begins with its name."""
    for value in vars(sections).values():
        if isinstance(value, type) and dataclasses.is_dataclass(value) and (value.__doc__ or "").startswith("``["):
            yield value


def type_in_words(kind: Any, key: Key) -> str:
    """Return the words for the annotated type of a key."""
    while get_args(kind) and get_origin(kind) is not tuple:
        kind = get_args(kind)[0]
    several = get_origin(kind) is tuple
    if key.size or key.duration:
        return ("size" if key.size else "time") if not several else "list of times"
    return TYPES.get((get_origin(kind) or kind).__name__, "table")


def default_of(section: type[Any], name: str) -> str:
    """Return the default of a key in code type, as `init` writes it; empty if there is none."""
    shown = default_in_words(section, name)
    return "" if shown in {'""', ""} else f"`{shown}`"


def exit_codes() -> str:
    """Return the table of exit codes."""
    return table(("code", "meaning"), ((str(code), meaning) for code, meaning in REASONS.items()))


def reasons() -> str:
    """Return the tables of reasons."""
    status = (("`http_404`, `http_NNN`", "the server responded with this status"),)
    overload = (("`http_429`, `http_5NN`", "the server was overloaded or broken at each attempt"),)
    named = [[(f"`{name}`", meaning) for name, meaning in known.items()] for known in (DROPPED, FAILED)]
    return "\n".join(
        [
            "## Pages without a document",
            "",
            table(("reason", "meaning"), (*named[0], *status)),
            "## URLs that failed",
            "",
            table(("reason", "meaning"), (*named[1], *overload)),
        ]
    )


def fields() -> str:
    """Return the table of the fields of an exported document."""
    rows = ((f"`{field.name}`", TYPES[field.kind.__name__], DESCRIPTIONS[field.name]) for field in FIELDS)
    return table(("field", "type", "meaning"), rows)


def things() -> str:
    """Return the table of words for things."""
    return table(("word", "meaning", "not"), ((word, *told) for word, told in THINGS.items()))


def signs() -> str:
    """Return the table of signs of a failing site."""
    return table(("sign", "message says"), ((f"`{sign}`", meaning) for sign, meaning in SIGNS.items()))


def date_places() -> str:
    """Return the places of a date on a page, most trusted first, with the share of dates there that are right."""
    return table(("place", "share"), ((f"`{place}`", f"{share:.2f}") for place, share in TRUST.items()))


TABLES = {
    "date-places": date_places,
    "settings": settings,
    "exit-codes": exit_codes,
    "reasons": reasons,
    "fields": fields,
    "things": things,
    "signs": signs,
}
"""Makers of tables, by the name in the comment."""
