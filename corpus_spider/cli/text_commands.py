"""Commands: extract, reextract, learn, tune, evaluate. They show and improve the texts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from corpus_spider.cli.extract import extract as extract_pages
from corpus_spider.cli.options import allow_private, as_json, languages, page_url, several, several_sites, verb_of
from corpus_spider.exit_codes import DAMAGED
from corpus_spider.sites.extract_output import FORMATS

if TYPE_CHECKING:
    from corpus_spider.cli.options import CommonOptions
    from corpus_spider.maintenance.reextract import ReextractReport

LOST_URLS = 20
"""Number of lost URLs that `reextract` lists without --json."""
verbs = click.Group()


@verb_of(
    verbs,
    (
        "extract https://news.example.org/article",
        "extract page.html --extractor bte --json",
        "extract pages/ -o texts/",
        "extract pages/ more.html -o texts.jsonl",
        "extract pages/ --format md -o markdown/ --only-articles",
        "extract --list",
    ),
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
    return extract_pages(config, state.console, targets, wanted, options)


@verb_of(verbs, ("reextract --dry-run", "reextract --site vnexpress"))
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
    state.report(report if options["as_json"] else _for_reading(report), as_json=options["as_json"])
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


@verb_of(verbs, ("learn", "learn --site vnexpress --dry-run"))
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


@verb_of(verbs, ("tune vnexpress --gold gold/", "tune bbc-persian --gold gold/ --extractor r2l --write"))
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


@verb_of(
    verbs,
    (
        "evaluate --gold gold/",
        "evaluate --gold gold/ --extractor auto,trafilatura --compare trafilatura --json",
        "evaluate --gold gold/ --html worst.html --output texts/",
    ),
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
