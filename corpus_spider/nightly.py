"""Verbs that look after a corpus that grows each night."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from corpus_spider.exit_codes import SICK
from corpus_spider.options import CLOCK, MOST_DAYS, State, as_json, verb_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from corpus_spider.console import Console

_verbs = click.Group()


@verb_of(_verbs, ("status", "status --json"))
@as_json
def status(state: State, /, **options: Any) -> None:
    """Show what the corpus holds.

    And what is pending, what was dropped and why.
    """
    from corpus_spider.status import read, render

    found = read(state.load_made())
    state.console.json(found.plain()) if options["as_json"] else render(found, state.console)


@verb_of(_verbs, ("health", "health --json", "health --nights 30 --max-age 7"))
@click.option(
    "--nights",
    type=click.IntRange(3, MOST_DAYS),
    default=14,
    show_default=True,
    help="Nights the last is compared with.",
)
@click.option(
    "--max-age",
    type=click.FloatRange(0, MOST_DAYS, min_open=True),
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
    from corpus_spider.health_model import Rule

    config = state.load_made()
    config.require_sites()
    found = examination.read(config, Rule(options["nights"], options["max_age"]))
    if options["as_json"]:
        state.console.json(found.plain())
    else:
        examination.render(found, state.console)
    return SICK if found.sick else 0


@verb_of(_verbs, ("schedule", "schedule --at 03:30 --install", "schedule --cron", "schedule --remove"))
@click.option("--at", type=CLOCK, metavar="HH:MM", default="02:15", show_default=True, help="Local time.")
@click.option("--systemd", "how", flag_value="systemd", help="A systemd timer [default where there is systemd].")
@click.option("--cron", "how", flag_value="cron", help="A line of the crontab.")
@click.option("--install", is_flag=True, help="Install it, in the place of an earlier one.")
@click.option("--remove", is_flag=True, help="Take it away again.")
def schedule(state: State, /, **options: Any) -> None:
    """Have the corpus crawled every night.

    Prints a systemd timer, or a line of a crontab, with absolute paths; --install puts it in place.
    """
    from corpus_spider import schedule as scheduling

    config = state.load()
    config.require_contact()
    config.require_sites()
    plan = scheduling.plan(config, f"{options['at']:%H:%M}", options["how"])
    if options["install"] and options["remove"]:
        raise click.UsageError("Say --install or --remove.")
    if not (options["install"] or options["remove"]):
        state.console.result(scheduling.shown(plan, os.environ))
        return
    done = scheduling.remove(plan, os.environ) if options["remove"] else scheduling.install(plan, os.environ)
    for line in done:
        state.console.note(line)
    if own := scheduling.own_variables(os.environ):
        state.console.note(f"Not set at night, so put it into corpus.toml: {', '.join(own)}.")


@verb_of(_verbs, ("prune --dry-run", "prune"))
@click.option("--dry-run", is_flag=True, help="Tell what would go; remove nothing.")
@as_json
def prune(state: State, /, **options: Any) -> None:
    """Remove the originals that [archive] does not keep.

    WARC files that are older than keep, or the oldest of more than max, once all their pages are read. Texts stay. Each
    crawl ends with it.
    """
    from corpus_spider import retention

    going = retention.prune(state.load_made(), dry_run=options["dry_run"])
    if options["as_json"]:
        state.console.json(going)
        return
    state.console.table("Goes", ("file", "bytes", "why"), [(file.name, file.bytes, file.why) for file in going])
    if not going:
        state.console.note("Nothing goes.")


VERBS = tuple(_verbs.commands.values())


def write_sites(summary: Mapping[str, Any], console: Console) -> dict[str, Any]:
    """Write what a crawl came to at each site, and return the rest of its summary."""
    from corpus_spider.console import in_units
    from corpus_spider.health import render_summary
    from corpus_spider.status import LABELS, said

    if not console.quiet:
        render_summary(summary["sites"], console)
    rest = {key: in_units(key, value) for key, value in summary.items() if key != "sites" and said(value)}
    return {LABELS.get(key, key): value for key, value in rest.items()}
