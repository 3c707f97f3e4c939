"""Commands: schema and help."""

from __future__ import annotations

import json
from importlib import resources
from typing import TYPE_CHECKING

import click

from corpus_spider.cli.options import State, verb_of
from storage.errors import ConfigError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_verbs = click.Group()


@verb_of(_verbs, ("schema", "schema status"))
@click.argument("name", metavar="[NAME]", required=False)
def schema(state: State, /, name: str | None) -> None:
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


VERBS = tuple(_verbs.commands.values())
