"""Verbs that look after a corpus that grows each night."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from corpus_spider.options import State, as_json, examples, verb_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from corpus_spider.console import Console

SICK = 8


@click.group(epilog=examples(("health",)))
def _verbs() -> None:
    """Hold the verbs until the program takes them."""


@verb_of(_verbs, ("health", "health --json", "health --nights 30 --max-age 7"))
@click.option(
    "--nights", type=click.IntRange(min=3), default=14, show_default=True, help="Nights the last is compared with."
)
@click.option(
    "--max-age",
    type=click.FloatRange(min=0, min_open=True),
    default=3.0,
    show_default=True,
    help="Days without a crawl that are well.",
    metavar="DAYS",
)
@as_json
def health(state: State, /, **options: Any) -> int:
    """Name the sites and sources that are sick.

    The last night of each site beside the usual of the nights before: no new articles, refusals, errors, texts, dates
    or languages lost, sources that died, no crawl for days. Nobody is asked. Exit code 8 when one is sick.
    """
    from corpus_spider import health as examination
    from corpus_spider.signs import Rule

    config = state.load_made()
    config.require_sites()
    found = examination.read(config, Rule(options["nights"], options["max_age"]))
    if options["as_json"]:
        state.console.json(found.plain())
    elif found.sick or not state.console.quiet:
        examination.render(found, state.console)
    return SICK if found.sick else 0


VERBS = tuple(_verbs.commands.values())


def told(summary: Mapping[str, Any], console: Console) -> dict[str, Any]:
    """Write what a crawl came to at each site, and return the rest of its summary."""
    from corpus_spider.health import render_summary

    if not console.quiet:
        render_summary(summary["sites"], console)
    return {key: value for key, value in summary.items() if key != "sites"}
