"""Scores summed up, as a table for people or JSON for programs."""

from __future__ import annotations

import io
import json
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass
from functools import partial
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

from corpus_spider.console import safe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from corpus_spider.evaluation.evaluate import PageScore, Report

FEW = 10
"""A mean over fewer pages is an anecdote and marked as one."""

COLUMNS = ("pages", "F1", "median", "P", "R", "empty")
NAMED = 10
"""Pages without a text that are named to people; the rest are counted."""
WIDTH = 400
DIGITS = 4


@dataclass(frozen=True, slots=True)
class Summary:
    """Means over some pages; ``empty`` counts those without any text."""

    pages: int
    f1: float
    median: float
    precision: float
    recall: float
    empty: int


def summarise(scores: Sequence[PageScore]) -> Summary:
    """Return the summary of one or more scores."""
    values = [page.score for page in scores]
    return Summary(
        pages=len(values),
        f1=fmean(value.f1 for value in values),
        median=median(value.f1 for value in values),
        precision=fmean(value.precision for value in values),
        recall=fmean(value.recall for value in values),
        empty=sum(page.empty for page in scores),
    )


def grouped(scores: Iterable[PageScore], key: Callable[[PageScore], str]) -> dict[str, Summary]:
    """Return a summary for each value of the key, in its order."""
    groups: defaultdict[str, list[PageScore]] = defaultdict(list)
    for page in scores:
        groups[key(page)].append(page)
    return {name: summarise(groups[name]) for name in sorted(groups)}


def by_language(report: Report) -> dict[str, Summary]:
    """Return a summary for each language of the gold pages."""
    return grouped(report.scores, lambda page: page.language)


def by_extractor(report: Report) -> dict[str, Summary]:
    """Return a summary for each extractor that had a text in the report."""
    return grouped(report.scores, lambda page: page.extractor)


def as_json(*reports: Report) -> str:
    """Return the reports as JSON: all pages, means over all, by language and by extractor; scores to four digits."""
    return json.dumps({"reports": [_plain(report) for report in reports]}, ensure_ascii=False, indent=2)


def render(*reports: Report, drawn: bool = False) -> str:
    """Return the reports as plain text: means of each, F1 by language, and pages without a text with the reason.

    Tables are tab-separated, or ``drawn`` for a terminal.
    """
    draw = partial(table, drawn=drawn)
    parts = [_overall(reports, draw)]
    parts += [_languages(reports[0], draw)] if len(reports) == 1 else [_compared(reports, draw)]
    parts += [_missing(report, draw) for report in reports if any(page.missing for page in report.scores)]
    return ("\n" if drawn else "").join(parts)


def _overall(reports: Sequence[Report], draw: Callable[..., str]) -> str:
    rows = []
    for report in reports:
        rows += [(report.name, *_cells(summarise(report.scores)))] if report.scores else []
        extractors = by_extractor(report)
        if len(extractors) > 1:
            rows += [(f"  {name}", *_cells(summary)) for name, summary in extractors.items()]
    return draw("Character LCS against the true text", ("texts", *COLUMNS), rows)


def _languages(report: Report, draw: Callable[..., str]) -> str:
    rows = [(_marked(name, summary), *_cells(summary)) for name, summary in by_language(report).items()]
    return draw(f"By language (* fewer than {FEW} pages)", ("language", *COLUMNS), rows)


def _compared(reports: Sequence[Report], draw: Callable[..., str]) -> str:
    tables = [by_language(report) for report in reports]
    languages = sorted({language for table in tables for language in table})
    rows = []
    for language in languages:
        summaries = [table.get(language) for table in tables]
        largest = max((summary for summary in summaries if summary), key=lambda summary: summary.pages)
        cells = [f"{summary.f1:.3f}" if summary else "-" for summary in summaries]
        rows.append((_marked(language, largest), str(largest.pages), *cells))
    columns = ("language", "pages", *(report.name for report in reports))
    return draw(f"F1 by language (* fewer than {FEW} pages)", columns, rows)


def _missing(report: Report, draw: Callable[..., str]) -> str:
    missing = [page for page in report.scores if page.missing]
    counts = [(reason, str(count)) for reason, count in Counter(page.missing for page in missing).most_common()]
    title = f"{report.name}: {len(missing)} of {len(report.scores)} pages without a text, scored 0"
    pages = [(page.page, page.missing) for page in missing[:NAMED]]
    rest = f"… {len(missing) - NAMED} more; --json has all\n" if len(missing) > NAMED else ""
    return draw(title, ("reason", "pages"), counts) + draw("Such pages", ("page", "reason"), pages) + rest


def _marked(name: str, summary: Summary) -> str:
    return f"{name} *" if summary.pages < FEW else name


def _cells(summary: Summary) -> tuple[str, ...]:
    shares = (summary.f1, summary.median, summary.precision, summary.recall)
    return (str(summary.pages), *(f"{share:.3f}" for share in shares), str(summary.empty))


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], *, drawn: bool = False) -> str:
    """Return a table tab-separated or ``drawn``, without colours; cells are text, whatever markup they look like."""
    if not drawn:
        lines = ["\t".join(safe(cell) for cell in row) for row in (columns, *rows)]
        return "\n".join([f"# {safe(title)}", *lines, ""])
    return _drawn(title, columns, rows)


def _drawn(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD)
    for position, column in enumerate(columns):
        table.add_column(Text(column), justify="right" if position else "left", no_wrap=True)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console = Console(file=io.StringIO(), width=WIDTH, color_system=None, force_terminal=False)
    with console.capture() as captured:
        console.print(Text(title))
        console.print(table)
    return "\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n"


def _plain(report: Report) -> dict[str, Any]:
    return {
        "name": report.name,
        "all": _rounded(summarise(report.scores)) if report.scores else None,
        "languages": {name: _rounded(summary) for name, summary in by_language(report).items()},
        "extractors": {name: _rounded(summary) for name, summary in by_extractor(report).items()},
        "pages": [_page(page) for page in report.scores],
    }


def _page(page: PageScore) -> dict[str, Any]:
    fields = asdict(page)
    return {**fields, "score": {name: round(value, DIGITS) for name, value in fields["score"].items()}}


def _rounded(summary: Summary) -> dict[str, float | int]:
    return {
        name: round(value, DIGITS) if isinstance(value, float) else value for name, value in asdict(summary).items()
    }
