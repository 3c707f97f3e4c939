"""Commands that monitor a corpus: status, health, schedule, prune."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from corpus_spider.cli.options import CLOCK, MOST_DAYS, CommonOptions, as_json, max_age, several_sites, verb_of
from corpus_spider.exit_codes import SICK
from corpus_spider.terminal.values import human_size
from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from corpus_spider.terminal.console import Console

verbs = click.Group()


@verb_of(verbs, ("status", "status --all", "status --json"))
@click.option("--all", "everything", is_flag=True, help="Also show every count, and the record of the last run.")
@as_json
def status(state: CommonOptions, /, **options: Any) -> None:
    """Show documents, the last crawl, the next one, and problems.

    --all and --json have all counts: documents by language and site, URLs by state, dropped pages and failed URLs by
    reason, and the last run.
    """
    from corpus_spider.api.status import read_overview, read_status

    config = state.load_made()
    if options["as_json"]:
        state.console.json(read_status(config))
        return
    from corpus_spider.cli.dashboard import lines
    from corpus_spider.cli.status import render
    from corpus_spider.terminal.console import width

    overview = read_overview(config, state.program, os.environ)
    state.console.lines(lines(overview, width()))
    if options["everything"]:
        state.console.lines([""])
        render(overview.counts, state.console)


@verb_of(verbs, ("health", "health vnexpress", "health --json", "health --nights 30 --max-age 7"))
@click.argument("names", metavar="[SITE]...", nargs=-1)
@several_sites
@click.option(
    "--nights",
    metavar="NUMBER",
    type=click.IntRange(3, MOST_DAYS),
    default=14,
    show_default=True,
    help="Earlier nights to compare the last one with.",
)
@max_age("Report a site without a finished crawl for this many days.", 3)
@as_json
def health(state: CommonOptions, /, names: tuple[str, ...], **options: Any) -> int:
    """Report failing sites and sources.

    Compares the last night of each site with its earlier nights and checks its sources. Fetches nothing. Exit code 8 if
    a site is failing.
    """
    from dataclasses import replace

    from corpus_spider.api.at_work import read_machines
    from corpus_spider.archive.uploads import WaitingUploads
    from corpus_spider.monitoring import health as examination
    from corpus_spider.monitoring.model import HealthThresholds
    from storage.corpus import Corpus

    config = state.load_made().only((*names, *options["sites"]))
    config.require_sites()
    with state.console.stages() as show, Corpus.open(config.database_url, read_only=True) as corpus:
        thresholds = HealthThresholds(options["nights"], options["max_age"])
        found = examination.examine(corpus, config, thresholds, on_progress=show)
        chosen = set(config.site_names)
        trouble = [each for each in read_machines(corpus).problems if not each.sites or chosen.intersection(each.sites)]
        found = replace(found, machines=tuple(trouble))
    if options["as_json"]:
        state.console.json(found)
    else:
        examination.render(found, state.console, state.program)
        if (waiting := WaitingUploads.of(config.originals)).files:
            what = f"{counted(waiting.files, 'WARC file')} ({human_size(waiting.bytes)})"
            state.console.note(f"Not uploaded yet: {what}. The next crawl uploads them; `doctor` tests the address.")
    return SICK if found.sick else 0


@verb_of(
    verbs,
    (
        "schedule",
        "schedule --at 03:30 --install",
        "schedule --system --dry-run",
        "schedule --cron",
        "schedule --remove",
        "schedule --test-alert",
    ),
)
@click.option(
    "--at", type=CLOCK, metavar="HH:MM", help="Local time. [default: that of the installed schedule, or 02:15]"
)
@click.option("--systemd", is_flag=True, help="A systemd timer of yours. [default where it runs]")
@click.option("--system", is_flag=True, help="A systemd timer of the system, with few rights.")
@click.option("--cron", is_flag=True, help="A crontab line.")
@click.option("--install", is_flag=True, help="Install the schedule. Replaces an earlier one.")
@click.option("--remove", is_flag=True, help="Remove the schedule.")
@click.option("--test-alert", is_flag=True, help="Send a test alert, as [notify] sets it. Changes nothing.")
@click.option("--dry-run", is_flag=True, help="Print the schedule; change nothing. [default]")
def schedule(state: CommonOptions, /, **options: Any) -> None:
    """Crawl the corpus every night.

    Prints a systemd timer or a crontab line with absolute paths. --install installs it, and keeps the settings of the
    environment (such as DATABASE_URL) and of --set in a file that only you can read. --system needs root to install. It
    crawls as the owner of the folder, without a login. That user must be able to run the program.
    """
    from corpus_spider.monitoring import timer, timer_plan
    from corpus_spider.monitoring.unit_access import require_access

    chosen = [how for how in (timer_plan.SYSTEMD, timer_plan.SYSTEM, timer_plan.CRON) if options[how]]
    if len(chosen) > 1:
        raise click.UsageError(f"--{chosen[0]} and --{chosen[1]} exclude each other.")
    if options["install"] and options["remove"]:
        raise click.UsageError("--install and --remove exclude each other.")
    config = state.load()
    if options["test_alert"]:
        if chosen or options["at"] or any(options[name] for name in ("install", "remove", "dry_run")):
            raise click.UsageError("--test-alert stands alone.")
        from corpus_spider.monitoring.notify import send_test

        state.console.note(f"Sent a test alert: {counted(send_test(config), 'message')}.")
        return
    config.require_contact()
    config.require_sites()
    how = chosen[0] if chosen else None
    at = f"{options['at']:%H:%M}" if options["at"] else timer.installed_at(config, os.environ) or timer_plan.USUAL
    plan = timer_plan.plan(config, at, how, os.environ, state.overrides)
    if plan.how == timer_plan.SYSTEM and not options["remove"]:
        require_access(plan)
    if options["dry_run"] or not (options["install"] or options["remove"]):
        state.console.result(timer.shown(plan))
        return
    done = timer.remove(plan) if options["remove"] else timer.install(plan)
    for line in done:
        state.console.note(line)


@verb_of(verbs, ("prune --dry-run", "prune"))
@click.option("--dry-run", is_flag=True, help="List the files; delete nothing.")
@as_json
def prune(state: CommonOptions, /, **options: Any) -> None:
    """Delete old originals, as [archive] sets it.

    Deletes WARC files older than `keep`, and the oldest ones beyond `max`, once all their pages are processed.
    Documents stay. Each crawl does this at its end. A machine with a WARC folder of its own deletes the files there;
    `max` is for each machine.
    """
    from corpus_spider.archive import retention

    files = retention.prune(state.load_made(), dry_run=options["dry_run"])
    if options["as_json"]:
        state.console.json(files)
        return
    title = "Files to remove" if options["dry_run"] else "Files removed"
    state.console.table(title, ("file", "bytes", "reason"), [(file.name, file.bytes, file.why) for file in files])
    if not files:
        state.console.note("No file to remove.")


def write_sites(summary: Mapping[str, Any], console: Console) -> dict[str, Any]:
    """Write the table of sites of a crawl's summary and return the rest of the summary."""
    from corpus_spider.cli.status import LABELS, said
    from corpus_spider.monitoring.health import render_summary
    from corpus_spider.terminal.values import in_units

    if not console.quiet:
        render_summary(summary["sites"], console)
    rest = {key: in_units(key, value) for key, value in summary.items() if key != "sites" and said(value)}
    return {LABELS.get(key, key): value for key, value in rest.items()}
