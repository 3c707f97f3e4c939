"""The table of scores: a row of plain values for each group of pages of an extractor.

`report` makes text of it, ``--json`` writes it, `worst` shows it as HTML. Pinned floors are its rows.

Reliability compares the confidence of an extractor (expected F1) with the actual F1. Pages are binned by expected F1.
The expected calibration error is the mean distance of both, weighted by pages. Ranking is the AUC of confidence for
poor texts: the probability that a page with F1 below ``POOR_F1`` has less confidence than another page. After Guo et
al., "On Calibration of Modern Neural Networks", ICML 2017, section 2.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from dataclasses import asdict, dataclass
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

from corpus_spider.lab.intervals import interval
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from corpus_spider.lab.evaluate import PageScore, Report

ALL, NO_SITE = "all", "(none)"
DIGITS = 4
EDGES = (0.0, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 1.0)
"""Bounds of the bins of expected F1. They are narrower where most pages are."""
POOR_F1 = 0.5
"""A text with a lower F1 is poor."""


Cells = dict[str, str | int | float | bool | None]
"""A row of a table, by column."""
Row = dict[str, Any]
"""The same where it is computed or shown. Its numbers are not rounded."""


@dataclass(frozen=True, slots=True)
class ScoreTables:
    """Scores by extractor and language, by site, by extractor that read the text, by confidence, and by page."""

    summary: list[Cells]
    sites: list[Cells]
    readers: list[Cells]
    reliability: list[Cells]
    pages: list[Cells]


@dataclass(frozen=True, slots=True)
class Reliability:
    """Non-empty bins, the expected calibration error, and the AUC for poor texts (None without poor texts)."""

    bins: tuple[Row, ...]
    """Pages with an expected F1 ``from`` a bound ``to`` the next: means of expected and actual F1."""
    error: float
    ranking: float | None


def score_tables(*reports: Report, against: str | None = None) -> ScoreTables:
    """Return the scores of reports as tables.

    ``readers`` counts the extractors of the texts of a corpus or of ``auto``. Scores have four digits. The interval of
    pages of one site is null.
    """
    other = named(reports, against)
    tables = ScoreTables([], [], [], [], [])
    for report in reports:
        of = {"extractor": report.name}
        tables.summary.extend(_rounded(of | {"language": key} | row) for key, row in summary(report, other).items())
        for site, scores in grouped(report.scores, lambda page: page.site or NO_SITE).items():
            row = means(scores)
            columns = ("pages", "f1", "median", "precision", "recall", "empty")
            tables.sites.append(_rounded(of | {"site": site} | {key: row[key] for key in columns}))
        for reader, row in by_extractor(report).items():
            tables.readers.append(_rounded(of | {"read_by": reader, "pages": row["pages"], "f1": row["f1"]}))
        found = reliability(report.scores)
        tables.reliability.extend(_rounded(of | row) for row in (found.bins if found else ()))
        tables.pages.extend(_page(report.name, page) for page in report.scores)
    return tables


def summary(report: Report, other: Report | None = None) -> dict[str, Row]:
    """Return a row for all pages of a report, as language ``all``, and one for each language."""
    groups = {ALL: list(report.scores)} if report.scores else {}
    groups |= grouped(report.scores, lambda page: page.language)
    return {name: means(scores) | (difference(scores, other) if other else {}) for name, scores in groups.items()}


def by_extractor(report: Report) -> dict[str, Row]:
    """Return a row for each extractor of a text in the report."""
    return {name: means(scores) for name, scores in grouped(report.scores, lambda page: page.extractor).items()}


def means(scores: Sequence[PageScore]) -> Row:
    """Return the means over at least one page, with a 95 % bootstrap interval of F1.

    ``empty`` counts pages without text, ``refused`` texts that a crawl would not store. ``stored_f1`` has 0 for refused
    texts. It is None for extractors that corpora cannot use. ``mb_per_second`` are megabytes (10^6 bytes) of source per
    second of processor time; None if nothing was timed.
    """
    values = [page.score for page in scores]
    f1 = [value.f1 for value in values]
    row: Row = {"pages": len(scores), "f1": fmean(f1), **_bounds("f1", f1, scores), "median": median(f1)}
    row |= {name: fmean(getattr(value, name) for value in values) for name in ("precision", "recall")}
    for name, measure in (("word", "words"), ("bag", "bag"), ("thai", "thai")):
        others = [getattr(page.measures, measure) for page in scores]
        row |= {f"{name}_{key}": fmean(getattr(one, key) for one in others) for key in ("precision", "recall", "f1")}
    row |= {"empty": sum(page.empty for page in scores), "refused": sum(bool(page.refused) for page in scores)}
    judged = any(page.refused is not None for page in scores)
    row["stored_f1"] = fmean(0.0 if page.refused else page.score.f1 for page in scores) if judged else None
    timed = [(page.size, page.seconds) for page in scores if page.seconds is not None]
    seconds = sum(taken for _, taken in timed)
    return row | {"mb_per_second": sum(size for size, _ in timed) / 1e6 / seconds if seconds else None}


def difference(scores: Sequence[PageScore], other: Report) -> Row:
    """Return the paired difference of these scores to another report; no columns if they share no page.

    The interval is that of the differences, so pages that are hard for both do not widen it.
    """
    theirs = {page.page: page.score.f1 for page in other.scores}
    shared = [page for page in scores if page.page in theirs]
    if not shared:
        return {}
    values = [page.score.f1 - theirs[page.page] for page in shared]
    return {"against": other.name, "difference": fmean(values), **_bounds("difference", values, shared)}


def reliability(scores: Sequence[PageScore]) -> Reliability | None:
    """Compare expected with actual F1. Return None if no page has a confidence."""
    groups: defaultdict[int, list[PageScore]] = defaultdict(list)
    ranked = []
    for page in scores:
        if page.confidence is not None:
            place = min(max(bisect_right(EDGES, page.confidence) - 1, 0), len(EDGES) - 2)
            groups[place].append(page)
            ranked.append((page.confidence, page.score.f1 < POOR_F1))
    if not ranked:
        return None
    bins = tuple(_bin(place, groups[place]) for place in sorted(groups))
    error = sum(one["pages"] * abs(one["expected"] - one["f1"]) for one in bins) / len(ranked)
    return Reliability(bins, error, _ranking(ranked))


def grouped(scores: Iterable[PageScore], key: Callable[[PageScore], str]) -> dict[str, list[PageScore]]:
    """Group scores by the key, sorted by key."""
    groups: defaultdict[str, list[PageScore]] = defaultdict(list)
    for page in scores:
        groups[key(page)].append(page)
    return {name: groups[name] for name in sorted(groups)}


def named(reports: Iterable[Report], name: str | None) -> Report | None:
    """Return the report of that name; None for the name None. Raises ConfigError if there is no such report."""
    found = {report.name: report for report in reports}
    if name is not None and name not in found:
        raise ConfigError(f"{name!r} is not scored", where="--compare", do=f"Name one of: {', '.join(found)}.")
    return found[name] if name is not None else None


def _page(name: str, page: PageScore) -> Cells:
    row: Row = {"page": page.page, "extractor": name, "language": page.language, "site": page.site}
    row |= asdict(page.score)
    row |= {"word_f1": page.measures.words.f1, "bag_f1": page.measures.bag.f1, "thai_f1": page.measures.thai.f1}
    row |= {"empty": page.empty, "missing": page.missing, "refused": page.refused}
    row |= {"read_by": page.extractor, "reason": page.reason, "confidence": page.confidence, "bytes": page.size}
    return _rounded(row | {"milliseconds": None if page.seconds is None else page.seconds * 1000})


def _bin(place: int, pages: Sequence[PageScore]) -> Row:
    f1 = [page.score.f1 for page in pages]
    row: Row = {"from": EDGES[place], "to": EDGES[place + 1], "pages": len(pages)}
    expected = fmean(page.confidence or 0.0 for page in pages)
    return row | {"expected": expected, "f1": fmean(f1), **_bounds("f1", f1, pages)}


def _ranking(pages: Sequence[tuple[float, bool]]) -> float | None:
    """Return how often a poor page has less confidence than another page. Ties count half."""
    poor, good = ([expected for expected, is_poor in pages if is_poor is kind] for kind in (True, False))
    if not poor or not good:
        return None
    wins = sum((one < other) + (one == other) / 2 for one in poor for other in good)
    return wins / (len(poor) * len(good))


def _bounds(name: str, values: Sequence[float], scores: Sequence[PageScore]) -> Row:
    found = interval(values, [page.cluster or page.page for page in scores])
    return {f"{name}_low": found.low if found else None, f"{name}_high": found.high if found else None}


def _rounded(row: Row) -> Cells:
    return {name: round(value, DIGITS) if isinstance(value, float) else value for name, value in row.items()}
