"""Commands: init, demo, config."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from corpus_spider.cli.options import PROGRAM, as_json, languages, several, until, verb_of
from corpus_spider.terminal.log_lines import start_logging

if TYPE_CHECKING:
    from corpus_spider.cli.options import CommonOptions

verbs = click.Group()


@verb_of(
    verbs,
    (
        "init news-vi --language vi --contact you@example.org",
        "init news --language vi --language ar --contact https://example.org/crawl",
        "init mine --language en --contact you@example.org --site https://news.example.org/",
        "init many --language en --contact you@example.org --sites-from papers.txt",
    ),
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


@verb_of(verbs, ("demo", "demo --keep demo-corpus", "demo --serve --until 2026-10-03"))
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
    state.report(report, as_json=options["as_json"])
    if not options["as_json"] and not state.console.quiet and (article := example(options["folder"])):
        state.console.lines(("", article.url, "", article.title or ""))
        state.console.text(article.text)
    state.console.note("\n".join((REAL_PAGES, "Next:", *(f"  {command}" for command in report.next_commands))))
    return report.exit_code


@verb_of(verbs, ("config", "config -s crawl.delay=5"), name="config")
@as_json
def show_config(state: CommonOptions, /, **_: Any) -> None:
    """Print the effective configuration.

    Prints JSON, merged from file, environment and options, without passwords.
    """
    state.console.json(state.load().effective())
