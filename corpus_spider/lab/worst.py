"""HTML page of the worst texts beside their true texts. It loads nothing and has no scripts.

Its content comes from the web. So all text is escaped, control and bidirectional characters are replaced, and the
content security policy allows only the page's own style.
"""

from __future__ import annotations

import heapq
import re
from base64 import b64encode
from dataclasses import dataclass, field
from hashlib import sha256
from html import escape
from typing import TYPE_CHECKING

from corpus_spider.lab.score_table import ALL, Reliability, reliability, score_tables
from corpus_spider.lab.words import coded, spans
from corpus_spider.terminal.escapes import CONTROLS
from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from corpus_spider.lab.evaluate import PageScore, Report
    from corpus_spider.lab.gold import GoldPage
    from corpus_spider.lab.score_table import Row

MAX_WORDS = 4000
"""Words of a text that are shown and compared. The comparison needs their square in bits."""
MAX_CHARS = 60_000
"""Characters of a text that are shown."""
SIDE, MARGIN, DOT = 300, 40, 12
"""Pixels of a diagram: its side, its margin, and the radius of its largest dot."""

STYLE = """
body { font: 16px/1.5 sans-serif; margin: 2rem auto; max-width: 90rem; padding: 0 1rem; color: #111; background: #fff }
table { border-collapse: collapse } td, th { padding: .1rem .7rem; text-align: right; border-bottom: 1px solid #ccc }
td:first-child, th:first-child { text-align: left } h2 { margin-top: 3rem; font-size: 1.1rem; overflow-wrap: anywhere }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 2rem } .pair > div { min-width: 0; overflow-wrap: anywhere }
.pair p { margin: 0 0 .6rem } .about { color: #555; overflow-wrap: anywhere }
.extra { background: #fdd; text-decoration: line-through } .missing { background: #dfd; text-decoration: underline }
"""
_POLICY = f"default-src 'none'; style-src 'sha256-{b64encode(sha256(STYLE.encode()).digest()).decode()}'"
_HEAD = f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>Extracted and true texts</title>
<style>{STYLE}</style>
</head>
<body>
<h1>Extracted and true texts</h1>"""
_LEGEND = """<p>Words <mark class="extra">like this</mark> are not in the true text. Words
<mark class="missing">like this</mark> are missing from the extracted text.</p>"""

_UNSHOWABLE = re.compile(f"[\\x00-\\x08\\x0b-\\x1f{CONTROLS}]")
_MEANT = {"\u200e", "\u200f", "\u061c"}


@dataclass(frozen=True, slots=True)
class ScoredText:
    """One text of one page, and its score."""

    name: str
    page: GoldPage
    text: str
    found: PageScore


@dataclass(slots=True)
class WorstTexts:
    """Collects the ``count`` texts with the lowest F1 of each report."""

    count: int
    _heaps: dict[str, list[tuple[float, str, ScoredText]]] = field(default_factory=dict)

    def __call__(self, name: str, page: GoldPage, text: str, found: PageScore, /) -> None:
        """Add one text."""
        heap = self._heaps.setdefault(name, [])
        heapq.heappush(heap, (-found.score.f1, page.id, ScoredText(name, page, text[: MAX_CHARS + 1], found)))
        if len(heap) > self.count:
            heapq.heappop(heap)

    def cases(self) -> list[ScoredText]:
        """Return the collected texts, report by report, worst first."""
        return [case for heap in self._heaps.values() for *_, case in sorted(heap, reverse=True)]


def as_html(reports: Sequence[Report], cases: Iterable[ScoredText]) -> str:
    """Return the page: a table by report and language, diagrams of expected and actual F1, and the cases."""
    parts = [_HEAD, _table(reports), *map(_diagram, reports), _LEGEND, *map(_section, cases), "</body>", "</html>", ""]
    return "\n".join(parts)


def _table(reports: Sequence[Report]) -> str:
    columns = ("extractor", "language", "pages", "f1", "f1_low", "f1_high", "median", "precision", "recall", "empty")
    found = sorted(score_tables(*reports).summary, key=lambda row: row["language"] != ALL)
    head = "".join(f"<th>{name}</th>" for name in columns)
    body = "\n".join(
        "<tr>" + "".join(f"<td>{_shown(_cell(row[name]))}</td>" for name in columns) + "</tr>" for row in found
    )
    return f"<table>\n<tr>{head}</tr>\n{body}\n</table>"


def _diagram(report: Report) -> str:
    found = reliability(report.scores)
    return f"<h2>{_shown(report.name)}: expected and actual F1</h2>\n{as_svg(found)}" if found else ""


def as_svg(found: Reliability) -> str:
    """Draw actual over expected F1. Each bin is a dot, larger for more pages, with its interval.

    Dots on the diagonal are well calibrated.
    """
    most = max(one["pages"] for one in found.bins)
    side = SIDE + 2 * MARGIN
    marks = "".join(_ticks() + [_mark(one, most) for one in found.bins])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}" width="{side}" height="{side}" role="img"'
        ' font-family="sans-serif" font-size="12"><title>Expected and actual F1</title>'
        f'<path d="M{_x(0)} {_y(1)}V{_y(0)}H{_x(1)}M{_x(0)} {_y(0)}L{_x(1)} {_y(1)}" fill="none" stroke="#888"/>'
        f'<text x="{_x(0.5)}" y="{side - 8}" text-anchor="middle">expected F1</text>'
        f'<text x="{_x(0)}" y="{MARGIN - 12}" text-anchor="middle">actual F1</text>{marks}</svg>'
    )


def _ticks() -> list[str]:
    return [
        f'<text x="{_x(at)}" y="{_y(0) + 16}" text-anchor="middle">{at:g}</text>'
        f'<text x="{_x(0) - 6}" y="{_y(at) + 4}" text-anchor="end">{at:g}</text>'
        for at in (0.0, 0.5, 1.0)
    ]


def _mark(one: Row, most: int) -> str:
    x, size = _x(one["expected"]), max(2.0, DOT * (one["pages"] / most) ** 0.5)
    bar = ""
    if one["f1_low"] is not None:
        bar = f'<path d="M{x} {_y(one["f1_low"])}V{_y(one["f1_high"])}" stroke="#36c"/>'
    title = f"{counted(one['pages'], 'page')}: expected {one['expected']:.3f}, actual {one['f1']:.3f}"
    return f'{bar}<circle cx="{x}" cy="{_y(one["f1"])}" r="{size:.1f}" fill="#36c"><title>{title}</title></circle>'


def _x(value: float) -> float:
    return round(MARGIN + SIDE * value, 1)


def _y(value: float) -> float:
    return round(MARGIN + SIDE * (1 - value), 1)


def _cell(value: object) -> str:
    return "-" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)


def _section(case: ScoredText) -> str:
    found, page = case.found, case.page
    scores = f"F1 {found.score.f1:.3f}, P {found.score.precision:.3f}, R {found.score.recall:.3f}"
    facts = (page.language, page.site, page.url, f"extractor {found.extractor}", found.reason, found.missing)
    about = " · ".join(_shown(part) for part in facts if part)
    text, truth = compared(case.text, _truth(page))
    return (
        f'<section>\n<h2>{_shown(page.id)}: {_shown(case.name)}, {scores}</h2>\n<p class="about">{about}</p>\n'
        f'<div class="pair">\n<div>\n<h3>Extracted</h3>\n{text}\n</div>\n'
        f"<div>\n<h3>True text</h3>\n{truth}\n</div>\n</div>\n</section>"
    )


def _truth(page: GoldPage) -> str:
    try:
        return page.truth()
    except OSError:
        return ""


def compared(text: str, truth: str) -> tuple[str, str]:
    """Return both texts as HTML paragraphs. Words that the other text does not have in order are marked."""
    from rapidfuzz.distance import LCSseq

    texts = [_plain(one) for one in (text, truth)]
    places = [_places(one) for one in texts]
    codes = coded(*([one[start:end] for start, end in where] for one, where in zip(texts, places, strict=True)))
    lacking: tuple[set[int], set[int]] = (set(), set())
    for edit in LCSseq.editops(codes[0], codes[1]):
        if edit.tag == "delete":
            lacking[0].add(edit.src_pos)
        else:
            lacking[1].add(edit.dest_pos)
    found, true = (
        _paragraphs(one, _ranges(one, where, marks), kind)
        for one, where, marks, kind in zip(texts, places, lacking, ("extra", "missing"), strict=True)
    )
    return found, true


def _places(text: str) -> list[tuple[int, int]]:
    return [place for _, place in zip(range(MAX_WORDS), spans(text), strict=False)]


def _ranges(text: str, places: Sequence[tuple[int, int]], marked: Collection[int]) -> Iterator[tuple[int, int]]:
    """Yield the ranges of marked words. Adjacent words on a line are one range."""
    start = end = -1
    for number in sorted(marked):
        first, last = places[number]
        if start >= 0 and number - 1 in marked and "\n" not in text[end:first]:
            end = last
            continue
        if start >= 0:
            yield start, end
        start, end = first, last
    if start >= 0:
        yield start, end


def _paragraphs(text: str, ranges: Iterable[tuple[int, int]], kind: str) -> str:
    parts, done = [], 0
    for start, end in ranges:
        parts.append(f'{escape(text[done:start])}<mark class="{kind}">{escape(text[start:end])}</mark>')
        done = end
    lines = "".join([*parts, escape(text[done:])]).split("\n")
    return "\n".join(f'<p dir="auto">{line}</p>' for line in lines if line.strip()) or "<p>(nothing)</p>"


def _plain(text: str) -> str:
    """Cut a text to the shown length, and replace control and bidirectional characters."""
    places = _places(text[:MAX_CHARS])
    end = places[-1][1] if len(places) == MAX_WORDS else MAX_CHARS
    shown = _UNSHOWABLE.sub(_replaced, text[:end].replace("\r", "\n"))
    return f"{shown}\n…" if len(text) > end else shown


def _replaced(match: re.Match[str]) -> str:
    return match[0] if match[0] in _MEANT else "\ufffd"


def _shown(text: str) -> str:
    return escape(_plain(text).replace("\n", " "))
