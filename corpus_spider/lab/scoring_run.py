"""Run extractors on the gold pages: page by page in turn, so that other load on the machine slows all equally.

All extractors get the same decoded page, its URL and its language. All texts are cleaned as in a crawl. Texts of
extractors that corpora may use pass all steps of a crawl (``pipelines.page.postprocess``); a text that a crawl would
not store is marked as refused. A page that a crawl cannot process (no HTML, undecodable) has no text for any extractor.
Time is processor time of the extraction, without the checks that protect libraries from hostile pages. The first page
of each language is extracted once before, so that the start of a library is not timed.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from corpus_spider.lab.evaluate import (
    NO_EXTRACTOR,
    EvaluatedText,
    PageScore,
    Report,
    TextReceiver,
    failure,
    keep_nothing,
    score_reading,
)
from pipelines.extractors.base import ExtractorOptions
from pipelines.extractors.registry import get
from pipelines.page.postprocess import MAX_REPLACED, ParsedPage, clean, extract, judge, tidy, title_of
from pipelines.page.process import NO_MODEL, source_of
from storage.errors import CorpusError
from storage.records import Capture, Drop, SiteModel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from corpus_spider.config.model import Config
    from corpus_spider.lab.gold import GoldPage
    from pipelines.extractors.base import Extractor
    from storage.records import Extraction

NO_TEXT, NO_ADDRESS = "no text", "about:blank"


@dataclass(frozen=True, slots=True)
class PreparedPage:
    """A page ready for extraction, or the problem that prevents it."""

    source: ParsedPage | None = None
    truth: str = ""
    size: int = 0
    problem: str = ""


def evaluate_extractors(
    pages: Sequence[GoldPage],
    names: Sequence[str],
    progress: Callable[[int], None] = lambda _: None,
    keep: TextReceiver = keep_nothing,
    config: Config | None = None,
) -> list[Report]:
    """Return the report of each extractor. Raises ConfigError if an extractor does not exist.

    ``progress`` gets the number of scored texts, ``keep`` each text. The rules of a site of ``config`` apply to its
    pages, except ``content``: the extractors find the text.
    """
    extractors = [get(name) for name in dict.fromkeys(names)]
    scores: dict[str, list[PageScore]] = {extractor.name: [] for extractor in extractors}
    warm: set[tuple[str, str]] = set()
    for number, page in enumerate(pages):
        site = config.site_at(page.url) if config and page.url else None
        model = config.site_model(site) if config and site else NO_MODEL
        prepared, turn = prepare(page, model), number % len(extractors)
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


def prepare(page: GoldPage, model: SiteModel = NO_MODEL) -> PreparedPage:
    """Read and parse a page as in a crawl of its site, without a declared charset. A missing file is a problem.

    No rule of the site selects the text.
    """
    try:
        truth, body = page.truth(), page.html()
    except OSError as error:
        return PreparedPage(problem=failure(error))
    capture = Capture(page.url or NO_ADDRESS, datetime.now(UTC), 200, (), (), body)
    source = source_of(capture, model.with_extractor(model.extractor))
    if isinstance(source, Drop):
        return PreparedPage(None, truth, len(body), f"{source.reason}: {source.detail}")
    if source.decoded.replaced > MAX_REPLACED:
        return PreparedPage(None, truth, len(body), f"undecodable: {source.decoded.encoding}")
    return PreparedPage(source, truth, len(body))


def read(extractor: Extractor, page: GoldPage, prepared: PreparedPage) -> EvaluatedText:
    """Extract the text of a page and time it. An error becomes the reason why there is no text."""
    source, size = prepared.source, prepared.size
    if source is None:
        return EvaluatedText("", extractor.name, missing=prepared.problem, size=size)
    try:
        found, seconds = timed(extractor, source.html, ExtractorOptions(page.url or "", page.language))
        reading = _reading(extractor, found, source, prepared.truth)
    except Exception as error:  # noqa: BLE001 - an error on one page must not lose the other scores
        return EvaluatedText("", extractor.name, missing=failure(error), size=size)
    return replace(reading, size=size, seconds=seconds)


def timed(extractor: Extractor, html: str, options: ExtractorOptions) -> tuple[Extraction, float | None]:
    """Extract a text. Return it with the processor time in seconds; None if the page was not given to the extractor."""
    ready, problem = extractor.ready(html)
    if problem:
        return extractor.left_out(problem), None
    start = time.thread_time()
    found = extractor.run(ready, options)
    return found, time.thread_time() - start


def _reading(extractor: Extractor, found: Extraction, source: ParsedPage, truth: str) -> EvaluatedText:
    """Process an extraction as in a crawl, if corpora may use the extractor."""
    if extractor.evaluation_only:
        return _described(clean(found), source, truth)
    extraction = tidy(found, source.page)
    outcome = judge(extraction, source, SiteModel(extractor=extractor.name))
    refused = outcome.reason if isinstance(outcome, Drop) else ""
    return replace(_described(extraction, source, truth), refused=refused if extraction.text else None)


def _described(extraction: Extraction, source: ParsedPage, truth: str) -> EvaluatedText:
    missing = "" if extraction.text or not truth.strip() else extraction.reason or NO_TEXT
    return EvaluatedText(
        extraction.text,
        extraction.extractor,
        title_of(extraction, source.page.metadata),
        missing,
        extraction.reason,
        extraction.confidence,
    )


def dropped(reason: str, model: SiteModel | None, original: Callable[[], Capture]) -> EvaluatedText:
    """Extract the text of a dropped page again. Return it marked as refused, or only the reason if there is none."""
    try:
        source = source_of(original(), model or NO_MODEL)
    except (CorpusError, OSError):
        source = Drop(reason)
    if model is not None and isinstance(source, ParsedPage) and source.decoded.replaced <= MAX_REPLACED:
        extraction = tidy(extract(source, model), source.page)
        if extraction.text:
            return replace(_described(extraction, source, ""), refused=reason)
    return EvaluatedText("", NO_EXTRACTOR, missing=reason)
