"""The default: what the model and the rules select (``selection``), and a second opinion where they are unsure.

Mean F1 (longest common subsequence of characters without white space, title optional) on 801 pages with their true
text, most of them news. No page of ``auto`` was scored by weights that had seen its site or, in the second row, its
source (a collection of pages, with its years, layouts and policy); n pages a group, ``now`` those of 2020 and later,
``few`` Vietnamese, Arabic, Persian, Urdu, Thai and Hebrew together:

========================= ===== ===== ===== ===== ===== ===== ===== =====
extractor                   all   now    en    zh    pl    ru    el   few
n                           801   109   322   228    61    60    45    36
========================= ===== ===== ===== ===== ===== ===== ===== =====
auto, left-out sites       .941  .944  .922  .960  .954  .937  .981  .976
auto, left-out sources     .937  .944  .915  .959  .951  .936  .981  .973
density                    .909  .898  .889  .946  .891  .899  .950  .960
readability                .899  .905  .866  .938  .908  .909  .972  .953
trafilatura                .888  .904  .904  .919  .838  .787  .827  .926
resiliparse                .854  .839  .869  .873  .794  .736  .846  .916
========================= ===== ===== ===== ===== ===== ===== ===== =====

(readability-lxml 0.9, trafilatura 2.3.1, resiliparse 2.0.1; ``benchmarks/left_out.py``.) Resampling sites, ``auto``
with sites left out is ahead of readability by .041 [.028, .056] and of trafilatura by .053 [.040, .067]; with sources
left out by .038 [.025, .052] and .050 [.037, .064], on pages of 2020 and later by .040 [.009, .079] and .041 [.017,
.066]. English pages of left-out sources it reads as well as trafilatura does: .011 [-.004, .025]. Limits were set, and
measures left out, with these pages in view, so a little of this may be luck. A crawl would refuse 24 of these texts,
most of them of shops, services and lists, as no article; with 0 for those F1 is .919.

Pages whose expected F1 is under ``SURE`` (two in a hundred) ``scored`` reads under their headline, which gains .001.
Those without a headline, and those that strain a parser, are read by ``density``, which was weighed by hand with half
of the sites in view; where it finds next to nothing, the first reading stays. trafilatura and BTE, asked after density,
were better on no page.

Where a page shows next to nothing because a script is to fill it in, and states the body of its article in JSON-LD,
that is its text, unless it says that it is to be paid for; or the body that it has for readers without scripts
(``noscript``), has in shadow trees of its own elements, or keeps in the state of its scripts under its title.
"""

from __future__ import annotations

import re
from dataclasses import replace

from pipelines import jsonld, refusals, tree
from pipelines.extractors import density, selection, state
from pipelines.extractors.base import DEFAULT_OPTIONS, ExtractorOptions
from pipelines.extractors.selection import SURE
from pipelines.markup.soup import collapsed, scan
from storage.records import Extraction

NAME, VERSION = "auto", "19"

ENOUGH = 200
"""Characters without white space below which a second opinion is not believed at once."""
LITTLE, LINE = 1000, 60
"""Characters of a text that may be but menus, and of a paragraph that may be the article's."""
FEW, MUCH_MORE = 400, 3
"""Characters of a text below which the state of scripts is looked at, and how many times more that must hold."""
CLEARLY_MORE = 2
"""How many times more the first reading must have found to be believed instead."""

_NOSCRIPT = re.compile(r"<(/?)noscript(?:\s[^<>]*)?>", re.IGNORECASE)
_TEMPLATE = re.compile(r"(</?template(?:\s[^<>]*)?>)", re.IGNORECASE)
_NAME = re.compile("template", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")


def extract(html: str, options: ExtractorOptions = DEFAULT_OPTIONS) -> Extraction:
    """Read by learned weights, and otherwise where they are unsure. The extraction says who read it, and why."""
    reading = selection.read(html, options.template)
    learned = reading.extraction
    little = sum(map(len, learned.paragraphs)) < LITTLE
    if little and (whole := _elsewhere(html, learned, options)):
        return whole
    if reading.confidence >= SURE or reading.headed:
        return learned
    why = reading.problem or f"{selection.NAME}: {learned.reason}, under {SURE}"
    best = _without(reading.template, density.find(scan(html), why))
    if _size(best) < ENOUGH and _size(learned) > CLEARLY_MORE * _size(best):
        best = replace(learned, reason=f"{why}; {best.extractor} found {_size(best)} characters only")
    return reading.with_parts(best)


def _elsewhere(html: str, shown: Extraction, options: ExtractorOptions) -> Extraction | None:
    """Return the article from where pages keep it that show next to nothing."""
    found = _stated(html, shown) or _unscripted(html, shown, options)
    return found or _shadowed(html, shown, options) or _kept(html, shown)


def _stated(html: str, shown: Extraction) -> Extraction | None:
    """Return the body of the article as the page's JSON-LD states it, where it is long, free to read and not shown.

    None of it may be shown: what is shown may be all that is free.
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
    return found if long and apart and not refusals.stub(page, 0, ENOUGH) else None


def _unscripted(html: str, shown: Extraction, options: ExtractorOptions) -> Extraction | None:
    """Return what the page has for readers without scripts, where that is the article: long, sure, free, not shown."""
    before, *pieces = _NOSCRIPT.split(html)
    ends, texts = pieces[::2], pieces[1::2]
    if sum(len(_TAG.sub("", text)) for end, text in zip(ends, texts, strict=True) if not end) < LITTLE:
        return None
    reading = selection.read("".join((before, *texts)), options.template)
    found = reading.extraction
    if reading.confidence < SURE or _size(found) < max(LITTLE, CLEARLY_MORE * _size(shown)):
        return None
    if refusals.stub(tree.parse_tree(html), 0, ENOUGH):
        return None
    return replace(found, reason=f"{found.reason}, in what the page has for readers without scripts")


def _shadowed(html: str, shown: Extraction, options: ExtractorOptions) -> Extraction | None:
    """Return what stands in shadow trees of the page's own elements, where that is the article: long, sure, hidden."""
    if "shadowroot" not in html:
        return None
    reading = selection.read(_opened(html), options.template)
    found = reading.extraction
    if reading.confidence < SURE or _size(found) < CLEARLY_MORE * max(ENOUGH, _size(shown)):
        return None
    return replace(found, reason=f"{found.reason}, in shadow trees")


def _opened(html: str) -> str:
    """Return a page with the trees of its own elements as plain elements; other templates stay.

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


def _kept(html: str, shown: Extraction) -> Extraction | None:
    """Return the body that the page keeps in the state of its scripts, where it is long, free to read and not shown."""
    if _size(shown) >= FEW:
        return None
    lines = state.article_body(html)
    found = Extraction(lines, NAME, VERSION, "from the state of the page's scripts", kinds="p" * len(lines))
    long = _size(found) >= MUCH_MORE * max(ENOUGH, _size(shown))
    return found if long and not refusals.stub(tree.parse_tree(html), 0, ENOUGH) else None


def _without(template: frozenset[str], extraction: Extraction) -> Extraction:
    """Take lines of the site's template out of what another extractor has found, which knows nothing of it."""
    if template.isdisjoint(extraction.paragraphs):
        return extraction
    kept = [index for index, line in enumerate(extraction.paragraphs) if line not in template]
    kinds = "".join(extraction.kinds[index] for index in kept) if extraction.kinds else ""
    return replace(extraction, paragraphs=tuple(extraction.paragraphs[index] for index in kept), kinds=kinds)


def _size(extraction: Extraction) -> int:
    return sum(len("".join(paragraph.split())) for paragraph in extraction.paragraphs)
