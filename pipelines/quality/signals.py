"""Quality signals of a text. They are measured and stored for every document, and never drop one.

The signals are the ones that Gopher (Rae et al. 2021, appendix A.1.1) and FineWeb-2 (Penedo et al. 2025) filter by;
`storage.records.Quality` describes each. Words are runs of letters, marks and digits, with joiners inside.

Scripts without spaces need no segmenter, so the same text gives the same numbers everywhere. There an n-gram has as
many letters as n words have on average, and stop words are searched at every place.

Everything is counted with arrays in a few passes and a sort: some .2 ms for 4 kB of text, linear for the worst text.
"""

from __future__ import annotations

import tomllib
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np

from pipelines.text.punctuation import CLOSING_QUOTES, REVERSED_QUOTES
from pipelines.text.scripts import LETTERS_OF_A_WORD, SENTENCE_ENDS, UNSPACED_RANGES
from storage.records import Quality

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Hashes = NDArray[np.uint64]
    Values = NDArray[np.unsignedinteger[Any]]
    Places = NDArray[np.signedinteger[Any]]
    Mask = NDArray[np.bool_]

MOST_CHARACTERS = 1_000_000
"""Characters. Only so many are measured of a longer text."""

_SPACE, _LETTER, _MARK, _DIGIT, _SIGN, _UNSPACED, _JOINER = range(7)
_KINDS = {"L": _LETTER, "M": _MARK, "N": _DIGIT, "P": _SIGN, "S": _SIGN}
_BASE = np.uint64(0x9E3779B97F4A7C15)
_INVERSE = np.uint64(pow(0x9E3779B97F4A7C15, -1, 2**64))


def measure(text: str, language: str) -> Quality:
    """Measure a text in a language (ISO 639-1). A language that is unknown here has no stop words."""
    points = np.frombuffer(text[:MOST_CHARACTERS].lower().encode("utf-32-le", "replace"), dtype="<u4")
    kinds = _kinds_of(points)
    counts = np.bincount(kinds, minlength=7).tolist()
    visible = max(1, sum(counts) - counts[_SPACE] - counts[_JOINER])
    hasher = _Hasher.of(points)
    tokens = _TokenPlaces.of(kinds, hasher)
    lines = _LineCounts.of(points, kinds, hasher, _endings(language))
    times = LETTERS_OF_A_WORD.get(language, 1)
    five = tokens.repeated(5 * times)
    return Quality(
        words=tokens.estimated_words(times),
        mean_line=_rounded(lines.characters / max(1, lines.number)),
        mean_word=_rounded(tokens.letters / max(1, len(tokens.starts))) if times == 1 else None,
        alphabetic_words=_rounded(tokens.alphabetic(kinds)),
        symbol_share=_rounded(counts[_SIGN] / visible),
        digit_share=_rounded(counts[_DIGIT] / visible),
        stop_word_share=_stop_word_share(tokens, hasher, kinds, language),
        ended_lines=_rounded(lines.ended / max(1, lines.number)),
        repeated_lines=_rounded(lines.repeated / max(1, lines.number)),
        top_bigram=_rounded(tokens.most_frequent(2 * times)),
        repeated_5grams=_rounded(five),
        repeated_10grams=_rounded(tokens.repeated(10 * times) if five else 0.0),
    )


def _rounded(value: float) -> float:
    return round(float(value), 4)


@dataclass(frozen=True, slots=True)
class _Hasher:
    """Polynomial hashes (modulo 2^64) of any stretch of a sequence, each in one step."""

    sums: Hashes
    size: int

    @classmethod
    def of(cls, values: NDArray[np.unsignedinteger[Any]]) -> _Hasher:
        sums = np.zeros(len(values) + 1, dtype=np.uint64)
        np.cumsum((values.astype(np.uint64) + np.uint64(1)) * _powers(len(values))[0], out=sums[1:])
        return cls(sums, len(values))

    def stretches(self, starts: Places, ends: Places) -> Hashes:
        """Return the hash of each stretch. Equal stretches have equal hashes at all places."""
        return _mixed((self.sums[ends] - self.sums[starts]) * _powers(self.size)[1][starts])

    def windows(self, width: int) -> Hashes:
        """Return the hash of the window of that width at each place."""
        count = max(0, self.size - width + 1)
        return _mixed((self.sums[width:] - self.sums[:count]) * _powers(self.size)[1][:count])


def _mixed(hashes: Hashes) -> Hashes:
    """Mix: the low bits of a product depend little on the high ones."""
    hashes ^= hashes >> np.uint64(29)
    return hashes


@dataclass(frozen=True, slots=True)
class _TokenPlaces:
    """Words, or letters with their marks in unspaced scripts: their places and lengths in characters."""

    starts: Places
    lengths: Places
    hashes: Hashes
    sequence: _Hasher
    """Hasher of the tokens' hashes."""
    unspaced: Mask

    @classmethod
    def of(cls, kinds: NDArray[np.uint8], hasher: _Hasher) -> _TokenPlaces:
        inside, unspaced = _in_words(kinds), kinds == _UNSPACED
        begins = inside.copy()
        # A letter of an unspaced script is a token. So is the next character, unless it is a mark.
        begins[1:] &= ~inside[:-1] | unspaced[1:] | (unspaced[:-1] & (kinds[1:] != _MARK) & (kinds[1:] != _JOINER))
        starts = np.flatnonzero(begins)
        stops = np.flatnonzero(np.concatenate((~inside, (True,))))
        following = np.concatenate((starts[1:], (len(kinds),)))
        ends = np.minimum(following, stops[np.searchsorted(stops, starts)]) if len(starts) else starts
        hashes = hasher.stretches(starts, ends)
        return cls(starts, ends - starts, hashes, _Hasher.of(hashes), unspaced[starts])

    @property
    def letters(self) -> int:
        """Characters of all tokens."""
        return int(self.lengths.sum())

    def estimated_words(self, times: int) -> int:
        """Count what stands between spaces. In unspaced scripts so many letters count as one word."""
        letters = int(self.unspaced.sum())
        return len(self.starts) - letters + -(-letters // max(2, times))

    def alphabetic(self, kinds: NDArray[np.uint8]) -> float:
        """Return the share of tokens that begin with a letter."""
        first = kinds[self.starts]
        return float(((first == _LETTER) | (first == _UNSPACED)).mean()) if len(first) else 0.0

    def most_frequent(self, n: int) -> float:
        """Return the share of characters that the most frequent n-gram covers, or 0 if no n-gram occurs twice."""
        grams = self.sequence.windows(n)
        if not len(grams):
            return 0.0
        ordered = np.sort(grams)
        firsts = np.flatnonzero(np.concatenate(((True,), ordered[1:] != ordered[:-1])))
        times = np.diff(firsts, append=len(ordered))
        most = int(times.max())
        if most < 2:
            return 0.0
        starts = np.flatnonzero(_among(grams, ordered[firsts[times == most]]))
        sums = np.concatenate(((0,), np.cumsum(self.lengths)))
        return min(1.0, float((sums[starts + n] - sums[starts]).max() * most) / max(1, self.letters))

    def repeated(self, n: int) -> float:
        """Return the share of characters in n-grams that occurred before, each character counted once."""
        grams = self.sequence.windows(n)
        again = _seen_before(grams)
        if not again.any():
            return 0.0
        change = np.zeros(len(self.starts) + 1, dtype=np.int64)
        change[: len(grams)] += again
        change[n : n + len(grams)] -= again
        return float(self.lengths[np.cumsum(change[:-1]) > 0].sum()) / max(1, self.letters)


@dataclass(frozen=True, slots=True)
class _LineCounts:
    """Lines that are not blank: their number, their characters, those that end like sentences, and those repeated."""

    number: int
    characters: int
    ended: int
    repeated: int

    @classmethod
    def of(cls, points: Values, kinds: NDArray[np.uint8], hasher: _Hasher, endings: Values) -> _LineCounts:
        breaks = np.flatnonzero(points == ord("\n"))
        starts, ends = np.concatenate(((0,), breaks + 1)), np.concatenate((breaks, (len(points),)))
        seen = np.concatenate(((0,), np.cumsum(kinds != _SPACE)))
        filled = seen[ends] > seen[starts]
        starts, ends = starts[filled], ends[filled]
        return cls(
            number=len(starts),
            characters=int((ends - starts).sum()),
            ended=int(_among(points[ends - 1], endings).sum()),
            repeated=int(_seen_before(hasher.stretches(starts, ends)).sum()),
        )


def _in_words(kinds: NDArray[np.uint8]) -> Mask:
    """Return, for each character, whether it is part of a word. Marks after signs and spaces are not (❤️, 👩‍👧)."""
    inside: Mask = (kinds != _SPACE) & (kinds != _SIGN)
    changing: Mask = (kinds == _MARK) | (kinds == _JOINER)
    if not (changing[:1].any() or (changing[1:] & ~inside[:-1]).any()):
        return inside
    changed = np.maximum.accumulate(np.where(changing, 0, np.arange(len(kinds))))
    return np.asarray(inside & inside[changed] & ~changing[changed])


def _seen_before(hashes: Hashes) -> Mask:
    """Return, for each hash, whether it stands earlier too. A sort of the values shows which ones to look at."""
    again = np.zeros(len(hashes), dtype=np.bool_)
    ordered = np.sort(hashes)
    repeated = ordered[1:][ordered[1:] == ordered[:-1]]
    if len(repeated):
        places = np.flatnonzero(_among(hashes, repeated))
        order = places[np.argsort(hashes[places], kind="stable")]
        again[order[1:][hashes[order[1:]] == hashes[order[:-1]]]] = True
    return again


def _among(values: Values, known: Values) -> Mask:
    """Return, for each value, whether it is one of the known values, which are sorted."""
    return np.asarray(known[np.minimum(np.searchsorted(known, values), len(known) - 1)] == values)


def _stop_word_share(tokens: _TokenPlaces, hasher: _Hasher, kinds: NDArray[np.uint8], language: str) -> float | None:
    known = _stop_words(language)
    if not known:
        return None
    if language not in LETTERS_OF_A_WORD:
        return _rounded(_among(tokens.hashes, known[0]).mean()) if len(tokens.hashes) else 0.0
    change = np.zeros(len(kinds) + 1, dtype=np.int64)
    for width, hashes in known.items():
        here = _among(hasher.windows(width), hashes)
        change[: len(here)] += here
        change[width : width + len(here)] -= here
    covered = np.cumsum(change[:-1]) > 0
    letters = (kinds != _SPACE) & (kinds != _SIGN)
    return _rounded((covered & letters).sum() / max(1, letters.sum()))


@lru_cache(maxsize=64)
def _stop_words(language: str) -> dict[int, Hashes]:
    """Return the hashes of a language's stop words: by length in an unspaced script, otherwise all under 0."""
    found: dict[int, list[Hashes]] = {}
    # A word with Persian yeh and kaf may be typed on an Arabic keyboard.
    listed = stop_words().get(language, ())
    spellings = {word.replace("ی", yeh).replace("ک", kaf) for word in listed for yeh in "یيى" for kaf in "کك"}
    for word in spellings:
        hasher = _Hasher.of(np.frombuffer(word.encode("utf-32-le"), dtype="<u4"))
        width = hasher.size if language in LETTERS_OF_A_WORD else 0
        found.setdefault(width, []).append(hasher.windows(hasher.size))
    return {width: np.sort(np.concatenate(hashes)) for width, hashes in found.items()}


@lru_cache(maxsize=1)
def stop_words() -> dict[str, tuple[str, ...]]:
    """Return the stop words of each language that has a list, in lower case."""
    text = resources.files("pipelines.quality").joinpath("stop_words.toml").read_text("utf-8")
    return {language: tuple(words.split()) for language, words in tomllib.loads(text).items()}


def _kinds_of(points: NDArray[np.uint32]) -> NDArray[np.uint8]:
    table = _table()
    if not len(points) or points.max() < len(table):
        return table[points]
    kinds = table[np.minimum(points, len(table) - 1)]
    kinds[points >= len(table)] = _LETTER
    kinds[(points >= 0x1F000) & (points < 0x1FB00)] = _SIGN
    for first, last in UNSPACED_RANGES:
        if first >= len(table):
            kinds[(points >= first) & (points <= last)] = _UNSPACED
    return kinds


@lru_cache(maxsize=1)
def _table() -> NDArray[np.uint8]:
    """Return the kind of each character of the basic plane."""
    table = np.array([_KINDS.get(unicodedata.category(chr(point))[0], _SPACE) for point in range(0x10000)], np.uint8)
    for first, last in UNSPACED_RANGES:
        part = table[first : last + 1]
        part[part == _LETTER] = _UNSPACED
    table[[0x200C, 0x200D]] = _JOINER
    return table


@lru_cache(maxsize=64)
def _endings(language: str) -> NDArray[np.uint32]:
    """Return the characters that may end a line. Greek's question mark is a semicolon."""
    return np.array(
        sorted(map(ord, SENTENCE_ENDS + CLOSING_QUOTES + REVERSED_QUOTES + ";" * (language == "el"))), dtype=np.uint32
    )


def _powers(count: int) -> tuple[Hashes, Hashes]:
    """Return powers of the base and of its inverse, at least `count` of each."""
    powers, inverses = _powers_table(max(14, count.bit_length()))
    return powers[:count], inverses


@lru_cache(maxsize=3)
def _powers_table(bits: int) -> tuple[Hashes, Hashes]:
    """Return 2^bits powers of the base and of its inverse, from the zeroth on."""
    tables = []
    for base in (_BASE, _INVERSE):
        table = np.full(1 << bits, base, dtype=np.uint64)
        table[0] = 1
        tables.append(np.multiply.accumulate(table))
    return tables[0], tables[1]
