"""Commands: schema and help."""

from __future__ import annotations

import json
from importlib import resources
from typing import TYPE_CHECKING, Any

import click

from corpus_spider.cli.options import PROGRAM, CommonOptions, as_json, verb_of
from storage.errors import ConfigError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_verbs = click.Group()


@verb_of(_verbs, ("schema", "schema status"))
@click.argument("name", metavar="[NAME]", required=False)
def schema(state: CommonOptions, /, name: str | None) -> None:
    """Print the JSON Schema of a --json output.

    Without NAME it lists the schemas with their versions. A version changes when a field is removed, renamed or gets
    another type.
    """
    from corpus_spider.config.values import nearest

    known = _schemas()
    if name is None:
        state.console.table("JSON Schemas", ("name", "version", "command"), [_row(*each) for each in known.items()])
        return
    if name not in known:
        do = "`corpus-spider schema` lists the names."
        raise ConfigError(f'there is no JSON Schema "{name}"{nearest(name, known)}', do=do)
    state.console.result(known[name].read_text("utf-8").rstrip())


def _schemas() -> dict[str, Traversable]:
    """Return the stored schemas by name, in order."""
    files = (each for each in resources.files("corpus_spider.cli").joinpath("schemas").iterdir())
    named = {each.name.removesuffix(".json"): each for each in files if each.name.endswith(".json")}
    return dict(sorted(named.items()))


def _row(name: str, file: Traversable) -> tuple[str, str, str]:
    """Return name, version and command line of a schema."""
    stored = json.loads(file.read_text("utf-8"))
    return name, stored["$id"].rpartition(":")[2], stored["title"]


@verb_of(_verbs, ("help crawl", "help duplicates", "help docker", "help reasons", "help delay --json"), name="help")
@click.argument("words", metavar="[WORD]...", nargs=-1)
@as_json
def help_verb(state: CommonOptions, /, words: tuple[str, ...], **options: Any) -> None:
    """Find a name of the program, or a page of the documentation.

    Names are commands, options, settings, fields, reasons, exit codes and words. WORD is the whole name, its beginning,
    or a similar spelling. A command shows its own help first. Each line names the page of the documentation. These
    words list all names of their kind: commands, settings, fields, reasons, signs, exit-codes, vocabulary.
    """
    from corpus_spider.cli.glossary import all_of, entries, find, near

    root = click.get_current_context().find_root()
    assert isinstance(root.command, click.Group)
    if not words:
        click.echo(root.get_help())
        return
    text, known = " ".join(words), entries(root.command)
    found = all_of(text, known) or find(text, known)
    if not found:
        similar = near(text, known)
        do = f"`{PROGRAM} --help` lists the commands, docs/index.md the pages of the documentation."
        do = f"Similar words: {', '.join(similar)}. {do}" if similar else do
        raise ConfigError(f'nothing is called "{text}"', do=do)
    if options["as_json"]:
        state.console.json(found)
        return
    if found[0].kind == "command" and found[0].name == text:
        click.echo(f"{_help_of(root, found[0].name)}\n")
    state.console.table(
        "Names", ("kind", "name", "meaning", "page"), [(e.kind, e.name, e.meaning, e.page) for e in found]
    )


def _help_of(root: click.Context, path: str) -> str:
    """Return the help of a command, such as ``sites check``."""
    context, command = root, root.command
    for name in path.split():
        assert isinstance(command, click.Group)
        command = command.commands[name]
        context = click.Context(command, context, name)
    return command.get_help(context)


VERBS = tuple(_verbs.commands.values())
