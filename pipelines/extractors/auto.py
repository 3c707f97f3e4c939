"""The default: what ``scored`` has learned, and a second opinion where it has little confidence.

Mean F1 (longest common subsequence of characters without white space, title optional) on 801 pages with their true
text, most of them news. No page of ``scored`` and ``auto`` was scored by weights that had seen its site or, in the
second row, its source (a collection of pages, with its years, layouts and policy); n pages a group, ``now`` those of
2020 and later, ``few`` Vietnamese, Arabic, Persian, Urdu, Thai and Hebrew together:

========================= ===== ===== ===== ===== ===== ===== ===== =====
extractor                   all   now    en    zh    pl    ru    el   few
n                           801   109   322   228    61    60    45    36
========================= ===== ===== ===== ===== ===== ===== ===== =====
auto, left-out sites       .927  .922  .913  .958  .918  .920  .941  .962
auto, left-out sources     .919  .918  .900  .958  .906  .896  .941  .963
scored, left-out sources   .916  .918  .895  .958  .905  .886  .926  .963
density                    .904  .893  .886  .941  .884  .890  .940  .958
readability                .894  .898  .863  .935  .898  .894  .969  .943
trafilatura                .878  .890  .894  .908  .847  .772  .819  .917
resiliparse                .838  .818  .858  .857  .768  .720  .822  .907
========================= ===== ===== ===== ===== ===== ===== ===== =====

Resampling sites, ``auto`` with sources left out is ahead of readability by .025 [.011, .041] and of trafilatura by .041
[.029, .054]; on pages of 2020 and later by .020 [-.012, .058] and .028 [.005, .051].

Pages whose expected F1 is under ``SURE`` (one in twenty) are read by ``density``, whose weights were set by hand with
half of the sites in view: .919 instead of .916, and .896 instead of .886 in Russian. trafilatura in its place brings
.917 at most, for five times the time. Where density, too, finds next to nothing, others are asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.extractors import bte, density, scored, trafilatura_adapter
from pipelines.extractors.base import DEFAULT_OPTIONS, ExtractorOptions
from pipelines.extractors.soup import scan
from storage.records import Extraction

if TYPE_CHECKING:
    from collections.abc import Callable

NAME, VERSION = "auto", "2"

SURE = 0.7
"""Expected F1 from which the learned reading needs no second opinion."""
ENOUGH = 200
"""Characters without white space below which a second opinion is not believed at once."""
CLEARLY_MORE = 2
"""How many times more the next one must find to be believed instead."""


def extract(html: str, options: ExtractorOptions = DEFAULT_OPTIONS) -> Extraction:
    """Read by learned weights, and otherwise where they are unsure. The extraction says who read it, and why."""
    reading = scored.read(html)
    learned = Extraction(reading.paragraphs, scored.NAME, scored.VERSION, reading.problem or scored.expected(reading))
    if reading.confidence >= SURE:
        return learned
    soup = scan(html)
    why = reading.problem or f"{scored.NAME}: {learned.reason}, under {SURE}"
    best = Extraction(density.main_blocks(soup), density.NAME, density.VERSION, why)
    others: tuple[Callable[[], Extraction], ...] = (
        lambda: learned,
        lambda: trafilatura_adapter.extract(html, options),
        lambda: Extraction(bte.main_region(soup), bte.NAME, bte.VERSION),
    )
    for ask in others:
        if _size(best) >= ENOUGH:
            break
        other = ask()
        if _size(other) > CLEARLY_MORE * _size(best):
            why = f"{best.reason}; {best.extractor} found {_size(best)} characters only"
            best = Extraction(other.paragraphs, other.extractor, other.version, why)
    return best


def _size(extraction: Extraction) -> int:
    return sum(len("".join(paragraph.split())) for paragraph in extraction.paragraphs)
