"""Commands: index and search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from corpus_spider.cli.opened_index import opened_index
from corpus_spider.cli.options import PROGRAM, as_json, limit, selection_options, verb_of
from corpus_spider.search.hits.concordance_rules import (
    LINE_FIELDS,
    MAX_CONTEXT_WORDS,
    MAX_LINES,
    MAX_PAGES,
    MAX_SEED,
    RANK,
    USUAL_LINES,
    USUAL_SEED,
    WantedLines,
    sort_places,
)
from corpus_spider.terminal import values
from corpus_spider.terminal.row_files import text_of_rows
from storage.documents.selection import INDEX
from storage.errors import LockedError
from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus_spider.cli.options import CommonOptions
    from corpus_spider.search.answers import SearchAnswer
    from corpus_spider.terminal.console import Console

FORMATS = ("table", "csv", "jsonl")
verbs = click.Group()


@verb_of(verbs, ("index", "index --json", "index --rebuild", "index --annotate"))
@click.option("--rebuild", is_flag=True, help="Make the index again, with the libraries for words that are installed.")
@click.option(
    "--annotate/--no-annotate",
    default=None,
    help="With lemmas and tags, or without. [default: as the index is, a new one without]",
)
@as_json
def index(state: CommonOptions, /, **options: Any) -> None:
    """Build or refresh the search index.

    It holds the words of all current documents without their duplicates. It is derived data: delete its folder, and
    nothing is lost. A crawl may run meanwhile: the processes that build it have a low priority. An index remembers the
    libraries that split its texts into words; only --rebuild changes them. With --annotate it also has lemmas and tags,
    for questions such as [lemma="go"] and [tag="N.*"], and keeps having them.
    """
    from corpus_spider.export.annotations import annotation_notes
    from corpus_spider.search.index.builder import answers, only_writer, refresh
    from storage.corpus import Corpus

    config = state.load_made()
    with (
        Corpus.open(config.database_url, read_only=True) as corpus,
        only_writer(config.index_folder) as is_writer,
        state.console.stages() as show,
    ):
        if not is_writer:
            has_answers = answers(config.index_folder)
            meanwhile = (
                "Until then `search` answers from the index before." if has_answers else "Then `search` answers."
            )
            do = f"Try again when it has finished. {meanwhile}"
            raise LockedError(("the search index",), where=str(config.index_folder), do=do, holder="another process")
        report = refresh(
            corpus,
            config.database_url,
            config.index_folder,
            config.workers,
            show,
            rebuild=options["rebuild"],
            annotate=options["annotate"],
        )
    for sentence in annotation_notes(report.annotations or {}):
        state.console.note(sentence)
    if options["as_json"]:
        state.console.json(report)
    else:
        state.console.note(
            f"{counted(report.documents, 'document')} in the index: {report.added:,} added, {report.left:,} taken out."
        )


@verb_of(
    verbs,
    (
        'search "chính phủ"',
        "search '\"chinh phu\" -quoc' --site vnexpress --since 2026-01-01",
        'search "govern*" --order right --limit 100',
        'search "/colou?rs?/ OR wom?n"',
        'search "giá NEAR/5 xăng"',
        'search "thủ tướng ... quốc hội"',
        'search \'[word="gov.*"] []{0,3} [word="bank"] within <s/>\'',
        'search "title:xăng site:vnexpress date:2026-02"',
        'search "chính phủ" --order 1R,2R --context 15 --unique',
        'search "chính phủ" --limit 10000 --format csv > lines.csv',
        'search "chính phủ" --limit 100 --page-number 2',
        'search "chính phủ" --sample-size 200 --seed 7 --order 1R',
        'search "bầu cử" --selection election',
        'search "bầu cử" --json',
    ),
)
@click.argument("question", metavar="QUESTION")
@selection_options(INDEX)
@click.option(
    "--order",
    metavar="ORDER",
    default=RANK,
    show_default=True,
    help="Best documents first (rank), newest first (date), by the word to the left or right, or by up to three words"
    " of a line: 1L,2L,node.",
)
@limit("Maximum number of lines. With --sample-size: all of them.", USUAL_LINES, MAX_LINES)
@click.option(
    "--page-number",
    "page",
    type=click.IntRange(1, MAX_PAGES),
    metavar="NUMBER",
    default=1,
    show_default=True,
    help="Which lines: 2 goes on behind the first --limit ones.",
)
@click.option(
    "--sample-size",
    type=click.IntRange(1, MAX_LINES),
    metavar="NUMBER",
    help="So many hits by chance, the same each time, instead of all.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, MAX_SEED),
    metavar="NUMBER",
    default=USUAL_SEED,
    show_default=True,
    help="Another number gives another sample.",
)
@click.option(
    "--context",
    type=click.IntRange(1, MAX_CONTEXT_WORDS),
    metavar="WORDS",
    help="Words on each side of what was found.",
)
@click.option("--unique", is_flag=True, help="Show equal lines once.")
@click.option(
    "--format",
    "format_name",
    metavar="NAME",
    type=click.Choice(FORMATS),
    help="Form of the lines: table, csv, jsonl. The last two have the address and title of each document."
    " [default: table]",
)
@as_json
def search(state: CommonOptions, /, question: str, **options: Any) -> None:
    """Find words in the texts, each with its context.

    QUESTION: words, "a phrase", AND, OR, NOT and brackets; -word excludes. In a word * stands for any letters and ? for
    one: govern*, wom?n. /colou?rs?/ is a regular expression for a whole word. Words without marks find every spelling,
    words with marks only theirs, =word as typed. Where words contain spaces, as in Vietnamese, texts with the words
    side by side come first. Refreshes the index first, if no other program does.

    a NEAR/5 b: in one line, in any order, with five words or fewer between them. a ... b: in one sentence, in this
    order. [word="gov.*"] []{0,3} [word="bank"]: tokens in a row, by a part of CQL, also within <s/>. title:word is in a
    title. site:NAME, section:NAME, author:NAME and date:2026-02 or date:2026-01..2026-03 choose documents.
    """
    from corpus_spider.config.selections import of_options
    from corpus_spider.search.answers import answered

    if options["as_json"] and options["format_name"]:
        raise click.UsageError("--json and --format exclude each other.")
    selection = of_options(options, state.load_made().selections)
    with opened_index(state, selection) as (corpus, opened):
        wanted = _wanted(options)
        answer = answered(opened, corpus, question, selection, wanted, name=state.load_made().corpus.name)
    if options["format_name"] in {"csv", "jsonl"}:
        text = text_of_rows([place.row() for place in answer.places], options["format_name"], LINE_FIELDS)
        if text:
            state.console.result(text.rstrip("\n"))
        for sentence in (_numbers(answer), *_notes(answer, wanted)):
            state.console.note(sentence)
    elif options["as_json"]:
        state.console.json(answer)
    else:
        render(answer, wanted, state.console)


def _wanted(options: dict[str, Any]) -> WantedLines:
    """Return which lines the options want. A sample is shown whole, unless a limit is stated."""
    is_stated = click.get_current_context().get_parameter_source("limit") is not ParameterSource.DEFAULT
    return WantedLines(
        options["limit"] if is_stated else options["sample_size"] or options["limit"],
        options["page"],
        options["order"],
        options["context"] or 0,
        options["unique"],
        options["sample_size"] or 0,
        options["seed"],
    )


def render(answer: SearchAnswer, wanted: WantedLines, console: Console) -> None:
    """Write a concordance with the keywords below each other, then the numbers by site and month."""
    from corpus_spider.cli.concordance_lines import drawn
    from corpus_spider.terminal.console import width

    if not answer.documents:
        console.note(f"No document has this. `{PROGRAM} status` shows the documents of the corpus.")
        for sentence in _notes(answer, wanted):
            console.note(sentence)
        console.note(f"Searched: {answer.searched}")
        return
    if console.on_terminal:
        console.lines([*drawn(answer.places, width()), ""])
    else:
        header = ("day", "site", "left", "keyword", "right", "id")
        rows = ((e.day, e.site, e.line.left, e.line.keyword, e.line.right, e.id) for e in answer.places)
        console.table("Concordance", header, rows)
    for name in ("site", "section", "author", "month"):
        if numbers := answer.main_groups(name):
            console.table(f"Documents by {name}", (name, "documents"), numbers)
        if others := answer.other_groups(name):
            console.note(f"Not shown: {counted(others, f'more {name}')}. --json has all.")
    console.note(f"{_numbers(answer)} One document: {PROGRAM} show ID")
    for sentence in _notes(answer, wanted):
        console.note(sentence)
    console.note(f"Searched: {answer.searched}")
    console.note(f"Cite: {answer.cite}")


def _numbers(answer: SearchAnswer) -> str:
    counts = answer.counts
    more = "" if counts.is_complete else "More than "
    rate = ""
    if counts.per_million is not None:
        known = len(counts.tokens_by_language or ())
        languages = f" in {known} languages" if known > 1 else ""
        base = f"{counted(counts.tokens, counts.unit.removesuffix('s'))}{languages}"
        rate = f" ({values.number(counts.per_million)} in a million of {base})"
    number = f"{more}{counted(counts.hits, 'hit')}{rate} in {counted(answer.documents, 'document')}"
    return f"{number}, {counted(len(answer.places), 'line')} shown."


def _notes(answer: SearchAnswer, wanted: WantedLines) -> Iterator[str]:
    """Yield what no document has, what the lines are of, and how to read on."""
    if answer.absent:
        similar = f" Similar authors: {', '.join(answer.similar)}." if answer.similar else ""
        yield f"No document of the index has {', '.join(answer.absent)}.{similar}"
    if wanted.sample:
        number = counted(answer.lines or 0, "line")
        if answer.counts.is_complete:
            yield f"Sample: {number} by chance from all hits, seed {wanted.seed}."
        else:
            hits = counted(answer.counts.hits, "hit")
            yield f"Sample: {number} by chance from the first {hits}: the time was over. Choose fewer documents."
    elif sort_places(wanted.order) and answer.read < answer.documents:
        number, documents = counted(answer.lines or 0, "line"), counted(answer.read, "document")
        yield f"Sorted: {number} of the best {documents}. --order rank and date have the lines of all documents."
    last = answer.first + len(answer.places) - 1
    if answer.has_more:
        of_all = f" of {answer.lines:,}" if answer.lines else ""
        yield f"Lines {answer.first:,} to {last:,}{of_all}. The next ones: --page-number {wanted.page + 1}"
    elif not answer.places and wanted.page > 1:
        yield f"There is no page {wanted.page:,} of so many lines."
