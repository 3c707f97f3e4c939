"""Vietnamese compounds by the model of underthesea, a conditional random field, far faster than the library.

The model is a sum of weights: of words at a place, of two and three words in a row, and of their letters. The library
makes 43 strings for each token and looks them up. Here the sum for some words in a row is remembered, because texts
repeat them. Tokens are those of the library, its regular expression for what stands between two spaces.

The model file is that of CRFsuite (Okazaki 2007, `crf1d_model.c` and `cqdb.c`), little-endian.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from itertools import pairwise, product
from operator import add
from typing import TYPE_CHECKING, Any

import numpy as np

from pipelines.text.tokenizer import MAX_CHARS_KEPT, MAX_WORDS_KEPT

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    Weights = Mapping[str, Mapping[str, float]]

_HEADER = struct.Struct("<4sI4sIIII5I")
_FEATURES = np.dtype([("type", "<u4"), ("source", "<u4"), ("label", "<u4"), ("weight", "<f8")])
_NAMES_HEADER = struct.Struct("<4sIIIII")
_BEGIN, _INSIDE = "B-W", "I-W"
_TEMPLATE = re.compile(r"T\[(-?\d)(?:,(-?\d))?\](?:\.(lower|isdigit|istitle|is_in_dict))?")
_BEFORE, _AFTER = "BOS", "EOS"
"""Values of what reaches over the ends of a line."""
_MAX_CACHED_CHARS = 3 * MAX_CHARS_KEPT
"""Characters of a row of words that is remembered."""
_MARGIN = 4
_NUMBER = re.compile(r"[+-]?[0-9]{1,12}")
_CHUNK = re.compile(r"\S+")


class UnknownModelError(ValueError):
    """The model is another one than this module can read."""


@dataclass(frozen=True, slots=True)
class CompoundModel:
    """Weights of a model. They are what speaks for a token inside of a word, less what speaks for a beginning."""

    weights: Weights
    """By feature, such as ``T[-1,0].lower``, and its value."""
    transitions: Mapping[tuple[str, str], float]
    dictionary: Collection[str]

    @classmethod
    def read(cls, folder: Path, load: Callable[[Path], Any]) -> CompoundModel:
        """Read the model in a folder of underthesea. ``load`` reads its pickles. OSError, or UnknownModelError."""
        data = (folder / "models.bin").read_bytes()
        try:
            magic, *_, features_at, labels_at, attributes_at, _, _ = _HEADER.unpack_from(data)
            [number] = struct.unpack_from("<I", data, features_at + 8)
            features = np.frombuffer(data, _FEATURES, number, features_at + 12).tolist()
            labels, attributes = _names(data, labels_at), _names(data, attributes_at)
        except (struct.error, ValueError) as error:
            raise UnknownModelError(str(error)) from error
        if magic != b"lCRF" or sorted(labels) != [_BEGIN, _INSIDE]:
            raise UnknownModelError(str(labels))
        weights: dict[str, dict[str, float]] = {}
        transitions: dict[tuple[str, str], float] = {}
        for kind, source, label, weight in features:
            if kind:
                transitions[labels[source], labels[label]] = weight
                continue
            name, _, value = attributes[source].partition("=")
            of_feature = weights.setdefault(name, {})
            of_feature[value] = of_feature.get(value, 0.0) + (weight if labels[label] == _INSIDE else -weight)
        templates = load(folder / "features.bin")
        unknown = [each for each in {*templates, *weights} if not _TEMPLATE.fullmatch(each)]
        if unknown:
            raise UnknownModelError(str(unknown))
        of_templates = {name: weights.get(name, {}) for name in templates}
        return cls(of_templates, transitions, load(folder / "dictionary.bin"))


def _names(data: bytes, at: int) -> list[str]:
    """Read the names of a constant quark database, in the order of their numbers."""
    *_, number, offsets_at = _NAMES_HEADER.unpack_from(data, at)
    names = []
    for (offset,) in struct.iter_unpack("<I", data[at + offsets_at : at + offsets_at + 4 * number]):
        size = struct.unpack_from("<I", data, at + offset + 4)[0]
        names.append(data[at + offset + 8 : at + offset + 7 + size].decode())
    return names


class _RowScores(dict[str, tuple[float, ...]]):
    """Sums of weights by words in a row, one for each place that the row can have beside the token. Filled on demand.

    ``before``: first word of the row at each place, counted from the token. ``ends``: the sums of what reaches over an
    end of the line.
    """

    def __init__(self, model: CompoundModel, features: Mapping[int, Mapping[str, str]]) -> None:
        super().__init__()
        self.before = tuple(features)
        self._dictionary = model.dictionary
        of_kind = {
            kind: [model.weights.get(each.get(kind, ""), {}) for each in features.values()]
            for kind in ("", "lower", "isdigit", "istitle", "is_in_dict")
        }
        self._same, self._small = _by_value(of_kind[""]), _by_value(of_kind["lower"])
        digit, title, known = (_by_value(of_kind[kind]) for kind in ("isdigit", "istitle", "is_in_dict"))
        none = (0.0,) * len(features)
        self._signs = {
            signs: _sum(each.get(str(sign), none) for each, sign in zip((digit, title, known), signs, strict=True))
            for signs in product((False, True), repeat=3)
        }
        self.ends = {
            value: _sum(_by_value(each).get(value, none) for each in of_kind.values()) for value in (_BEFORE, _AFTER)
        }

    def __missing__(self, row: str) -> tuple[float, ...]:
        lower = row.lower()
        is_digit = row[-1].isdigit() and bool(_NUMBER.fullmatch(row)) and -(2**31) <= int(row) < 2**31
        is_title = row[0] == row[0].upper() and all(word[0] == word[0].upper() for word in row.split(" "))
        found = self._signs[is_digit, is_title, lower in self._dictionary]
        for weights in (self._same.get(row), self._small.get(lower)):
            if weights:
                found = _sum((found, weights))
        if len(self) >= MAX_WORDS_KEPT:
            self.clear()
        if len(row) <= _MAX_CACHED_CHARS:
            self[row] = found
        return found


def _by_value(places: Sequence[Mapping[str, float]]) -> dict[str, tuple[float, ...]]:
    """Return the weights at each place by value."""
    values = set[str]().union(*places)
    return {value: tuple(weights.get(value, 0.0) for weights in places) for value in values}


def _sum(rows: Iterable[tuple[float, ...]]) -> tuple[float, ...]:
    return tuple(map(sum, zip(*rows, strict=True)))


class CompoundTagger:
    """Finds the tokens of a line that go on with the word before them."""

    def __init__(self, model: CompoundModel) -> None:
        features: dict[int, dict[int, dict[str, str]]] = {}
        for name in model.weights:
            first, last, kind = _TEMPLATE.findall(name)[0]
            width = 1 + int(last or first) - int(first)
            features.setdefault(width, {}).setdefault(int(first), {})[kind] = name
        self._rows = {width: _RowScores(model, features[width]) for width in sorted(features)}
        labels = (_BEGIN, _INSIDE)
        self._transitions = [model.transitions.get((one, other), 0.0) for one in labels for other in labels]

    def is_inside(self, tokens: Sequence[str]) -> list[bool]:
        """Return of each token whether it goes on with the word before it."""
        return self._best(self._scores(tokens)) if tokens else []

    def _scores(self, tokens: Sequence[str]) -> list[float]:
        number = len(tokens)
        scores = [0.0] * (number + 2 * _MARGIN)
        words = list(tokens)
        for width, rows in self._rows.items():
            if width > 1:
                words = [f"{one} {other}" for one, other in zip(words, tokens[width - 1 :], strict=False)]
            for first, column in zip(rows.before, zip(*map(rows.__getitem__, words), strict=True), strict=False):
                place = slice(_MARGIN - first, _MARGIN - first + len(words))
                scores[place] = map(add, scores[place], column)
            for token in {*range(min(2, number)), *range(max(0, number - 2), number)}:
                for first, before, after in zip(rows.before, rows.ends[_BEFORE], rows.ends[_AFTER], strict=True):
                    if token + first < 0:
                        scores[token + _MARGIN] += before
                    elif token + first + width > number:
                        scores[token + _MARGIN] += after
        return scores[_MARGIN : number + _MARGIN]

    def _best(self, scores: Sequence[float]) -> list[bool]:
        """Return the best labels (Viterbi)."""
        begin_begin, begin_inside, inside_begin, inside_inside = self._transitions
        begin, inside = 0.0, scores[0]
        came_from: list[tuple[bool, bool]] = []
        for score in scores[1:]:
            to_begin = inside + inside_begin > begin + begin_begin
            to_inside = inside + inside_inside > begin + begin_inside
            came_from.append((to_begin, to_inside))
            begin, inside = (
                inside + inside_begin if to_begin else begin + begin_begin,
                score + (inside + inside_inside if to_inside else begin + begin_inside),
            )
        found = [inside > begin]
        for each in reversed(came_from):
            found.append(each[found[-1]])
        return found[::-1]


class CompoundSplitter:
    """Splits a line into words with the white space before each. ``tokens`` finds the tokens of a text."""

    def __init__(self, model: CompoundModel, tokens: re.Pattern[str], normalised: Callable[[str], str]) -> None:
        self._tagger = CompoundTagger(model)
        self._tokens, self._normalised = tokens, normalised
        self._known: dict[str, tuple[tuple[str, ...], tuple[int, ...]]] = {}

    def __call__(self, line: str) -> list[str]:
        """Return the words, which joined are the line."""
        text = self._normalised(line)
        # Places in the text must be those in the line.
        if len(text) != len(line):
            text = line
        tokens: list[str] = []
        ends: list[int] = []
        last = len(text.rstrip())
        for chunk in _CHUNK.finditer(text):
            start, end = chunk.span()
            found, places = self._of_chunk(chunk[0], is_last=end == last)
            tokens += found
            ends += [start + place for place in places]
        inside = self._tagger.is_inside(tokens)
        word_ends = [end for end, goes_on in zip(ends, [*inside[1:], False], strict=False) if not goes_on]
        words = [line[start:end] for start, end in pairwise([0, *word_ends])]
        rest = line[word_ends[-1] if word_ends else 0 :]
        return [*words, rest] if rest else words

    def _of_chunk(self, chunk: str, *, is_last: bool) -> tuple[tuple[str, ...], tuple[int, ...]]:
        """Return the tokens between two spaces and where they end. The expression looks for the end of the line."""
        key = chunk if is_last else f"{chunk} "
        known = self._known.get(key)
        if known is None:
            found = list(self._tokens.finditer(key))
            known = tuple(each.group() for each in found), tuple(each.end() for each in found)
            if len(self._known) >= MAX_WORDS_KEPT:
                self._known.clear()
            if len(key) <= _MAX_CACHED_CHARS:
                self._known[key] = known
        return known
