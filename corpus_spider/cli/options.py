"""Options that several commands share, the state they set, and the examples in their help.

An option has one name, one form of its value and one style of help in all commands.
"""

from __future__ import annotations

import functools
import os
import shlex
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from corpus_spider.cli import option_rules
from corpus_spider.terminal.console import Console
from corpus_spider.terminal.log_lines import hide_in_logs, log_to_file, start_logging
from storage.documents.selection import DAY_FORM, Day, Texts, honoured

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from corpus_spider.config.model import Config
    from storage.documents.selection import Dimension

PROGRAM = "corpus-spider"


class ClockParameter(click.DateTime):
    """A time of day. The error message shows the expected form."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Parse the value. Fail with an example instead of strptime's format codes."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f'expected a time such as 02:15, got "{value}".', param, ctx)


class DayParameter(click.DateTime):
    """A day. A month or a year stands for its first day, or for its last one. Gives a datetime."""

    def __init__(self, *, is_last: bool) -> None:
        super().__init__()
        self._is_last = is_last

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Parse a day, a month or a year."""
        # `--help` needs neither.
        from corpus_spider.config.selections import read_day
        from corpus_spider.config.values import WrongValueError

        try:
            return (
                value if isinstance(value, datetime) else datetime.fromisoformat(read_day(value, is_last=self._is_last))
            )
        except WrongValueError:
            self.fail(
                f'expected a day such as 2026-11-20, a month such as 2026-11, or a year, got "{value}".', param, ctx
            )


CLOCK = ClockParameter(("%H:%M",))
MAX_NUMBER = 10**9
"""Largest accepted number. Databases have an upper bound of their own."""
MOST_DAYS = 36_500
LEVELS = {-1: "WARNING", 0: "INFO"}
"""Log level by verbosity; DEBUG for all others."""

CONFIG_HELP = "File corpus.toml, or its folder. [default: ./corpus.toml]"
SET_HELP = "Override a setting for this run: crawl.delay=5."
VERBOSE_HELP = "Print more, and the traceback of an internal error."
QUIET_HELP = "Print only warnings and errors."


@dataclass
class CommonOptions:
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

    @property
    def arguments(self) -> list[str]:
        """The common options, as arguments for another process of this program."""
        settings = [part for key, value in self.overrides.items() for part in ("--set", f"{key}={value}")]
        verbosity = ["-v"] * self.verbosity if self.verbosity >= 0 else ["-q"]
        return [*(("-c", str(self.path)) if self.path else ()), *settings, *verbosity]

    def report(self, report: object, internals: Collection[str] = (), *, as_json: bool) -> None:
        """Write the report of a command: as JSON, nothing if quiet, else as tables. ``internals``: see `summary`."""
        if as_json:
            self.console.json(report)
        elif not self.console.quiet:
            self.console.summary(report, internals)

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
        context.ensure_object(CommonOptions).path = path


def _take_settings(context: click.Context, _: click.Parameter, settings: tuple[str, ...]) -> None:
    for text in settings:
        key, equals, value = text.partition("=")
        if not equals:
            raise click.BadParameter(f'expected SECTION.KEY=VALUE, got "{text}"', param_hint="--set")
        context.ensure_object(CommonOptions).overrides[key.strip()] = value.strip()


def _take_verbosity(context: click.Context, option: click.Parameter, value: int) -> None:
    if value:
        context.ensure_object(CommonOptions).verbosity = -1 if option.name == "quiet" else int(value)


Option: TypeAlias = "Callable[[Callable[..., Any]], Callable[..., Any]]"
"""Decorator that adds an option to a command."""

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


def several(flag: str, name: str, metavar: str, explanation: str) -> Option:
    """Return an option that takes several values: it is repeated, or its values are separated by commas."""
    help_text = f"{explanation}; repeatable, or separated by commas."
    return click.option(flag, name, multiple=True, metavar=metavar, callback=_split_commas, help=help_text)


def repeated(flag: str, name: str, metavar: str, explanation: str) -> Option:
    """Return an option that takes several values, whose values may contain commas. It is repeated."""
    return click.option(flag, name, multiple=True, metavar=metavar, help=f"{explanation}; repeatable.")


def _split_commas(_: click.Context, __: click.Parameter, given: Sequence[str]) -> tuple[str, ...]:
    """Split each value at its commas. A comma within a URL does not separate, unless another URL follows."""
    found: list[str] = []
    for value in given:
        parts: list[str] = []
        for part in value.split(","):
            if parts and "://" in parts[-1] and "://" not in part:
                parts[-1] += f",{part}"
            else:
                parts.append(part)
        found += (part.strip() for part in parts)
    return tuple(found)


def languages(explanation: str) -> Option:
    """Return the option ``--language``."""
    return several("--language", "languages", "CODE", explanation)


several_sites = several("--site", "sites", "NAME", "Only this site")


def since(explanation: str) -> Option:
    """Return the option ``--since``: a day, or the first day of a month or year."""
    return click.option("--since", type=DayParameter(is_last=False), metavar=DAY_FORM, help=explanation)


def until(explanation: str) -> Option:
    """Return the option ``--until``: a day, or the last day of a month or year."""
    return click.option("--until", type=DayParameter(is_last=True), metavar=DAY_FORM, help=explanation)


fetched_since = since("Only pages that were fetched on or after this day.")
fetched_until = until("Only pages that were fetched on or before this day.")


def selection_options(use: str, **explanations: str) -> Option:
    """Return the options for the dimensions of a selection that a use honours. ``explanations``: help by field."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for dimension in reversed(honoured(use)):
            function = _selection_option(dimension, explanations.get(dimension.field))(function)
        return _named_selection(function)

    return decorate


_named_selection = click.option(
    "--selection", metavar="NAME", help="Documents of this [selection.NAME] of corpus.toml; other options change it."
)


def _selection_option(each: Dimension, explanation: str | None) -> Option:
    flag, name, text = each.option, each.field, explanation or each.explanation
    if each.kind == Texts:
        return several(flag, name, each.metavar, text)
    if each.kind == Day:
        return click.option(flag, name, type=DayParameter(is_last=each.is_last), metavar=each.metavar, help=text)
    if each.kind is bool:
        return click.option(flag, name, is_flag=True, help=text)
    if each.choices:
        choice = click.Choice(each.choices)
        # An option that is not stated does not change a named selection.
        return click.option(flag, name, type=choice, help=f"{text} [default: {each.default}]")
    numbers = {int: click.IntRange(0, int(each.most)), float: click.FloatRange(0, each.most)}.get(each.kind)
    return click.option(flag, name, type=numbers, metavar=each.metavar or None, help=text)


def limit(explanation: str, default: int, most: int, least: int = 1) -> Option:
    """Return the option ``--limit``: how many rows, lines or words are shown."""
    numbers = click.IntRange(least, most)
    return click.option("--limit", type=numbers, metavar="NUMBER", default=default, show_default=True, help=explanation)


def max_age(explanation: str, default: float) -> Option:
    """Return the option ``--max-age``, in days."""
    days = click.FloatRange(0, MOST_DAYS, min_open=True)
    return click.option("--max-age", type=days, metavar="DAYS", default=default, show_default=True, help=explanation)


allow_private = click.option("--allow-private", is_flag=True, help="Also fetch from private addresses.")
page_url = click.option("--url", metavar="URL", default="", help="URL that a FILE came from.")
as_json = click.option("--json", "as_json", is_flag=True, help="Write JSON on standard output; see `schema`.")


class Verb(click.Command):
    """A command that refuses options that would do nothing."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments."""
        left = super().parse_args(ctx, args)
        option_rules.refuse(ctx)
        return left


TASKS = {
    "Try and set up": ("demo", "init", "sites", "rules", "config", "doctor", "help"),
    "Crawl": ("crawl", "schedule", "worker", "import"),
    "Watch": ("status", "health", "dropped", "show"),
    "Search and count": ("search", "words", "cloud", "serve", "index"),
    "Give to others": ("export", "remove"),
    "Whole archives": ("process", "dedup"),
    "Improve the texts": ("extract", "reextract", "learn", "tune", "evaluate", "plot"),
    "Keep the corpus": ("check", "backup", "move", "migrate", "prune", "schema"),
}
"""Commands of the program by what one wants to do, in the order of its help."""


class Verbs(click.Group):
    """A group of commands. The help of the program lists its commands by task."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands of the program by task, with names of one width; those of other groups in one list."""
        if ctx.parent is not None:
            super().format_commands(ctx, formatter)
            return
        width = max(map(len, self.commands))
        for task, names in TASKS.items():
            known = [(name, self.commands[name]) for name in names if name in self.commands]
            limit = formatter.width - width - 6
            rows = [(f"{name:{width}}", command.get_short_help_str(limit)) for name, command in known]
            with formatter.section(task):
                formatter.write_dl(rows)


def verb_of(
    group: click.Group, lines: Sequence[str], name: str | None = None
) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a function a command of ``group``. It gets the State as first argument, the common options, and logging.

    ``lines`` are the examples in its help. The name is that of the function by default.
    """

    def decorate(function: Callable[..., Any]) -> click.Command:
        @click.pass_obj
        @functools.wraps(function)
        def started(state: CommonOptions, /, *arguments: Any, **options: Any) -> Any:
            start_logging(state.level)
            return function(state, *arguments, **options)

        return group.command(name, Verb, epilog=examples(lines))(with_common(started))

    return decorate


def with_common(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the common options to a command."""
    for option in reversed(COMMON):
        function = option(function)
    return function


def examples(lines: Sequence[str]) -> str:
    """Return the section `Examples` of a help text, with one command line for each of ``lines``."""
    return "\b\nExamples:\n" + "\n".join(f"  {PROGRAM} {line}" for line in lines)
