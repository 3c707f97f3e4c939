"""`corpus-spider tune`: find the best extractor and parameter P for a site, on pages with known true text.

The fit is the heuristic fitness function of R2L (section 4.4). It is validated on held-back pages: the pages of the
site are split into halves, and each half is scored with the best candidate for the other half.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from statistics import fmean
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from corpus_spider.lab.fitness import PAPERS_P, FitCandidate, best, candidates, f1_by_page
from corpus_spider.lab.gold import load_gold
from pipelines.extractors.registry import EXTRACTORS, get
from pipelines.page.process import NO_MODEL
from storage import plugins
from storage.errors import ConfigError
from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from corpus_spider.config.model import Config
    from corpus_spider.lab.gold import GoldPage

MIN_RELIABLE_PAGES = 10
"""With fewer pages the result is unreliable."""
LEARNING = ("auto", "scored")
"""Extractors that use the site model."""


@dataclass(frozen=True, slots=True)
class Fit:
    """The best candidate for a site. F1 are means over its pages."""

    site: str
    pages: int
    extractor: str
    p: int | None
    f1: float
    held_back_f1: float
    """Each page is scored with the best candidate for the other half of the pages."""
    present: str
    """The configured extractor of the site, with its P."""
    present_f1: float
    tried: tuple[dict[str, object], ...]
    """Name, best P and F1 of each extractor."""

    @property
    def values(self) -> dict[str, str | int | None]:
        """The keys of the site in corpus.toml."""
        return {"extractor": self.extractor, "p": self.p}

    @property
    def pays(self) -> bool:
        """Whether F1 on held-back pages is higher than with the present extractor."""
        return self.held_back_f1 > self.present_f1


def tune(
    config: Config, site: str, gold: Path, extractors: Sequence[str], progress: Callable[[int], None] = lambda _: None
) -> Fit:
    """Find the best candidate on the gold pages of a site, among these extractors, or all that corpora may use.

    Raises ConfigError if the gold folder has fewer than two pages of the site, or an extractor does not exist.
    """
    pages = pages_of(load_gold(gold), config, site)
    if len(pages) < 2:
        has = counted(len(pages), "page")
        raise ConfigError(
            f'the folder has {has} of the site "{site}"; at least two are needed, twenty are better',
            where=str(gold),
            do='Add pages, with their "site" or "url" in the manifest.',
        )
    if unfit := [name for name in extractors if get(name).evaluation_only]:
        raise ConfigError(
            f"{', '.join(unfit)} cannot be used for a corpus", where="--extractor", do=f"Use {', '.join(storable())}."
        )
    present = present_candidate(config, site)
    names = extractors or storable()
    tried = [candidate for name in names for candidate in candidates(name)]
    configured = next((config.site_model(one) for one in config.sites if one.name == site), NO_MODEL)
    f1 = f1_by_page(pages, list(dict.fromkeys([*tried, present])), progress, configured)
    fitted = {candidate: f1[candidate] for candidate in tried}
    chosen = best(fitted, range(len(pages)))
    rows: list[dict[str, object]] = []
    for name in names:
        own = best({one: scores for one, scores in fitted.items() if one.extractor == name}, range(len(pages)))
        rows.append({"extractor": name, "p": own.p, "f1": round(fmean(fitted[own]), 4)})
    return Fit(
        site=site,
        pages=len(pages),
        extractor=chosen.extractor,
        p=chosen.p,
        f1=fmean(f1[chosen]),
        held_back_f1=held_back(fitted, len(pages)),
        present=f"{present.extractor}{'' if present.p is None else f', p = {present.p}'}",
        present_f1=fmean(f1[present]),
        tried=tuple(rows),
    )


def conclude(fit: Fit, config: Config, *, write: bool) -> list[str]:
    """Write the keys to corpus.toml if they are an improvement. Return notes: the keys, how reliable the result is."""
    from corpus_spider.config.writer import lines, set_site_keys

    notes = []
    if fit.pages < MIN_RELIABLE_PAGES:
        notes.append(f"The result is unreliable: it is from {counted(fit.pages, 'page')} only.")
    if not fit.pays:
        notes.append(f"No improvement: on held-back pages, {fit.present} is as good or better.")
    if config.crawl.site_models and fit.extractor not in LEARNING:
        notes.append(
            f"{' and '.join(LEARNING)} also remove boilerplate that a site model has learned."
            " `evaluate --site-models` shows its effect."
        )
    if write and not fit.pays:
        notes.append("corpus.toml stays unchanged.")
    elif write and config.path is not None:
        set_site_keys(config.path, fit.site, fit.values)
        notes.append(f"Wrote {config.path}.")
    else:
        text = "\n  ".join(lines(fit.values).splitlines())
        there = any(site.name == fit.site for site in config.sites)
        how = "--write adds it" if there else "corpus.toml has no such site yet"
        notes.append(f'For the [[site]] "{fit.site}" in corpus.toml ({how}):\n  {text}')
    return notes


def storable() -> list[str]:
    """Return the extractors that corpora may use, ``auto`` first."""
    names = [one.name for one in EXTRACTORS.values() if not one.evaluation_only]
    return sorted([*names, *plugins.named(plugins.EXTRACTORS)], key=lambda name: (name != "auto", name))


def present_candidate(config: Config, site: str) -> FitCandidate:
    """Return the configured extractor of the site; ``auto`` for an unknown site."""
    found = next((one for one in config.sites if one.name == site), None)
    if found is None:
        return FitCandidate("auto")
    return FitCandidate(found.extractor, found.p or PAPERS_P.get(found.extractor))


def pages_of(pages: Sequence[GoldPage], config: Config, site: str) -> list[GoldPage]:
    """Return the gold pages of a site, in an order that depends only on their ids.

    A page belongs to the site if its ``site`` is the name or a host of the site, or its URL has such a host.
    """
    configured = next((one for one in config.sites if one.name == site), None)
    hosts = {site, *(config.site_model(configured).hosts if configured else ())}
    mine = [page for page in pages if page.site in hosts or _is_within(page.url, hosts)]
    return sorted(mine, key=lambda page: sha256(page.id.encode()).digest())


def held_back(f1: dict[FitCandidate, list[float]], count: int) -> float:
    """Return the mean F1 if each half is scored with the best candidate for the other half. Pages alternate."""
    halves = (range(0, count, 2), range(1, count, 2))
    scores = []
    for seen, unseen in (halves, halves[::-1]):
        chosen = best(f1, seen)
        scores += [f1[chosen][page] for page in unseen]
    return fmean(scores)


def _is_within(url: str | None, hosts: set[str]) -> bool:
    try:
        host = (urlsplit(url or "").hostname or "").removeprefix("www.")
    except ValueError:
        return False
    return any(host == one or host.endswith(f".{one}") for one in hosts)
