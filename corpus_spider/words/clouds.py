"""Tag clouds: which words, how large, where, and the picture with its table.

The font size grows with the square root of the weight, so that the area of a word grows with its weight. The words
stand in rows in the order of a dictionary of their language. A reader finds a word, and the same numbers give the same
picture.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections import Counter
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from corpus_spider.figures.drawing import draw_words
from corpus_spider.search.index.made_with import IndexTools
from corpus_spider.words import lists
from corpus_spider.words.counting import totals
from corpus_spider.words.keyness import log_likelihood, log_ratio
from corpus_spider.words.lists import SharedSpellings
from corpus_spider.words.references import RestOfCorpus
from pipelines.quality.stop_word_lists import is_wordlike, stop_forms_of
from pipelines.text.collation import sort_key
from pipelines.text.scripts import characters, is_from_the_right
from pipelines.text.word_forms import letters
from pipelines.text.words import as_counted
from storage.documents.selection import Selection

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from corpus_spider.search.index.manifest import Manifest
    from corpus_spider.words.lists import KeyRow, WordRow
    from corpus_spider.words.references import Reference

MAX_FONT, MIN_FONT = 56.0, 12.0
"""Font sizes in pixels."""
WIDTH = 960.0
MARGIN, GAP = 20.0, 14.0
MAX_WORD_CHARS = 40
"""Characters. Longer words are left out."""
MAX_DOCUMENT_SHARE = 0.5
"""Share of documents above which a word is left out, where no list of stop words is known."""
_LINE_HEIGHT = 1.7
"""Height of a row against its largest font: marks of Thai and Burmese stand above and below."""
_LINES = {"ur": 2.5}
"""The same for languages whose letters hang below one another, as in Nastaliq."""
_BROAD = {"W": 1.05, "F": 1.05}
_BROAD_SCRIPTS = tuple(
    (re.compile(f"[{characters(code)}]"), width) for code, width in (("Mymr", 1.0), ("Khmr", 0.95), ("Arab", 0.7))
)
_MARKS = frozenset({"Mn", "Me", "Cf"})
EXTRA_ROWS = 700
"""Rows of a list that are read beyond those wanted: stop words and numbers are left out."""
FREQUENCY = "frequency, without stop words"
KEYNESS = "log-likelihood (G2) against {}, without stop words"
REST = "the rest of the corpus"
SCALE = f"the font size grows with the square root of the weight, up to {MAX_FONT:.0f} pixels"


@dataclass(frozen=True, slots=True)
class WeightedWord:
    """A word of a cloud: its weight, its frequency, and the effect size, the binary log ratio (None: no reference)."""

    word: str
    weight: float
    frequency: int
    log_ratio: float | None = None


@dataclass(frozen=True, slots=True)
class CloudWords:
    """Words of a tag cloud with their weights, and its caption."""

    caption: str
    words: tuple[WeightedWord, ...]


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A word with its font size and the place of its middle on the base line, in pixels."""

    word: str
    x: float
    y: float
    size: float
    width: float


@dataclass(frozen=True, slots=True)
class Cloud:
    """A tag cloud. ``weights``: the words, the heaviest first. ``measure`` names the weight."""

    weights: tuple[WeightedWord, ...]
    language: str
    is_right_to_left: bool
    measure: str
    source: str
    notes: tuple[str, ...] = ()
    """What a reader of the counts must know; see `IndexTools.notes`."""

    @property
    def caption(self) -> str:
        """What the picture shows, and by which scale."""
        return f"{self.source}. Weight: {self.measure}; {SCALE}."

    @property
    def data(self) -> CloudWords:
        """What the picture is made of."""
        return CloudWords(self.caption, self.weights)

    def placed(self) -> tuple[list[PlacedWord], float, float]:
        """Return the words with their places, and the width and height of the picture."""
        line = _LINES.get(self.language, _LINE_HEIGHT)
        return laid_out(self.in_order, is_right_to_left=self.is_right_to_left, line=line)

    @property
    def in_order(self) -> list[WeightedWord]:
        """The words in the order of a dictionary of their language."""
        order_of = sort_key(self.language)
        return sorted(self.weights, key=lambda each: order_of(each.word))


def by_keyness(rows: Iterable[KeyRow], most: int) -> tuple[WeightedWord, ...]:
    """Return the keywords of a selection with their log-likelihood as weight."""
    kept = (WeightedWord(row.word, row.log_likelihood, row.frequency, row.log_ratio) for row in rows if _fits(row.word))
    return tuple(list(kept)[:most])


def by_frequency(
    rows: Iterable[WordRow], languages: Sequence[str], documents: int, most: int
) -> tuple[WeightedWord, ...]:
    """Return the most frequent words without stop words. Where no list is known, words of most documents are some."""
    left_out = lists.CountingRules(without=_stop_forms(languages))
    is_known = any(left_out.without.values())
    kept = (
        WeightedWord(row.word, float(row.frequency), row.frequency)
        for row in rows
        if _fits(row.word)
        and not left_out.is_left_out(row.word)
        and (is_known or row.documents <= MAX_DOCUMENT_SHARE * documents)
    )
    return tuple(list(kept)[:most])


def of_page(
    counted: Mapping[str, int], reference: Mapping[str, int] | None, reference_size: int, language: str, most: int
) -> tuple[WeightedWord, ...]:
    """Return the words of one page by keyness against a reference, or by frequency if there is none."""
    stops = _stop_forms((language,))
    kept = sorted(word for word in counted if _fits(word) and letters(word, language) not in stops[language])
    if not kept:
        return ()
    here = np.array([counted[word] for word in kept], np.int64)
    if reference is None:
        found = [WeightedWord(word, float(counted[word]), counted[word]) for word in kept]
    else:
        there = np.array([reference.get(word, 0) for word in kept], np.int64)
        size = sum(counted.values())
        sure = log_likelihood(here, there, size, reference_size)
        ratio = log_ratio(here, there, size, reference_size)
        found = [
            WeightedWord(word, round(float(sure[at]), 2), counted[word], round(float(ratio[at]), 2))
            for at, word in enumerate(kept)
            if ratio[at] > 0
        ]
    return tuple(sorted(found, key=lambda each: (-each.weight, each.word))[:most])


def of_selection(manifest: Manifest, selected: Selection, reference: Reference, most: int, source: str) -> Cloud:
    """Return the cloud of a selection of the index.

    By keyness against ``reference``, or against the rest of the corpus in the same languages. The texts of whole
    languages have no rest: their cloud is by frequency, and that of a part that is too small for keywords.
    """
    notes = tuple(IndexTools.of(manifest.settings()).notes(selected.languages))
    is_named = not isinstance(reference, RestOfCorpus)
    if is_named or selected != lists.same_languages(selected):
        keys = lists.keywords(manifest, selected, reference, most + EXTRA_ROWS)
        if keys or is_named:
            made = of_keywords(keys, selected.languages, most, source, "the reference" if is_named else REST)
            return replace(made, notes=notes)
    documents = lists.sizes(manifest, selected).documents
    rows = lists.frequencies(manifest, selected, most + EXTRA_ROWS)
    return replace(of_frequencies(rows, selected.languages, documents, most, source), notes=notes)


def of_keywords(
    rows: Sequence[KeyRow], languages: Sequence[str], most: int, source: str = "Keywords", against: str = REST
) -> Cloud:
    """Return the cloud of a list of keywords, without stop words."""
    left_out = lists.CountingRules(without=_stop_forms(languages))
    weights = by_keyness((row for row in rows if not left_out.is_left_out(row.word)), most)
    return _cloud(weights, languages, KEYNESS.format(against), source)


def of_frequencies(
    rows: Sequence[WordRow], languages: Sequence[str], documents: int, most: int, source: str = "Words"
) -> Cloud:
    """Return the cloud of a frequency list of so many documents, without stop words."""
    return _cloud(by_frequency(rows, languages, documents, most), languages, FREQUENCY, source)


def _cloud(weights: tuple[WeightedWord, ...], languages: Sequence[str], measure: str, source: str) -> Cloud:
    side = direction_of(each.word for each in weights)
    return Cloud(weights, languages[0] if languages else "", side, measure, source)


def of_text(
    lines: Iterable[str],
    language: str,
    manifest: Manifest | None,
    most: int,
    source: str,
    *,
    is_counted: bool = False,
) -> Cloud:
    """Return the cloud of one text, against all texts of its language in the index if there are some.

    ``is_counted``: the text is one of those in the index. It is left out of the reference.
    """
    made_with = IndexTools.installed() if manifest is None else IndexTools.of(manifest.settings())
    counter, shared = made_with.words(language), SharedSpellings()
    for line in lines:
        for a, b in counter.spans(line):
            word = as_counted(line[a:b], language)
            shared.add(letters(word, language), word)
    counted = shared.counts
    reference: Mapping[str, int] | None = None
    size = 0
    if manifest is not None:
        every = totals(list(manifest.cells(Selection((language,)), one_spelling=True)))
        ids = manifest.ids_by_text(counted)
        known = list(ids)
        frequencies = every.frequency_of(np.array([ids[word] for word in known], np.int64))
        own = counted if is_counted else Counter[str]()
        size = max(0, every.tokens - own.total())
        others = (max(0, int(number) - own[word]) for word, number in zip(known, frequencies, strict=True))
        reference = dict(zip(known, others, strict=True)) if size else None
    weights = tuple(
        replace(each, word=shared.spelled(each.word)) for each in of_page(counted, reference, size, language, most)
    )
    measure = FREQUENCY if reference is None else KEYNESS.format(f"{size:,} tokens of the corpus")
    return replace(_cloud(weights, (language,), measure, source), notes=tuple(made_with.notes((language,))))


def direction_of(words: Iterable[str]) -> bool:
    """Return whether most words are of a script that is written from right to left.

    >>> direction_of(["حكومة", "AI", "مدارس"])
    True
    """
    sides = list(map(is_from_the_right, words))
    return 2 * sum(sides) > len(sides)


def size_of(weight: float, largest: float) -> float:
    """Return the font size of a weight.

    >>> size_of(100, 100), size_of(25, 100), size_of(0, 100)
    (56.0, 34.0, 12.0)
    """
    return round(MIN_FONT + (MAX_FONT - MIN_FONT) * (weight / largest) ** 0.5, 1) if largest > 0 else MIN_FONT


def width_of(word: str) -> float:
    """Return the width of a word in em, estimated from its characters on the generous side."""
    return sum(map(_width, word))


def _width(sign: str) -> float:
    if unicodedata.category(sign) in _MARKS:
        return 0.0
    for characters_of_script, width in _BROAD_SCRIPTS:
        if characters_of_script.match(sign):
            return width
    return _BROAD.get(unicodedata.east_asian_width(sign), 0.8 if sign.isupper() or sign in "mwMW" else 0.66)


def laid_out(
    weights: Collection[WeightedWord], *, is_right_to_left: bool, line: float = _LINE_HEIGHT
) -> tuple[list[PlacedWord], float, float]:
    """Set words in rows, in their order. Return them, and the width and height of the picture.

    ``line``: height of a row against its largest font.
    """
    largest = max((each.weight for each in weights), default=0.0)
    sized = [(each.word, size_of(each.weight, largest)) for each in weights]
    wide = [(word, size, width_of(word) * size) for word, size in sized]
    across = max([WIDTH, *(width + 2 * MARGIN for _, _, width in wide)])
    rows: list[list[tuple[str, float, float]]] = [[]]
    used = 0.0
    for item in wide:
        if rows[-1] and used + GAP + item[2] > across - 2 * MARGIN:
            rows.append([])
            used = 0.0
        used += item[2] + (GAP if rows[-1] else 0.0)
        rows[-1].append(item)
    placed: list[PlacedWord] = []
    y = MARGIN
    for row in rows:
        height = max((size for _, size, _ in row), default=0.0) * line
        x = (across - sum(width for _, _, width in row) - GAP * (len(row) - 1)) / 2
        for word, size, width in row:
            middle = x + width / 2
            x += width + GAP
            at = across - middle if is_right_to_left else middle
            placed.append(PlacedWord(word, round(at, 1), round(y + height * 0.68, 1), size, round(width, 1)))
        y += height
    return placed, across, round(y + MARGIN, 1)


def svg(cloud: Cloud) -> str:
    """Return the cloud as an SVG file. Its description lists the weights for screen readers."""
    placed, width, height = cloud.placed()
    table = "; ".join(_line(each) for each in cloud.weights)
    side = "rtl" if cloud.is_right_to_left else "ltr"
    lines_below = textwrap.wrap(cloud.caption, 140)
    whole = height + 14 * len(lines_below) + 10
    caption_style = 'font-size="11" font-family="sans-serif" fill="#000"'
    lines = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{whole:.0f}"'
            f' viewBox="0 0 {width:.1f} {whole:.1f}" role="img" aria-labelledby="title desc">'
        ),
        f'<title id="title">{escape(cloud.caption)}</title>',
        f'<desc id="desc">{escape(table)}</desc>',
        (
            f'<rect width="100%" height="100%" fill="#fff"/><g fill="#000" text-anchor="middle" direction="{side}"'
            f" xml:lang=\"{escape(cloud.language)}\" font-family=\"'Noto Sans', 'Noto Sans Thai', sans-serif\">"
        ),
        *(f'<text x="{each.x}" y="{each.y}" font-size="{each.size}">{escape(each.word)}</text>' for each in placed),
        "</g>",
        *(
            f'<text x="{MARGIN}" y="{height + 14 * number:.1f}" {caption_style}>{escape(line)}</text>'
            for number, line in enumerate(lines_below, 1)
        ),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def png(cloud: Cloud) -> bytes:
    """Return the cloud as a PNG file. ConfigError if matplotlib is not installed."""
    placed, width, height = cloud.placed()
    return draw_words([(each.word, each.x, each.y, each.size) for each in placed], (width, height), cloud.caption)


def html(cloud: Cloud) -> str:
    """Return the cloud as one HTML page without scripts: the words in a flowing line, and a table of the weights."""
    largest = max((each.weight for each in cloud.weights), default=0.0)
    side = "rtl" if cloud.is_right_to_left else "ltr"
    items = " ".join(
        f'<li style="font-size:{size_of(each.weight, largest)}px">{escape(each.word)}</li>' for each in cloud.in_order
    )
    rows = "\n".join(
        f'<tr><th scope="row" lang="{escape(cloud.language)}" dir="auto">{escape(each.word)}</th>'
        f"<td>{each.weight:,.2f}</td><td>{each.frequency:,}</td>"
        f"<td>{'' if each.log_ratio is None else f'{each.log_ratio:.2f}'}</td></tr>"
        for each in cloud.weights
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(cloud.source)}</title>
<style>
body {{ margin: 1rem auto; max-width: 60rem; padding: 0 1rem; background: #fff; color: #000; font-family: sans-serif; }}
ul {{ list-style: none; padding: 0; text-align: center; line-height: 1.7; }}
li {{ display: inline-block; margin: 0 .4rem; }}
th, td {{ text-align: start; padding: .1rem .8rem .1rem 0; font-weight: normal; }}
td {{ text-align: end; }}
</style>
</head>
<body>
<h1>Tag cloud</h1>
<ul aria-hidden="true" lang="{escape(cloud.language)}" dir="{side}">{items}</ul>
<p>{escape(cloud.caption)}</p>
<table>
<caption>Weights</caption>
<thead><tr><th scope="col">word</th><th scope="col">weight</th><th scope="col">frequency</th>\
<th scope="col">log ratio</th></tr></thead>
<tbody>
{rows}
</tbody>
</table>
</body>
</html>
"""


def _line(each: WeightedWord) -> str:
    ratio = "" if each.log_ratio is None else f", log ratio {each.log_ratio:.2f}"
    return f"{each.word}: {each.weight:,.2f}, {each.frequency:,} times{ratio}"


def _stop_forms(languages: Sequence[str]) -> dict[str, frozenset[str]]:
    return {code: stop_forms_of(code) for code in languages}


def _fits(word: str) -> bool:
    return len(word) <= MAX_WORD_CHARS and is_wordlike(word)
