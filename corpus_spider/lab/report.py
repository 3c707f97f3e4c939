"""Tables of scores: tab-separated, or drawn for a terminal."""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

from corpus_spider.lab.score_table import ALL, POOR_F1, Row, by_extractor, means, named, reliability, summary
from corpus_spider.terminal import layout
from corpus_spider.terminal.console import width
from corpus_spider.terminal.escapes import DIRECTION_MARKS, safe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from corpus_spider.lab.evaluate import Report

MIN_RELIABLE_PAGES = 10
"""A mean over fewer pages is marked as unreliable."""

COLUMNS = {
    "pages": ("pages", "d"),
    "F1": ("f1", ".3f"),
    "95 %": ("f1", ""),
    "median": ("median", ".3f"),
    "P": ("precision", ".3f"),
    "R": ("recall", ".3f"),
    "words": ("word_f1", ".3f"),
    "bag": ("bag_f1", ".3f"),
    "Thai": ("thai_f1", ".3f"),
    "empty": ("empty", "d"),
    "refused": ("refused", "d"),
    "stored": ("stored_f1", ".3f"),
    "MB/s": ("mb_per_second", ".1f"),
}
"""Columns of text: heading, column of the table of scores, and format; "" for its interval."""
MAX_NAMED_PAGES = 10
"""Maximum number of pages without a text that are listed. The rest is counted."""
NOTHING = "-"
_INTERVAL = re.compile(r"(?<=\d) to (?=[-+\d])")


def render(*reports: Report, drawn: bool = False, against: str | None = None) -> str:
    """Return the reports as text: means, F1 by language, and pages without a text with their reasons.

    Tables are tab-separated, or ``drawn`` for a terminal. ``against`` names the report to compare the others with.
    Raises ConfigError if there is no such report.
    """
    draw = partial(table, drawn=drawn)
    other = named(reports, against)
    parts = [_overall(reports, draw)]
    if len(reports) == 1:
        title = f"By language (* fewer than {MIN_RELIABLE_PAGES} pages)"
        rows = [(_marked(name, row), *_cells(row)) for name, row in _by_language(reports[0]).items()]
        parts.append(draw(title, ("language", *COLUMNS), rows))
    else:
        parts.append(_compared(reports, draw))
    parts += [_differences(reports, other, draw)] if other else []
    parts += [_reliability(report, draw) for report in reports if any(page.confidence for page in report.scores)]
    parts += [_missing(report, draw) for report in reports if any(page.missing for page in report.scores)]
    parts += [_refused(report, draw) for report in reports if any(page.refused for page in report.scores)]
    return ("\n" if drawn else "").join(parts)


def _by_language(report: Report) -> dict[str, Row]:
    return {name: row for name, row in summary(report).items() if name != ALL}


def _overall(reports: Sequence[Report], draw: Callable[..., str]) -> str:
    rows = []
    for report in reports:
        rows += [(report.name, *_cells(means(report.scores)))] if report.scores else []
        extractors = by_extractor(report)
        if len(extractors) > 1:
            rows += [(f"  {name}", *_cells(row)) for name, row in extractors.items()]
    return draw("Character LCS against the true text; words, bag, Thai and stored: F1", ("texts", *COLUMNS), rows)


def _compared(reports: Sequence[Report], draw: Callable[..., str]) -> str:
    tables = [_by_language(report) for report in reports]
    rows = []
    for language in sorted({language for table in tables for language in table}):
        found = [table.get(language) for table in tables]
        most = max(filter(None, found), key=lambda row: row["pages"])
        cells = [_cell(row, "F1") if row else NOTHING for row in found]
        rows.append((_marked(language, most), str(most["pages"]), *cells))
    columns = ("language", "pages", *(report.name for report in reports))
    return draw(f"F1 by language (* fewer than {MIN_RELIABLE_PAGES} pages)", columns, rows)


def _differences(reports: Sequence[Report], other: Report, draw: Callable[..., str]) -> str:
    rows = []
    for report in reports:
        for language, row in summary(report, other).items() if report is not other else ():
            if "difference" in row and (language == ALL or row["pages"] >= MIN_RELIABLE_PAGES):
                cells = (str(row["pages"]), f"{row['difference']:+.3f}", _bounds(row, "difference", "+.3f"))
                rows.append((report.name, language, *cells))
    languages = f"languages of fewer than {MIN_RELIABLE_PAGES} pages only in --json"
    title = f"Difference of F1 to {other.name}, page by page ({languages})"
    return draw(title, ("texts", "language", "pages", "difference", "95 %"), rows)


def _reliability(report: Report, draw: Callable[..., str]) -> str:
    found = reliability(report.scores)
    if found is None:
        return ""
    rows = [
        (
            f"{one['from']:g} to {one['to']:g}",
            str(one["pages"]),
            f"{one['expected']:.3f}",
            f"{one['f1']:.3f}",
            _bounds(one, "f1"),
        )
        for one in found.bins
    ]
    ranking = "" if found.ranking is None else f"; AUC for F1 under {POOR_F1:g}: {found.ranking:.3f}"
    title = f"{report.name}: expected and actual F1 (calibration error {found.error:.3f}{ranking})"
    return draw(title, ("expected", "pages", "mean expected", "mean F1", "95 %"), rows)


def _missing(report: Report, draw: Callable[..., str]) -> str:
    missing = [(page.page, page.missing) for page in report.scores if page.missing]
    return _reasons(
        f"{report.name}: {len(missing)} of {len(report.scores)} pages have no text and score 0", missing, draw
    )


def _refused(report: Report, draw: Callable[..., str]) -> str:
    refused = [(page.page, page.refused) for page in report.scores if page.refused]
    title = (
        f"{report.name}: a crawl does not store {len(refused)} of {len(report.scores)} texts; they score 0 in stored"
    )
    return _reasons(title, refused, draw)


def _reasons(title: str, pages: Sequence[tuple[str, str]], draw: Callable[..., str]) -> str:
    counts = [(reason, str(count)) for reason, count in Counter(reason for _, reason in pages).most_common()]
    rest = f"… {len(pages) - MAX_NAMED_PAGES} more; --json lists all\n" if len(pages) > MAX_NAMED_PAGES else ""
    return (
        draw(title, ("reason", "pages"), counts)
        + draw("These pages", ("page", "reason"), pages[:MAX_NAMED_PAGES])
        + rest
    )


def _marked(name: str, row: Row) -> str:
    return f"{name} *" if row["pages"] < MIN_RELIABLE_PAGES else name


def _cells(row: Row) -> tuple[str, ...]:
    return tuple(_cell(row, column) for column in COLUMNS)


def _cell(row: Row, column: str) -> str:
    key, form = COLUMNS[column]
    if not form:
        return _bounds(row, key)
    unknown = row[key] is None or (key == "refused" and row["stored_f1"] is None)
    return NOTHING if unknown else f"{row[key]:{form}}"


def _bounds(row: Row, name: str, form: str = ".3f") -> str:
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return NOTHING if low is None else f"{low:{form}} to {high:{form}}"


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], *, drawn: bool = False) -> str:
    """Return a table, tab-separated or ``drawn`` for the width of the terminal."""
    if not drawn:
        lines = ["\t".join(safe(cell) for cell in row) for row in (columns, *rows)]
        return "\n".join([f"# {safe(title)}", *lines, ""])
    # An interval stays in one piece.
    whole = [[_INTERVAL.sub("\u00a0to\u00a0", safe(cell)) for cell in row] for row in rows]
    lines = layout.table(columns, whole, width()) if whole else []
    return DIRECTION_MARKS.sub("", "\n".join([safe(title), *lines, ""]).replace("\u00a0", " "))
