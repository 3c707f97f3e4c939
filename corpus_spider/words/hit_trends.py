"""Trends by month of words and of questions: what is no counted word is counted by its hits."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from corpus_spider.search.question.tree import has_fields
from corpus_spider.words import lists
from corpus_spider.words.counting import MILLION
from corpus_spider.words.lists import AS_ONE, HITS, CountingRules, TrendRow
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from corpus_spider.search.searching import SearchIndex
    from storage.documents.selection import Selection


def trends(
    index: SearchIndex, selected: Selection, chosen: Sequence[str], how: CountingRules = AS_ONE
) -> list[TrendRow]:
    """Return the frequencies of words and questions in each month of the selection, months without them as 0.

    A text with which `lists.trend` counts nothing is read as a question, with words side by side as one phrase, and its
    hits are counted. Raises ConfigError if it is no question, or has fields of documents.
    """
    rows = lists.trend(index.manifest, selected, chosen, how)
    months = len(rows) // max(1, len(chosen))
    tokens: dict[str, int] | None = None
    found: list[TrendRow] = []
    for at, text in enumerate(chosen):
        of_text = rows[at * months : (at + 1) * months]
        if not any(row.frequency for row in of_text):
            tokens = tokens or _tokens(index, selected)
            of_text = _by_hits(of_text, text, _hits(index, selected, text), tokens)
        found += of_text
    return found


def _by_hits(rows: Sequence[TrendRow], text: str, hits: Mapping[str, int], tokens: Mapping[str, int]) -> list[TrendRow]:
    """Return the rows of a text with the hits of its months, also per million of the ``tokens`` of the month."""
    return [
        replace(
            row,
            word=text.strip(),
            frequency=hits.get(row.month, 0),
            per_million=round(hits.get(row.month, 0) * MILLION / max(1, tokens[row.month]), 2),
            counted_as=HITS,
        )
        for row in rows
    ]


def _hits(index: SearchIndex, selected: Selection, text: str) -> Mapping[str, int]:
    """Return the hits of a question by month."""
    question = index.parsed(text, as_phrase=True)
    if has_fields(question):
        what = f"hits by month are in a million words of the selection, and a field chooses other documents: {text:.60}"
        raise ConfigError(what, where="words", do="Select the documents with --site, --language, --since and --until.")
    return index.count_hits(question, lists.whole_months(selected), math.inf).by_month


def _tokens(index: SearchIndex, selected: Selection) -> dict[str, int]:
    """Return the number of counted words in each month."""
    found: dict[str, int] = {}
    for size in index.manifest.sizes(selected):
        found[size.key.month] = found.get(size.key.month, 0) + size.tokens
    return found
