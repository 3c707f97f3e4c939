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

from corpus_spider.lab.reliability import as_svg, reliability
from corpus_spider.lab.summary import ALL, rows
from corpus_spider.lab.words import coded, spans
from corpus_spider.terminal.escapes import CONTROLS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from corpus_spider.lab.evaluate import PageScore, Report
    from corpus_spider.lab.gold import GoldPage

MAX_WORDS = 4000
"""Words of a text that are shown and compared. The comparison needs their square in bits."""
MAX_CHARS = 60_000
"""Characters of a text that are shown."""

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
    found = [row for report in reports for row in rows(report)]
    found.sort(key=lambda row: row["language"] != ALL)
    head = "".join(f"<th>{name}</th>" for name in columns)
    body = "\n".join(
        "<tr>" + "".join(f"<td>{_shown(_cell(row[name]))}</td>" for name in columns) + "</tr>" for row in found
    )
    return f"<table>\n<tr>{head}</tr>\n{body}\n</table>"


def _diagram(report: Report) -> str:
    found = reliability(report.scores)
    return f"<h2>{_shown(report.name)}: expected and actual F1</h2>\n{as_svg(found)}" if found else ""


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
