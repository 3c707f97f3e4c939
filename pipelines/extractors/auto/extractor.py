"""The default extractor: the model and the rules (``selection``), and other readings where they cannot see the text.

The table has the mean F1 on 801 pages with their true text, most of them news. F1 is computed from the longest common
subsequence of characters without white space; the title is optional. The weights of ``auto`` had not seen the page's
site or, in the second row, its source: a collection of pages with its own years, layouts and policy. ``now`` are pages
of 2020 and later. ``few`` are Vietnamese, Arabic, Persian, Urdu, Thai and Hebrew together.

========================= ===== ===== ===== ===== ===== ===== ===== =====
extractor                   all   now    en    zh    pl    ru    el   few
n                           801   109   322   228    61    60    45    36
========================= ===== ===== ===== ===== ===== ===== ===== =====
auto, left-out sites       .941  .942  .923  .958  .950  .948  .983  .981
auto, left-out sources     .935  .943  .910  .957  .956  .948  .977  .980
density                    .909  .898  .889  .946  .891  .899  .950  .960
readability                .899  .905  .866  .938  .908  .909  .972  .953
trafilatura                .888  .904  .904  .919  .838  .787  .827  .926
resiliparse                .854  .839  .869  .873  .794  .736  .846  .916
========================= ===== ===== ===== ===== ===== ===== ===== =====

(readability-lxml 0.9, trafilatura 2.3.1, resiliparse 2.0.1; ``benchmarks/left_out.py``.) Intervals are of the
bootstrap by site. With sites left out ``auto`` leads trafilatura by .053 [.041, .068], on pages of 2020 and later by
.038 [.015, .064], on English pages by .018 [.005, .031]. With sources left out it leads by .048, on English pages by
.005.

Pages with an expected F1 under ``SURE_F1`` (two in a hundred) are read under their headline (``selection``). Pages
that strain the parser are read by ``density``. ``density`` as a second opinion on pages of low expected F1 was removed:
with sites left out it lost .24 of F1 on each of 15 composed pages, most of them short, and gained .28 on one gold page.

A page may show almost nothing until a script runs. Then the text comes from the first of these places that has a free
article: the body in JSON-LD, the content of ``noscript``, shadow trees, the state of the page's scripts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pipelines.classification import soft_errors
from pipelines.extractors.auto import density, selection
from pipelines.extractors.auto.rule_tables import SURE_F1
from pipelines.extractors.auto.rules import script_state
from pipelines.extractors.auto.rules.rule import Rule, apply_rules
from pipelines.extractors.base import DEFAULT_OPTIONS, ExtractorOptions
from pipelines.markup.page_view import PageView
from pipelines.markup.soup import collapsed, scan
from pipelines.metadata import jsonld
from pipelines.text.scripts import size
from storage.records import Extraction

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipelines.extractors.auto.selection import BlockEvidence, SelectedText
    from pipelines.extractors.explanation import Explanation

NAME, VERSION = "auto", "28"

MIN_SECOND_READING_CHARS = 200
"""Characters without white space. A shorter second reading is compared with the first."""
MAX_MENU_CHARS, MIN_PARAGRAPH_CHARS = 1000, 60
"""Characters of a text that may be only menus, and of a line that may be a paragraph of the article."""
WHOLE_STATE_SHARE = 0.5
"""Share of the shown text that is in the state of scripts, from which the text there is its whole."""
BEGUN, MUCH_MORE = 1.5, 3
"""Times longer that the text in the state of scripts must be: if the page shows its beginning, and if not."""
REPLACING_FACTOR = 2
"""Times longer that one reading must be to replace the other."""

_NOSCRIPT = re.compile(r"<(/?)noscript(?:\s[^<>]*)?>", re.IGNORECASE)
_TEMPLATE = re.compile(r"(</?template(?:\s[^<>]*)?>)", re.IGNORECASE)
_NAME = re.compile("template", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")


def extract(html: str, options: ExtractorOptions = DEFAULT_OPTIONS) -> Extraction:
    """Extract the main text. The extraction names the extractor that was used, and why."""
    return _find(html, options).extraction


def explain(html: str, options: ExtractorOptions = DEFAULT_OPTIONS) -> Explanation:
    """Explain ``extract`` by the blocks of the extractor that was used. A text from elsewhere has no blocks."""
    extraction, evidence = _find(html, options)
    if evidence is None or extraction.extractor == density.NAME:
        return density.explain_as(extraction, html)
    if extraction.extractor == NAME:
        evidence = replace(evidence, chosen=np.zeros_like(evidence.chosen))
    return selection.explained(evidence, extraction)


class _EvidencedExtraction(NamedTuple):
    """An extraction, and the evidence of ``selection`` for it."""

    extraction: Extraction
    evidence: BlockEvidence | None


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A page with its reading by ``selection``, and the second reading that replaces it."""

    view: PageView
    options: ExtractorOptions
    reading: SelectedText
    shown: Extraction
    """The reading as an extraction."""
    found: _EvidencedExtraction | None = None


def _find(html: str, options: ExtractorOptions) -> _EvidencedExtraction:
    view = options.view(html)
    reading = selection.read(view, options.template)
    page = apply_rules(SECOND_READINGS, ReadPage(view, options, reading, reading.extraction))
    return page.found or _EvidencedExtraction(page.shown, reading.evidence)


def _if_little(read: Callable[[ReadPage], _EvidencedExtraction | None]) -> Callable[[ReadPage], ReadPage]:
    """Make a rule of a second reading of a page that shows almost nothing, unless another one found the article."""

    def second(page: ReadPage) -> ReadPage:
        if page.found or sum(map(len, page.reading.paragraphs)) >= MAX_MENU_CHARS:
            return page
        found = read(page)
        return replace(page, found=found) if found else page

    return second


def _by_density(page: ReadPage) -> ReadPage:
    """Read a page by ``density`` that strains the parser or has no block."""
    reading = page.reading
    if page.found or not reading.problem:
        return page
    found = density.find(scan(page.view.html), reading.problem)
    return replace(page, found=_EvidencedExtraction(found, reading.evidence))


def _stated(page: ReadPage) -> _EvidencedExtraction | None:
    """Return the body in the page's JSON-LD, if it is long, free to read and not shown.

    If a part of it is shown, that part may be all that is free.
    """
    if "articleBody" not in page.view.html:
        return None
    body = jsonld.article_body(page.view.jsonld)
    lines = tuple(line for part in body.splitlines() if (line := collapsed(part)))
    found = Extraction(lines, NAME, VERSION, "from the page's JSON-LD, as none of it is shown", kinds="p" * len(lines))
    long = _size(found) >= REPLACING_FACTOR * max(MIN_SECOND_READING_CHARS, _size(page.shown))
    packed = "".join(body.split())
    apart = not any(
        "".join(line.split())[:MIN_SECOND_READING_CHARS] in packed
        for line in page.shown.paragraphs
        if len(line) >= MIN_PARAGRAPH_CHARS
    )
    if not (long and apart) or soft_errors.stub(page.view, 0, MIN_SECOND_READING_CHARS):
        return None
    return _EvidencedExtraction(found, page.reading.evidence)


def _unscripted(page: ReadPage) -> _EvidencedExtraction | None:
    """Return the page with its ``noscript`` content, if that is an article: long, sure, free and not shown."""
    before, *pieces = _NOSCRIPT.split(page.view.html)
    ends, texts = pieces[::2], pieces[1::2]
    if sum(len(_TAG.sub("", text)) for end, text in zip(ends, texts, strict=True) if not end) < MAX_MENU_CHARS:
        return None
    reading = selection.read(PageView("".join((before, *texts))), page.options.template)
    found = reading.extraction
    if reading.confidence < SURE_F1 or _size(found) < max(MAX_MENU_CHARS, REPLACING_FACTOR * _size(page.shown)):
        return None
    if soft_errors.stub(page.view, 0, MIN_SECOND_READING_CHARS):
        return None
    reason = f"{found.reason}, in what the page has for readers without scripts"
    return _EvidencedExtraction(replace(found, reason=reason), reading.evidence)


def _shadowed(page: ReadPage) -> _EvidencedExtraction | None:
    """Return the page with its shadow trees, if they hold an article: long, sure and not shown."""
    if "shadowroot" not in page.view.html:
        return None
    reading = selection.read(PageView(_opened(page.view.html)), page.options.template)
    found = reading.extraction
    if reading.confidence < SURE_F1 or _size(found) < REPLACING_FACTOR * max(
        MIN_SECOND_READING_CHARS, _size(page.shown)
    ):
        return None
    return _EvidencedExtraction(replace(found, reason=f"{found.reason}, in shadow trees"), reading.evidence)


def _opened(html: str) -> str:
    """Turn the shadow trees of a page into plain elements. Other templates stay.

    >>> _opened('<x-y><template shadowrootmode="open">a<template>b</template></template></x-y>')
    '<x-y><div shadowrootmode="open">a<template>b</template></div></x-y>'
    """
    pieces, open_ones = list[str](), list[str]()
    for piece in _TEMPLATE.split(html):
        name = ""
        if piece.startswith("</"):
            name = open_ones.pop() if open_ones and _TEMPLATE.fullmatch(piece) else ""
        elif _TEMPLATE.fullmatch(piece):
            name = "div" if "shadowroot" in piece else "template"
            open_ones.append(name)
        pieces.append(piece if name != "div" else _NAME.sub("div", piece, count=1))
    return "".join(pieces)


def _kept(page: ReadPage) -> _EvidencedExtraction | None:
    """Return the body in the state of the page's scripts, if it is long, free to read and not shown.

    A page may show its beginning. Then the body need not be that much longer.
    """
    shown, lines = page.shown, script_state.article_body(page.view, page.options.url)
    found = Extraction(lines, NAME, VERSION, "from the state of the page's scripts", kinds="p" * len(lines))
    letters, packed = sum(map(size, lines)), "".join("".join(lines).split())
    begun = sum(len(line) for line in shown.paragraphs if "".join(line.split())[:MIN_PARAGRAPH_CHARS] in packed)
    more = BEGUN if begun >= WHOLE_STATE_SHARE * len(shown.text) > 0 else MUCH_MORE
    long = letters >= max(MIN_SECOND_READING_CHARS, more * sum(map(size, shown.paragraphs)))
    if not long or soft_errors.stub(page.view, 0, MIN_SECOND_READING_CHARS):
        return None
    return _EvidencedExtraction(found, page.reading.evidence)


SECOND_READINGS: tuple[Rule[ReadPage], ...] = (
    Rule("JSON-LD body", "takes a body that is not shown from JSON-LD", _if_little(_stated)),
    Rule("noscript", "takes the text for readers without scripts", _if_little(_unscripted)),
    Rule("shadow trees", "takes the text of shadow trees", _if_little(_shadowed)),
    Rule("script state", "takes the text from the state of scripts", _if_little(_kept)),
    Rule("flat reading", "reads by density where the parser is strained", _by_density),
)


def _size(extraction: Extraction) -> int:
    return sum(len("".join(paragraph.split())) for paragraph in extraction.paragraphs)
