"""Summaries of scores: means with intervals by extractor and language or site, and paired differences."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict, dataclass
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

from corpus_spider.lab.intervals import Interval, interval
from corpus_spider.lab.reliability import reliability
from corpus_spider.lab.scores import Score
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from corpus_spider.lab.evaluate import PageScore, Report
    from corpus_spider.lab.scores import Measures

ALL, NO_SITE = "all", "(none)"
DIGITS = 4


Cells = dict[str, str | int | float | bool | None]
"""A row of a table, by column."""


@dataclass(frozen=True, slots=True)
class ScoreTables:
    """Scores by extractor and language, by site, by extractor that read the text, by confidence, and by page."""

    summary: list[Cells]
    sites: list[Cells]
    readers: list[Cells]
    reliability: list[Cells]
    pages: list[Cells]


@dataclass(frozen=True, slots=True)
class Summary:
    """Means over some pages. ``empty`` counts pages without text."""

    pages: int
    f1: float
    interval: Interval | None
    """95 % bootstrap interval of the mean F1; None for pages of one site."""
    median: float
    precision: float
    recall: float
    words: Score
    bag: Score
    thai: Score
    empty: int
    refused: int
    """Texts that a crawl would not store."""
    stored_f1: float | None
    """F1 of the texts that a crawl stores, 0 for refused ones; None for extractors that corpora cannot use."""
    mb_per_second: float | None
    """Megabytes (10^6 bytes) of source per second of processor time; None if nothing was timed."""


@dataclass(frozen=True, slots=True)
class F1Difference:
    """Difference of mean F1 to another report on the same pages, with its interval."""

    other: str
    f1: float
    interval: Interval | None


def summarise(scores: Sequence[PageScore]) -> Summary:
    """Return the summary of at least one score."""
    values = [page.score for page in scores]
    return Summary(
        pages=len(values),
        f1=fmean(value.f1 for value in values),
        interval=interval([value.f1 for value in values], _clusters(scores)),
        median=median(value.f1 for value in values),
        precision=fmean(value.precision for value in values),
        recall=fmean(value.recall for value in values),
        words=_mean([page.measures.words for page in scores]),
        bag=_mean([page.measures.bag for page in scores]),
        thai=_mean([page.measures.thai for page in scores]),
        empty=sum(page.empty for page in scores),
        refused=sum(bool(page.refused) for page in scores),
        stored_f1=_stored(scores),
        mb_per_second=_speed(scores),
    )


def grouped(scores: Iterable[PageScore], key: Callable[[PageScore], str]) -> dict[str, list[PageScore]]:
    """Group scores by the key, sorted by key."""
    groups: defaultdict[str, list[PageScore]] = defaultdict(list)
    for page in scores:
        groups[key(page)].append(page)
    return {name: groups[name] for name in sorted(groups)}


def by_language(report: Report) -> dict[str, Summary]:
    """Return a summary for each language of the gold pages."""
    return {name: summarise(scores) for name, scores in grouped(report.scores, lambda page: page.language).items()}


def by_extractor(report: Report) -> dict[str, Summary]:
    """Return a summary for each extractor of a text in the report."""
    return {name: summarise(scores) for name, scores in grouped(report.scores, lambda page: page.extractor).items()}


def by_site(report: Report) -> dict[str, list[PageScore]]:
    """Return the scores of each site, and of the pages without one."""
    return grouped(report.scores, lambda page: page.site or NO_SITE)


def difference(scores: Sequence[PageScore], other: Report) -> F1Difference | None:
    """Return the paired difference of these scores to another report; None if they share no page.

    The interval is that of the differences, so pages that are hard for both do not widen it.
    """
    theirs = {page.page: page.score.f1 for page in other.scores}
    shared = [page for page in scores if page.page in theirs]
    if not shared:
        return None
    differences = [page.score.f1 - theirs[page.page] for page in shared]
    return F1Difference(other.name, fmean(differences), interval(differences, _clusters(shared)))


def named(reports: Iterable[Report], name: str | None) -> Report | None:
    """Return the report of that name; None for the name None. Raises ConfigError if there is no such report."""
    found = {report.name: report for report in reports}
    if name is not None and name not in found:
        raise ConfigError(f"{name!r} is not scored", where="--compare", do=f"Name one of: {', '.join(found)}.")
    return found[name] if name is not None else None


def score_tables(*reports: Report, against: str | None = None) -> ScoreTables:
    """Return the scores of reports as tables.

    ``readers`` counts the extractors of the texts of a corpus or of ``auto``. Scores have four digits. The interval of
    pages of one site is null.
    """
    other = named(reports, against)
    return ScoreTables(
        summary=[row for report in reports for row in rows(report, other)],
        sites=[_site_row(report, site, scores) for report in reports for site, scores in by_site(report).items()],
        readers=[
            {"extractor": report.name, "read_by": reader, "pages": found.pages, "f1": round(found.f1, DIGITS)}
            for report in reports
            for reader, found in by_extractor(report).items()
        ],
        reliability=[row for report in reports for row in _reliability(report)],
        pages=[_page(report.name, page) for report in reports for page in report.scores],
    )


def rows(report: Report, other: Report | None = None) -> list[dict[str, Any]]:
    """Return a row for all pages of a report, as language ``all``, and one for each language."""
    groups = {ALL: list(report.scores)} if report.scores else {}
    groups |= grouped(report.scores, lambda page: page.language)
    return [{"extractor": report.name, "language": name} | _row(scores, other) for name, scores in groups.items()]


def _reliability(report: Report) -> list[dict[str, Any]]:
    found = reliability(report.scores)
    rows = []
    for one in found.bins if found else ():
        row = {"extractor": report.name, "from": one.low, "to": one.high, "pages": one.pages}
        rows.append(_rounded(row | {"expected": one.expected, "f1": one.actual, **_bounds("f1", one.interval)}))
    return rows


def _row(scores: Sequence[PageScore], other: Report | None) -> dict[str, Any]:
    found = summarise(scores)
    row: dict[str, Any] = {"pages": found.pages, "f1": found.f1, **_bounds("f1", found.interval)}
    row |= {"median": found.median, "precision": found.precision, "recall": found.recall}
    for name, measure in _others(found).items():
        row |= {f"{name}_{key}": value for key, value in asdict(measure).items()}
    row |= {"empty": found.empty, "refused": found.refused, "stored_f1": found.stored_f1}
    row |= {"mb_per_second": found.mb_per_second}
    if other is not None and (apart := difference(scores, other)):
        row |= {"against": apart.other, "difference": apart.f1, **_bounds("difference", apart.interval)}
    return _rounded(row)


def _site_row(report: Report, site: str, scores: Sequence[PageScore]) -> dict[str, Any]:
    found = summarise(scores)
    row = {"extractor": report.name, "site": site, "pages": found.pages, "f1": found.f1, "median": found.median}
    return _rounded(row | {"precision": found.precision, "recall": found.recall, "empty": found.empty})


def _page(name: str, page: PageScore) -> dict[str, Any]:
    row: dict[str, Any] = {"page": page.page, "extractor": name, "language": page.language, "site": page.site}
    row |= asdict(page.score)
    row |= {f"{name}_f1": found.f1 for name, found in _others(page.measures).items()}
    row |= {
        "empty": page.empty,
        "missing": page.missing,
        "refused": page.refused,
        "read_by": page.extractor,
        "reason": page.reason,
    }
    milliseconds = None if page.seconds is None else page.seconds * 1000
    return _rounded(row | {"confidence": page.confidence, "bytes": page.size, "milliseconds": milliseconds})


def _others(found: Summary | Measures) -> dict[str, Score]:
    return {"word": found.words, "bag": found.bag, "thai": found.thai}


def _bounds(name: str, found: Interval | None) -> dict[str, float | None]:
    return {f"{name}_low": found.low if found else None, f"{name}_high": found.high if found else None}


def _rounded(row: dict[str, Any]) -> dict[str, Any]:
    return {name: round(value, DIGITS) if isinstance(value, float) else value for name, value in row.items()}


def _mean(scores: Sequence[Score]) -> Score:
    return Score(*(fmean(getattr(score, name) for score in scores) for name in ("precision", "recall", "f1")))


def _stored(scores: Sequence[PageScore]) -> float | None:
    if all(page.refused is None for page in scores):
        return None
    return fmean(0.0 if page.refused else page.score.f1 for page in scores)


def _speed(scores: Sequence[PageScore]) -> float | None:
    timed = [(page.size, page.seconds) for page in scores if page.seconds is not None]
    seconds = sum(taken for _, taken in timed)
    return sum(size for size, _ in timed) / 1e6 / seconds if seconds else None


def _clusters(scores: Sequence[PageScore]) -> list[str]:
    return [page.cluster or page.page for page in scores]
