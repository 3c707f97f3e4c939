"""Methods that the papers compare with, for evaluation only.

They are written from public descriptions, which leave much open. The comment before each method states its source and
decisions. A value that the description does not give was set in the method's favour, by F1 on real pages. All but
``bte-original`` see a page after Step 0 of ``soup.scan``, as their authors ran them on pages that a parser had been
through.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from pipelines.extractors.base import DEFAULT_OPTIONS, Extractor, ExtractorOptions
from pipelines.markup.lexer import BLOCKS, markup, sanitise
from pipelines.markup.nesting import OpenElements, opens
from pipelines.markup.soup import paragraphs, render, scan
from storage.records import Extraction

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from pipelines.markup.soup import Soup

VERSION = "1"


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


# ``ccb``, ``accb-40``, ``tccb-18``, ``tccb-25``, content code blurring: Gottron, "Content Code Blurring: A New Approach
# to Content Extraction", TIR 2008, as R2L (section 2) and later comparisons describe it.
#
# The page is a content code vector, 1 for content and 0 for code; blurring it with a Gaussian over ``reach`` entries to
# both sides gives the ratio of content around each entry; entries of content with a high ratio are the main content. In
# ``ccb`` and ``accb`` each character is an entry, in ``tccb`` each word and each tag. ``accb`` leaves the tags of links
# out of the vector, so that links inside a text do no harm. The number in a name is the reach; for ``ccb`` it is 75.
#
# Open in the description, and decided here: the width of the Gaussian (a third of the reach), how often it is applied
# (once), what lies beyond the ends of the vector (nothing, and the weights that are left count), the threshold (0.75).
CCB_REACH = 75
MIN_CONTENT_RATIO = 0.75


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
    keep = (blurred(content, reach) >= MIN_CONTENT_RATIO)[content]
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
    keep = blurred(~tags, reach) >= MIN_CONTENT_RATIO
    return Extraction(selected(soup, keep[~tags]), name, VERSION)


# ``fe`` and ``kfe``, FeatureExtractor and K-FeatureExtractor: Debnath, Mitra and Giles, "Identifying content blocks
# from web documents", ISMIS 2005, as R2L (section 2) and others describe them.
#
# The page is cut into blocks at tags that part it on the screen. Each block has features, how much it holds of each
# kind of thing: text, images, links, lists, tables, forms, objects, scripts. Blocks where the feature looked for, text,
# outweighs the others are winners. FeatureExtractor returns the best of them; K-FeatureExtractor clusters the winners
# in three by their features and returns the cluster of most text, so it can return many blocks.
#
# Open in the description, and decided here: which tags cut (``soup.BLOCKS``), how features of different kinds compare
# (each as its share of the largest value on the page; text must be above the mean of the others, itself not among
# them), how clusters start (at the smallest, the middle and the largest amount of text) and when they are done (when
# nothing moves, after 50 turns at most).
KFE_CLUSTERS = 3
KFE_TURNS = 50

_KINDS = {
    "img": 1, "a": 2, "li": 3, "table": 4, "td": 4, "form": 5, "input": 5, "button": 5, "select": 5, "textarea": 5,
    "object": 6, "embed": 6, "applet": 6, "iframe": 6, "video": 6, "audio": 6, "svg": 6, "script": 7,
}  # fmt: skip
TEXT, COLUMNS = 0, 8


def fe(html: str, _options: ExtractorOptions = DEFAULT_OPTIONS) -> Extraction:
    """Return the block of most text among those where text prevails."""
    texts, features = cut_blocks(html)
    winning = winners(features)
    best = winning[features[winning, TEXT].argmax() :][:1] if winning.size else winning
    return Extraction(paragraphs([texts[index] for index in best], []), "fe", VERSION)


def kfe(html: str, _options: ExtractorOptions = DEFAULT_OPTIONS) -> Extraction:
    """Return the cluster of most text among the blocks where text prevails."""
    texts, features = cut_blocks(html)
    winning = winners(features)
    chosen = winning[top_cluster(features[winning])] if winning.size else winning
    return Extraction(paragraphs([texts[index] for index in chosen], ["br"] * len(chosen)), "kfe", VERSION)


def cut_blocks(html: str) -> tuple[list[str], NDArray[np.float64]]:
    """Cut a page into blocks: their texts, and their features as shares of the page's largest."""
    html = sanitise(html)
    texts, rows, position = [""], [[0] * COLUMNS], 0
    parts: list[str] = []
    for start, end, name in markup(html):
        parts.append(html[position:start])
        position = end
        if name.lstrip("/") in BLOCKS:
            _end_block(texts, rows, parts)
            texts.append("")
            rows.append([0] * COLUMNS)
        if name in _KINDS:
            rows[-1][_KINDS[name]] += 1
    parts.append(html[position:])
    _end_block(texts, rows, parts)
    features = np.array(rows, dtype=float)
    return texts, features / np.maximum(features.max(axis=0), 1)


def _end_block(texts: list[str], rows: list[list[int]], parts: list[str]) -> None:
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
    centres = features[order[np.linspace(0, len(order) - 1, KFE_CLUSTERS).astype(int)]]
    labels = np.full(len(features), -1)
    for _ in range(KFE_TURNS):
        distances = np.stack([((features - centre) ** 2).sum(axis=1) for centre in centres], axis=1)
        found = distances.argmin(axis=1)
        if (found == labels).all():
            break
        labels = found
        centres = np.stack(
            [features[labels == index].mean(axis=0) if (labels == index).any() else centre
             for index, centre in enumerate(centres)]
        )  # fmt: skip
    filled = [index for index in range(KFE_CLUSTERS) if (labels == index).any()]
    top: NDArray[np.bool_] = labels == max(filled, key=lambda index: float(centres[index][TEXT]))
    return top


# ``licea``, language independent content extraction by density ("Density" in DANA's tables): Moreno, Deschacht and
# Moens, "Language independent content extraction from web pages", DIR 2009, as R2L (section 2) describes it.
#
# A parser parts text from tags; the texts form an array of strings, L. The region of L of highest density is the main
# content: strings of ``C1`` characters or more are dense, and dense strings at most ``C2`` places apart belong
# together.
#
# Open in the description, and decided here: what a string of L is (what stands between two block-level tags), which of
# several regions wins (the one of most characters, then the first), whether short strings between dense ones are kept
# (yes), the two values.
C1 = 60
"""Characters of a dense string."""
C2 = 12
"""Greatest distance of the next dense string, in places."""


def licea(html: str, _options: ExtractorOptions = DEFAULT_OPTIONS) -> Extraction:
    """Return the region of highest density."""
    strings = render(scan(html))
    return Extraction(strings[slice(*densest([len(string) for string in strings]))], "licea", VERSION)


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


# ``lqf-25``, ``lqf-50``, ``lqf-75``, link quota filters: Mantratzis, Orgun and Cassidy, "Separating XHTML content from
# navigation clutter using DOM-structure block analysis", Hypertext 2005, in the form that Gottron compares with (2007).
#
# The link quota of a block is the share of its text that stands in links. Blocks whose quota is over the number in the
# name, in percent, go; all other text stays.
#
# Open in the description, and decided here: which elements are blocks (those that begin lines on the screen), whether a
# block answers for the blocks in it (no; otherwise a frontier of 25 % drops whole pages for their menus), how text is
# measured (characters without the white space around them).


def block_of_each_text(soup: Soup) -> tuple[list[int], list[bool]]:
    """Return for each text the number of its innermost block, 0 for the body, and whether it stands in a link."""
    elements, blocks, linked, count = OpenElements(0), [], [], 0
    for name, tag in zip((*soup.names, "br"), (*soup.tags, ""), strict=True):
        blocks.append(elements.innermost[1])
        linked.append(elements.holds("a"))
        if name[0] == "/":
            elements.end(name[1:])
        elif opens(name, tag):
            elements.end_implied(name)
            count += name in BLOCKS
            elements.start(name, count if name in BLOCKS else elements.innermost[1])
    return blocks, linked


def link_quota(percent: int, html: str, _options: ExtractorOptions) -> Extraction:
    """Return all text but that of blocks over the quota."""
    soup = scan(html)
    blocks, linked = block_of_each_text(soup)
    chars, chars_linked = Counter[int](), Counter[int]()
    for text, block, inside in zip(soup.texts, blocks, linked, strict=True):
        chars[block] += len(text.strip())
        chars_linked[block] += len(text.strip()) * inside
    over = {block for block in chars if 100 * chars_linked[block] > percent * chars[block]}
    texts = ["" if block in over else text for text, block in zip(soup.texts, blocks, strict=True)]
    return Extraction(paragraphs(texts, soup.names), f"lqf-{percent}", VERSION)


# ``dsc``, document slope curves: Pinto et al., "QuASM: a system for question answering using semi-structured data",
# JCDL 2002, as R2L (section 2) and later comparisons describe it.
#
# The curve has the number of tags up to each token; long, low sloping regions are text. Where BTE finds one region, a
# window finds several: windows of a fixed number of tokens, each begun half a window after the last, are low where
# their slope is under half of the whole document's, and as many in a row as ``SLOPE_ROW`` make a section.
#
# Open in the description, and decided here: the width of the window (50 tokens), how many in a row (3), what becomes of
# tokens of low windows in shorter rows (dropped), of pages shorter than a row of windows (kept whole if any text).
# Words stand between white space, so pages in scripts without spaces have next to none.

SLOPE_WINDOW = 50
SLOPE_ROW = 3
LOW_SLOPE_SHARE = 0.5
"""A window is low under this share of the document's slope."""


def slope_curve(html: str, _options: ExtractorOptions = DEFAULT_OPTIONS) -> Extraction:
    """Return the words of all low sloping sections."""
    soup = scan(html)
    tags = is_tag(soup)
    return Extraction(selected(soup, low_sections(tags)[~tags]), "dsc", VERSION)


def low_sections(tags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return for each token whether it lies in a section of ``SLOPE_ROW`` low windows or more."""
    half = SLOPE_WINDOW // 2
    if tags.size < half * (SLOPE_ROW + 1):
        return np.ones(tags.size, dtype=bool)
    curve = np.concatenate(([0], np.cumsum(tags)))
    starts = np.arange(0, tags.size - half, half)
    ends = np.minimum(starts + SLOPE_WINDOW, tags.size)
    low = (curve[ends] - curve[starts]) / (ends - starts) < LOW_SLOPE_SHARE * tags.mean()
    rows = np.convolve(low, np.ones(SLOPE_ROW, dtype=int), "valid") == SLOPE_ROW
    marks = np.zeros(tags.size, dtype=bool)
    for first in np.flatnonzero(rows):
        marks[starts[first] : ends[first + SLOPE_ROW - 1]] = True
    return marks


def _opponent(name: str, description: str, extract: Callable[[str, ExtractorOptions], Extraction]) -> Extractor:
    return Extractor(name, VERSION, description, extract, evaluation_only=True)


OPPONENTS = (
    _opponent("ccb", "content code blurring (Gottron, 2008)", partial(by_character, "ccb", CCB_REACH, links=True)),
    _opponent(
        "accb-40",
        "content code blurring without link tags, reach 40",
        partial(by_character, "accb-40", 40, links=False),
    ),
    _opponent("tccb-18", "content code blurring by words, reach 18", partial(by_token, "tccb-18", 18)),
    _opponent("tccb-25", "content code blurring by words, reach 25", partial(by_token, "tccb-25", 25)),
    _opponent("fe", "FeatureExtractor (Debnath et al., 2005)", fe),
    _opponent("kfe", "K-FeatureExtractor (Debnath et al., 2005)", kfe),
    _opponent("licea", "language independent content extraction by density (Moreno et al., 2009)", licea),
    _opponent("lqf-25", "link quota filter, 25 % (Mantratzis et al., 2005)", partial(link_quota, 25)),
    _opponent("lqf-50", "link quota filter, 50 %", partial(link_quota, 50)),
    _opponent("lqf-75", "link quota filter, 75 %", partial(link_quota, 75)),
    _opponent("dsc", "document slope curves (Pinto et al., 2002)", slope_curve),
)
"""All of them, as Extractors."""
