"""The extractors, or a corpus, against gold pages: what `corpus-spider evaluate` does."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

from corpus_spider.evaluation import (
    GoldPage,
    PageScore,
    Report,
    as_plain,
    digest,
    doubts,
    evaluate_corpus,
    evaluate_extractors,
    load_gold,
    render,
)
from storage.errors import ConfigError, DiskError
from storage.holdings import Selection
from storage.warc import read_record

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from corpus_spider.config import Config
    from corpus_spider.console import Console
    from corpus_spider.evaluation.evaluate import Reading
    from corpus_spider.evaluation.worst import Worst
    from storage.corpus import Corpus

DEFAULT = "auto"


@dataclass(frozen=True, slots=True)
class Keepers:
    """Who gets each text beside its score: a folder, and what remembers the worst."""

    folder: Path | None = None
    worst: Worst | None = None

    def __call__(self, name: str, page: GoldPage, text: str, found: PageScore, /) -> None:
        """Give a text to both. Raises DiskError when it cannot be written."""
        if self.worst is not None:
            self.worst(name, page, text, found)
        if self.folder is not None:
            write(self.folder / (re.sub(r"[^\w-]", "_", name) or "_") / f"{page.id}.txt", text)


def assess(options: Mapping[str, Any], load: Callable[[Path], Config], console: Console) -> None:
    """Score what the options of `evaluate` name and write what they ask for; ``load`` reads a configuration.

    Raises ConfigError when the gold folder, an extractor or a corpus is not there, or a floor would be lowered.
    """
    _refuse_what_does_not_fit(options)
    pages = load_gold(options["gold"])
    for doubt in doubts(pages):
        console.note(doubt)
    keepers = Keepers(options["output"], _worst(options))
    names, against = list(options["extractors"]), options["against"]
    reports = []
    if options["corpus"]:
        reports.append(_corpus(pages, load(options["corpus"]), console, keepers))
    elif not names:
        names.append(DEFAULT)
    if against is not None and against not in {*names, *(report.name for report in reports)}:
        names.append(against)
    reports += _extractors(pages, names, console, keepers) if names else []
    _show(reports, options, console)
    if keepers.worst is not None:
        from corpus_spider.evaluation.worst import as_html

        write(options["html"], as_html(reports, keepers.worst.cases()))
    if options["pin"]:
        _pin(options, pages, reports)


def _refuse_what_does_not_fit(options: Mapping[str, Any]) -> None:
    if options["pin"] and options["corpus"]:
        raise ConfigError("are of extractors, not of a corpus", where="--pin", do="Leave out --corpus.")
    if options["html"] and not options["html"].absolute().parent.is_dir():
        raise ConfigError("is in no folder that is there", where=str(options["html"]), do="Make the folder first.")


def _worst(options: Mapping[str, Any]) -> Worst | None:
    if not options["html"]:
        return None
    from corpus_spider.evaluation.worst import Worst

    return Worst(options["worst"])


def _extractors(pages: Sequence[GoldPage], names: Sequence[str], console: Console, keep: Keepers) -> list[Report]:
    with console.progress("texts", len(pages) * len(set(names))) as show:
        return evaluate_extractors(pages, names, show, keep)


def _corpus(pages: Sequence[GoldPage], config: Config, console: Console, keep: Keepers) -> Report:
    """Score the texts that a corpus holds of the gold pages, by their URLs or the ids that URLs carry."""
    from storage.corpus import Corpus

    config.require_corpus()
    with Corpus.open(config.database_url, read_only=True) as corpus, console.progress("pages", len(pages)) as show:
        drops = _drops(pages, config, corpus)
        documents, scored = corpus.documents(Selection(include_duplicates=True)), count(1)

        def kept(name: str, page: GoldPage, text: str, found: PageScore, /) -> None:
            keep(name, page, text, found)
            show(next(scored))

        return evaluate_corpus(pages, documents, drops, config.corpus.name, kept)


def _drops(pages: Sequence[GoldPage], config: Config, corpus: Corpus) -> dict[str, Reading]:
    """Return what is known of the gold pages that gave no document, those with a text read again from the WARC."""
    from corpus_spider.evaluation.evaluate import keys
    from corpus_spider.evaluation.run import dropped
    from corpus_spider.learned_models import Models

    models, key_of = Models(config, corpus).newest, keys(pages)
    wanted = {page.url: page for page in corpus.fetches.drops() if key_of(page.url)}
    return {
        url: dropped(page.reason, models.get(page.site), partial(read_record, config.warc_folder, page.pointer))
        for url, page in wanted.items()
    }


def _show(reports: Sequence[Report], options: Mapping[str, Any], console: Console) -> None:
    against = options["against"]
    if options["as_json"]:
        console.json(as_plain(*reports, against=against))
    else:
        console.result(render(*reports, drawn=console.on_terminal, against=against).rstrip())


def _pin(options: Mapping[str, Any], pages: Sequence[GoldPage], reports: Sequence[Report]) -> None:
    from corpus_spider.evaluation import floors

    floors.pin(options["pin"], floors.measured(digest(pages), reports), allow_lower=options["allow_lower"])


def paper_tables(options: Mapping[str, Any], console: Console) -> None:
    """Write the papers' tables for a gold folder, of the extractors named or of every one a paper describes."""
    from corpus_spider.evaluation.tables import paper_extractors, render, tables

    pages, by = load_gold(options["gold"]), options["paper_tables"]
    with console.progress("pages", len(pages)) as show:
        found = tables(pages, options["extractors"] or paper_extractors(), by, show)
    console.json(found) if options["as_json"] else console.result(render(found, by, drawn=console.on_terminal).rstrip())


def site_models(options: Mapping[str, Any], console: Console) -> None:
    """Write what site models are worth on the gold sites that have pages enough, for the first extractor named.

    Raises ConfigError when there is no such site.
    """
    from corpus_spider.evaluation.site_models import COLUMNS, LEAST, gains, large_sites, rows, total

    sites = large_sites(load_gold(options["gold"]))
    if not sites:
        raise ConfigError(
            f"has no site with {LEAST} pages", where=str(options["gold"]), do="Add pages, or name their sites."
        )
    with console.progress("pages", sum(map(len, sites.values()))) as show:
        found = list(gains(sites, (*options["extractors"], DEFAULT)[0], show))
    if options["as_json"]:
        console.json([*found, total(found)])
    else:
        console.table("F1 by site", COLUMNS, rows(found))


def write(path: Path, text: str) -> None:
    """Write a text in UTF-8, its folder too where it is not there. Raises DiskError when that fails."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "replace"))
    except OSError as error:
        raise DiskError(f"cannot be written: {error.strerror}", where=str(path), do="Name another place.") from error
