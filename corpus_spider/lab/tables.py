"""Tables of the DANA paper (slides, "Results") and of R2L (Table 2) for any gold set.

F1 by site or language with one row for each extractor, megabytes of source per second, and F1 of R2L with the best P.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING

from corpus_spider.lab.evaluate import EvaluatedText, PageScore, score_reading
from corpus_spider.lab.fitness import PAPERS_P, FitCandidate, best, candidates, f1_by_page
from corpus_spider.lab.gold import GoldPage
from corpus_spider.lab.report import table
from corpus_spider.lab.score_table import ALL, means
from corpus_spider.lab.scoring_run import timed
from pipelines.decoding.decode import decode
from pipelines.extractors.base import DEFAULT_OPTIONS
from pipelines.extractors.registry import EXTRACTORS, get

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

HFF = "r2l-nepl"
MAX_GROUPS = 12
"""Maximum number of columns. The sites or languages with most pages get one each."""

OTHER = "(none)"


@dataclass(frozen=True, slots=True)
class BestP:
    """A row of Table 2 of R2L: F1 of a group of pages with the paper's P and with the best P."""

    group: str
    pages: int
    f1: float
    p: int
    best_f1: float


@dataclass(frozen=True, slots=True)
class Tables:
    """The papers' tables. ``f1`` has the mean F1 by extractor and group of pages, ``all`` first."""

    f1: dict[str, dict[str, float]]
    megabytes_per_second: dict[str, float]
    best_p: tuple[BestP, ...]


def paper_extractors() -> tuple[str, ...]:
    """Return the names of all extractors that papers describe."""
    ours = {"auto", "density", "scored", "trafilatura"}
    return tuple(sorted(name for name in EXTRACTORS if name not in ours))


def tables(
    pages: Sequence[GoldPage], names: Sequence[str], by: str, progress: Callable[[int], None] = lambda _: None
) -> Tables:
    """Score and time extractors, page by page in turn, so that other load on the machine slows all equally.

    ``by`` is ``site`` or ``language``. Raises ConfigError if an extractor does not exist.
    """
    runs, groups = {name: get(name) for name in names}, largest(pages, by)
    scores: dict[str, list[PageScore]] = {name: [] for name in names}
    for count, page in enumerate(pages, start=1):
        source, truth = page.html(), page.truth()
        html = decode(source).text
        for name, extractor in runs.items():
            found, seconds = timed(extractor, html, DEFAULT_OPTIONS)
            reading = EvaluatedText(found.text, name, size=len(source), seconds=seconds)
            scores[name].append(score_reading(page, truth, reading))
        progress(count)
    rows = {name: _f1(found, by, groups) for name, found in scores.items()}
    speeds = {name: means(found)["mb_per_second"] or 0.0 for name, found in scores.items()}
    return Tables(rows, speeds, best_ps(pages, by) if HFF in names else ())


def group_of(page: GoldPage | PageScore, by: str) -> str:
    """Return the site or the language of a page."""
    if by == "language":
        return page.language
    return (page.group if isinstance(page, GoldPage) else page.site) or OTHER


def largest(pages: Sequence[GoldPage], by: str) -> list[str]:
    """Return the groups with most pages, sorted by name."""
    counts = Counter(group for page in pages if (group := group_of(page, by)) != OTHER)
    return sorted(name for name, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MAX_GROUPS])


def _f1(scores: Sequence[PageScore], by: str, groups: Sequence[str]) -> dict[str, float]:
    found = {ALL: fmean(page.score.f1 for page in scores)}
    for group in groups:
        found[group] = fmean(page.score.f1 for page in scores if group_of(page, by) == group)
    return found


def best_ps(pages: Sequence[GoldPage], by: str) -> tuple[BestP, ...]:
    """Fit P on each of the largest groups. As in the paper, it is fitted on the pages that are scored."""
    rows = []
    for group in largest(pages, by):
        members = [page for page in pages if group_of(page, by) == group]
        f1 = f1_by_page(members, candidates(HFF))
        found = best(f1, range(len(members)))
        usual = FitCandidate(HFF, PAPERS_P[HFF])
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
        draw("Megabytes of source per second of processor time", ("extractor", "MB/s"), speed),
    ]
    if found.best_p:
        rows = [(row.group, str(row.pages), f"{row.f1:.3f}", str(row.p), f"{row.best_f1:.3f}") for row in found.best_p]
        head = (by, "pages", f"F1, P = {PAPERS_P[HFF]}", "best P", "F1, best P")
        parts.append(draw("R2L with the best P, on the pages it was fitted on", head, rows))
    return ("\n" if drawn else "").join(parts)
