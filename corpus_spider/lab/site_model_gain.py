"""Effect of site models: score each gold page with and without a model learned from the other pages of its site.

The weights in use were trained on some of these pages, so both figures may be slightly too high.
``benchmarks/site_models.py`` uses weights that have seen no page of the site.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from statistics import fmean
from typing import TYPE_CHECKING

from corpus_spider.lab.scores import score
from pipelines.extractors.auto.blocks.template_learning import THRESHOLDS, learn
from pipelines.page.process import process, survey
from storage.bytes.lines import digest, pack
from storage.documents.own_lines import LinedText, PageLines, find_own_lines
from storage.documents.text_conditions import section_of
from storage.records import Capture, SiteModel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from corpus_spider.lab.gold import GoldPage
    from storage.records import Document

MIN_SITE_PAGES = 5
"""Minimum pages of a site."""
ENOUGH = replace(THRESHOLDS, sample=MIN_SITE_PAGES - 1)
"""Thresholds for one page less than a crawl needs, because the scored page is left out."""


@dataclass(frozen=True, slots=True)
class SiteGain:
    """Pages of a site, mean F1 without and with a model, and number of pages that the model changed."""

    site: str
    pages: int
    without: float
    with_model: float
    changed: int

    @property
    def gain(self) -> float:
        """F1 with a model minus F1 without."""
        return self.with_model - self.without


def large_sites(pages: Iterable[GoldPage]) -> dict[str, list[GoldPage]]:
    """Return the sites with enough pages: their pages by name."""
    sites = defaultdict(list)
    for page in pages:
        sites[page.cluster].append(page)
    return {site: sites[site] for site in sorted(sites) if len(sites[site]) >= MIN_SITE_PAGES}


def gains(
    sites: dict[str, list[GoldPage]], extractor: str = "auto", progress: Callable[[int], None] = lambda _: None
) -> Iterator[SiteGain]:
    """Score the pages of each site with and without a model learned from its other pages."""
    done = 0
    for site, pages in sites.items():
        yield _gain(site, pages, SiteModel(site, extractor=extractor, min_chars=1))
        done += len(pages)
        progress(done)


def total(found: Sequence[SiteGain]) -> SiteGain:
    """Return the total over sites, weighted by pages. There must be at least one page."""
    weights = [each.pages for each in found]
    without, with_model = (
        fmean(values, weights) for values in ([each.without for each in found], [each.with_model for each in found])
    )
    return SiteGain("all", sum(weights), without, with_model, sum(each.changed for each in found))


def rows(found: Sequence[SiteGain]) -> list[tuple[str, str, str, str, str, str]]:
    """Return a row of text for each site and for all, in the order of `COLUMNS`."""
    return [
        (
            *(each.site, str(each.pages), f"{each.without:.4f}", f"{each.with_model:.4f}"),
            *(f"{each.gain:+.4f}", str(each.changed)),
        )
        for each in (*found, total(found))
    ]


COLUMNS = ("site", "pages", "without", "with", "gain", "changed")


def _gain(site: str, pages: Sequence[GoldPage], model: SiteModel) -> SiteGain:
    captures = [Capture(page.url or "about:blank", datetime.now(UTC), 200, (), (), page.html()) for page in pages]
    surveys = [survey(capture) for capture in captures]
    alone = [process(capture, model).document for capture in captures]
    lined = [_lined(page, document) for page, document in zip(pages, alone, strict=True) if document]
    scores, changed = [], 0
    for index, (page, capture) in enumerate(zip(pages, captures, strict=True)):
        learned = learn(surveys[:index] + surveys[index + 1 :], ENOUGH)
        seen = PageLines(learned.on_pages, learned.pages)
        own_lines = find_own_lines([each for other, each in lined if other != page], seen)
        taught = replace(model, template=learned.template, own_lines=pack(own_lines))
        texts = [_text(alone[index]), _text(process(capture, taught).document)]
        scores.append([score(text, page.truth(), page.title).f1 for text in texts])
        changed += texts[0] != texts[1]
    without, with_model = (fmean(column) for column in zip(*scores, strict=True))
    return SiteGain(site, len(pages), without, with_model, changed)


def _lined(page: GoldPage, document: Document) -> tuple[GoldPage, LinedText]:
    lines = frozenset(map(digest, filter(str.strip, document.text.split("\n"))))
    return page, LinedText(lines, document.metadata.author or "", section_of(page.url or ""))


def _text(document: Document | None) -> str:
    return document.text if document else ""
