"""``ccb``, ``accb-40``, ``tccb-18``, ``tccb-25``, content code blurring: Gottron, "Content Code Blurring: A New
Approach to Content Extraction", TIR 2008, as R2L (section 2) and later comparisons describe it.

The page is a content code vector, 1 for content and 0 for code; blurring it with a Gaussian over ``reach`` entries to
both sides gives the ratio of content around each entry; entries of content with a high ratio are the main content.
In ``ccb`` and ``accb`` each character is an entry, in ``tccb`` each word and each tag. ``accb`` leaves the tags of
links out of the vector, so that links inside a text do no harm. The number in a name is the reach;
for ``ccb`` it is 75.

Open in the description, and decided here: the width of the Gaussian (a third of the reach), how often it is applied
(once), what lies beyond the ends of the vector (nothing, and the weights that are left count), the threshold (0.75).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from pipelines.extractors.base import Extractor, ExtractorOptions
from pipelines.extractors.lab.opponents.tokens import is_tag, selected
from pipelines.markup.soup import paragraphs, scan
from storage.records import Extraction

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pipelines.markup.soup import Soup

VERSION = "1"
CCB_REACH = 75
THRESHOLD = 0.75


def blurred(content: NDArray[np.bool_], reach: int) -> NDArray[np.float32]:
    """Return the content code ratio of each entry."""
    offsets = np.arange(-reach, reach + 1, dtype=np.float32)
    weights = np.exp(-0.5 * (offsets / (reach / 3)) ** 2)
    around = np.convolve(content.astype(np.float32), weights)[reach:-reach]
    total = np.convolve(np.ones(content.size, dtype=np.float32), weights)[reach:-reach]
    ratio: NDArray[np.float32] = (around / total).astype(np.float32)
    return ratio


def by_character(name: str, reach: int, html: str, _options: ExtractorOptions, *, links: bool) -> Extraction:
    """Blur characters; without ``links`` the tags of links are no code."""
    soup = scan(html)
    if not any(soup.texts):
        return Extraction((), name, VERSION)
    lengths = _lengths(soup, links=links)
    content = np.repeat(np.arange(lengths.size) % 2 == 0, lengths)
    keep = (blurred(content, reach) >= THRESHOLD)[content]
    texts, first = [], 0
    for text in soup.texts:
        marks = keep[first : first + len(text)]
        first += len(text)
        texts.append(text if marks.all() else "".join(char for char, mark in zip(text, marks, strict=True) if mark))
    return Extraction(paragraphs(texts, soup.names), name, VERSION)


def _lengths(soup: Soup, *, links: bool) -> NDArray[np.int64]:
    """Return the lengths of texts and tags by turns."""
    lengths = np.zeros(2 * len(soup.texts) - 1, dtype=np.int64)
    lengths[::2] = [len(text) for text in soup.texts]
    lengths[1::2] = [
        len(tag) if links or name not in {"a", "/a"} else 0 for tag, name in zip(soup.tags, soup.names, strict=True)
    ]
    return lengths


def by_token(name: str, reach: int, html: str, _options: ExtractorOptions) -> Extraction:
    """Blur words and tags."""
    soup = scan(html)
    tags = is_tag(soup)
    if tags.all():
        return Extraction((), name, VERSION)
    keep = blurred(~tags, reach) >= THRESHOLD
    return Extraction(selected(soup, keep[~tags]), name, VERSION)


EXTRACTORS = (
    Extractor(
        "ccb",
        VERSION,
        "content code blurring (Gottron, 2008)",
        partial(by_character, "ccb", CCB_REACH, links=True),
        evaluation_only=True,
    ),
    Extractor(
        "accb-40",
        VERSION,
        "content code blurring without link tags, reach 40",
        partial(by_character, "accb-40", 40, links=False),
        evaluation_only=True,
    ),
    Extractor(
        "tccb-18",
        VERSION,
        "content code blurring by words, reach 18",
        partial(by_token, "tccb-18", 18),
        evaluation_only=True,
    ),
    Extractor(
        "tccb-25",
        VERSION,
        "content code blurring by words, reach 25",
        partial(by_token, "tccb-25", 25),
        evaluation_only=True,
    ),
)
