"""Commands: words and cloud. Word lists from the counts of the search index."""

from __future__ import annotations

from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from corpus_spider.cli.opened_index import opened_index
from corpus_spider.cli.options import allow_private, as_json, limit, selection_options, verb_of
from corpus_spider.terminal.row_files import text_of_rows
from corpus_spider.words.collocation_rules import MAX_WINDOW, MEASURES, SIDES, USUAL, CollocationRules
from corpus_spider.words.ngrams.ngram_rules import MAX_UNITS, MIN_UNITS
from storage.disk import disk_errors
from storage.documents.selection import COUNTS, honoured
from storage.errors import ConfigError
from storage.reporting import counted

if TYPE_CHECKING:
    from corpus_spider.cli.options import CommonOptions
    from corpus_spider.terminal.console import Console
    from corpus_spider.words.clouds import Cloud
    from corpus_spider.words.lists import WordTable
    from corpus_spider.words.request import WordAnswer, WordList
    from storage.documents.selection import Selection

verbs = click.Group()
_months = selection_options(
    COUNTS, since="Published in this month or later.", until="Published in this month or earlier."
)


@verb_of(
    verbs,
    (
        "words --language vi",
        "words --language ar --site aljazeera --against rest",
        "words --language vi --since 2026-11 --against 'since=2026-01 until=2026-10'",
        "words --language vi --against list=reference.csv",
        "words --around 'chính phủ' --language vi",
        "words --around 'chính phủ' --side left --window 2 --measure t_score",
        "words --around 'giá NEAR/5 xăng' --language vi",
        "words --ngrams 3 --language vi",
        "words --by month 'bầu cử' --language vi",
        "words --by month '\"chính phủ mới\"' --language vi",
        "words --lemma --language fa --without-stop-words",
        "words --language th --format csv > words.csv",
    ),
)
@click.argument("chosen", nargs=-1, metavar="[WORD]...")
@_months
@click.option(
    "--against",
    metavar="SELECTION",
    help="Keywords against a reference: rest, list=FILE with words and their frequencies, corpus=FOLDER with another"
    " corpus, or 'selection=NAME site=NAME language=CODE since=YYYY-MM until=YYYY-MM'.",
)
@click.option("--around", metavar="WORD", help="Collocates of a word, a phrase or another question of `search`.")
@click.option(
    "--window",
    type=click.IntRange(1, MAX_WINDOW),
    metavar="NUMBER",
    default=USUAL.window,
    show_default=True,
    help="Words to a side of it.",
)
@click.option(
    "--side",
    type=click.Choice(SIDES),
    default=USUAL.side,
    show_default=True,
    help="Collocates before it, after it, or both.",
)
@click.option(
    "--min-frequency",
    type=click.IntRange(1),
    metavar="NUMBER",
    default=USUAL.min_frequency,
    show_default=True,
    help="How often a collocate stands near it, or how often an n-gram stands there.",
)
@click.option(
    "--measure",
    type=click.Choice(MEASURES),
    default=USUAL.measure,
    show_default=True,
    help="Order of collocates.",
)
@click.option(
    "--ngrams",
    type=click.IntRange(MIN_UNITS, MAX_UNITS),
    metavar="NUMBER",
    help=f"The most frequent sequences of so many units in a sentence, {MIN_UNITS} to {MAX_UNITS}.",
)
@click.option("--lemma", is_flag=True, help="Frequencies of lemmas, counted in the texts.")
@click.option("--by", type=click.Choice(["month"]), help="Frequency of each WORD, phrase or question in each month.")
@click.option(
    "--without-stop-words", is_flag=True, help="Leave the most common words of the language out, in each list."
)
@click.option(
    "--spelling",
    type=click.Choice(["one", "exact"]),
    default="one",
    show_default=True,
    help="Spellings of a word are one row, or each has its own.",
)
@limit("Maximum number of rows.", 50, 100_000)
@click.option(
    "--format",
    "format_name",
    metavar="NAME",
    type=click.Choice(["table", "csv"]),
    help="Form of the list: table, csv. [default: table]",
)
@as_json
def words(state: CommonOptions, /, chosen: tuple[str, ...], **options: Any) -> None:
    """List words by frequency, keywords, collocates, n-grams or trends.

    Without a further option the most frequent words with their dispersion. Counts are of the current documents without
    duplicates. They come from the search index, which is refreshed first. --lemma reads the texts instead.
    """
    from corpus_spider.config.selections import of_options
    from corpus_spider.words import lists
    from corpus_spider.words.references import reference_of
    from corpus_spider.words.request import NO_DOCUMENT, WordList, word_list

    _refuse_combinations(chosen, options)
    named = state.load_made().selections
    selected = of_options(options, named)
    reference = reference_of(options["against"], selected, "--against", named) if options["against"] else None
    wanted = WordList(
        reference,
        options["around"] or "",
        chosen,
        options["without_stop_words"],
        options["limit"],
        options["spelling"],
        near=CollocationRules(options["window"], options["side"], options["min_frequency"], options["measure"]),
        ngrams=options["ngrams"] or 0,
    )
    if options["lemma"]:
        found = _lemmas(state, selected, wanted)
    else:
        sites = (*selected.sites, *(reference.sites if reference else ()))
        with opened_index(state, replace(selected, sites=sites)) as (_, index):
            found = word_list(index, selected, wanted)
    if not found.table.tokens:
        raise ConfigError(NO_DOCUMENT, do="`corpus-spider status` shows what there is.")
    _write(state.console, found.table, options, found.why_empty)
    for sentence in (*(lists.why_no_trend(found.table.rows) if chosen else ()), *found.notes):
        state.console.note(sentence)


def _lemmas(state: CommonOptions, selected: Selection, wanted: WordList) -> WordAnswer:
    """Count lemmas in the texts, without the index."""
    from corpus_spider.export.exporter import refuse_unknown_names
    from corpus_spider.words.lemmas import lemma_list
    from storage.corpus import Corpus

    config = state.load_made()
    with Corpus.open(config.database_url, read_only=True) as corpus, state.console.progress("documents read") as show:
        refuse_unknown_names(config, corpus, selected)
        return lemma_list(corpus, selected, wanted, show)


def _refuse_combinations(chosen: tuple[str, ...], options: dict[str, Any]) -> None:
    """Raise UsageError for options that exclude each other, or of which one would do nothing."""
    if sum(bool(options[name]) for name in ("against", "around", "ngrams", "by", "lemma")) > 1:
        raise click.UsageError("--against, --around, --ngrams, --by and --lemma exclude each other.")
    if options["ngrams"] and options["without_stop_words"]:
        raise click.UsageError("--without-stop-words is for words: --ngrams counts all of them.")
    if options["ngrams"] and options["spelling"] != "one":
        raise click.UsageError("--spelling is for words: --ngrams counts each spelling by itself.")
    if options["by"] and options["without_stop_words"]:
        raise click.UsageError("--without-stop-words is for lists: --by month counts the words that you name.")
    if options["by"] and click.get_current_context().get_parameter_source("limit") is not ParameterSource.DEFAULT:
        raise click.UsageError("--limit is for lists: --by month has a row for each word and month.")
    if options["as_json"] and options["format_name"]:
        raise click.UsageError("--json and --format exclude each other.")
    if bool(chosen) != bool(options["by"]):
        raise click.UsageError("WORDs need --by month, and --by month needs words.")


def _write(console: Console, found: WordTable[Any], options: dict[str, Any], why: str) -> None:
    if options["as_json"]:
        console.json(found)
        return
    plain = [asdict(row) for row in found.rows]
    if not plain:
        console.note(why)
        return
    if options["format_name"] == "csv":
        console.result(text_of_rows(plain, "csv", list(plain[0])).rstrip("\n"))
        return
    title = f"Words: {counted(found.tokens, found.unit.removesuffix('s'))} in {counted(found.documents, 'document')}"
    console.table(title, [name.replace("_", " ") for name in plain[0]], [list(row.values()) for row in plain])


@verb_of(
    verbs,
    (
        "cloud --language th --site matichon --since 2026-11 -o cloud.svg",
        "cloud --language ar --against 'site=aljazeera' -o cloud.html",
        "cloud --page https://news.example.org/article -o cloud.png",
        "cloud --page page.html --limit 40 -o cloud.svg",
        "cloud --page ID -o cloud.svg",
    ),
)
@_months
@click.option("--against", metavar="SELECTION", help="Reference of the keyness, as for `words`. [default: rest]")
@click.option("--page", metavar="URL|ID|FILE", help="Cloud of one page instead of the corpus.")
@allow_private
@limit("Maximum number of words.", 60, 500)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="PATH",
    help="Picture: .svg, .html or .png.",
)
@as_json
def cloud(state: CommonOptions, /, **options: Any) -> None:
    """Draw a tag cloud.

    The words that a part of the corpus, or one page, has more of than the rest: by log-likelihood, without stop words.
    The cloud of a whole language is by frequency. The picture states measure and scale, and has the weights as a table.
    """
    from corpus_spider.words import clouds

    output = options["output"]
    form = output.suffix[1:].lower() if output else ""
    if not output and not options["as_json"]:
        raise click.UsageError("Name a file with -o, or use --json.")
    if output and form not in {"svg", "html", "png"}:
        raise click.UsageError(f"-o: expected a file that ends in .svg, .html or .png, got {output.name}")
    made = _cloud_of_page(state, options) if options["page"] else _cloud_of_corpus(state, options)
    if not made.weights:
        raise ConfigError("there is no word to draw", do="Choose more texts, or without --against.")
    if output:
        data = clouds.png(made) if form == "png" else {"svg": clouds.svg, "html": clouds.html}[form](made).encode()
        with disk_errors(output):
            output.write_bytes(data)
    if options["as_json"]:
        state.console.json(made.data)
    for sentence in (made.caption, *made.notes):
        state.console.note(sentence)


def _cloud_of_page(state: CommonOptions, options: dict[str, Any]) -> Cloud:
    from corpus_spider.api import tag_clouds

    excluded = {each.field: each.option for each in honoured(COUNTS) if each.field != "languages"}
    if any(options[name] for name in (*excluded, "selection", "against")):
        raise click.UsageError(f"--page excludes {', '.join(excluded.values())}, --selection and --against.")
    target, languages, opening = options["page"], options["languages"], partial(opened_index, state)
    if options["allow_private"] and "://" not in target:
        raise click.UsageError("--allow-private is for a URL.")
    if tag_clouds.is_document(target):
        return tag_clouds.cloud_of_document(state.load_made(), target, languages, options["limit"], opening)
    private, config = options["allow_private"], state.load_or_default()
    return tag_clouds.cloud_of_page(config, target, languages, options["limit"], opening, allow_private=private)


def _cloud_of_corpus(state: CommonOptions, options: dict[str, Any]) -> Cloud:
    from corpus_spider.api.tag_clouds import cloud_of_corpus
    from corpus_spider.config.selections import of_options
    from corpus_spider.words.references import REST, reference_of

    if options["allow_private"]:
        raise click.UsageError("--allow-private needs --page.")
    named = state.load_made().selections if options["selection"] or options["against"] else {}
    selected = of_options(options, named)
    if not selected.languages:
        raise click.UsageError("Name a --language, or a --page.")
    reference = reference_of(options["against"] or REST, selected, "--against", named)
    return cloud_of_corpus(selected, reference, options["limit"], partial(opened_index, state))
