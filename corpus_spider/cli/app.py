"""Command line: the commands, each a few lines that call one function elsewhere.

Heavy modules are imported inside a command, so that `--help` stays fast.
"""

from __future__ import annotations

import errno
import logging
import os
import shlex
import sys
from contextlib import suppress
from dataclasses import asdict, astuple
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from corpus_spider.cli import (
    batch_commands,
    export_commands,
    figure_commands,
    help_commands,
    maintenance_commands,
    monitoring_commands,
    queue_commands,
    rules_commands,
    search_commands,
    web_commands,
    words_commands,
)
from corpus_spider.cli import extract as extracted
from corpus_spider.cli import show as lookup
from corpus_spider.cli.options import (
    PROGRAM,
    CommonOptions,
    Verbs,
    allow_private,
    as_json,
    examples,
    languages,
    page_url,
    several,
    several_sites,
    since,
    until,
    verb_of,
    with_common,
)
from corpus_spider.cli.sites_commands import sites
from corpus_spider.exit_codes import DAMAGED, INTERNAL, PIPE_CLOSED, REASONS, STOPPED
from corpus_spider.sites.extract_output import FORMATS
from corpus_spider.terminal.console import Console, open_closed_streams
from corpus_spider.terminal.log_lines import log_end, start_logging
from corpus_spider.terminal.signals import Interruption, ending
from corpus_spider.terminal.values import human_size
from storage.disk import disk_error
from storage.errors import ConfigError, CorpusError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from corpus_spider.crawling.crawl_plan import CrawlPlan
    from corpus_spider.maintenance.reextract import ReextractReport

LOST_URLS = 20
"""Number of lost URLs that `reextract` lists without --json."""

logger = logging.getLogger(__name__)


def _show_version(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not context.resilient_parsing:
        from corpus_spider.config.version import program_version

        click.echo(f"{PROGRAM} {program_version()}")
        context.exit()


def verb(*lines: str, name: str | None = None) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a function a command of the program. ``lines`` are the examples in its help."""
    return verb_of(cli, lines, name)


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


@verb(
    "init news-vi --language vi --contact you@example.org",
    "init news --language vi --language ar --contact https://example.org/crawl",
    "init mine --language en --contact you@example.org --site https://news.example.org/",
    "init many --language en --contact you@example.org --sites-from papers.txt",
)
@click.argument("folder", metavar="NAME", type=click.Path(path_type=Path))
@languages("Wanted language, ISO 639 code")
@click.option("--contact", required=True, metavar="ADDRESS", help="Your e-mail address or web page, for webmasters.")
@several("--site", "sites", "NAME|URL", "A known newspaper, or the URL of another")
@click.option(
    "--sites-from",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="File with such names and URLs, one a line. # begins a comment.",
)
def init(state: CommonOptions, /, **options: Any) -> None:
    """Create a corpus: write NAME/corpus.toml.

    The file contains the known newspapers of the languages and a comment for each setting. Nothing is overwritten.
    """
    from corpus_spider.config.name_list import read_list
    from corpus_spider.presets.new_corpus import NewCorpus, create, next_steps, uncovered, unverified

    if listed := options.pop("sites_from"):
        options["sites"] += tuple(read_list(listed))
    wanted = NewCorpus(**options)
    file = create(wanted)
    if alone := uncovered(wanted):
        state.console.note(f"No newspaper is known in {', '.join(alone)}. Add some with --site URL. See `sites list`.")
    if doubtful := unverified(wanted):
        state.console.note(doubtful)
    steps = [f"  {PROGRAM} -c {shlex.quote(str(file))} {step}" for step in next_steps(file, wanted)]
    state.console.note("\n".join([f"Wrote {file}. Read it, then run:", *steps]))


@verb("crawl --dry-run", "crawl --site vnexpress --page-limit 500", "crawl -v")
@several_sites
@click.option(
    "--page-limit",
    type=click.IntRange(min=1),
    help="Stop after this many pages (exit code 12). The next crawl continues.",
)
@click.option("--time-limit", metavar="TIME", help="Stop after this time, such as 90m or 2h (exit code 12).")
@click.option("--size-limit", metavar="SIZE", help="Stop after this much was received, such as 5GB (exit code 12).")
@click.option("--now", is_flag=True, help="Fetch every feed, sitemap and start page now, due or not.")
@click.option(
    "--forget-pending", is_flag=True, help="First delete the URLs that were found in pages and never fetched."
)
@click.option("--release-suspended", is_flag=True, help="Fetch the suspended URLs, and hold nothing back in this run.")
@since("Skip pages that are known to be older.")
@until("Skip pages that are known to be newer.")
@click.option("--rebuild", is_flag=True, help="Make a lost database again from the WARC files, then crawl.")
@click.option("--queue", is_flag=True, help="Add the sites that are due to the queue of `worker run`; fetch nothing.")
@click.option("--dry-run", is_flag=True, help="Show sites, sources and rules; fetch nothing.")
@as_json
def crawl(state: CommonOptions, /, **options: Any) -> int:
    """Crawl all URLs that are due, then end.

    Resumes an interrupted crawl. Ctrl-C finishes the requests in progress; a second Ctrl-C stops at once. Nothing is
    lost in either case.
    """
    limits = {f"crawl.{name}": options[name] for name in ("page_limit", "time_limit", "size_limit")}
    days = {f"crawl.{name}": f"{day:%Y-%m-%d}" for name in ("since", "until") if (day := options[name])}
    config = state.load(**limits, **days).only(options["sites"])
    if options["queue"]:
        queue_commands.enqueue(state, config, dry_run=options["dry_run"], as_json=options["as_json"])
        return 0
    from corpus_spider.cli.status import INTERNALS
    from corpus_spider.crawling import crawl_plan

    planned = crawl_plan.plan(config)
    if options["dry_run"]:
        planned = crawl_plan.with_changed_rules(planned, config, state.console.note)
        state.console.json(planned) if options["as_json"] else _show_plan(planned, state.console)
        return 0
    from corpus_spider.crawling.runner import crawl as start
    from corpus_spider.monitoring.notify import crawl_and_notify

    quiet, now = state.verbosity < 0, options["now"] or bool(days)
    flags = {name: options[name] for name in ("rebuild", "forget_pending")} | {"release": options["release_suspended"]}
    code, summary = crawl_and_notify(
        config, lambda: start(config, log_level=state.level, quiet=quiet, now=now, **flags)
    )
    _report(
        state,
        options,
        summary if options["as_json"] else monitoring_commands.write_sites(summary, state.console),
        INTERNALS,
    )
    return code


def _show_plan(planned: CrawlPlan, console: Console) -> None:
    limits = dict(planned.limits)
    if "time_limit" in limits:
        limits["time_limit"] = f"{limits['time_limit']:g} s"
    if "size_limit" in limits:
        limits["size_limit"] = human_size(int(limits["size_limit"]))
    places = {"user_agent": planned.user_agent, "database": planned.database, "warc": planned.warc}
    console.table("Crawl", ("what", "value"), (places | limits).items())
    header = ("name", "hosts", "languages", "delay", "max_depth", "extractor", "allow", "deny")
    rows = [
        [" ".join(value) if isinstance(value := getattr(site, key), tuple) else value for key in header]
        for site in planned.sites
    ]
    console.table("Sites", header, rows)
    console.table("Sources", ("site", "kind", "url"), [astuple(seed) for seed in planned.seeds])
    changed = [astuple(row) for row in planned.changed_rules]
    console.table("Queued URLs and changed link rules", ("site", "taken_out", "let_in"), changed)


crawl.help = "\n".join(
    [
        f"{cleandoc(crawl.help or '')}\n\n\b\nExit codes:",
        *(f"  {code:>3}  {reason}" for code, reason in REASONS.items() if code not in {DAMAGED, PIPE_CLOSED}),
    ]
)


@verb(
    "extract https://news.example.org/article",
    "extract page.html --extractor bte --json",
    "extract pages/ -o texts/",
    "extract pages/ more.html -o texts.jsonl",
    "extract pages/ --format md -o markdown/ --only-articles",
    "extract --list",
)
@click.argument("targets", metavar="[URL|FILE|FOLDER|-]...", nargs=-1)
@click.option(
    "--format",
    "form",
    metavar="NAME",
    type=click.Choice(FORMATS),
    help="Form of the texts: txt, jsonl, md. [default: by the name of -o, else txt]",
)
@click.option(
    "-o", "--output", metavar="PATH", help="Write to this folder, a file for each page, or to this .jsonl file."
)
@click.option("--overwrite", is_flag=True, help="Write to an output that exists.")
@click.option("--only-articles", is_flag=True, help="Only pages that a crawl would keep.")
@click.option(
    "--extractor",
    metavar="NAME",
    default="",
    help="Method that finds the main text; see --list. [default: that of the site, or auto]",
)
@languages("Refuse other languages")
@page_url
@allow_private
@click.option("--marks", is_flag=True, help="Write the text as Markdown: headings, list items, quotations.")
@click.option("--list", "list_them", is_flag=True, help="List the extractors.")
@as_json
def extract(state: CommonOptions, /, targets: tuple[str, ...], **options: Any) -> int:
    """Extract the texts of pages.

    Prints the text that a crawl would store, however short. Several pages are processed by as many workers as there are
    processors; a page that fails does not stop the others. Exit code 1 if a page has no text.
    """
    from corpus_spider.sites import single_page

    config = state.load_or_default()
    if options["list_them"]:
        single_page.show_extractors(state.console, as_json=options["as_json"])
        return 0
    if not targets:
        raise click.UsageError("Name a URL, a file, a folder, or - for standard input.")
    wanted = single_page.ExtractRequest(
        options["extractor"], options["languages"], options["url"], options["allow_private"]
    )
    return extracted.extract(config, state.console, targets, wanted, options)


@verb("check", "check --deep --json")
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
    _report(state, options, {"ok": report.ok} | asdict(report))
    if state.console.quiet and not options["as_json"]:
        for problem in report.problems:
            state.console.error(problem)
    if not report.ok:
        state.console.note("Restore what is missing or damaged from a backup: docs/how-to/back-up.md.")
    return 0 if report.ok else DAMAGED


@verb("demo", "demo --keep demo-corpus", "demo --serve --until 2026-10-03")
@click.option("--keep", "folder", type=click.Path(path_type=Path), help="Folder of the demo corpus. [default: ./demo]")
@click.option("--serve", is_flag=True, help="Only serve the newspapers, until Ctrl-C. Crawl them as the tutorials say.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8400, show_default=True, help="With --serve; 0: any free port."
)
@until("With --serve: the newspapers as they were after this day.")
@as_json
def demo(state: CommonOptions, /, **options: Any) -> int:
    """Try the program on five small invented newspapers.

    Serves them on this machine, crawls them, and compares the corpus with the true texts. Needs no network.
    """
    if options["serve"]:
        from corpus_spider.demo.server import serve_until_stopped
        from corpus_spider.demo.site import build_site

        site = build_site(until=options["until"] and options["until"].date())
        serve_until_stopped(site, options["port"], state.console.note)
        return 0
    from corpus_spider.demo.run import REAL_PAGES, example, run_demo

    level = "WARNING" if state.verbosity == 0 else state.level
    start_logging(level)
    report = run_demo(options["folder"], log_level=level, quiet=state.verbosity < 0)
    _report(state, options, report)
    if not options["as_json"] and not state.console.quiet and (article := example(options["folder"])):
        state.console.lines(("", article.url, "", article.title or ""))
        state.console.text(article.text)
    state.console.note("\n".join((REAL_PAGES, "Next:", *(f"  {command}" for command in report.next_commands))))
    return report.exit_code


@verb(
    "evaluate --gold gold/",
    "evaluate --gold gold/ --extractor auto,trafilatura --compare trafilatura --json",
    "evaluate --gold gold/ --html worst.html --output texts/",
)
@click.option("--gold", required=True, type=click.Path(path_type=Path), help="Folder of pages with their true text.")
@several("--extractor", "extractors", "NAME", "Score this extractor, by default auto")
@click.option("--corpus", type=click.Path(path_type=Path), help="Score the corpus of this corpus.toml instead.")
@click.option("--compare", metavar="NAME", help="Also score this extractor, and show the differences to it.")
@click.option(
    "-o",
    "--output",
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="Write the texts to this folder, as EXTRACTOR/ID.txt.",
)
@click.option(
    "--html", type=click.Path(path_type=Path), help="Write the worst pages and their true texts to this file."
)
@click.option(
    "--worst", type=click.IntRange(min=1), default=20, show_default=True, help="Pages of each extractor in --html."
)
@click.option(
    "--paper-tables", type=click.Choice(["language", "site"]), help="Print the papers' tables: F1 by this, and MB/s."
)
@click.option("--site-models", is_flag=True, help="Print F1 with and without a model of the site's other pages.")
@as_json
def evaluate(state: CommonOptions, /, **options: Any) -> None:
    """Score extractors, or a corpus, against true texts.

    Prints precision, recall and F1 by language.
    """
    from corpus_spider.config import loader
    from corpus_spider.lab import commands

    console, as_json = state.console, options["as_json"]
    if by := options["paper_tables"]:
        from corpus_spider.lab.tables import render

        with console.stages() as show:
            tables = commands.paper_tables(options, show)
        console.json(tables) if as_json else console.result(render(tables, by, drawn=console.on_terminal).rstrip())
    elif options["site_models"]:
        from corpus_spider.lab import site_model_gain

        with console.stages() as show:
            gains = commands.site_models(options, show)
        if as_json:
            console.json([*gains, site_model_gain.total(gains)])
        else:
            console.table("F1 by site", site_model_gain.COLUMNS, site_model_gain.rows(gains))
    else:
        config = state.load_or_default()
        with console.stages() as show:
            found = commands.assess(options, config, lambda path: loader.load(path, overrides=state.overrides), show)
        for doubt in found.doubts:
            console.note(doubt)
        console.json(found.tables) if as_json else console.result(found.text(drawn=console.on_terminal))


@verb("tune vnexpress --gold gold/", "tune bbc-persian --gold gold/ --extractor r2l --write")
@click.argument("site", metavar="SITE")
@click.option("--gold", required=True, type=click.Path(path_type=Path), help="Folder of pages with their true text.")
@several("--extractor", "extractors", "NAME", "Try this extractor, by default all")
@click.option("--write", is_flag=True, help="Write the best one to corpus.toml, if it is better than the present one.")
@as_json
def tune(state: CommonOptions, /, site: str, **options: Any) -> None:
    """Find the best extractor for a site.

    Scores extractors, and the parameter P of r2l and dana, on pages of the site with known true text. Prints the best
    one, and its score on pages that were held back.
    """
    from corpus_spider.sites import tune as tuning

    config = state.load().only((site,)) if options["write"] else state.load_or_default()
    with state.console.progress("pages") as show:
        fit = tuning.tune(config, site, options["gold"], options["extractors"], show)
    state.console.json(fit) if options["as_json"] else state.console.summary(fit)
    for note in tuning.conclude(fit, config, write=options["write"]):
        state.console.note(note)


@verb("learn", "learn --site vnexpress --dry-run")
@several_sites
@click.option("--dry-run", is_flag=True, help="Show what would be learned; write nothing.")
@as_json
def learn(state: CommonOptions, /, **options: Any) -> None:
    """Learn the boilerplate of each site.

    Finds text that recurs on the newest pages of a site. Later extraction removes it; `reextract` removes it from
    stored documents. A crawl learns by itself if a site has no model, or has doubled in size.
    """
    from corpus_spider.crawling import model_learning

    config = state.load_made().only(options["sites"])
    config.require_sites()
    with state.console.progress("sites", len(config.sites)) as show:
        found = model_learning.learn_sites(config, dry_run=options["dry_run"], on_progress=show)
    state.console.json(found) if options["as_json"] else model_learning.render(found, state.console)


@verb("reextract --dry-run", "reextract --site vnexpress")
@several_sites
@click.option("--dry-run", is_flag=True, help="Show how many documents would change; write nothing.")
@click.option("--keep-models", is_flag=True, help="Use the site model that each document was extracted with.")
@click.option("--metadata", is_flag=True, help="Update only titles, authors and dates; texts stay as they are.")
@as_json
def reextract(state: CommonOptions, /, **options: Any) -> int:
    """Extract the texts again from the originals.

    Uses the present extractors and rules. Fetches nothing. Exit code 6 if an original cannot be read.
    """
    from corpus_spider.crawling import crawl_plan
    from corpus_spider.maintenance import reextract as batch

    if options["metadata"] and options["dry_run"]:
        raise click.UsageError("--metadata and --dry-run exclude each other.")
    config = state.load_made().only(options["sites"])
    config.require_sites()
    crawl_plan.require_extractors(config)
    with state.console.progress("pages") as show:
        report = batch.reextract(
            config, **{name: options[name] for name in ("dry_run", "keep_models", "metadata")}, on_progress=show
        )
    _report(state, options, report if options["as_json"] else _for_reading(report))
    if report.elsewhere:
        from corpus_spider.archive.missing_files import on_machines

        state.console.note(f"Run `reextract` there too: {on_machines(report.elsewhere, 'page')}.")
    return DAMAGED if report.unreadable else 0


def _for_reading(report: ReextractReport) -> dict[str, Any]:
    """Return the report of a re-extraction with the first lost URLs, for a terminal."""
    import msgspec

    output: dict[str, Any] = msgspec.to_builtins(report)
    output["other_rules_before"] = output.pop("other_rules")
    output["lost_urls"] = output["lost_urls"][:LOST_URLS]
    return output


@verb("config", "config -s crawl.delay=5", name="config")
@as_json
def show_config(state: CommonOptions, /, **_: Any) -> None:
    """Print the effective configuration.

    Prints JSON, merged from file, environment and options, without passwords.
    """
    state.console.json(state.load().effective())


def _report(state: CommonOptions, options: dict[str, Any], report: Any, internals: Collection[str] = ()) -> None:
    """Write the report of a command: JSON with --json, nothing with --quiet, tables otherwise."""
    if options["as_json"]:
        state.console.json(report)
    elif not state.console.quiet:
        state.console.summary(report, internals)


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
