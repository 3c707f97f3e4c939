"""Collocates of the hits of a question, counted in the tokens of an index.

Their neighbours are counted words. The places of a question are searched units, and a counted word that shares letters
with a place is no neighbour of it. All documents with hits are read, up to a bound: beyond it as many of each shard as
its share is. A shard has its documents in the order of their ids, which are digests, so these are a random sample.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from corpus_spider.search.index.shard_threads import in_threads
from corpus_spider.words.collocation_rules import LEFT, RIGHT, USUAL, CollocationRules
from corpus_spider.words.counting import totals
from corpus_spider.words.keyness import association, log_dice, mutual_information, t_score
from corpus_spider.words.lists import AS_ONE, CollocateRow, CountingRules, SharedSpellings, whole_months
from corpus_spider.words.word_tally import WordTally

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from corpus_spider.search.hits.matching import Places
    from corpus_spider.search.index.counted_words import WordPlaces
    from corpus_spider.search.index.token_block import TokenBlock
    from corpus_spider.search.searching import SearchIndex, ShardHits
    from storage.documents.selection import Selection

MAX_DOCUMENTS = 500_000
"""Documents in which collocates are counted. Half a million with a frequent word take about two seconds."""


@dataclass(frozen=True, slots=True)
class Collocates:
    """Collocates, the number of documents in which they were counted, and of those that have the words."""

    rows: list[CollocateRow]
    documents: int
    found: int


@dataclass(slots=True)
class _NearWords:
    """Words near the hits in a shard. ``nodes``: number of hits."""

    nodes: int = 0
    tally: WordTally = field(default_factory=WordTally)


@dataclass(frozen=True, slots=True)
class _Counted:
    """Words near the hits, the number of hits, and the share of all documents with hits that they are from."""

    near: SharedSpellings
    nodes: int
    share: float


def collocates(
    index: SearchIndex,
    text: str,
    selected: Selection,
    most: int,
    documents: int = MAX_DOCUMENTS,
    how: CountingRules = AS_ONE,
    rules: CollocationRules = USUAL,
) -> Collocates:
    """Return the words that stand near the hits of a question more than their frequency lets expect, best first.

    Counted within a line, in at most so many ``documents``. Words side by side in ``text`` are one phrase. A word that
    is near two hits counts once.
    """
    parts = index.hits_by_shard(index.parsed(text, as_phrase=True), whole_months(selected), documents)
    near = SharedSpellings()
    nodes = 0
    for found in in_threads(lambda part: _near_in(part, rules), parts):
        nodes += found.nodes
        for language, words, counts in found.tally.texts():
            for word, count in zip(words, counts, strict=True):
                near.add(how.form(word, language), word, count)
    read, every = sum(len(part.documents) for part in parts), sum(part.found for part in parts)
    counted = _Counted(near, nodes, read / every if every else 1.0)
    return Collocates(_rows(index, selected, counted, most, how, rules), read, every)


def _near_in(part: ShardHits, rules: CollocationRules) -> _NearWords:
    """Count the words near the hits of one shard."""
    near = _NearWords()
    for block, places in part.read(grouped=True):
        near.nodes += len(places.starts)
        words = block.counted_words()
        near.tally.add(block, words, neighbours(block, words, places, rules))
    return near


def neighbours(block: TokenBlock, words: WordPlaces, places: Places, rules: CollocationRules) -> npt.NDArray[np.int64]:
    """Return the counted words of a block that are near some places, by their numbers, each once."""
    before, after, bounds = places.starts, places.ends, np.append(block.line_starts, len(block.tokens))
    lines = np.searchsorted(block.line_starts, places.starts, "right") - 1
    if words.kinds is not None:
        before = np.searchsorted(words.ends, before, "right")
        after, bounds = np.searchsorted(words.firsts, after), np.searchsorted(words.firsts, bounds)
    change = np.zeros(len(words.firsts) + 1, np.int64)
    if rules.side != RIGHT:
        np.add.at(change, np.maximum(bounds[lines], before - rules.window), 1)
        np.add.at(change, before, -1)
    if rules.side != LEFT:
        np.add.at(change, after, 1)
        np.add.at(change, np.minimum(bounds[lines + 1], after + rules.window), -1)
    return np.flatnonzero(np.cumsum(change[:-1]) > 0)


def _rows(
    index: SearchIndex,
    selected: Selection,
    counted: _Counted,
    most: int,
    how: CountingRules,
    rules: CollocationRules,
) -> list[CollocateRow]:
    """Return the rows of the words that are near so many nodes."""
    near = counted.near
    close: Sequence[str] = [
        word for word, together in near.counts.items() if together >= rules.min_frequency and not how.is_left_out(word)
    ]
    known = index.manifest.ids_by_text(close)
    whole = totals(list(index.manifest.cells(selected, one_spelling=how.one_spelling)))
    overall = whole.frequency_of(np.array([known.get(word, 0) for word in close], np.int64))
    together = np.array([near.counts[word] for word in close], np.int64)
    at_least = np.maximum(overall, together)
    # What was counted near the node is a part of the selection, and its measures need a rest of it.
    around = near.counts.total()
    size = max(whole.tokens, around + 1)
    expected = around * at_least / size
    scores = {
        # The frequency is that of the whole selection, so all hits are estimated from a share of them.
        "log_dice": log_dice(together / counted.share, counted.nodes / counted.share, at_least),
        "log_likelihood": association(together, around, at_least, size),
        "t_score": t_score(together, expected),
        "mutual_information": mutual_information(together, expected),
    }
    return [
        CollocateRow(
            near.spelled(close[at]),
            int(together[at]),
            int(overall[at]),
            **{name: round(float(each[at]), 2) for name, each in scores.items()},
        )
        for at in np.argsort(-scores[rules.measure], kind="stable")[:most]
    ]
