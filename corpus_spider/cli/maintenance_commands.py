"""Commands: check, backup, move, migrate, doctor."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from corpus_spider.cli.options import as_json, verb_of
from corpus_spider.exit_codes import DAMAGED
from corpus_spider.terminal.values import human_size
from storage.errors import ConfigError, DamageError
from storage.reporting import counted

if TYPE_CHECKING:
    from corpus_spider.cli.options import CommonOptions
    from corpus_spider.maintenance.copy_corpus import MigrationReport

verbs = click.Group()


@verb_of(verbs, ("check", "check --deep --json"))
@click.option("--deep", is_flag=True, help="Also read every WARC record, and extract a sample of pages again.")
@as_json
def check(state: CommonOptions, /, **options: Any) -> int:
    """Check that database and WARC files agree.

    Prints every problem. Exit code 6 if there is one.
    """
    from corpus_spider.maintenance import check as integrity

    config = state.load_made()
    with state.console.stages() as show:
        report = integrity.check(config, options["deep"], show)
    state.report({"ok": report.ok} | asdict(report), as_json=options["as_json"])
    if state.console.quiet and not options["as_json"]:
        for problem in report.problems:
            state.console.error(problem)
    if not report.ok:
        state.console.note("Restore what is missing or damaged from a backup: docs/how-to/back-up.md.")
    return 0 if report.ok else DAMAGED


@verb_of(verbs, ("backup /mnt/backup/news-2026-11-21", "backup ../copy --json"), name="backup")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@as_json
def backup_verb(state: CommonOptions, /, folder: Path, **options: Any) -> int:
    """Copy the whole corpus into a new folder.

    A crawl may run meanwhile. Finished WARC files are hard-linked if the disk allows it. Exit code 6 if some are
    missing.
    """
    from corpus_spider.config.loader import database_variable
    from corpus_spider.maintenance.backup import backup

    with state.console.stages() as show:
        report = backup(state.load_made(), folder, show)
    state.report(report, as_json=options["as_json"])
    if variable := database_variable(os.environ):
        state.console.note(f"Unset {variable} to work with the backup: it overrides the database in any corpus.toml.")
    if report.elsewhere:
        from corpus_spider.archive.missing_files import on_machines

        state.console.error(f"Run `backup` there too: {on_machines(report.elsewhere, 'WARC file')}")
    for name in report.missing:
        state.console.error(f"{name} is missing, so its pages have no originals in the backup either")
    return DamageError.exit_code if report.missing else 0


@verb_of(verbs, ("move postgresql://corpus@localhost/news", "move sqlite:////srv/news/corpus.db"), name="move")
@click.argument("database_url", metavar="DATABASE")
@as_json
def move_verb(state: CommonOptions, /, database_url: str, **options: Any) -> int:
    """Move the corpus into another database.

    From SQLite to PostgreSQL or back. Every row is read back and compared. The old database stays. Write the new one
    into corpus.toml. Exit code 6 if the check finds a problem.
    """
    from corpus_spider.config.loader import database_variable
    from corpus_spider.maintenance.copy_corpus import move

    with state.console.stages() as show:
        report = move(state.load_made(), database_url, show)
    if options["as_json"]:
        state.console.json(report)
    elif not state.console.quiet:
        state.console.summary(report)
        variable = database_variable(os.environ)
        place = f"{variable}, which overrides corpus.toml," if variable else "database in [corpus] of corpus.toml"
        state.console.note(f'Now set {place} to "{report.database}" (with its password, if any).')
    return DamageError.exit_code if report.problems else 0


@verb_of(verbs, ("migrate --dry-run", "migrate"), name="migrate")
@click.option("--dry-run", is_flag=True, help="List the steps and their effect; change nothing.")
@as_json
def migrate_verb(state: CommonOptions, /, dry_run: bool, **options: Any) -> None:
    """Bring a corpus of an earlier release forward.

    Commands that write to the corpus do it by themselves; this one shows the steps, the time and the room before. A
    SQLite file is copied first. Back up a PostgreSQL database yourself before. An interrupted migration goes on where
    it stopped.
    """
    from corpus_spider.maintenance.copy_corpus import migrate

    with state.console.stages() as show:
        report = migrate(state.load_made(), dry_run=dry_run, on_progress=show)
    if options["as_json"]:
        state.console.json(report)
        return
    if not report.is_needed:
        state.console.result(f"The corpus is up to date (schema {report.to_schema}).")
        return
    state.console.result("\n".join(_report_lines(report)))


def _report_lines(report: MigrationReport) -> list[str]:
    """Return what a migration did or would do, in lines."""
    lines = []
    if report.steps:
        would = "would come" if report.dry_run else "came"
        lines.append(f"{report.database} {would} from schema {report.from_schema} to {report.to_schema}:")
        lines += [f"  {step['version']}  {step['what']}" for step in report.steps]
    if report.fingerprints:
        would = "would be" if report.dry_run else "were"
        lines.append(f"{counted(report.fingerprints, 'fingerprint')} {would} computed again from the stored texts.")
    if report.queue:
        would = "would be" if report.dry_run else "were"
        lines.append(f"The tables of the queue {would} changed to those of Procrastinate {report.queue}.")
    lines.append(f"{counted(report.documents, 'document')}, {'about ' if report.dry_run else ''}{report.seconds:g} s.")
    if report.bytes:
        lines.append(f"A copy of the database ({human_size(report.bytes)}): {report.copy}")
    elif report.copy and report.dry_run:
        lines.append(f"Back up before: {report.copy}")
    return [*lines, "Nothing was changed."] if report.dry_run else lines


@verb_of(verbs, ("doctor", "doctor --network", "doctor --json"))
@click.option("--network", is_flag=True, help="Also look up the name of a configured host.")
@as_json
def doctor(state: CommonOptions, /, **options: Any) -> int:
    """Check the installation, this machine and the corpus.

    Prints for each check whether it is well, and what to do if not. Changes nothing. Exit code 0 if nothing hinders the
    program, else that of the first check that is wrong.
    """
    from corpus_spider.maintenance import doctor as checking

    config, problem = None, None
    try:
        config = state.load_or_default()
    except ConfigError as error:
        problem = error
    found = checking.examine(config, problem, os.environ, network=options["network"])
    if options["as_json"]:
        state.console.json(found)
    else:
        shown = [each for each in found.checks if not state.console.quiet or each.verdict is checking.Level.WRONG]
        rows = [(each.name, each.verdict.value, each.detail, each.advice) for each in shown]
        state.console.table("Checks", ("check", "verdict", "detail", "advice"), rows)
    return checking.exit_code(found.checks)
