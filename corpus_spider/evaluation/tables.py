"""The tables of the DANA paper (slides, "Results") and of R2L (Table 2) on any gold set.

F1 by site or by language, an extractor a row; megabytes of source a second; what the best P of each site brings R2L.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING

from corpus_spider.evaluation.evaluate import PageScore, Report, evaluate_texts
from corpus_spider.evaluation.fitness import PAPERS_P, Candidate, best, candidates, f1_by_page
from corpus_spider.evaluation.gold import GoldPage
from corpus_spider.evaluation.report import table
from corpus_spider.evaluation.run import timed
from pipelines.decoding import decode
from pipelines.extractors import DEFAULT_OPTIONS, EXTRACTORS, get

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

HFF = "r2l-nepl"
GROUPS = 12
"""Columns of a table; the sites or languages of most pages have one each."""

ALL, OTHER = "all", "(none)"


@dataclass(frozen=True, slots=True)
class Timed:
    """An extractor's scores and how much source it reads in a second of processor time."""

    report: Report
    megabytes_per_second: float


@dataclass(frozen=True, slots=True)
class BestP:
    """A row of Table 2 of R2L: F1 of a group of pages with the paper's P and with the best one."""

    group: str
    pages: int
    f1: float
    p: int
    best_f1: float


@dataclass(frozen=True, slots=True)
class Tables:
    """``f1`` maps extractors to groups of pages, ``all`` first, to means."""

    f1: dict[str, dict[str, float]]
    megabytes_per_second: dict[str, float]
    best_p: tuple[BestP, ...]


def paper_extractors() -> tuple[str, ...]:
    """Every extractor that a paper describes, by name."""
    ours = {"auto", "density", "scored", "trafilatura"}
    return tuple(sorted(name for name in EXTRACTORS if name not in ours))


def tables(
    pages: Sequence[GoldPage], names: Sequence[str], by: str, progress: Callable[[int], None] = lambda _: None
) -> Tables:
    """Score and time extractors, page by page in turn so that a busy machine slows all alike.

    ``by`` is ``site`` or ``language``. Raises ConfigError when there is no such extractor.
    """
    timed = measure(pages, names, progress)
    groups = largest(pages, by)
    rows = {name: _means(one.report.scores, by, groups) for name, one in timed.items()}
    speeds = {name: one.megabytes_per_second for name, one in timed.items()}
    return Tables(rows, speeds, best_ps(pages, by) if HFF in names else ())


def measure(pages: Sequence[GoldPage], names: Sequence[str], progress: Callable[[int], None]) -> dict[str, Timed]:
    """Return scores and speed of each extractor; a page's time is that of extracting from its decoded source."""
    runs = {name: get(name) for name in names}
    seconds, size = dict.fromkeys(names, 0.0), 0
    scores: dict[str, list[PageScore]] = {name: [] for name in names}
    for count, page in enumerate(pages, start=1):
        source = page.html()
        html, size = decode(source).text, size + len(source)
        for name, extractor in runs.items():
            found, taken = timed(extractor, html, DEFAULT_OPTIONS)
            seconds[name] += taken or 0.0
            scores[name] += evaluate_texts([page], name, partial(_given, found.text)).scores
        progress(count)
    return {name: Timed(Report(name, tuple(scores[name])), size / 1e6 / (seconds[name] or 1e-9)) for name in names}


def _given(text: str, _page: GoldPage) -> str:
    return text


def group_of(page: GoldPage | PageScore, by: str) -> str:
    """Return the site or the language of a page."""
    if by == "language":
        return page.language
    return (page.group if isinstance(page, GoldPage) else page.site) or OTHER


def largest(pages: Sequence[GoldPage], by: str) -> list[str]:
    """Return the groups of most pages, in the order of their names."""
    counts = Counter(group for page in pages if (group := group_of(page, by)) != OTHER)
    return sorted(name for name, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:GROUPS])


def _means(scores: Sequence[PageScore], by: str, groups: Sequence[str]) -> dict[str, float]:
    found = {ALL: fmean(page.score.f1 for page in scores)}
    for group in groups:
        found[group] = fmean(page.score.f1 for page in scores if group_of(page, by) == group)
    return found


def best_ps(pages: Sequence[GoldPage], by: str) -> tuple[BestP, ...]:
    """Fit P on each of the largest groups, as the paper does: on the pages that are scored."""
    rows = []
    for group in largest(pages, by):
        members = [page for page in pages if group_of(page, by) == group]
        f1 = f1_by_page(members, candidates(HFF))
        found = best(f1, range(len(members)))
        usual = Candidate(HFF, PAPERS_P[HFF])
        rows.append(BestP(group, len(members), fmean(f1[usual]), found.p or 0, fmean(f1[found])))
    return tuple(rows)


def render(found: Tables, by: str, *, drawn: bool = False) -> str:
    """Return the tables as plain text, tab-separated or ``drawn``."""
    draw = partial(table, drawn=drawn)
    groups = list(next(iter(found.f1.values())))
    f1 = [(name, *(f"{means[group]:.3f}" for group in groups)) for name, means in found.f1.items()]
    speed = [(name, f"{value:.1f}") for name, value in found.megabytes_per_second.items()]
    parts = [
        draw(f"F1 by {by}: character LCS against the true text", ("extractor", *groups), f1),
        draw("Megabytes of source a second of processor time", ("extractor", "MB/s"), speed),
    ]
    if found.best_p:
        rows = [(row.group, str(row.pages), f"{row.f1:.3f}", str(row.p), f"{row.best_f1:.3f}") for row in found.best_p]
        head = (by, "pages", f"F1, P = {PAPERS_P[HFF]}", "best P", "F1, best P")
        parts.append(draw("R2L with the P that fits best, on the pages it was fitted on", head, rows))
    return ("\n" if drawn else "").join(parts)
