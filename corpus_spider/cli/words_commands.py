"""Command: words. Word lists from the counts of the search index."""

from __future__ import annotations

import csv
import io
import sys
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from corpus_spider.cli.options import as_json, languages, several_sites, verb_of
from corpus_spider.cli.search_commands import refresh_if_alone
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from corpus_spider.cli.options import State
    from corpus_spider.search.manifest import Selected
    from corpus_spider.search.searching import SearchIndex
    from corpus_spider.terminal.console import Console
    from storage.corpus import Corpus

REST = "rest"
_MONTH = click.DateTime(["%Y-%m", "%Y-%m-%d"])
_verbs = click.Group()


@verb_of(
    _verbs,
    (
        "words --language vi",
        "words --language ar --site aljazeera --against rest",
        "words --language vi --since 2026-11 --against 'since=2026-01 until=2026-10'",
        "words --around 'chính phủ' --language vi",
        "words --by month bầu cử --language vi",
        "words --language th --format csv > words.csv",
    ),
)
@click.argument("chosen", nargs=-1, metavar="[WORD]...")
@languages("Only this language")
@several_sites
@click.option("--since", type=_MONTH, metavar="YYYY-MM", help="Published in this month or later.")
@click.option("--until", type=_MONTH, metavar="YYYY-MM", help="Published in this month or earlier.")
@click.option(
    "--against",
    metavar="SELECTION",
    help="Keywords against a reference: rest, or 'site=NAME language=CODE since=YYYY-MM until=YYYY-MM'.",
)
@click.option("--around", metavar="WORD", help="Collocates of a word or phrase.")
@click.option("--by", type=click.Choice(["month"]), help="Frequency of each WORD in each month.")
@click.option("--without-stop-words", is_flag=True, help="Leave the most common words of the language out.")
@click.option("--limit", type=click.IntRange(1, 100_000), default=50, show_default=True, help="Maximum number of rows.")
@click.option("--format", "format_name", type=click.Choice(["table", "csv"]), default="table", help="Form of the list.")
@as_json
def words(state: State, /, chosen: tuple[str, ...], **options: Any) -> None:
    """List words by frequency, keywords, collocates or trends.

    Without a further option the most frequent words with their dispersion. Counts are of the current documents without
    duplicates. They come from the search index, which is refreshed first.
    """
    from corpus_spider.words import lists

    if sum(bool(options[name]) for name in ("against", "around", "by")) > 1:
        raise click.UsageError("--against, --around and --by exclude each other.")
    if bool(chosen) != bool(options["by"]):
        raise click.UsageError("WORDs need --by month, and --by month needs words.")
    with _opened(state) as (corpus, index):
        selected = selection_of(options)
        known = lists.sizes(index.manifest, selected)
        if not known.tokens:
            raise ConfigError("no document in the index matches", do="`corpus-spider status` shows what there is.")
        rows = _rows(index, corpus, selected, chosen, options)
    _write(state.console, rows, options, asdict(known))


def selection_of(options: dict[str, Any]) -> Selected:
    """Return the selection of the options --language, --site, --since and --until."""
    from corpus_spider.search.manifest import Selected

    months = (f"{month:%Y-%m}" if (month := options[name]) else "" for name in ("since", "until"))
    return Selected(options["languages"], options["sites"], *months)


def reference_of(text: str, selected: Selected) -> Selected | None:
    """Return the reference that an option describes; None for the rest of the corpus."""
    from corpus_spider.search.manifest import Selected

    if text.strip() == REST:
        return None
    given: dict[str, str] = {}
    for part in text.replace(",", " ").split():
        key, equals, value = part.partition("=")
        if not equals or key not in {"site", "language", "since", "until"} or not value:
            do = "Write rest, or site=NAME, language=CODE, since=YYYY-MM and until=YYYY-MM."
            raise ConfigError(f'expected a selection, got "{part[:60]}"', where="--against", do=do)
        given[key] = value
    languages = (given["language"],) if "language" in given else selected.languages
    sites = (given["site"],) if "site" in given else ()
    return Selected(languages, sites, given.get("since", ""), given.get("until", ""))


@contextmanager
def _opened(state: State) -> Iterator[tuple[Corpus, SearchIndex]]:
    from corpus_spider.search.searching import SearchIndex
    from storage.corpus import Corpus

    config = state.load_made()
    with Corpus.open(config.database_url, read_only=True) as corpus:
        with state.console.stages() as show:
            refresh_if_alone(config, corpus, show)
        with SearchIndex.open(config.index_folder, corpus) as index:
            yield corpus, index


def _rows(
    index: SearchIndex, corpus: Corpus, selected: Selected, chosen: Sequence[str], options: dict[str, Any]
) -> Sequence[Any]:
    from corpus_spider.search.shard import Filters
    from corpus_spider.words import lists

    most = options["limit"]
    if options["against"]:
        return lists.keywords(index.manifest, selected, reference_of(options["against"], selected), most)
    if options["around"]:
        until = f"{selected.until}-31" if selected.until else ""
        filters = Filters(selected.sites, selected.languages, f"{selected.since}-01" if selected.since else "", until)
        return lists.collocates(index, corpus, options["around"], filters, selected, most)
    if options["by"]:
        return lists.trend(index.manifest, selected, chosen)
    without = _stop_words(selected.languages) if options["without_stop_words"] else frozenset[str]()
    return lists.frequencies(index.manifest, selected, most, without)


def _stop_words(codes: Sequence[str]) -> frozenset[str]:
    from pipelines.quality.signals import stop_words

    return frozenset(word for code in codes for word in stop_words().get(code, ()))


def _write(console: Console, rows: Sequence[Any], options: dict[str, Any], size: dict[str, int]) -> None:
    plain = [asdict(row) for row in rows]
    if options["as_json"]:
        console.json({**size, "rows": plain})
        return
    if not plain:
        console.note("No word passes the thresholds.")
        return
    if options["format_name"] == "csv":
        text = io.StringIO()
        writer = csv.DictWriter(text, list(plain[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(plain)
        sys.stdout.write(text.getvalue())
        return
    title = f"Words: {size['tokens']:,} in {size['documents']:,} documents"
    console.table(title, [name.replace("_", " ") for name in plain[0]], [list(row.values()) for row in plain])


VERBS = tuple(_verbs.commands.values())
