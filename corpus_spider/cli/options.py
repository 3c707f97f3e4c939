"""Options that all commands share, the state they set, and the examples in their help."""

from __future__ import annotations

import functools
import os
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from corpus_spider.terminal.console import Console, hide_in_logs, log_to_file, start_logging

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from corpus_spider.config.model import Config

PROGRAM = "corpus-spider"


class Moment(click.DateTime):
    """A date or a time of day. The error message shows the expected form."""

    def __init__(self, form: str, example: str) -> None:
        super().__init__([form])
        self._expected = example

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Parse the value. Fail with an example instead of strptime's format codes."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f'expected {self._expected}, got "{value}".', param, ctx)


DAY = Moment("%Y-%m-%d", "a day such as 2026-11-20")
CLOCK = Moment("%H:%M", "a time such as 02:15")
MOST = 10**9
"""Largest accepted number. Databases have an upper bound of their own."""
MOST_DAYS = 36_500
LEVELS = {-1: "WARNING", 0: "INFO"}
"""Log level by verbosity; DEBUG for all others."""

CONFIG_HELP = "corpus.toml, or its folder. [default: ./corpus.toml]"
SET_HELP = "Override a setting for this run: crawl.delay=5."
VERBOSE_HELP = "Print more, and the traceback of an internal error."
QUIET_HELP = "Print only warnings and errors."


@dataclass
class State:
    """Values of the common options."""

    path: Path | None = None
    overrides: dict[str, object] = field(default_factory=dict)
    verbosity: int = 0

    @property
    def console(self) -> Console:
        """Console with the chosen verbosity."""
        return Console(quiet=self.verbosity < 0, verbose=self.verbosity > 0)

    @property
    def level(self) -> str:
        """Log level."""
        return LEVELS.get(self.verbosity, "DEBUG")

    @property
    def program(self) -> str:
        """Command line of this program with the chosen corpus.toml, to which a verb is added."""
        return f"{PROGRAM} -c {shlex.quote(str(self.path))}" if self.path else PROGRAM

    def load(self, **overrides: object) -> Config:
        """Load the configuration. ``overrides`` are options of the command; None means not given."""
        from corpus_spider.config.loader import load

        given = {key: value for key, value in overrides.items() if value is not None}
        config = load(self.path, overrides=self.overrides | given)
        hide_in_logs(config.secrets())
        if config.log_file:
            log_to_file(config.log_file, config.log.max_size, config.log.keep)
        return config

    def load_made(self) -> Config:
        """Load the configuration of an existing corpus. Raises ConfigError if there is no corpus yet."""
        config = self.load()
        config.require_corpus()
        return config

    def load_or_default(self) -> Config:
        """Load the configuration if there is one, else the defaults. For commands that do not need a corpus."""
        from corpus_spider.config.loader import assemble, find

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
"""Options that may stand before or after the command."""


def languages(explanation: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the option ``--language``. It may be repeated, and takes several codes separated by commas."""
    return click.option(
        "--language",
        "languages",
        multiple=True,
        metavar="CODE",
        callback=_split_commas,
        help=f"{explanation}; repeatable.",
    )


def _split_commas(_: click.Context, __: click.Parameter, given: Sequence[str]) -> tuple[str, ...]:
    return tuple(part.strip() for one in given for part in one.split(","))


several_sites = click.option(
    "--site", "sites", multiple=True, metavar="NAME", callback=_split_commas, help="Only this site; repeatable."
)

as_json = click.option("--json", "as_json", is_flag=True, help="Write JSON on standard output.")


def verb_of(
    group: click.Group, lines: Sequence[str], name: str | None = None
) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a function a command of ``group``. It gets the State as first argument, the common options, and logging.

    ``lines`` are the examples in its help. The name is that of the function by default.
    """

    def decorate(function: Callable[..., Any]) -> click.Command:
        @click.pass_obj
        @functools.wraps(function)
        def started(state: State, /, *arguments: Any, **options: Any) -> Any:
            start_logging(state.level)
            return function(state, *arguments, **options)

        return group.command(name, epilog=examples(lines))(with_common(started))

    return decorate


def with_common(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the common options to a command."""
    for option in reversed(COMMON):
        function = option(function)
    return function


def examples(lines: Sequence[str]) -> str:
    """Return the section `Examples` of a help text, with one command line for each of ``lines``."""
    return "\b\nExamples:\n" + "\n".join(f"  {PROGRAM} {line}" for line in lines)
