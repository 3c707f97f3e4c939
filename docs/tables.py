"""Tables of the reference, made from the program's own definitions. Pure: from a name to Markdown.

A page has the tables of NAME between ``<!-- from code: NAME -->`` and ``<!-- end of NAME -->``, so a checkout shows
them. ``python tools/reference_pages.py`` writes them, and the site is built with new ones.
"""

from __future__ import annotations

import dataclasses
import re
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, get_args, get_origin

import click

from corpus_spider.cli.app import cli
from corpus_spider.cli.options import COMMON, PROGRAM, TASKS
from corpus_spider.config import sections
from corpus_spider.exit_codes import REASONS
from corpus_spider.presets.new_corpus import default_in_words
from corpus_spider.terminal.vocabulary import SIGNS, THINGS
from pipelines.metadata.publication_date import SOURCES
from storage.fields import FIELDS
from storage.reasons import DROPPED, FAILED, HTTP, may_pass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from corpus_spider.config.values import Key

MARK = re.compile(r"^<!-- from code: ([a-z-]+) -->$.*?^<!-- end of \1 -->$", re.MULTILINE | re.DOTALL)
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
    """Return a page with new tables between its comments. Raises KeyError for an unknown name."""
    return MARK.sub(
        lambda match: f"<!-- from code: {match[1]} -->\n\n{TABLES[match[1]]().strip()}\n\n<!-- end of {match[1]} -->",
        text,
    )


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
    status = (("`http_404`, `http_NNN`", "the server responded with this status", _again(f"{HTTP}NNN")),)
    overload = (("`http_429`, `http_5NN`", "the server was overloaded or broken at each attempt"),)
    dropped = [(f"`{name}`", reason.meaning, _again(name)) for name, reason in DROPPED.items()]
    failed = [(f"`{name}`", reason.meaning) for name, reason in FAILED.items()]
    return "\n".join(
        [
            "## Pages without a document",
            "",
            table(("reason", "meaning", "new pages are fetched again"), (*dropped, *status)),
            "## URLs that failed",
            "",
            table(("reason", "meaning"), (*failed, *overload)),
        ]
    )


def _again(reason: str) -> str:
    return "yes" if may_pass(reason) else ""


def fields() -> str:
    """Return the table of the fields of an exported document."""
    rows = ((f"`{field.name}`", TYPES[field.kind.__name__], field.note.meaning) for field in FIELDS)
    return table(("field", "type", "meaning"), rows)


def things() -> str:
    """Return the table of words for things."""
    return table(("word", "meaning", "not"), ((word, *cells) for word, cells in THINGS.items()))


def signs() -> str:
    """Return the table of signs of a failing site."""
    return table(("sign", "message says"), ((f"`{sign}`", meaning) for sign, meaning in SIGNS.items()))


def date_places() -> str:
    """Return the places of a date on a page, most trusted first, with the share of dates there that are right."""
    return table(("place", "share"), ((f"`{name}`", f"{source.trust:.2f}") for name, source in SOURCES.items()))


def commands() -> str:
    """Return a section for each command: what it does, its options without the shared ones, and its examples."""
    context = click.Context(cli, info_name=PROGRAM)
    shared = ["## Options of all commands", "", _options(cli.params, context)]
    parts = [part for names in TASKS.values() for name in names for part in _command(cli.commands[name], context)]
    return "\n".join([*shared, *parts])


def _command(command: click.Command, parent: click.Context) -> list[str]:
    context = click.Context(command, info_name=command.name, parent=parent)
    path = context.command_path.partition(" ")[2]
    parts = [f"## `{path}`", "", "\n\n".join(_paragraphs(command.help or "")), ""]
    usage = " ".join(command.collect_usage_pieces(context))
    parts += ["```text", f"{context.command_path} {usage}", "```", ""]
    if own := _options(command.params[len(COMMON) :], context):
        parts += [own]
    if examples := [line.strip() for line in (command.epilog or "").splitlines() if line.strip().startswith(PROGRAM)]:
        parts += ["```console", *(f"$ {line}" for line in examples), "```", ""]
    inner = command.commands.values() if isinstance(command, click.Group) else ()
    return parts + [part for each in inner for part in _command(each, context)]


def _paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a help text, each on one line, with asterisks that are no Markdown."""
    return [
        " ".join(part.split()).replace("*", r"\*").replace("<", r"\<").replace("[", r"\[")
        for part in cleandoc(text).replace("\b", "").split("\n\n")
    ]


def _options(options: Iterable[click.Parameter], context: click.Context) -> str:
    records = [record for option in options if (record := option.get_help_record(context))]
    rows = [(f"`{name}`", " ".join(_paragraphs(text))) for name, text in records]
    return table(("option", "meaning"), rows) if rows else ""


TABLES = {
    "commands": commands,
    "date-places": date_places,
    "settings": settings,
    "exit-codes": exit_codes,
    "reasons": reasons,
    "fields": fields,
    "things": things,
    "signs": signs,
}
"""Makers of tables, by the name in the comment."""
