"""Heuristic fitness function of R2L (section 4.4), for the parameter P and for the choice of an extractor.

It tries every candidate on pages with known true text and takes the highest mean F1. The paper says only that it
"heuristically calculates the best value for parameter P for each special web site" in [1, 20]. Among equal candidates
the smallest P and the first extractor win.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from corpus_spider.lab.scores import score
from corpus_spider.lab.scoring_run import prepare
from pipelines.extractors.base import ExtractorOptions
from pipelines.extractors.papers import line_density
from pipelines.extractors.registry import get
from pipelines.page.postprocess import tidy, title_of
from pipelines.page.process import NO_MODEL

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from corpus_spider.lab.gold import GoldPage
    from pipelines.page.postprocess import ParsedPage
    from storage.records import Extraction, SiteModel

P_INTERVAL = range(1, 21)
PAPERS_P: Mapping[str, int] = {
    line_density.R2L: line_density.R2L_P,
    line_density.R2L_NEPL: line_density.R2L_P,
    line_density.DANA: line_density.DANA_P,
    line_density.DANA_PAPER: line_density.DANA_P,
}
"""Extractors with a parameter P, and its value in the paper."""


@dataclass(frozen=True, slots=True)
class FitCandidate:
    """An extractor and its parameter P. None means no parameter, or the paper's value."""

    extractor: str
    p: int | None = None


def candidates(extractor: str) -> list[FitCandidate]:
    """Return the candidates of an extractor: one for every P in [1, 20], or one without P."""
    return [FitCandidate(extractor, p) for p in P_INTERVAL] if extractor in PAPERS_P else [FitCandidate(extractor)]


def f1_by_page(
    pages: Sequence[GoldPage],
    tried: Sequence[FitCandidate],
    progress: Callable[[int], None] = lambda _: None,
    model: SiteModel = NO_MODEL,
) -> dict[FitCandidate, list[float]]:
    """Return the F1 of each candidate on each page, for the text that a crawl of its site would store.

    Raises ConfigError if an extractor does not exist.
    """
    runs = {candidate: get(candidate.extractor).extract for candidate in tried}
    found: dict[FitCandidate, list[float]] = {candidate: [] for candidate in tried}
    for count, page in enumerate(pages, start=1):
        prepared = prepare(page, model)
        for candidate, run in runs.items():
            options = ExtractorOptions(url=page.url or "", p=candidate.p)
            source = prepared.source
            f1 = _f1(run(source.html, options), source, page.title, prepared.truth) if source else 0.0
            found[candidate].append(f1)
        progress(count)
    return found


def _f1(extraction: Extraction, source: ParsedPage, title: str | None, truth: str) -> float:
    """Score the text that a crawl would make of an extraction. Without a gold title, that of the page is used."""
    made = tidy(extraction, source.page)
    return score(made.text, truth, title or title_of(made, source.page.metadata)).f1


def best(f1: Mapping[FitCandidate, Sequence[float]], pages: Sequence[int]) -> FitCandidate:
    """Return the candidate with the highest mean F1 on these pages (indices); the first one among equals."""
    return max(f1, key=lambda candidate: fmean(f1[candidate][page] for page in pages))
