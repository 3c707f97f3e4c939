"""Convert a page to a sequence of words and tags, and selected words back to paragraphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pipelines.markup.soup import paragraphs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pipelines.markup.soup import Soup


def is_tag(soup: Soup) -> NDArray[np.bool_]:
    """Return the page's tokens in order, True for a tag and False for a word; words stand between white space."""
    counts = np.array([len(text.split()) for text in soup.texts])
    tokens = np.zeros(int(counts.sum()) + len(soup.tags), dtype=bool)
    tokens[np.cumsum(counts)[:-1] + np.arange(len(soup.tags))] = True
    return tokens


def selected(soup: Soup, words: NDArray[np.bool_]) -> tuple[str, ...]:
    """Render the words that are marked; ``words`` has one entry for each word of the page."""
    texts, first = [], 0
    for text in soup.texts:
        found = text.split()
        marks = words[first : first + len(found)]
        first += len(found)
        kept = " ".join(word for word, mark in zip(found, marks, strict=True) if mark)
        texts.append(f"{' ' * text[:1].isspace()}{kept}{' ' * text[-1:].isspace()}")
    return paragraphs(texts, soup.names)
