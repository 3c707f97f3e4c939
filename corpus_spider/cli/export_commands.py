"""Commands: export, remove, import."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from corpus_spider.cli.options import (
    PROGRAM,
    as_json,
    fetched_since,
    fetched_until,
    repeated,
    selection_options,
    several,
    several_sites,
    verb_of,
)
from storage.documents.selection import DATABASE
from storage.errors import ConfigError, CorpusError, DamageError, DiskError
from storage.reporting import counted

if TYPE_CHECKING:
    from corpus_spider.cli.options import CommonOptions
    from corpus_spider.config.model import Config
    from corpus_spider.maintenance.archive_inputs import CaptureDays
    from corpus_spider.maintenance.warc_import import ImportReport

NOTHING = f"No document matches. `{PROGRAM} status` shows the documents of the corpus."
KINDS = ("url", "domain", "id", "author")
"""Options of `remove` that name what to remove."""

verbs = click.Group()


@verb_of(
    verbs,
    (
        "export -o corpus.jsonl.zst",
        "export -o vi.parquet --language vi --since 2026-01-01 --min-chars 500",
        "export -o table.csv --fields url,date,title,text",
        "export -o texts/",
        "export -o articles/ --format md",
        "export -o - --format jsonl | head",
        "export -o news-2026-11/ --release --shard-size 1GB",
        "export -o news-2026-12/ --since-release news-2026-11/manifest.json",
        "export -o corpus.vert --fold tatweel,harakat",
        "export -o fa.vert --language fa --annotate",
        "export -o train.parquet --sample 90%",
        "export -o test.parquet --sample 90%-100%",
        "export -o clean.parquet --quality default",
        "export --quality 'digit_share<.2,stop_word_share>=.05' --dry-run",
        "export -o originals.wacz",
    ),
)
@click.option(
    "-o",
    "--output",
    "target",
    metavar="PATH",
    help="Target: a file, a folder with a final /, or - for standard output.",
)
@click.option(
    "--format",
    "format_name",
    metavar="NAME",
    help="Format, if the target's name does not show it: jsonl, jsonl.gz, jsonl.zst, parquet, csv, md, "
    "tei.xml, vert, prevert, txt.",
)
@click.option(
    "--fields",
    metavar="NAME,...",
    help="Only these fields, in this order: url,date,title,text. Presets: minimal, full.",
)
@selection_options(DATABASE)
@click.option(
    "--quality",
    metavar="RULES",
    help="Only texts that meet these rules: default, a TOML file, or 'digit_share<.2,...'.",
)
@click.option("--without-recurring", is_flag=True, help="Drop the recurring lines of each site from the texts.")
@click.option("--require-licence", is_flag=True, help="Only texts whose site or page states a licence.")
@several(
    "--fold",
    "fold",
    "NAME",
    "Fold spellings: tatweel, harakat, niqqud, presentation, yeh-kaf, tone, digits, zwnj, quotes",
)
@click.option("--annotate", is_flag=True, help="Add the columns lemma and tag to vertical text.")
@click.option(
    "--release",
    is_flag=True,
    help="Write a release: Parquet shards, manifest, dataset card, citation file, removal list.",
)
@click.option("--shard-size", metavar="SIZE", help="Write a release with files of about this size, such as 1GB.")
@click.option(
    "--since-release",
    metavar="MANIFEST",
    type=click.Path(path_type=Path),
    help="Write a release of the changes since this earlier release.",
)
@click.option(
    "--doi", metavar="DOI", help="DOI of the release, for its citation file. Default: the setting corpus.doi."
)
@click.option("--overwrite", is_flag=True, help="Replace the target if it exists.")
@click.option("--dry-run", is_flag=True, help="Show the size by language, site and month; write nothing.")
@as_json
def export(state: CommonOptions, /, **options: Any) -> None:
    """Export the corpus to files.

    Writes JSON lines, Parquet, CSV, Markdown, TEI, vertical text or a folder of texts, with a checksum. The target
    .wacz exports the originals, .cdxj their index. A failed export leaves no file.
    """
    from corpus_spider.config.selections import of_options
    from corpus_spider.export import exporter
    from corpus_spider.export.request import request

    if options["dry_run"]:
        from corpus_spider.export import dry_run

        config = state.load_made()
        wanted = request(of_options(options, config.selections), options)
        counts = dry_run.rehearse(config, wanted, state.console)
        state.console.json(counts) if options["as_json"] else _summarise(state, counts)
        if not counts.documents:
            state.console.note(NOTHING)
        return
    if options["target"] is None:
        raise click.UsageError("Name a target with -o (--output), or add --dry-run.")
    if options["target"].endswith(exporter.ORIGINALS):
        from corpus_spider.export.originals import originals

        config = state.load_made()
        written = originals(config, request(of_options(options, config.selections), options))
        state.console.json(written) if options["as_json"] else _summarise(state, written)
        if written.elsewhere:
            from corpus_spider.archive.missing_files import on_machines

            state.console.note(f"Export these there: {on_machines(written.elsewhere, 'WARC file')}.")
        return
    config = state.load_made()
    wanted = request(of_options(options, config.selections), options)
    if options["shard_size"] and not (options["release"] or wanted.since_release):
        state.console.note("--shard-size writes a release: a folder with manifest, dataset card and removal list.")
    report = exporter.export_documents(config, wanted, state.console)
    if options["target"] == "-":
        documents = counted(report.documents, "document")
        state.console.note(f"{documents}, {counted(report.bytes, 'byte')}, sha256 {report.sha256}")
    else:
        state.console.json(report) if options["as_json"] else _summarise(state, report)
    if not report.documents and options["since_release"] is None:
        state.console.note(NOTHING)


def _summarise(state: CommonOptions, report: Any) -> None:
    if not state.console.quiet:
        state.console.summary(report)


@verb_of(
    verbs,
    (
        "remove --url https://news.example.org/story-1.html --reason 'request of the author' --dry-run",
        "remove --domain news.example.org --reason 'request of the publisher'",
        "remove --from requests.txt --reason 'request of the publisher'",
        "remove --undo 3",
        "remove",
    ),
)
@repeated("--url", "url", "URL", "Remove this page, under any spelling of its URL")
@several("--domain", "domain", "NAME", "Remove every page of this domain and its subdomains")
@several("--id", "id", "ID", "Remove the page of this document")
@repeated("--author", "author", "NAME", "Remove every page that names this author")
@click.option(
    "--from",
    "listed",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Remove what this file lists, one request a line: `url`, `domain`, `id` or `author` and its value.",
)
@click.option("--reason", metavar="TEXT", help="Reason. It is stored.")
@click.option("--duplicates", is_flag=True, help="Also remove the duplicates of these pages.")
@click.option("--future", is_flag=True, help="Accept a request that matches nothing, and keep it out from now on.")
@click.option("--undo", type=click.IntRange(min=1), metavar="ID", help="Let the pages of this removal in again.")
@click.option("--yes", is_flag=True, help="Do not ask. Needed without a terminal.")
@click.option("--defer-vacuum", is_flag=True, help="Leave the rewriting of the SQLite file to a later `remove`.")
@click.option("--lost", is_flag=True, help="Finish without WARC files that are missing, because they are lost.")
@click.option("--dry-run", is_flag=True, help="Show what would be removed, how long it takes; change nothing.")
@as_json
def remove(state: CommonOptions, /, **options: Any) -> int:
    """Remove texts on request, permanently.

    Deletes text, title, author and fingerprints, empties the originals, and never fetches the URLs again. Shows what it
    will do, and asks. Several requests, also of a file, are removed in one pass. Without a request it finishes
    interrupted and deferred removals, and empties new originals of removed authors. Exit code 3 if a WARC file with
    originals to empty is missing, or cannot be deleted in object storage, or as long as another machine has not yet
    emptied those in its folder.
    """
    from corpus_spider.api.lookup import with_full_ids
    from corpus_spider.maintenance import remove as removal
    from corpus_spider.maintenance.removal_report import letter
    from corpus_spider.maintenance.removal_requests import requests_of

    if options["undo"]:
        return _undo(state, options)
    named = {name: options[name] for name in KINDS}
    reason = options["reason"] or ("not stated" if options["dry_run"] else None)
    requests = requests_of(named, options["listed"], reason, duplicates=options["duplicates"])
    if options["listed"] and not requests:
        do = "Write a line for each request, such as: url https://news.example.org/story-1.html"
        raise ConfigError("there is no request in it", where=str(options["listed"]), do=do)
    if options["future"] and all(request.kind == "id" for request in requests):
        raise click.UsageError("--future needs --url, --domain or --author.")
    config, defer = state.load_made(), options["defer_vacuum"]
    requests = with_full_ids(config, requests)
    if requests and not options["dry_run"] and not options["yes"]:
        with state.console.stages() as show:
            planned = removal.remove(config, *requests, dry_run=True, defer=defer, on_progress=show)
        state.console.error(letter(planned))
        if not sys.stdin.isatty():
            raise ConfigError("nothing was removed: there is no terminal to ask", do="Add --yes to remove it.")
        if not click.confirm("Remove it?", err=True):
            state.console.note("Nothing was removed.")
            return 0
    try:
        with state.console.stages() as show:
            report = removal.remove(
                config,
                *requests,
                dry_run=options["dry_run"],
                future=options["future"],
                defer=defer,
                lost=options["lost"],
                on_progress=show,
            )
    except KeyboardInterrupt:
        if not options["dry_run"]:
            state.console.error(f"The removal was interrupted. `{PROGRAM} remove` finishes it.")
        raise
    state.console.json(report) if options["as_json"] else state.console.result(letter(report))
    is_open = report.missing or report.undeleted or report.waiting
    return DiskError.exit_code if is_open and not report.dry_run else 0


def _undo(state: CommonOptions, options: dict[str, Any]) -> int:
    from corpus_spider.maintenance import remove as removal
    from corpus_spider.maintenance.removal_report import undone

    if any(options[name] for name in (*KINDS, "listed", "duplicates", "future", "defer_vacuum", "dry_run")):
        raise click.UsageError("--undo takes --reason and no other request.")
    lifted = removal.undo(state.load_made(), options["undo"], options["reason"] or "not stated")
    state.console.json(lifted) if options["as_json"] else state.console.result(undone(lifted))
    return 0


@verb_of(
    verbs,
    (
        "import CC-NEWS-20241101002331-00123.warc.gz",
        "import crawls/ --site vnexpress --dry-run",
        "import --from cc-news --since 2019-01 --until 2025-12 --dry-run",
        "import --from https://archive.example.org/warc.paths.gz",
        "import --from https://index.commoncrawl.org/CC-MAIN-2025-05-index --cdx",
    ),
    name="import",
)
@click.argument("names", metavar="[ARCHIVE]...", nargs=-1, type=click.Path())
@click.option(
    "--from",
    "source",
    metavar="cc-news|FILE|URL",
    help="Import from other servers: the months of Common Crawl's news, or a list of archives.",
)
@click.option(
    "--cdx", is_flag=True, help="Read --from as a CDX or CDXJ index, or as a CDX server. Fetch the wanted records only."
)
@click.option("--base", metavar="URL|FOLDER", help="Place of the relative paths in the list or index.")
@fetched_since
@fetched_until
@several_sites
@click.option("--dry-run", is_flag=True, help="Show the pages of each site; write nothing. With --from: show the size.")
@as_json
def import_archives(state: CommonOptions, /, names: tuple[str, ...], **options: Any) -> int:
    """Import pages from archives of other crawlers.

    ARCHIVE is a WARC, ARC or WACZ file, a folder, a pattern, or a list of files (- is standard input), as of Common
    Crawl, wget, Heritrix or Browsertrix. Pages that match a [[site]] are copied to the
    corpus and processed like crawled pages, but their links are not followed. Pages that the corpus has as new or newer
    are skipped, so an import may be repeated. Archives of --from are streamed, not kept, and a finished one is not
    fetched again. Damaged records are skipped and named. Exit code 6 then; exit code 1: an archive could not be
    fetched.
    """
    from corpus_spider.crawling import crawl_plan
    from corpus_spider.maintenance import warc_import
    from corpus_spider.maintenance.archive_inputs import CaptureDays

    if bool(names) == bool(options["source"]):
        raise click.UsageError("Name archives, or a source with --from.")
    archives = _local_archives(names)
    config = state.load().only(options["sites"])
    config.require_sites()
    crawl_plan.require_extractors(config)
    first, last = options["since"], options["until"]
    days = CaptureDays(first.date().isoformat() if first else "", last.date().isoformat() if last else "")
    report = warc_import.ImportReport(dry_run=options["dry_run"])
    if options["source"]:
        _import_from(state, config, days, report, options)
    else:
        with state.console.progress("responses") as show:
            warc_import.take_in(config, archives, report, show, warc_import.ImportRules(days))
    state.console.json(report) if options["as_json"] else _summarise(state, report)
    if report.failed:
        return CorpusError.exit_code
    return DamageError.exit_code if report.damaged else 0


def _local_archives(names: tuple[str, ...]) -> tuple[Path, ...]:
    """Return the files that some names stand for. ConfigError if one is not there, or on another server."""
    from corpus_spider.archive.path_lists import ADDRESS
    from corpus_spider.batch.archives import archives_of, existing_file

    found = archives_of(names)
    for each in filter(ADDRESS.match, found):
        do = "Write the address into a file, a line for each, and name that file with --from."
        raise ConfigError("an archive of another server is imported from a list", where=each, do=do)
    return tuple(existing_file(each, ConfigError) for each in found)


def _import_from(
    state: CommonOptions, config: Config, days: CaptureDays, report: ImportReport, options: dict[str, Any]
) -> None:
    """Import from other servers. A dry run stops at the plan."""
    from corpus_spider.archive.adoption import PageSites
    from corpus_spider.maintenance import import_plan, warc_import
    from corpus_spider.maintenance.taken_archives import TakenArchives
    from corpus_spider.network.range_client import RangeClient
    from corpus_spider.sites.polite_client import manners_of

    source = import_plan.ImportSource(options["source"], days, options["base"] or "", options["cdx"])
    with closing(RangeClient(manners_of(config))) as client:
        taken, sites = TakenArchives(config, days), PageSites(config)
        with state.console.stages() as show:
            show("path lists", 0, None)
            plan = import_plan.plan_of(config, source, client, taken)
            import_plan.estimate(plan, client, sites)
        import_plan.describe(plan, report)
        if report.dry_run:
            import_plan.survey(plan, sites, report)
            return
        state.console.note(import_plan.announcement(plan))
        total = plan.bytes >> 20 if plan.bytes else None
        with state.console.progress("MB of archives", total) as show_done:
            rules = warc_import.ImportRules(days, taken, client.stop)
            warc_import.take_in(config, plan.left, report, lambda _: show_done(client.received >> 20), rules)
        report.fetched_bytes = client.received
