"""What every verb shares: the options before or after it, the state they make, examples in its help."""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from corpus_spider.console import Console, start_logging

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from corpus_spider.config import Config

PROGRAM = "corpus-spider"


class Moment(click.DateTime):
    """A day, or a time of the day; the error says how one is written."""

    def __init__(self, form: str, example: str) -> None:
        super().__init__([form])
        self._expected = example

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read the value; fail in words that need no knowledge of format codes."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f'expected {self._expected}, got "{value}".', param, ctx)


DAY = Moment("%Y-%m-%d", "a day such as 2026-11-20")
CLOCK = Moment("%H:%M", "a time such as 02:15")
MOST = 10**9
"""Largest number that is taken where more of something makes no difference: databases have a bound of their own."""
MOST_DAYS = 36_500
LEVELS = {-1: "WARNING", 0: "INFO"}

CONFIG_HELP = "corpus.toml to use, or its folder [default: ./corpus.toml]."
SET_HELP = "Override a setting for this run: crawl.delay=5."
VERBOSE_HELP = "Tell more; show the traceback of an internal error."
QUIET_HELP = "Tell warnings and errors only."


@dataclass
class State:
    """What the options before the verb say."""

    path: Path | None = None
    overrides: dict[str, object] = field(default_factory=dict)
    verbosity: int = 0

    @property
    def console(self) -> Console:
        """Where to write."""
        return Console(quiet=self.verbosity < 0, verbose=self.verbosity > 0)

    @property
    def level(self) -> str:
        """The least level that is logged."""
        return LEVELS.get(self.verbosity, "DEBUG")

    def load(self, **overrides: object) -> Config:
        """Read the configuration; options of the verb that were given override it."""
        from corpus_spider.config_load import load

        given = {key: value for key, value in overrides.items() if value is not None}
        return load(self.path, overrides=self.overrides | given)

    def load_made(self) -> Config:
        """Read the configuration of a corpus that was crawled already; raise ConfigError when it was not."""
        config = self.load()
        config.require_corpus()
        return config

    def load_or_default(self) -> Config:
        """Read the configuration where there is one, for verbs that do without."""
        from corpus_spider.config_load import assemble, find

        return self.load() if find(self.path, os.environ) else assemble({}, self.overrides, os.environ, None)


def _take_config(context: click.Context, _: click.Parameter, path: Path | None) -> None:
    if path is not None:
        context.ensure_object(State).path = path


def _take_settings(context: click.Context, _: click.Parameter, settings: tuple[str, ...]) -> None:
    for text in settings:
        key, equals, value = text.partition("=")
        if not equals:
            raise click.BadParameter(f'expected SECTION.KEY=VALUE, got "{text}"', param_hint="--set")
        context.ensure_object(State).overrides[key.strip()] = value.strip()


def _take_verbosity(context: click.Context, option: click.Parameter, value: int) -> None:
    if value:
        context.ensure_object(State).verbosity = -1 if option.name == "quiet" else int(value)


COMMON = (
    click.option(
        "-c", "--config", type=click.Path(path_type=Path), expose_value=False, callback=_take_config, help=CONFIG_HELP
    ),
    click.option(
        "-s", "--set", metavar="KEY=VALUE", multiple=True, expose_value=False, callback=_take_settings, help=SET_HELP
    ),
    click.option("-v", "--verbose", count=True, expose_value=False, callback=_take_verbosity, help=VERBOSE_HELP),
    click.option("-q", "--quiet", is_flag=True, expose_value=False, callback=_take_verbosity, help=QUIET_HELP),
)
"""Options that may stand before the verb or after it."""


def languages(explanation: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the option ``--language``: codes, one each time it is given, or several with commas between them."""
    return click.option(
        "--language",
        "languages",
        multiple=True,
        metavar="CODE",
        callback=_parted,
        help=f"{explanation}; may be repeated.",
    )


def _parted(_: click.Context, __: click.Parameter, given: Sequence[str]) -> tuple[str, ...]:
    return tuple(part.strip() for one in given for part in one.split(","))


several_sites = click.option(
    "--site", "sites", multiple=True, metavar="NAME", callback=_parted, help="Only this site; may be repeated."
)

as_json = click.option("--json", "as_json", is_flag=True, help="Write JSON on standard output.")


def verb_of(
    group: click.Group, lines: Sequence[str], name: str | None = None
) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a function a verb: it gets the State first, the common options, examples in its help, and a started log."""

    def decorate(function: Callable[..., Any]) -> click.Command:
        @click.pass_obj
        @functools.wraps(function)
        def started(state: State, /, *arguments: Any, **options: Any) -> Any:
            start_logging(state.level)
            return function(state, *arguments, **options)

        return group.command(name, epilog=examples(lines))(with_common(started))

    return decorate


def with_common(function: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(COMMON):
        function = option(function)
    return function


def examples(lines: Sequence[str]) -> str:
    return "\b\nExamples:\n" + "\n".join(f"  {PROGRAM} {line}" for line in lines)
