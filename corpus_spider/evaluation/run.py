"""Extractors on the gold pages: page by page in turn, scored and timed, so that a busy machine slows all alike.

All are given the same decoded page, its address and its language, and all texts are cleaned as a crawl cleans them.
Those of extractors that corpora can be made with go through all that a crawl does with them (``pipelines.main_text``),
and a text that it would not store is marked as refused. A page that a crawl would not read at all (no HTML,
undecodable) has no text, whoever extracts. Time is processor time of the extraction alone, without what guards others'
code against hostile pages; the first page of each language is read once before, so that no library's start is timed.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from corpus_spider.evaluation.evaluate import (
    NO_EXTRACTOR,
    Keep,
    PageScore,
    Reading,
    Report,
    failure,
    keep_nothing,
    score_reading,
)
from pipelines.extractors import ExtractorOptions, get
from pipelines.main_text import MAX_REPLACED, Source, clean, extract, settle, title_of
from pipelines.process import source_of
from storage.errors import CorpusError
from storage.records import Capture, Drop, SiteModel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from corpus_spider.evaluation.gold import GoldPage
    from pipelines.extractors import Extractor
    from storage.records import Extraction

NO_TEXT, NO_ADDRESS = "no text", "about:blank"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A page ready to be extracted, or why it cannot be."""

    source: Source | None = None
    truth: str = ""
    size: int = 0
    problem: str = ""


def evaluate_extractors(
    pages: Sequence[GoldPage],
    names: Sequence[str],
    progress: Callable[[int], None] = lambda _: None,
    keep: Keep = keep_nothing,
) -> list[Report]:
    """Return the report of each extractor. Raises ConfigError when there is no such extractor.

    ``progress`` hears how many texts are scored, ``keep`` gets them.
    """
    extractors = [get(name) for name in dict.fromkeys(names)]
    scores: dict[str, list[PageScore]] = {extractor.name: [] for extractor in extractors}
    warm: set[tuple[str, str]] = set()
    for number, page in enumerate(pages):
        prepared, turn = prepare(page), number % len(extractors)
        for step, extractor in enumerate(extractors[turn:] + extractors[:turn], start=1):
            if (extractor.name, page.language) not in warm:
                read(extractor, page, prepared)
                warm.add((extractor.name, page.language))
            reading = read(extractor, page, prepared)
            found = score_reading(page, prepared.truth, reading)
            scores[extractor.name].append(found)
            keep(extractor.name, page, reading.text, found)
            progress(number * len(extractors) + step)
    return [Report(name, tuple(found)) for name, found in scores.items()]


def prepare(page: GoldPage) -> Prepared:
    """Read and open a page, as a crawl would that was told no charset; a file that is gone by now is a problem."""
    try:
        truth, body = page.truth(), page.html()
    except OSError as error:
        return Prepared(problem=failure(error))
    source = source_of(Capture(page.url or NO_ADDRESS, datetime.now(UTC), 200, (), (), body))
    if isinstance(source, Drop):
        return Prepared(None, truth, len(body), f"{source.reason}: {source.detail}")
    if source.decoded.replaced > MAX_REPLACED:
        return Prepared(None, truth, len(body), f"undecodable: {source.decoded.encoding}")
    return Prepared(source, truth, len(body))


def read(extractor: Extractor, page: GoldPage, prepared: Prepared) -> Reading:
    """Extract a page's text and time it; whatever goes wrong is the reason why there is none."""
    source, size = prepared.source, prepared.size
    if source is None:
        return Reading("", extractor.name, missing=prepared.problem, size=size)
    try:
        found, seconds = timed(extractor, source.decoded.text, ExtractorOptions(page.url or "", page.language))
        reading = _reading(extractor, found, source, prepared.truth)
    except Exception as error:  # noqa: BLE001 - one page that breaks an extractor must not cost the scores of the others
        return Reading("", extractor.name, missing=failure(error), size=size)
    return replace(reading, size=size, seconds=seconds)


def timed(extractor: Extractor, html: str, options: ExtractorOptions) -> tuple[Extraction, float | None]:
    """Extract, and tell the processor time that took; None where the page was kept from the extractor."""
    ready, problem = extractor.ready(html)
    if problem:
        return extractor.left_out(problem), None
    start = time.thread_time()
    found = extractor.run(ready, options)
    return found, time.thread_time() - start


def _reading(extractor: Extractor, found: Extraction, source: Source, truth: str) -> Reading:
    """Make of an extraction what a crawl makes of it, where a crawl may have it."""
    if extractor.evaluation_only:
        return _described(clean(found), source, truth)
    extraction, outcome = settle(found, source, SiteModel(extractor=extractor.name))
    refused = outcome.reason if isinstance(outcome, Drop) else ""
    return replace(_described(extraction, source, truth), refused=refused if extraction.text else None)


def _described(extraction: Extraction, source: Source, truth: str) -> Reading:
    missing = "" if extraction.text or not truth.strip() else extraction.reason or NO_TEXT
    return Reading(
        extraction.text,
        extraction.extractor,
        title_of(extraction, source.page.metadata),
        missing,
        extraction.reason,
        extraction.confidence,
    )


def dropped(reason: str, model: SiteModel | None, original: Callable[[], Capture]) -> Reading:
    """Read again what a crawl did not store: its text where there is one, marked as refused, else only the reason."""
    try:
        source = source_of(original())
    except (CorpusError, OSError):
        source = Drop(reason)
    if model is not None and isinstance(source, Source) and source.decoded.replaced <= MAX_REPLACED:
        extraction, _ = settle(extract(source, model), source, model)
        if extraction.text:
            return replace(_described(extraction, source, ""), refused=reason)
    return Reading("", NO_EXTRACTOR, missing=reason)
