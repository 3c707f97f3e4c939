"""The default extractor: the model and the rules (``selection``), and a second extractor where they are unsure.

The table has the mean F1 on 801 pages with their true text, most of them news. F1 is computed from the longest common
subsequence of characters without white space; the title is optional. The weights of ``auto`` had not seen the page's
site or, in the second row, its source: a collection of pages with its own years, layouts and policy. ``now`` are pages
of 2020 and later. ``few`` are Vietnamese, Arabic, Persian, Urdu, Thai and Hebrew together.

========================= ===== ===== ===== ===== ===== ===== ===== =====
extractor                   all   now    en    zh    pl    ru    el   few
n                           801   109   322   228    61    60    45    36
========================= ===== ===== ===== ===== ===== ===== ===== =====
auto, left-out sites       .942  .942  .924  .958  .950  .948  .983  .981
auto, left-out sources     .936  .943  .911  .957  .956  .948  .977  .980
density                    .909  .898  .889  .946  .891  .899  .950  .960
readability                .899  .905  .866  .938  .908  .909  .972  .953
trafilatura                .888  .904  .904  .919  .838  .787  .827  .926
resiliparse                .854  .839  .869  .873  .794  .736  .846  .916
========================= ===== ===== ===== ===== ===== ===== ===== =====

(readability-lxml 0.9, trafilatura 2.3.1, resiliparse 2.0.1; ``benchmarks/left_out.py``.) Intervals are of the
bootstrap by site. With sites left out ``auto`` leads trafilatura by .054 [.041, .069], on pages of 2020 and later by
.038 [.015, .064], on English pages by .020 [.007, .033]. With sources left out it leads by .048, on English pages by
.006.

Pages with an expected F1 under ``SURE`` (two in a hundred) are read under their headline (``selection``). Pages without
a headline, and pages that strain the parser, are read by ``density``. If it finds almost nothing, the first reading
stays. trafilatura and BTE after density were better on no page.

A page may show almost nothing until a script runs. Then the text comes from the first of these places that has a free
article: the body in JSON-LD, the content of ``noscript``, shadow trees, the state of the page's scripts.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pipelines.classification import soft_errors
from pipelines.extractors.auto import density, selection
from pipelines.extractors.auto.rules import script_state
from pipelines.extractors.auto.selection import SURE
from pipelines.extractors.base import DEFAULT_OPTIONS, ExtractorOptions
from pipelines.markup import tree
from pipelines.markup.soup import collapsed, scan
from pipelines.metadata import jsonld
from pipelines.text import text_size
from storage.records import Extraction

if TYPE_CHECKING:
    from pipelines.extractors.auto.selection import BlockEvidence, SelectedText
    from pipelines.extractors.explanation import Explanation

NAME, VERSION = "auto", "24"

ENOUGH = 200
"""Characters without white space. A shorter second reading is compared with the first."""
LITTLE, LINE = 1000, 60
"""Characters of a text that may be only menus, and of a line that may be a paragraph of the article."""
HALF = 0.5
"""Share of the shown text that is in the state of scripts, from which the text there is its whole."""
BEGUN, MUCH_MORE = 1.5, 3
"""Times longer that the text in the state of scripts must be: if the page shows its beginning, and if not."""
CLEARLY_MORE = 2
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


def _find(html: str, options: ExtractorOptions) -> _EvidencedExtraction:
    reading = selection.read(html, options.template)
    learned = reading.extraction
    little = sum(map(len, learned.paragraphs)) < LITTLE
    if little and (whole := _elsewhere(html, reading, options)):
        return whole
    if reading.confidence >= SURE or reading.headed:
        return _EvidencedExtraction(learned, reading.evidence)
    why = reading.problem or f"{selection.NAME}: {learned.reason}, under {SURE}"
    best = _without(reading.template, density.find(scan(html), why))
    # Of the same text the reading with more lines stands: density joins those of a preformatted block.
    if len(best.paragraphs) < len(learned.paragraphs) and _letters(best) == _letters(learned):
        return _EvidencedExtraction(
            replace(learned, reason=f"{why}; {best.extractor} found the same"), reading.evidence
        )
    if _size(best) < ENOUGH and _size(learned) > CLEARLY_MORE * _size(best):
        best = replace(learned, reason=f"{why}; {best.extractor} found {_size(best)} characters only")
    return _EvidencedExtraction(reading.with_parts(best), reading.evidence)


def _elsewhere(html: str, reading: SelectedText, options: ExtractorOptions) -> _EvidencedExtraction | None:
    """Return the article of a page that shows almost nothing, or None."""
    shown = reading.extraction
    if stated := _stated(html, shown):
        return _EvidencedExtraction(stated, reading.evidence)
    if found := _unscripted(html, shown, options) or _shadowed(html, shown, options):
        return found
    kept = _kept(html, shown, options.url)
    return _EvidencedExtraction(kept, reading.evidence) if kept else None


def _stated(html: str, shown: Extraction) -> Extraction | None:
    """Return the body in the page's JSON-LD, if it is long, free to read and not shown.

    If a part of it is shown, that part may be all that is free.
    """
    if "articleBody" not in html:
        return None
    page = tree.parse_tree(html)
    body = jsonld.article_body(page)
    lines = tuple(line for part in body.splitlines() if (line := collapsed(part)))
    found = Extraction(lines, NAME, VERSION, "from the page's JSON-LD, as none of it is shown", kinds="p" * len(lines))
    long = _size(found) >= CLEARLY_MORE * max(ENOUGH, _size(shown))
    packed = "".join(body.split())
    apart = not any("".join(line.split())[:ENOUGH] in packed for line in shown.paragraphs if len(line) >= LINE)
    return found if long and apart and not soft_errors.stub(page, 0, ENOUGH) else None


def _unscripted(html: str, shown: Extraction, options: ExtractorOptions) -> _EvidencedExtraction | None:
    """Return the page with its ``noscript`` content, if that is an article: long, sure, free and not shown."""
    before, *pieces = _NOSCRIPT.split(html)
    ends, texts = pieces[::2], pieces[1::2]
    if sum(len(_TAG.sub("", text)) for end, text in zip(ends, texts, strict=True) if not end) < LITTLE:
        return None
    reading = selection.read("".join((before, *texts)), options.template)
    found = reading.extraction
    if reading.confidence < SURE or _size(found) < max(LITTLE, CLEARLY_MORE * _size(shown)):
        return None
    if soft_errors.stub(tree.parse_tree(html), 0, ENOUGH):
        return None
    reason = f"{found.reason}, in what the page has for readers without scripts"
    return _EvidencedExtraction(replace(found, reason=reason), reading.evidence)


def _shadowed(html: str, shown: Extraction, options: ExtractorOptions) -> _EvidencedExtraction | None:
    """Return the page with its shadow trees, if they hold an article: long, sure and not shown."""
    if "shadowroot" not in html:
        return None
    reading = selection.read(_opened(html), options.template)
    found = reading.extraction
    if reading.confidence < SURE or _size(found) < CLEARLY_MORE * max(ENOUGH, _size(shown)):
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


def _kept(html: str, shown: Extraction, url: str) -> Extraction | None:
    """Return the body in the state of the page's scripts, if it is long, free to read and not shown.

    A page may show its beginning. Then the body need not be that much longer.
    """
    lines = script_state.article_body(html, url)
    found = Extraction(lines, NAME, VERSION, "from the state of the page's scripts", kinds="p" * len(lines))
    letters, packed = sum(map(text_size.size, lines)), "".join("".join(lines).split())
    begun = sum(len(line) for line in shown.paragraphs if "".join(line.split())[:LINE] in packed)
    more = BEGUN if begun >= HALF * len(shown.text) > 0 else MUCH_MORE
    long = letters >= max(CLEARLY_MORE * ENOUGH, more * sum(map(text_size.size, shown.paragraphs)))
    return found if long and not soft_errors.stub(tree.parse_tree(html), 0, ENOUGH) else None


def _without(template: frozenset[str], extraction: Extraction) -> Extraction:
    """Remove lines of the site's template from the text of an extractor that does not know the template."""
    if template.isdisjoint(extraction.paragraphs):
        return extraction
    kept = [index for index, line in enumerate(extraction.paragraphs) if line not in template]
    kinds = "".join(extraction.kinds[index] for index in kept) if extraction.kinds else ""
    return replace(extraction, paragraphs=tuple(extraction.paragraphs[index] for index in kept), kinds=kinds)


def _letters(found: Extraction) -> str:
    return "".join("".join(found.paragraphs).split())


def _size(extraction: Extraction) -> int:
    return sum(len("".join(paragraph.split())) for paragraph in extraction.paragraphs)
