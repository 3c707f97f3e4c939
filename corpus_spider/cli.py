"""The command line: verbs, each a few lines that call one function elsewhere. Heavy imports wait until a verb runs."""

from __future__ import annotations

import errno
import logging
import os
import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from corpus_spider import lookup, maintenance_commands, nightly
from corpus_spider.console import Console, open_closed_streams, start_logging
from corpus_spider.interruption import Interruption, ending
from corpus_spider.keeping import keeping
from corpus_spider.options import DAY, PROGRAM, State, as_json, examples, languages, several_sites, verb_of, with_common
from corpus_spider.sites import sites
from storage.disk import disk_error
from storage.errors import ConfigError, CorpusError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence


logger = logging.getLogger(__name__)

INTERNAL, DAMAGED, INTERRUPTED, PIPE_CLOSED = 1, 6, 11, 141


def _show_version(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not context.resilient_parsing:
        from corpus_spider.config import program_version

        click.echo(f"{PROGRAM} {program_version()}")
        context.exit()


def verb(*lines: str, name: str | None = None) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a function a verb of the program."""
    return verb_of(cli, lines, name)


@click.group(
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
    """Crawl newspapers politely into a clean, de-duplicated text corpus, with the originals kept as WARC."""


for command in (sites, *keeping.commands.values(), *maintenance_commands.VERBS, *nightly.VERBS, *lookup.VERBS):
    cli.add_command(command)


@verb(
    "init news-vi --language vi --contact you@example.org",
    "init news --language vi --language ar --contact https://example.org/crawl",
    "init mine --language en --contact you@example.org --site https://news.example.org/",
)
@click.argument("folder", metavar="NAME", type=click.Path(path_type=Path))
@languages("Language wanted, ISO 639")
@click.option("--contact", required=True, help="E-mail or web page where a webmaster reaches you.")
@click.option("--site", "sites", multiple=True, metavar="NAME|URL", help="A known newspaper or the address of another.")
def init(state: State, /, **options: Any) -> None:
    """Start a corpus: write NAME/corpus.toml.

    It explains itself and holds the newspapers known for the languages. Nothing is overwritten.
    """
    from corpus_spider.init import NewCorpus, create, next_steps, uncovered

    wanted = NewCorpus(**options)
    file = create(wanted)
    if alone := uncovered(wanted):
        state.console.note(f"No newspaper is known here in {', '.join(alone)}: name some by their addresses.")
    steps = [f"  {PROGRAM} -c {shlex.quote(str(file))} {step}" for step in next_steps(file, options["sites"])]
    state.console.note("\n".join([f"Wrote {file}. Look through it, then:", *steps]))


@verb("crawl --dry-run", "crawl --site vnexpress --page-limit 500", "crawl -v")
@several_sites
@click.option(
    "--page-limit", type=click.IntRange(min=1), help="Stop after so many pages (exit 12; the next crawl goes on)."
)
@click.option("--time-limit", metavar="TIME", help="Stop after this time, such as 90m or 2h (exit 12).")
@click.option("--size-limit", metavar="SIZE", help="Stop after so much was received, such as 5GB (exit 12).")
@click.option("--now", is_flag=True, help="Read every feed, sitemap and start page now, due or not.")
@click.option("--since", type=DAY, metavar="YYYY-MM-DD", help="Leave out what is known to be older than this day.")
@click.option("--until", type=DAY, metavar="YYYY-MM-DD", help="Leave out what is known to be newer.")
@click.option("--dry-run", is_flag=True, help="Show what would be crawled and by which rules; fetch nothing.")
@as_json
def crawl(state: State, /, **options: Any) -> int:
    """Crawl what is due, resume what was interrupted, and end.

    Ctrl-C finishes what is in flight, as a terminal that closes does; a second one stops at once. Neither loses
    anything.

    \b
    Exit codes: 0 done, 1 internal error, 2 configuration, 3 disk, 4 database,
    5 another crawl works on a site, 7 nothing could be fetched, 8 done but sites
    are sick, 9 corpus of a newer version, 11 stopped by a signal, 12 by a limit,
    13 forced.
    """
    limits = {f"crawl.{name}": options[name] for name in ("page_limit", "time_limit", "size_limit")}
    days = {f"crawl.{name}": f"{day:%Y-%m-%d}" for name in ("since", "until") if (day := options[name])}
    config = state.load(**limits, **days).only(options["sites"])
    from corpus_spider import plan
    from corpus_spider.status import INTERNALS

    planned = plan.plan(config)
    if options["dry_run"]:
        state.console.json(planned) if options["as_json"] else plan.render(planned, state.console)
        return 0
    from corpus_spider.crawl import crawl as start
    from corpus_spider.notify import crawl_and_tell

    quiet, now = state.verbosity < 0, options["now"] or bool(days)
    code, summary = crawl_and_tell(config, lambda: start(config, log_level=state.level, quiet=quiet, now=now))
    _report(state, options, summary if options["as_json"] else nightly.write_sites(summary, state.console), INTERNALS)
    return code


@verb("extract https://news.example.org/article", "extract page.html --extractor bte --json", "extract --list")
@click.argument("target", metavar="URL|FILE|-", required=False)
@click.option("--extractor", default="auto", show_default=True, help="Who finds the main text; --list names them.")
@languages("Refuse other languages")
@click.option("--url", default="", help="Where a FILE came from.")
@click.option("--allow-private", is_flag=True, help="Also fetch from private addresses.")
@click.option("--marks", is_flag=True, help="Mark headings, list items and quotations as Markdown does.")
@click.option("--list", "list_them", is_flag=True, help="List the extractors.")
@as_json
def extract(state: State, /, target: str | None, **options: Any) -> int:
    """Show the text of one page.

    It is made as in a crawl. Exit code 1 when there is none."""
    from corpus_spider import shown, single

    if options["list_them"]:
        single.show_extractors(state.console, as_json=options["as_json"])
        return 0
    if target is None:
        raise click.UsageError("Name a URL, a file, or - for standard input.")
    wanted = single.Wanted(options["extractor"], options["languages"], options["url"], options["allow_private"])
    found = single.extract(target, wanted, state.load_or_default())
    return shown.show(found, state.console, as_json=options["as_json"], marks=options["marks"])


@verb("check", "check --deep --json")
@click.option("--deep", is_flag=True, help="Also read every record again and extract a sample of pages anew.")
@as_json
def check(state: State, /, **options: Any) -> int:
    """Check that texts, originals and index agree. Exit code 6 when they do not."""
    from corpus_spider import integrity

    config = state.load_made()
    with state.console.progress("WARC files checked", lambda: integrity.number_of_files(config)) as show:
        report = integrity.check(config, options["deep"], show)
    _report(state, options, {"ok": report.ok} | asdict(report))
    if state.console.quiet and not options["as_json"]:
        for problem in report.problems:
            state.console.error(problem)
    return 0 if report.ok else DAMAGED


@verb("demo", "demo --keep demo-corpus")
@click.option("--keep", "folder", type=click.Path(path_type=Path), help="Folder of the demo corpus [default: ./demo].")
@as_json
def demo(state: State, /, **options: Any) -> int:
    """Try it all on five small invented newspapers.

    The program serves them itself, crawls them and compares the corpus with what is known. No network is needed.
    """
    from corpus_spider.demo.run import run_demo

    level = "WARNING" if state.verbosity == 0 else state.level
    start_logging(level)
    report = run_demo(options["folder"], log_level=level, quiet=state.verbosity < 0)
    _report(state, options, report)
    state.console.note("\n  ".join(("Next:", *report.next_commands)))
    return report.exit_code


@verb(
    "evaluate --gold gold/",
    "evaluate --gold gold/ --extractor auto --extractor trafilatura --against trafilatura --json",
    "evaluate --gold gold/ --html worst.html --output texts/",
)
@click.option("--gold", required=True, type=click.Path(path_type=Path), help="Folder of pages with their true text.")
@click.option(
    "--extractor", "extractors", multiple=True, metavar="NAME", help="Score this one; may be repeated [auto]."
)
@click.option("--corpus", type=click.Path(path_type=Path), help="Score the corpus of this corpus.toml instead.")
@click.option("--against", metavar="NAME", help="Score this one too, and tell the differences to it.")
@click.option("--output", type=click.Path(path_type=Path), help="Folder for the texts, as EXTRACTOR/ID.txt.")
@click.option("--html", type=click.Path(path_type=Path), help="File for the worst pages beside their true text.")
@click.option(
    "--worst", type=click.IntRange(min=1), default=20, show_default=True, help="How many of each extractor in --html."
)
@click.option("--pin", type=click.Path(path_type=Path), help="File for the F1 reached, as floors; none may get lower.")
@click.option("--allow-lower", is_flag=True, help="With --pin: lower floors too.")
@click.option(
    "--paper-tables", type=click.Choice(["language", "site"]), help="The papers' tables: F1 by this, and MB/s."
)
@click.option("--site-models", is_flag=True, help="F1 without and with what the site's other pages teach.")
@as_json
def evaluate(state: State, /, **options: Any) -> None:
    """Score texts against the truth.

    What extractors make of pages whose true text is known, or what a corpus holds of them.
    """
    from corpus_spider import assess, config_load

    if options["paper_tables"]:
        assess.paper_tables(options, state.console)
    elif options["site_models"]:
        assess.site_models(options, state.console)
    else:
        assess.assess(options, lambda path: config_load.load(path, overrides=state.overrides), state.console)


@verb("tune vnexpress --gold gold/", "tune bbc-persian --gold gold/ --extractor r2l --write")
@click.argument("site", metavar="SITE")
@click.option("--gold", required=True, type=click.Path(path_type=Path), help="Folder of pages with their true text.")
@click.option("--extractor", "extractors", multiple=True, metavar="NAME", help="Try this one; may be repeated [all].")
@click.option("--write", is_flag=True, help="Put what fits into corpus.toml, where it pays; all else in it stays.")
@as_json
def tune(state: State, /, site: str, **options: Any) -> None:
    """Find the extractor, and its P, that read a site best.

    On its pages whose true text is known; told is also how they do on pages that had no say. P, which r2l and dana
    have, is how many lines away the next paragraph may be.
    """
    from corpus_spider import tune as tuning

    config = state.load().only((site,)) if options["write"] else state.load_or_default()
    with state.console.progress("pages") as show:
        fit = tuning.tune(config, site, options["gold"], options["extractors"], show)
    state.console.json(fit) if options["as_json"] else state.console.summary(fit)
    tuning.conclude(fit, config, state.console, write=options["write"])


@verb("learn", "learn --site vnexpress --dry-run")
@several_sites
@click.option("--dry-run", is_flag=True, help="Tell what would be learned; write nothing.")
@as_json
def learn(state: State, /, **options: Any) -> None:
    """Learn what recurs on the pages of each site.

    From its newest pages, to be left out of the texts of pages that are read from now on; `reextract` does so with
    those that are stored. A crawl learns by itself, when a site has no model or has grown to twice its size.
    """
    from corpus_spider import learning

    config = state.load_made().only(options["sites"])
    config.require_sites()
    with state.console.progress("sites", len(config.sites)) as show:
        found = learning.learn_sites(config, dry_run=options["dry_run"], on_progress=show)
    state.console.json(found) if options["as_json"] else learning.render(found, state.console)


@verb("reextract --dry-run", "reextract --site vnexpress")
@several_sites
@click.option("--dry-run", is_flag=True, help="Tell how many texts would change; write nothing.")
@click.option("--keep-models", is_flag=True, help="Read each page with the site model its text was made with.")
@as_json
def reextract(state: State, /, **options: Any) -> int:
    """Make the texts anew from the originals.

    With the extractors and rules of today; nothing is fetched. Exit code 6 when originals cannot be read.
    """
    from corpus_spider import batch, plan

    config = state.load_made().only(options["sites"])
    config.require_sites()
    plan.require_extractors(config)
    with state.console.progress("pages") as show:
        report = batch.reextract(
            config, dry_run=options["dry_run"], keep_models=options["keep_models"], on_progress=show
        )
    _report(state, options, report)
    return DAMAGED if report.unreadable else 0


@verb("config", "config -s crawl.delay=5", name="config")
@as_json
def show_config(state: State, /, **_: Any) -> None:
    """Print the configuration in force.

    JSON of file, environment and options together, without passwords.
    """
    state.console.json(state.load().effective())


def _report(state: State, options: dict[str, Any], report: Any, internals: Collection[str] = ()) -> None:
    """Write what a verb came to: JSON when asked for, else a table of what and how many, unless quiet is asked for."""
    if options["as_json"]:
        state.console.json(report)
    elif not state.console.quiet:
        state.console.summary(report, internals)


def main() -> None:
    """Run the program and end the process with its exit code."""
    open_closed_streams()
    with Interruption(*ending()):
        code = run(sys.argv[1:])
    _let_go_of_output()
    sys.exit(code)


def _let_go_of_output() -> None:
    """Throw away what standard output does not take, as on a full disk: Python would try again, and end with 120."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def run(arguments: Sequence[str]) -> int:
    """Run the program and return its exit code; every error is one message on standard error."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    if "_CORPUS_SPIDER_COMPLETE" in os.environ:
        cli.main(prog_name=PROGRAM)
    state = State()
    try:
        with cli.make_context(PROGRAM, list(arguments), obj=state) as context:
            code = cli.invoke(context) or 0
        sys.stdout.flush()
    except KeyboardInterrupt:
        # Where it came while a text was executed, as modules do that are imported, `python -m` takes it for uncaught
        # until another text is, and ends by the signal instead of with the exit code.
        exec("")  # noqa: S102
        state.console.error(f"{PROGRAM}: stopped")
        return INTERRUPTED
    except Exception as error:
        logger.debug("%s ended with", PROGRAM, exc_info=True)
        return _explain(error, state.console)
    return int(code)


def _explain(error: Exception, console: Console) -> int:
    """Tell the user what went wrong and return the exit code for it."""
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
    if isinstance(error, FileNotFoundError) and not _is_somewhere():
        gone = ConfigError("the folder you are in is not there any more", do="Change into another, and start again.")
        return _explain(gone, console)
    if said := _of_the_system(error):
        return _explain(said, console)
    console.error(
        f"{PROGRAM}: internal error, {type(error).__name__}: {error}\n"
        "  This is a fault of the program. Run the same command with -v, and report what it prints."
    )
    return INTERNAL


def _of_the_system(error: BaseException) -> CorpusError | None:
    """Return what the system lacks, in words, None for what tells of the program."""
    if isinstance(error, MemoryError) or (isinstance(error, RuntimeError) and _lacks_threads(error)):
        do = "Stop other programs, raise the limits (ulimit -v, -u), or ask for less: workers and backlog in [crawl]."
        return CorpusError("there is not enough memory", do=do)
    full, crowded = {errno.ENOSPC, errno.EDQUOT}, {errno.EMFILE, errno.ENFILE}
    if isinstance(error, OSError) and error.errno in full | crowded:
        return disk_error(error, str(error.filename or ("output" if error.errno in full else "")))
    return None


def _lacks_threads(error: BaseException | None) -> bool:
    """Say whether it began with a thread that the system had no memory for; Python has no error of its own for it."""
    return error is not None and ("start new thread" in str(error) or _lacks_threads(error.__context__))


def _is_somewhere() -> bool:
    """Say whether the working directory exists; relative paths lead nowhere when somebody has removed it."""
    try:
        Path.cwd()
    except FileNotFoundError:
        return False
    return True
