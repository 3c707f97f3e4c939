"""Command line: the program with the commands of its neighbours, its exit codes and its errors.

Heavy modules are imported inside a command, so that `--help` stays fast.
"""

from __future__ import annotations

import errno
import logging
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from corpus_spider.cli import (
    batch_commands,
    crawl_commands,
    export_commands,
    figure_commands,
    help_commands,
    maintenance_commands,
    monitoring_commands,
    queue_commands,
    rules_commands,
    search_commands,
    setup_commands,
    text_commands,
    web_commands,
    words_commands,
)
from corpus_spider.cli import show as lookup
from corpus_spider.cli.options import (
    PROGRAM,
    CommonOptions,
    Verbs,
    examples,
    with_common,
)
from corpus_spider.cli.sites_commands import sites
from corpus_spider.exit_codes import INTERNAL, PIPE_CLOSED, STOPPED
from corpus_spider.terminal.console import Console, open_closed_streams
from corpus_spider.terminal.log_lines import log_end
from corpus_spider.terminal.signals import Interruption, ending
from storage.disk import disk_error
from storage.errors import ConfigError, CorpusError

if TYPE_CHECKING:
    from collections.abc import Sequence

logger = logging.getLogger(__name__)


def _show_version(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not context.resilient_parsing:
        from corpus_spider.config.version import program_version

        click.echo(f"{PROGRAM} {program_version()}")
        context.exit()


@click.group(
    cls=Verbs,
    epilog=examples(
        ("init news --language vi --contact you@example.org", "crawl -c news/corpus.toml --dry-run", "crawl --help")
    ),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@with_common
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_version, help="Show the version."
)
def cli() -> None:
    """Crawl newspapers into a clean, de-duplicated text corpus. The original pages are stored as WARC."""


for group in (sites, queue_commands.worker, rules_commands.rules):
    cli.add_command(group)
for module in (
    setup_commands,
    crawl_commands,
    text_commands,
    export_commands,
    batch_commands,
    maintenance_commands,
    monitoring_commands,
    lookup,
    search_commands,
    words_commands,
    figure_commands,
    web_commands,
    help_commands,
):
    for command in module.verbs.commands.values():
        cli.add_command(command)


def main() -> None:
    """Run the program and end the process with its exit code."""
    open_closed_streams()
    with Interruption(*ending()):
        code = run(sys.argv[1:])
    try:
        sys.stdout.flush()
    except OSError:
        # The disk is full. Discard the rest, or Python flushes again at exit and ends with 120.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """Run the program and return its exit code. Each error is one message on standard error."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    if "_CORPUS_SPIDER_COMPLETE" in os.environ:
        cli.main(prog_name=PROGRAM)
    state = CommonOptions()
    try:
        with cli.make_context(PROGRAM, list(arguments), obj=state) as context:
            code = cli.invoke(context) or 0
            log_end(context.invoked_subcommand or "", int(code))
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _stopped(state.console)
    except Exception as error:
        # Python 3.11 wraps what is raised while a class gets its fields: a signal may come while modules are imported.
        if isinstance(error.__cause__, KeyboardInterrupt):
            return _stopped(state.console)
        logger.debug("%s failed", PROGRAM, exc_info=True)
        return _explain(_with_owners(error, state), state.console)
    return int(code)


def _stopped(console: Console) -> int:
    """Say that a signal has stopped the program. Return the exit code."""
    # If the interrupt came while a module was imported, `python -m` still counts it as uncaught and would end by the
    # signal instead of with the exit code. Executing any code resets that.
    exec("")  # noqa: S102
    console.error(f"{PROGRAM}: stopped")
    return STOPPED


def _explain(error: Exception, console: Console) -> int:
    """Write the error message and return the exit code."""
    if isinstance(error, click.exceptions.Exit):
        return error.exit_code
    if isinstance(error, click.ClickException):
        error.show()
        return error.exit_code
    if isinstance(error, CorpusError):
        console.error(f"{PROGRAM}: {error}")
        return error.exit_code
    if isinstance(error, BrokenPipeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    if isinstance(error, FileNotFoundError) and not _has_working_folder():
        gone = ConfigError("the current folder was deleted", do="Change to another folder and start again.")
        return _explain(gone, console)
    if shortage := _system_shortage(error):
        return _explain(shortage, console)
    console.error(
        f"{PROGRAM}: internal error, {type(error).__name__}: {error}\n"
        "  This is a bug in the program. Run the same command with -v and report its output."
    )
    return INTERNAL


def _with_owners(error: Exception, state: CommonOptions) -> Exception:
    """Return an error of permissions with the advice about files of other users; other errors as they are."""
    if isinstance(error, click.ClickException | click.exceptions.Exit):
        return error
    from corpus_spider.config.loader import find, load
    from corpus_spider.maintenance import file_owners

    if not file_owners.is_refusal(error) or (file := find(state.path, os.environ)) is None:
        return error
    config = None
    with suppress(ConfigError):
        config = load(state.path, overrides=state.overrides)
    found = file_owners.examine(config, file)
    shown = error if isinstance(error, CorpusError) else _system_shortage(error)
    if found is None or shown is None:
        return error
    shown.do = f"{found.detail}.\n  {found.advice}"
    return shown


def _system_shortage(error: BaseException) -> CorpusError | None:
    """Return an error that names what the system refused: memory, threads, disk, open files, a right; else None."""
    if isinstance(error, MemoryError) or (isinstance(error, RuntimeError) and _lacks_threads(error)):
        do = "Stop other programs, raise the limits (ulimit -v, -u), or lower workers and backlog in [crawl]."
        return CorpusError("there is not enough memory", do=do)
    full, crowded = {errno.ENOSPC, errno.EDQUOT}, {errno.EMFILE, errno.ENFILE}
    if isinstance(error, PermissionError) or (isinstance(error, OSError) and error.errno in full | crowded):
        return disk_error(error, str(error.filename or ("output" if error.errno in full else "")))
    return None


def _lacks_threads(error: BaseException | None) -> bool:
    """Return whether the cause is a thread that could not be started. Python raises a plain RuntimeError for it."""
    return error is not None and ("start new thread" in str(error) or _lacks_threads(error.__context__))


def _has_working_folder() -> bool:
    """Return whether the working directory still exists. Without it, relative paths cannot be resolved."""
    try:
        Path.cwd()
    except FileNotFoundError:
        return False
    return True
