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

verbs = click.Group()


@verb_of(verbs, ("schema", "schema status"))
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


@verb_of(verbs, ("help crawl", "help exit 8", "help docker", "help reasons", "help delay --json"), name="help")
@click.argument("words", metavar="[WORD]...", nargs=-1)
@as_json
def help_verb(state: CommonOptions, /, words: tuple[str, ...], **options: Any) -> None:
    """Search the documentation.

    WORDs are names, such as those of settings, fields, reasons and exit codes, or other words. A command shows its own
    help first. Each line names its page. These words list all that the tables of a page explain: settings, fields,
    reasons, exit-codes, vocabulary.
    """
    from corpus_spider.cli.doc_search import find, passages, similar

    root = click.get_current_context().find_root()
    assert isinstance(root.command, click.Group)
    if not words:
        click.echo(root.get_help())
        return
    text, known = " ".join(words), passages()
    found, own = find(text, known), _help_of(root, text)
    if not found and not own:
        do = f"`{PROGRAM} --help` lists the commands, docs/index.md the pages of the documentation."
        if near := similar(text, known):
            do = f"Similar words: {', '.join(near)}. {do}"
        raise ConfigError(f'the documentation does not have "{text}"', do=do)
    if options["as_json"]:
        state.console.json(found)
        return
    if own:
        click.echo(f"{own}\n")
    state.console.table(
        "Documentation", ("section", "text", "page"), [(each.section, each.text, each.page) for each in found]
    )


def _help_of(root: click.Context, path: str) -> str:
    """Return the help of a command, such as ``sites check``; an empty text for other words."""
    context, command = root, root.command
    for name in path.split():
        if not isinstance(command, click.Group) or name not in command.commands:
            return ""
        command = command.commands[name]
        context = click.Context(command, context, name)
    return command.get_help(context)
