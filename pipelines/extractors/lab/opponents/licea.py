"""``licea``, language independent content extraction by density ("Density" in DANA's tables): Moreno, Deschacht and
Moens, "Language independent content extraction from web pages", DIR 2009, as R2L (section 2) describes it.

A parser parts text from tags; the texts form an array of strings, L. The region of L of highest density is the main
content: strings of ``C1`` characters or more are dense, and dense strings at most ``C2`` places apart belong together.

Open in the description, and decided here: what a string of L is (what stands between two block-level tags), which of
several regions wins (the one of most characters, then the first), whether short strings between dense ones are kept
(yes), the two values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.extractors.base import DEFAULT_OPTIONS, Extractor, ExtractorOptions
from pipelines.markup.soup import render, scan
from storage.records import Extraction

if TYPE_CHECKING:
    from collections.abc import Sequence

NAME, VERSION = "licea", "1"
C1 = 60
"""Characters of a dense string."""
C2 = 12
"""Greatest distance of the next dense string, in places."""


def extract(html: str, _options: ExtractorOptions = DEFAULT_OPTIONS) -> Extraction:
    """Return the region of highest density."""
    strings = render(scan(html))
    return Extraction(strings[slice(*densest([len(string) for string in strings]))], NAME, VERSION)


def densest(lengths: Sequence[int]) -> tuple[int, int]:
    """Return where the densest region begins and ends, the end excluded; ``(0, 0)`` when no string is dense."""
    best, most = (0, 0), 0
    start = last = chars = -1
    for index, length in enumerate(lengths):
        if length < C1:
            continue
        if last < 0 or index - last > C2:
            start, chars = index, 0
        chars, last = chars + length, index
        if chars > most:
            best, most = (start, index + 1), chars
    return best


EXTRACTORS = (
    Extractor(
        NAME,
        VERSION,
        "language independent content extraction by density (Moreno et al., 2009)",
        extract,
        evaluation_only=True,
    ),
)
