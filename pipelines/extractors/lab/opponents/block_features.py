"""``fe`` and ``kfe``, FeatureExtractor and K-FeatureExtractor: Debnath, Mitra and Giles, "Identifying content blocks
from web documents", ISMIS 2005, as R2L (section 2) and others describe them.

The page is cut into blocks at tags that part it on the screen. Each block has features, how much it holds of each kind
of thing: text, images, links, lists, tables, forms, objects, scripts. Blocks where the feature looked for, text,
outweighs the others are winners. FeatureExtractor returns the best of them; K-FeatureExtractor clusters the winners in
three by their features and returns the cluster of most text, so it can return many blocks.

Open in the description, and decided here: which tags cut (``soup.BLOCKS``), how features of different kinds compare
(each as its share of the largest value on the page; text must be above the mean of the others, itself not among them),
how clusters start (at the smallest, the middle and the largest amount of text) and when they are done (when nothing
moves, after 50 turns at most).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pipelines.extractors.base import DEFAULT_OPTIONS, Extractor, ExtractorOptions
from pipelines.markup.lexer import BLOCKS, markup, sanitise
from pipelines.markup.soup import paragraphs
from storage.records import Extraction

if TYPE_CHECKING:
    from numpy.typing import NDArray

VERSION = "1"
CLUSTERS = 3
TURNS = 50

_KINDS = {
    "img": 1, "a": 2, "li": 3, "table": 4, "td": 4, "form": 5, "input": 5, "button": 5, "select": 5, "textarea": 5,
    "object": 6, "embed": 6, "applet": 6, "iframe": 6, "video": 6, "audio": 6, "svg": 6, "script": 7,
}  # fmt: skip
TEXT, COLUMNS = 0, 8


def fe(html: str, _options: ExtractorOptions = DEFAULT_OPTIONS) -> Extraction:
    """Return the block of most text among those where text prevails."""
    texts, features = blocks_of(html)
    winning = winners(features)
    best = winning[features[winning, TEXT].argmax() :][:1] if winning.size else winning
    return Extraction(paragraphs([texts[index] for index in best], []), "fe", VERSION)


def kfe(html: str, _options: ExtractorOptions = DEFAULT_OPTIONS) -> Extraction:
    """Return the cluster of most text among the blocks where text prevails."""
    texts, features = blocks_of(html)
    winning = winners(features)
    chosen = winning[top_cluster(features[winning])] if winning.size else winning
    return Extraction(paragraphs([texts[index] for index in chosen], ["br"] * len(chosen)), "kfe", VERSION)


def blocks_of(html: str) -> tuple[list[str], NDArray[np.float64]]:
    """Cut a page into blocks: their texts, and their features as shares of the page's largest."""
    html = sanitise(html)
    texts, rows, position = [""], [[0] * COLUMNS], 0
    parts: list[str] = []
    for start, end, name in markup(html):
        parts.append(html[position:start])
        position = end
        if name.lstrip("/") in BLOCKS:
            _close(texts, rows, parts)
            texts.append("")
            rows.append([0] * COLUMNS)
        if name in _KINDS:
            rows[-1][_KINDS[name]] += 1
    parts.append(html[position:])
    _close(texts, rows, parts)
    features = np.array(rows, dtype=float)
    return texts, features / np.maximum(features.max(axis=0), 1)


def _close(texts: list[str], rows: list[list[int]], parts: list[str]) -> None:
    texts[-1] = "".join(parts)
    rows[-1][TEXT] = len(texts[-1].strip())
    parts.clear()


def winners(features: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the blocks in which text is above the mean of the other features."""
    others = features[:, TEXT + 1 :].mean(axis=1)
    return np.flatnonzero(features[:, TEXT] > others)


def top_cluster(features: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Cluster rows by k-means and mark the cluster whose centre has most text."""
    order = np.argsort(features[:, TEXT], kind="stable")
    centres = features[order[np.linspace(0, len(order) - 1, CLUSTERS).astype(int)]]
    labels = np.full(len(features), -1)
    for _ in range(TURNS):
        distances = np.stack([((features - centre) ** 2).sum(axis=1) for centre in centres], axis=1)
        found = distances.argmin(axis=1)
        if (found == labels).all():
            break
        labels = found
        centres = np.stack(
            [features[labels == index].mean(axis=0) if (labels == index).any() else centre
             for index, centre in enumerate(centres)]
        )  # fmt: skip
    filled = [index for index in range(CLUSTERS) if (labels == index).any()]
    top: NDArray[np.bool_] = labels == max(filled, key=lambda index: float(centres[index][TEXT]))
    return top


EXTRACTORS = (
    Extractor("fe", VERSION, "FeatureExtractor (Debnath et al., 2005)", fe, evaluation_only=True),
    Extractor("kfe", VERSION, "K-FeatureExtractor (Debnath et al., 2005)", kfe, evaluation_only=True),
)
