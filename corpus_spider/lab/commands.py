"""`corpus-spider evaluate`: score extractors or a corpus against gold pages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

from corpus_spider.lab import (
    GoldPage,
    PageScore,
    Report,
    ScoreTables,
    doubts,
    evaluate_corpus,
    evaluate_extractors,
    load_gold,
    render,
    score_tables,
)
from storage.documents.selection import Selection
from storage.errors import ConfigError, DiskError
from storage.warc import read_record

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from corpus_spider.config.model import Config
    from corpus_spider.lab.evaluate import EvaluatedText
    from corpus_spider.lab.site_model_gain import SiteGain
    from corpus_spider.lab.tables import Tables
    from corpus_spider.lab.worst import WorstTexts
    from storage.corpus import Corpus
    from storage.reporting import Progress

DEFAULT = "auto"


@dataclass(frozen=True, slots=True)
class Keepers:
    """Receivers of each text and its score: a folder, and the collection of the worst pages."""

    folder: Path | None = None
    worst: WorstTexts | None = None

    def __call__(self, name: str, page: GoldPage, text: str, found: PageScore, /) -> None:
        """Pass a text to both. Raises DiskError if it cannot be written."""
        if self.worst is not None:
            self.worst(name, page, text, found)
        if self.folder is not None:
            write(self.folder / (re.sub(r"[^\w-]", "_", name) or "_") / f"{page.id}.txt", text)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Scores of extractors and of a corpus."""

    reports: tuple[Report, ...]
    against: str | None
    """The report that the others are compared with."""
    doubts: tuple[str, ...]
    """Warnings about true texts."""

    @property
    def tables(self) -> ScoreTables:
        """The scores as `--json` writes them."""
        return score_tables(*self.reports, against=self.against)

    def text(self, *, drawn: bool) -> str:
        """Return the scores as text, ``drawn`` for a terminal."""
        return render(*self.reports, drawn=drawn, against=self.against).rstrip()


def assess(options: Mapping[str, Any], config: Config, load: Callable[[Path], Config], show: Progress) -> Evaluation:
    """Score extractors or a corpus as the options of `evaluate` say, and write the files that they name.

    ``config`` has the rules of sites. ``load`` loads the configuration of a corpus. Raises ConfigError if the gold
    folder, an extractor or a corpus does not exist.
    """
    _check_options(options)
    pages = load_gold(options["gold"])
    worst = None
    if options["html"]:
        from corpus_spider.lab.worst import WorstTexts, as_html

        worst = WorstTexts(options["worst"])
    keepers = Keepers(options["output"], worst)
    names, against = list(options["extractors"]), options["compare"]
    reports = []
    if options["corpus"]:
        reports.append(_corpus(pages, load(options["corpus"]), show, keepers))
    elif not names:
        names.append(DEFAULT)
    if against is not None and against not in {*names, *(report.name for report in reports)}:
        names.append(against)
    if names:
        texts = len(pages) * len(set(names))
        reports += evaluate_extractors(pages, names, lambda done: show("texts", done, texts), keepers, config)
    if worst is not None:
        write(options["html"], as_html(reports, worst.cases()))
    return Evaluation(tuple(reports), against, tuple(doubts(pages)))


def _check_options(options: Mapping[str, Any]) -> None:
    if options["html"] and not options["html"].absolute().parent.is_dir():
        raise ConfigError("the folder does not exist", where=str(options["html"]), do="Create the folder first.")


def _corpus(pages: Sequence[GoldPage], config: Config, show: Progress, keep: Keepers) -> Report:
    """Score the documents of a corpus for the gold pages, matched by URL or by an id in the URL."""
    from storage.corpus import Corpus

    config.require_corpus()
    with Corpus.open(config.database_url, read_only=True) as corpus:
        drops = _drops(pages, config, corpus)
        documents, scored = corpus.documents(Selection(include_duplicates=True)), count(1)

        def kept(name: str, page: GoldPage, text: str, found: PageScore, /) -> None:
            keep(name, page, text, found)
            show("pages", next(scored), len(pages))

        return evaluate_corpus(pages, documents, drops, config.corpus.name, kept)


def _drops(pages: Sequence[GoldPage], config: Config, corpus: Corpus) -> dict[str, EvaluatedText]:
    """Return the gold pages without a document, by URL. Those with a text are extracted again from the WARC."""
    from corpus_spider.crawling.site_models import ConfiguredModels
    from corpus_spider.lab.evaluate import keys
    from corpus_spider.lab.scoring_run import dropped

    models, key_of = ConfiguredModels(config, corpus).newest, keys(pages)
    wanted = {page.url: page for page in corpus.fetches.drops() if key_of(page.url)}
    return {
        url: dropped(page.reason, models.get(page.site), partial(read_record, config.originals, page.pointer))
        for url, page in wanted.items()
    }


def paper_tables(options: Mapping[str, Any], show: Progress) -> Tables:
    """Return the papers' tables for a gold folder, for the named extractors or for all that papers describe."""
    from corpus_spider.lab.tables import paper_extractors, tables

    pages, names = load_gold(options["gold"]), options["extractors"] or paper_extractors()
    return tables(pages, names, options["paper_tables"], lambda done: show("pages", done, len(pages)))


def site_models(options: Mapping[str, Any], show: Progress) -> list[SiteGain]:
    """Return the F1 with and without site models, for gold sites with enough pages and the first named extractor.

    Raises ConfigError if there is no such site.
    """
    from corpus_spider.lab.site_model_gain import MIN_SITE_PAGES, gains, large_sites

    sites = large_sites(load_gold(options["gold"]))
    if not sites:
        raise ConfigError(
            f"no site has {MIN_SITE_PAGES} pages", where=str(options["gold"]), do="Add pages, or name their sites."
        )
    pages = sum(map(len, sites.values()))
    return list(gains(sites, (*options["extractors"], DEFAULT)[0], lambda done: show("pages", done, pages)))


def write(path: Path, text: str) -> None:
    """Write a text in UTF-8, and create its folder. Raises DiskError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "replace"))
    except OSError as error:
        raise DiskError(f"cannot be written: {error.strerror}", where=str(path), do="Name another place.") from error
