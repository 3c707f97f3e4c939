"""The extractors, or a corpus, against gold pages: what `corpus-spider evaluate` does."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from corpus_spider.evaluation import evaluate_corpus, evaluate_texts, load_gold
from storage.records import Capture, Selection, SiteModel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from corpus_spider.config import Config
    from corpus_spider.console import Console
    from corpus_spider.evaluation import GoldPage, Report


class NoTextError(Exception):
    """A page of which a crawl would keep nothing."""


def assess(gold: Path, extractors: tuple[str, ...], console: Console) -> list[Report]:
    """Score each extractor on the pages of a gold folder, through the whole of a page's processing.

    Raises ConfigError when the folder or an extractor is not there.
    """
    from pipelines.extractors import get

    pages, names = load_gold(gold), [get(name).name for name in extractors or ("auto",)]
    reports = []
    with console.progress("pages", len(pages) * len(names)) as show:
        for done, name in enumerate(names):
            reports.append(evaluate_texts(pages, name, _counted(reader(name), show, done * len(pages))))
    return reports


def assess_corpus(gold: Path, config: Config, console: Console) -> list[Report]:
    """Score the texts that a corpus holds of the gold pages, crawled from a server whose URLs carry their ids."""
    from storage.corpus import Corpus

    pages = load_gold(gold)
    config.require_corpus()
    with (
        Corpus.open(config.database_url, read_only=True) as corpus,
        console.progress("pages", len(pages)) as show,
    ):
        drops = {dropped.url: dropped.reason for dropped in corpus.drops()}
        documents = corpus.documents(Selection(include_duplicates=True))
        return [evaluate_corpus(pages, documents, drops, config.corpus.name, show)]


def paper_tables(options: Mapping[str, Any], console: Console) -> None:
    """Write the papers' tables for a gold folder, of the extractors named or of every one a paper describes."""
    from corpus_spider.evaluation.tables import paper_extractors, render, tables

    pages, by = load_gold(options["gold"]), options["paper_tables"]
    with console.progress("pages", len(pages)) as show:
        found = tables(pages, options["extractors"] or paper_extractors(), by, show)
    console.json(found) if options["as_json"] else console.result(render(found, by, drawn=console.on_terminal).rstrip())


def reader(extractor: str) -> Callable[[GoldPage], str]:
    """Return a function that makes the text of a gold page as a crawl would, however short it is."""
    from pipelines.process import process

    model = SiteModel(extractor=extractor, min_chars=1)

    def read(page: GoldPage) -> str:
        capture = Capture(page.url or "about:blank", datetime.now(UTC), 200, (), (), page.html())
        processed = process(capture, model)
        if processed.document is None:
            raise NoTextError(processed.drop.reason if processed.drop else "empty")
        return processed.document.text

    return read


def _counted(read: Callable[[GoldPage], str], show: Callable[[int], None], done: int) -> Callable[[GoldPage], str]:
    """Return the same function, telling how many pages it has read."""
    count = done

    def counted(page: GoldPage) -> str:
        nonlocal count
        count += 1
        show(count)
        return read(page)

    return counted
