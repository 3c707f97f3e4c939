"""Verbs for those who keep a corpus: give it to others, take texts out on request."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from corpus_spider.options import DAY, MOST, PROGRAM, as_json, languages, several_sites, verb_of
from storage.counting import counted
from storage.errors import DamageError
from storage.holdings import CLEANEST, EARLIEST, LONGEST

if TYPE_CHECKING:
    from corpus_spider.options import State

NOTHING = f"No document matches; `{PROGRAM} status` shows what there is."
UNDATED = "a document without a date counts by the day it was fetched"

keeping = click.Group()
"""Holds the verbs until the program takes them over."""


@verb_of(
    keeping,
    (
        "export -o corpus.jsonl.zst",
        "export -o vi.parquet --language vi --since 2026-01-01 --min-chars 500",
        "export -o texts/",
        "export -o - --format jsonl | head",
        "export -o news-2026-11/ --release --shard-size 1GB",
        "export -o news-2026-12/ --since-dump news-2026-11/manifest.json",
        "export -o corpus.vert --fold tatweel,harakat",
        "export -o train.parquet --sample 90%",
        "export -o test.parquet --sample 90%-100%",
        "export -o clean.parquet --quality default",
        "export --quality 'digit_share<.2,stop_word_share>=.05' --dry-run",
        "export -o originals.wacz",
    ),
)
@click.option("-o", "--output", "target", help="File, folder with a final /, or - for standard output.")
@click.option(
    "--format",
    "format_name",
    metavar="NAME",
    help="Where the target's name does not say it: jsonl, jsonl.gz, jsonl.zst, parquet, tei.xml, vert, prevert, txt.",
)
@languages("Only this language")
@several_sites
@click.option("--since", type=DAY, metavar="YYYY-MM-DD", help=f"Published on this day or later; {UNDATED}.")
@click.option("--until", type=DAY, metavar="YYYY-MM-DD", help="Published on this day or earlier; likewise.")
@click.option("--min-chars", type=click.IntRange(0, MOST), default=0, help="Shortest text, in characters.")
@click.option("--min-confidence", type=click.FloatRange(0, 1), default=0.0, help="Least F1 a text is expected to have.")
@click.option(
    "--quality", metavar="RULES", help="Only texts that keep these: default, a TOML file, or 'digit_share<.2,...'."
)
@click.option("--sample", metavar="PART", help="A part by chance, the same each time: 10%, or the rest, 10%-100%.")
@click.option(
    "--versions",
    type=click.Choice(["first", "last", "all"]),
    default="last",
    show_default=True,
    help="Of the versions of a page.",
)
@click.option("--include-duplicates", is_flag=True, help="Also the texts that repeat another.")
@click.option(
    "--representative",
    type=click.Choice([LONGEST, EARLIEST, CLEANEST]),
    default=LONGEST,
    show_default=True,
    help="Which of the texts that repeat each other.",
)
@click.option("--without-reserved", is_flag=True, help="Leave out what TDMRep, noai or noarchive reserve.")
@click.option("--without-mixed", is_flag=True, help="Leave out texts a tenth of which is in another language.")
@click.option("--without-recurring", is_flag=True, help="Leave out the lines that recur over their site.")
@click.option("--require-licence", is_flag=True, help="Only texts whose site or page names a licence.")
@click.option(
    "--fold",
    metavar="NAME,...",
    help="Fold spellings: tatweel, harakat, niqqud, presentation, yeh-kaf, tone, digits, zwnj, quotes.",
)
@click.option("--release", is_flag=True, help="A folder to publish: shards, manifest, dataset card, removal list.")
@click.option("--shard-size", metavar="SIZE", help="A release with a new file after so much, such as 1GB.")
@click.option(
    "--since-dump",
    metavar="MANIFEST",
    type=click.Path(path_type=Path),
    help="A release of what was added, changed and removed since that one.",
)
@click.option("--overwrite", is_flag=True, help="Replace the target when it exists.")
@click.option("--dry-run", is_flag=True, help="Tell how much it would be, by language, site and month; write nothing.")
@as_json
def export(state: State, /, **options: Any) -> None:
    """Write the corpus to files.

    JSON lines (plain, gzip, zstd), Parquet, TEI, vertical or a folder of texts, whole or not at all, with a checksum;
    or the originals (.wacz), or their index (.cdxj).
    """
    from corpus_spider import dump
    from corpus_spider.dump_request import request

    if options["dry_run"]:
        _rehearse(state, options)
        return
    if options["target"] is None:
        raise click.UsageError("Name a target with -o (--output), or ask for a --dry-run.")
    if options["target"].endswith(dump.ORIGINALS):
        from corpus_spider.dump_originals import originals

        written = originals(state.load_made(), request(options))
        state.console.json(written) if options["as_json"] else _summarise(state, written)
        return
    wanted = request(options)
    if options["shard_size"] and not (options["release"] or wanted.since_dump):
        state.console.note("With --shard-size it is a release: a folder with manifest, dataset card and removal list.")
    report = dump.dump(state.load_made(), wanted, state.console)
    if options["target"] == "-":
        documents = counted(report.documents, "document")
        state.console.note(f"{documents}, {counted(report.bytes, 'byte')}, sha256 {report.sha256}")
    else:
        told = dump.fields(report)
        state.console.json(told) if options["as_json"] else _summarise(state, told)
    if not report.documents and options["since_dump"] is None:
        state.console.note(NOTHING)


def _rehearse(state: State, options: dict[str, Any]) -> None:
    from corpus_spider import rehearsal
    from corpus_spider.dump_request import request

    told = rehearsal.rehearse(state.load_made(), request(options), state.console)
    state.console.json(told) if options["as_json"] else _summarise(state, told)
    if not told["documents"]:
        state.console.note(NOTHING)


def _summarise(state: State, report: Any) -> None:
    if not state.console.quiet:
        state.console.summary(report)


@verb_of(
    keeping,
    (
        "remove --url https://news.example.org/story-1.html --reason 'request of the author' --dry-run",
        "remove --domain news.example.org --reason 'request of the publisher'",
        "remove",
    ),
)
@click.option("--url", metavar="URL", help="This page, under whatever spelling of its address.")
@click.option("--domain", metavar="NAME", help="Every page of this domain and of those below it.")
@click.option("--id", metavar="ID", help="The page of this document.")
@click.option("--author", metavar="NAME", help="Every page that states this author.")
@click.option("--reason", metavar="TEXT", help="Why; it is kept.")
@click.option("--duplicates", is_flag=True, help="Also the pages whose texts repeat these.")
@click.option("--dry-run", is_flag=True, help="Tell what would go; change nothing.")
@as_json
def remove(state: State, /, **options: Any) -> None:
    """Take texts out of the corpus, and keep them out.

    Text, title, author and fingerprints are deleted, the originals emptied, the addresses never asked for again.
    Without a page to remove it finishes removals that were interrupted, and empties what has come in since of a
    removed author.
    """
    from corpus_spider import removal

    named = {name: options[name] for name in ("url", "domain", "id", "author")}
    reason = options["reason"] or ("not said" if options["dry_run"] else None)
    request = removal.request_of(named, reason, duplicates=options["duplicates"])
    config = state.load_made()
    try:
        with state.console.progress("WARC files written anew") as show:
            report = removal.remove(config, request, dry_run=options["dry_run"], on_progress=show)
    except KeyboardInterrupt:
        if not options["dry_run"]:
            state.console.error(f"What was begun is not through: `{PROGRAM} remove` finishes it.")
        raise
    state.console.json(report) if options["as_json"] else state.console.result(removal.letter(report))


@verb_of(
    keeping,
    (
        "import CC-NEWS-20241101002331-00123.warc.gz",
        "import crawl-*.warc.gz --site vnexpress --dry-run",
    ),
    name="import",
)
@click.argument(
    "archives", metavar="FILE...", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@several_sites
@click.option("--dry-run", is_flag=True, help="Tell how many pages of which sites there are; write nothing.")
@as_json
def import_archives(state: State, /, archives: tuple[Path, ...], **options: Any) -> int:
    """Take in pages from WARC files that others have made.

    Of Common Crawl's news, of wget, Heritrix, Browsertrix: what the rules of a [[site]] have as its pages, with the
    time of its capture. They are copied into the archive of the corpus and read like pages of a crawl, but their links
    are not followed. What the corpus has of a page as new or newer is left alone, so an import may be repeated. Exit
    code 6 when a file cannot be read to its end.
    """
    from corpus_spider import importing, plan

    config = state.load().only(options["sites"])
    config.require_sites()
    plan.require_extractors(config)
    report = importing.ImportReport(dry_run=options["dry_run"])
    with state.console.progress("answers") as show:
        importing.take_in(config, archives, report, show)
    state.console.json(report) if options["as_json"] else _summarise(state, report)
    return DamageError.exit_code if report.damaged else 0
