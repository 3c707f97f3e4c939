"""``dsc``, document slope curves: Pinto et al., "QuASM: a system for question answering using semi-structured data",
JCDL 2002, as R2L (section 2) and later comparisons describe it.

The curve has the number of tags up to each token; long, low sloping regions are text. Where BTE finds one region, a
window finds several: windows of a fixed number of tokens, each begun half a window after the last, are low where their
slope is under half of the whole document's, and as many in a row as ``ROW`` make a section.

Open in the description, and decided here: the width of the window (50 tokens), how many in a row (3), what becomes of
tokens of low windows in shorter rows (dropped), of pages shorter than a row of windows (kept whole if any text). Words
stand between white space, so pages in scripts without spaces have next to none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pipelines.extractors.base import DEFAULT_OPTIONS, Extractor, ExtractorOptions
from pipelines.extractors.lab.opponents.tokens import is_tag, selected
from pipelines.markup.soup import scan
from storage.records import Extraction

if TYPE_CHECKING:
    from numpy.typing import NDArray

NAME, VERSION = "dsc", "1"

WINDOW = 50
ROW = 3
SHARE = 0.5
"""A window is low under this share of the document's slope."""


def extract(html: str, _options: ExtractorOptions = DEFAULT_OPTIONS) -> Extraction:
    """Return the words of all low sloping sections."""
    soup = scan(html)
    tags = is_tag(soup)
    return Extraction(selected(soup, low_sections(tags)[~tags]), NAME, VERSION)


def low_sections(tags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return for each token whether it lies in a section of ``ROW`` low windows or more."""
    half = WINDOW // 2
    if tags.size < half * (ROW + 1):
        return np.ones(tags.size, dtype=bool)
    curve = np.concatenate(([0], np.cumsum(tags)))
    starts = np.arange(0, tags.size - half, half)
    ends = np.minimum(starts + WINDOW, tags.size)
    low = (curve[ends] - curve[starts]) / (ends - starts) < SHARE * tags.mean()
    rows = np.convolve(low, np.ones(ROW, dtype=int), "valid") == ROW
    marks = np.zeros(tags.size, dtype=bool)
    for first in np.flatnonzero(rows):
        marks[starts[first] : ends[first + ROW - 1]] = True
    return marks


EXTRACTORS = (Extractor(NAME, VERSION, "document slope curves (Pinto et al., 2002)", extract, evaluation_only=True),)
