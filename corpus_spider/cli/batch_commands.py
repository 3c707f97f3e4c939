"""Commands for archives and releases of any size: process, dedup."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from corpus_spider.cli.options import as_json, fetched_since, fetched_until, languages, repeated, several, verb_of
from corpus_spider.terminal.values import human_size
from storage.errors import ConfigError, DamageError
from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from corpus_spider.batch.batch import BatchReport
    from corpus_spider.batch.dedup import DedupReport
    from corpus_spider.batch.rules import BatchRules
    from corpus_spider.cli.options import CommonOptions

INCOMPLETE = 1
"""Exit code when an archive gave no part."""

verbs = click.Group()


def _engine(text: str) -> Callable[[Any], Any]:
    return click.option(
        "--engine", type=click.Choice(("local", "spark")), default="local", show_default=True, help=text
    )


@verb_of(
    verbs,
    (
        "process CC-NEWS-20250101-00001.warc.gz -o release/ --language vi",
        "process crawl/ -o release/ --host vnexpress.net",
        "process 'archives/*.warc.gz' -o release/ --dry-run",
        "process warc.paths.gz -o release/ --shard 3/64",
        "process warc.paths.gz -o release/ --merge",
        "process warc.paths.gz -o release/ --engine spark",
    ),
)
@click.argument("names", metavar="ARCHIVE...", nargs=-1, required=True)
@click.option("-o", "--output", metavar="PATH", required=True, type=click.Path(path_type=Path), help="The release.")
@languages("Only texts in this language. Pages without such text are dropped before they are parsed")
@several("--host", "hosts", "HOST", "Only pages of this host and its subdomains")
@click.option(
    "--sites-from",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Only pages of the sites in this corpus.toml, or of the hosts in this list (one a line).",
)
@repeated("--url-pattern", "urls", "REGEX", "Only pages whose URL matches this regular expression")
@fetched_since
@fetched_until
@click.option("--extractor", metavar="NAME", default="auto", show_default=True, help="Method that finds the main text.")
@click.option("--all-pages", is_flag=True, help="With --language: extract every page before its language is tested.")
@click.option("--shard", metavar="I/N", default="1/1", help="Make the parts of every N-th archive, from the I-th on.")
@click.option("--merge", is_flag=True, help="Check that all parts are there, and complete the release.")
@_engine("Where parts are made: in processes of this machine, or by the Spark that the environment names.")
@click.option("--overwrite", is_flag=True, help="Make finished parts again.")
@click.option("--dry-run", is_flag=True, help="List the archives of this task; read none.")
@as_json
def process(state: CommonOptions, /, names: tuple[str, ...], **options: Any) -> int:
    """Process archives to a release, without a corpus.

    ARCHIVE is a WARC, ARC or WACZ file, a folder, a pattern, an address (https://, s3://), a path list of Common Crawl
    (.paths, .paths.gz), or - for a list on standard input. Each archive becomes one part: a Parquet file with the
    fields of an export, a file of fingerprints, and a manifest. A killed task is repeated and makes its missing parts.
    Settings of [crawl] and removals come from a corpus.toml, if there is one. Exit code 6: archives are damaged, and
    their sound pages are in the release. Exit code 1: an archive gave no part.
    """
    from corpus_spider.batch import batch
    from corpus_spider.batch.archives import TaskShare, archives_of

    shard, found = TaskShare.parsed(options["shard"]), archives_of(names)
    release: Path = options["output"]
    chosen = shard.of(found)
    if options["dry_run"]:
        state.console.json(list(chosen)) if options["as_json"] else state.console.result("\n".join(chosen))
        return 0
    rules = _rules(state, options)
    if options["merge"]:
        report = batch.merge(found, release, rules)
    else:
        report = _made(state, chosen, rules, options)
        if shard.count == 1 and not report.failed:
            merged = batch.merge(found, release, rules)
            report = replace(merged, made=report.made)
    for line in report.damaged:
        state.console.error(f"damaged: {line}")
    state.console.json(report) if options["as_json"] else _summarise(state, report)
    return INCOMPLETE if report.failed else DamageError.exit_code if report.losses else 0


@verb_of(
    verbs,
    (
        "dedup release/ -o unique/",
        "dedup january/ february/ -o unique/ --against last-year/",
        "dedup release/ -o marked/ --include-duplicates",
        "dedup release/",
        "dedup january/ february/ -o unique/ --engine spark",
    ),
)
@click.argument("releases", metavar="RELEASE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-o", "--output", metavar="PATH", type=click.Path(path_type=Path), help="The new release.")
@click.option("--against", metavar="RELEASE", help="Also leave out what this other release has.")
@click.option("--include-duplicates", is_flag=True, help="Write all documents, and only mark the duplicates.")
@_engine("What joins the band keys: DuckDB on this machine, or the Spark that the environment names.")
@click.option("--memory", metavar="SIZE", default="2GB", show_default=True, help="Memory that DuckDB may use.")
@click.option("--overwrite", is_flag=True, help="Replace the target if it exists.")
@click.option("--dry-run", is_flag=True, help="Check the releases and count their documents; compare none.")
@as_json
def dedup(state: CommonOptions, /, releases: tuple[Path, ...], **options: Any) -> None:
    """Find near duplicates in releases of any size.

    RELEASE is a Parquet release of `process` or `export --release`. The rules are those of a corpus: equal texts, and
    texts with nearly the same words and the same numbers. The new release has one document of each set, the longest.
    Its fields duplicates, duplicate_of and cluster name the set. Without -o the duplicates are only counted. The work
    needs some 0.7 KB of temporary disk for each document (in TMPDIR), and the extra `dedup`. With --engine spark it
    needs the extra `spark` in its place, and TMPDIR must be a folder that the executors share.
    """
    from corpus_spider.batch import dedup as finder
    from corpus_spider.config.values import parse_size

    try:
        memory = parse_size(options["memory"])
    except ValueError as error:
        raise ConfigError(str(error), where="--memory", do="Write 2GB.") from error
    target: Path | None = options["output"]
    dumps = [finder.read_dump(folder, finder.needed_fields(write=target is not None)) for folder in releases]
    others = [finder.read_dump(Path(options["against"]))] if options["against"] else []
    report = finder.DedupReport("", sum(dump.documents for dump in dumps), sum(dump.documents for dump in others))
    if not options["dry_run"]:
        on_spark = options["engine"] == "spark"
        rules = finder.DedupRules(options["include_duplicates"], options["overwrite"], memory, on_spark)
        with state.console.stages() as show:
            report = finder.dedup(dumps, others, target, rules, show)
    if options["as_json"]:
        state.console.json(report)
    elif options["dry_run"]:
        console = state.console
        console.result(f"{counted(report.documents, 'document')}; {report.compared_with:,} to compare with.")
    else:
        _summarise_dedup(state, report)


def _made(state: CommonOptions, archives: Sequence[str], rules: BatchRules, options: dict[str, Any]) -> BatchReport:
    if options["engine"] == "spark":
        from corpus_spider.batch.spark import make_parts_on_spark

        return make_parts_on_spark(archives, options["output"], rules, again=options["overwrite"])
    from corpus_spider.batch.batch import make_parts

    with state.console.progress("pages") as show:
        again = options["overwrite"]
        return make_parts(archives, options["output"], rules, again=again, on_page=_counter(show))


def _counter(show: Any) -> Any:
    pages = 0

    def count() -> None:
        nonlocal pages
        pages += 1
        show(pages)

    return count


def _rules(state: CommonOptions, options: dict[str, Any]) -> BatchRules:
    from corpus_spider.batch.rules import rules_of

    return rules_of(
        state.load_or_default(),
        languages=options["languages"],
        extractor=options["extractor"],
        hosts=options["hosts"],
        sites_from=options["sites_from"],
        urls=options["urls"],
        since=f"{options['since']:%Y-%m-%d}" if options["since"] else "",
        until=f"{options['until']:%Y-%m-%d}" if options["until"] else "",
        skim=not options["all_pages"],
    )


def _summarise_dedup(state: CommonOptions, report: DedupReport) -> None:
    rows = (
        ("documents", report.documents),
        ("represented by another one with the same text", report.exact),
        ("represented by another one with nearly the same text", report.near),
        ("in a release of --against", report.in_other),
        ("sets of duplicates", report.sets),
    )
    state.console.table("Duplicates", ("what", "count"), rows)
    if report.release:
        size = human_size(report.bytes)
        state.console.result(f"Complete: {report.release} ({counted(report.written, 'document')}, {size}).")


def _summarise(state: CommonOptions, report: BatchReport) -> None:
    console = state.console
    made = f"{report.made:,} made now, {report.archives - report.made:,} finished before"
    console.result(
        f"{counted(report.documents, 'document')} from {counted(report.pages, 'page')} of"
        f" {counted(report.archives, 'archive')} ({made})."
    )
    if report.skipped:
        console.table("Skipped responses", ("reason", "count"), report.skipped.most_common())
    if report.dropped:
        console.table("Pages without a document", ("reason", "pages"), report.dropped.most_common())
    for archive, error in report.failed.items():
        console.note(f"no part: {archive}: {error}")
    if report.unprocessed:
        console.note(
            f"A limit of time or memory stopped {counted(report.unprocessed, 'page')}. On a less busy machine"
            " `--overwrite` processes their archives again."
        )
    if report.bytes:
        console.result(f"Complete: {report.release} ({human_size(report.bytes)}).")
    elif not report.failed:
        console.note("When all tasks have finished, run the same command with --merge and without --shard.")
