"""Which options of a verb need another one, or make others do nothing. Both are refused before the verb starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

if TYPE_CHECKING:
    from collections.abc import Mapping

_COMMON = frozenset({"config", "set", "verbose", "quiet", "as_json"})
NEEDS: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("demo", "port"): ("serve",),
    ("demo", "until"): ("serve",),
    ("evaluate", "worst"): ("html",),
    ("import", "base"): ("source",),
    ("import", "cdx"): ("source",),
    ("search", "seed"): ("sample_size",),
    ("words", "min_frequency"): ("around", "ngrams"),
    **dict.fromkeys((("words", each) for each in ("window", "side", "measure")), ("around",)),
}
"""Option of a verb, and the options of which it needs one to do something."""
ALONE: Mapping[tuple[str, str], frozenset[str]] = {
    ("evaluate", "paper_tables"): frozenset({"gold", "extractors"}),
    ("evaluate", "site_models"): frozenset({"gold", "extractors"}),
    ("extract", "list_them"): frozenset(),
    ("crawl", "queue"): frozenset({"sites", "dry_run"}),
    ("demo", "serve"): frozenset({"port", "until"}),
}
"""Option that makes a verb do another thing, and the only options that this uses."""


def refuse(context: click.Context) -> None:
    """Raise UsageError if an option of the command line would do nothing."""
    verb = context.command.name or ""
    names = {each.name: each for each in context.command.params if each.name}
    given = {name for name in names if context.get_parameter_source(name) is ParameterSource.COMMANDLINE} - _COMMON
    for name in sorted(given):
        needed = NEEDS.get((verb, name))
        if needed and not any(context.params[each] for each in needed):
            shown = " or ".join(_shown(names[each]) for each in needed)
            raise click.UsageError(f"{_shown(names[name])} needs {shown}.", context)
        others = sorted(given - ALONE.get((verb, name), given) - {name})
        if others:
            raise click.UsageError(f"{_shown(names[name])} excludes {_shown(names[others[0]])}.", context)


def _shown(parameter: click.Parameter) -> str:
    return parameter.opts[-1] if isinstance(parameter, click.Option) else "arguments"
