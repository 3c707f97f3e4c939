"""The default: what ``scored`` has learned, and a second opinion where it has little confidence.

Mean F1 (longest common subsequence of characters without white space, title optional) on 801 pages with their true
text, most of them news. No page of ``scored`` and ``auto`` was scored by weights that had seen its site or, in the
second row, its source (a collection of pages, with its years, layouts and policy); n pages a group, ``now`` those of
2020 and later, ``few`` Vietnamese, Arabic, Persian, Urdu, Thai and Hebrew together:

========================= ===== ===== ===== ===== ===== ===== ===== =====
extractor                   all   now    en    zh    pl    ru    el   few
n                           801   109   322   228    61    60    45    36
========================= ===== ===== ===== ===== ===== ===== ===== =====
auto, left-out sites       .922  .924  .908  .958  .914  .888  .938  .963
auto, left-out sources     .917  .914  .899  .956  .907  .882  .939  .961
scored, left-out sources   .911  .908  .891  .957  .902  .860  .925  .961
density                    .904  .893  .886  .941  .884  .890  .940  .958
readability                .894  .898  .863  .935  .898  .894  .969  .943
trafilatura                .878  .890  .894  .908  .847  .772  .819  .917
resiliparse                .838  .818  .858  .857  .768  .720  .822  .907
========================= ===== ===== ===== ===== ===== ===== ===== =====

Resampling sites, ``auto`` with sources left out is ahead of readability by .023 [.008, .038] and of trafilatura by .039
[.027, .051]; on pages of 2020 and later by .016 [-.019, .055] and .024 [.001, .045]. ``density`` was weighed by hand
with half of the sites in view, so what it adds below may be a little less elsewhere.

Pages whose expected F1 is under ``SURE`` (one in twenty) are read by ``density``: .917 instead of .911. The gain hardly
depends on the limit (.65 to .8: .916 or .917). trafilatura in its place brings .914, the reading most like the other
two .915: not worth five times the time. Where density, too, finds next to nothing, others are asked.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pipelines.extractors import bte, density, scored, trafilatura_adapter
from pipelines.extractors.base import DEFAULT_OPTIONS, ExtractorOptions
from pipelines.extractors.soup import scan
from storage.records import Extraction

if TYPE_CHECKING:
    from collections.abc import Callable

NAME, VERSION = "auto", "3"

SURE = 0.7
"""Expected F1 from which the learned reading needs no second opinion."""
ENOUGH = 200
"""Characters without white space below which a second opinion is not believed at once."""
CLEARLY_MORE = 2
"""How many times more the next one must find to be believed instead."""


def extract(html: str, options: ExtractorOptions = DEFAULT_OPTIONS) -> Extraction:
    """Read by learned weights, and otherwise where they are unsure. The extraction says who read it, and why."""
    reading = scored.read(html, options.template)
    learned = reading.extraction
    if reading.confidence >= SURE:
        return learned
    soup = scan(html)
    why = reading.problem or f"{scored.NAME}: {learned.reason}, under {SURE}"
    best = _without(reading.template, density.find(soup, why))
    others: tuple[Callable[[], Extraction], ...] = (
        lambda: learned,
        lambda: trafilatura_adapter.extract(html, options),
        lambda: Extraction(bte.main_region(soup), bte.NAME, bte.VERSION),
    )
    for ask in others:
        if _size(best) >= ENOUGH:
            break
        other = _without(reading.template, ask())
        if _size(other) > CLEARLY_MORE * _size(best):
            why = f"{best.reason}; {best.extractor} found {_size(best)} characters only"
            best = replace(other, reason=why)
    return reading.with_parts(best)


def _without(template: frozenset[str], extraction: Extraction) -> Extraction:
    """Take lines of the site's template out of what another extractor has found, which knows nothing of it."""
    if template.isdisjoint(extraction.paragraphs):
        return extraction
    kept = [index for index, line in enumerate(extraction.paragraphs) if line not in template]
    kinds = "".join(extraction.kinds[index] for index in kept) if extraction.kinds else ""
    return replace(extraction, paragraphs=tuple(extraction.paragraphs[index] for index in kept), kinds=kinds)


def _size(extraction: Extraction) -> int:
    return sum(len("".join(paragraph.split())) for paragraph in extraction.paragraphs)
