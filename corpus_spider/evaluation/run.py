"""Extractors on the gold pages: page by page in turn, scored and timed, so that a busy machine slows all alike.

All are given the same decoded page, its address and its language, and all texts are cleaned as a crawl cleans them. A
page that a crawl would not read at all (no HTML, undecodable) has no text, whoever extracts. Time is processor time of
the extraction alone; the first page of each language is read once before, so that no library's start is timed.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus_spider.evaluation.evaluate import (
    Keep,
    PageScore,
    Reading,
    Report,
    failure,
    keep_nothing,
    score_reading,
)
from pipelines import decoding, sniff
from pipelines.extractors import ExtractorOptions, get
from pipelines.process import HTML, MAX_REPLACED, clean

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from corpus_spider.evaluation.gold import GoldPage
    from pipelines.extractors import Extractor

NO_TEXT = "no text"


@dataclass(frozen=True, slots=True)
class Source:
    """A page ready to be extracted, or why it cannot be."""

    html: str = ""
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
        source, turn = prepare(page), number % len(extractors)
        for step, extractor in enumerate(extractors[turn:] + extractors[:turn], start=1):
            if (extractor.name, page.language) not in warm:
                read(extractor, page, source)
                warm.add((extractor.name, page.language))
            reading = read(extractor, page, source)
            found = score_reading(page, source.truth, reading)
            scores[extractor.name].append(found)
            keep(extractor.name, page, reading.text, found)
            progress(number * len(extractors) + step)
    return [Report(name, tuple(found)) for name, found in scores.items()]


def prepare(page: GoldPage) -> Source:
    """Read and decode a page, as a crawl would that was told no charset; a file that is gone by now is a problem."""
    try:
        truth, body = page.truth(), page.html()
    except OSError as error:
        return Source(problem=failure(error))
    media = sniff.sniff(body, None)
    if media not in HTML:
        return Source("", truth, len(body), f"not_html: {media}")
    decoded = decoding.decode(body, None)
    if decoded.replaced > MAX_REPLACED:
        return Source("", truth, len(body), f"undecodable: {decoded.encoding}")
    return Source(decoded.text, truth, len(body))


def read(extractor: Extractor, page: GoldPage, source: Source) -> Reading:
    """Extract a page's text and time it; whatever goes wrong is the reason why there is none."""
    if source.problem:
        return Reading("", extractor.name, missing=source.problem, size=source.size)
    options = ExtractorOptions(url=page.url or "", language=page.language)
    start = time.thread_time()
    try:
        extraction = extractor.extract(source.html, options)
    except Exception as error:  # noqa: BLE001 - one page that breaks an extractor must not cost the scores of the others
        return Reading("", extractor.name, missing=failure(error), size=source.size)
    seconds = time.thread_time() - start
    extraction = clean(extraction)
    return Reading(
        extraction.text,
        extraction.extractor,
        missing="" if extraction.text or not source.truth.strip() else extraction.reason or NO_TEXT,
        reason=extraction.reason,
        confidence=extraction.confidence,
        size=source.size,
        seconds=seconds,
    )
