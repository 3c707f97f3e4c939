"""Differences between two texts, word by word. Pure, and bounded in time and memory.

Lines are compared first, then the words of the lines that differ. Scripts without spaces are compared by the words of
their segmenter, or by characters (`pipelines.text.words`). A part that is too large for it is removed and added as a
whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from rapidfuzz.distance import Indel

from pipelines.text.words import splitter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pipelines.text.words import Splitter

SAME, REMOVED, ADDED = "same", "removed", "added"
MAX_CHARS = 300_000
"""Characters of each text that are compared, at most."""
MAX_CELLS = 100_000_000
"""Units of one part times units of the other that are compared, at most: about a tenth of a second and 25 MB."""
MIN_FOLDED_CHARS = 400
"""Characters of a part that is the same, from which it is folded in the middle."""
CONTEXT = 120
"""Characters that are shown before and after a fold."""


@dataclass(frozen=True, slots=True)
class DifferencePart:
    """A part of two texts: ``same`` in both, ``removed`` from the first, or ``added`` in the second."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class TextDifference:
    """Parts that make both texts, and counts. ``words``: words or characters, as the script has."""

    parts: tuple[DifferencePart, ...]
    removed: int
    added: int
    cut: bool
    """Whether a text was too long to be compared as a whole."""

    @property
    def equal(self) -> bool:
        """Whether the texts are equal, as far as they were compared."""
        return all(part.kind == SAME for part in self.parts)

    def sides(self) -> list[tuple[list[DifferencePart], list[DifferencePart]]]:
        """Return rows of parts of the first text and of the second, to be set side by side.

        A row ends with a line break that is the same in both.
        """
        rows: list[tuple[list[DifferencePart], list[DifferencePart]]] = [([], [])]
        for part in self.parts:
            if part.kind != SAME:
                rows[-1][part.kind == ADDED].append(part)
                continue
            for line in part.text.splitlines(keepends=True):
                for side in rows[-1]:
                    side.append(DifferencePart(SAME, line))
                if line.endswith("\n"):
                    rows.append(([], []))
        return [row for row in rows if any(row)]

    def folded(self) -> Iterator[DifferencePart]:
        """Yield the parts, long same ones as their begin and end with an empty part between."""
        for part in self.parts:
            if part.kind == SAME and len(part.text) > MIN_FOLDED_CHARS:
                begin, end = part.text[:CONTEXT], part.text[-CONTEXT:]
                # A fold is between two words, in scripts that have spaces.
                begin, end = begin[: begin.rfind(" ") + 1] or begin, end[end.find(" ") + 1 :]
                yield from (DifferencePart(SAME, begin), DifferencePart(SAME, ""), DifferencePart(SAME, end))
            else:
                yield part


def difference(first: str, second: str) -> TextDifference:
    """Compare two texts.

    >>> [(part.kind, part.text) for part in difference("Gas is dear now.", "Gas is cheap now.").parts]
    [('same', 'Gas is '), ('removed', 'dear'), ('added', 'cheap'), ('same', ' now.')]
    """
    cut = max(len(first), len(second)) > MAX_CHARS
    old, new = first[:MAX_CHARS].splitlines(keepends=True), second[:MAX_CHARS].splitlines(keepends=True)
    parts: list[DifferencePart] = []
    removed = added = 0
    for kind, before, after in _changes(old, new):
        if kind == SAME:
            _append(parts, SAME, "".join(before))
            continue
        for inner, left, right in _changes(_units("".join(before)), _units("".join(after))):
            if inner == SAME:
                _append(parts, SAME, "".join(left))
                continue
            _append(parts, REMOVED, "".join(left))
            _append(parts, ADDED, "".join(right))
            removed, added = removed + _words(left), added + _words(right)
    return TextDifference(tuple(parts), removed, added, cut)


def _changes(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, Sequence[str], Sequence[str]]]:
    """Yield (kind, part of the old, part of the new) in order. The kind is ``same``, or ``removed`` for any change."""
    most = min(len(old), len(new))
    begin = next((at for at in range(most) if old[at] != new[at]), most)
    end = next((at for at in range(most - begin) if old[-1 - at] != new[-1 - at]), most - begin)
    before, after = old[begin : len(old) - end], new[begin : len(new) - end]
    if begin:
        yield SAME, old[:begin], new[:begin]
    if not before or not after or len(before) * len(after) > MAX_CELLS:
        if before or after:
            yield REMOVED, before, after
    else:
        yield from _compared(before, after)
    if end:
        yield SAME, old[len(old) - end :], new[len(new) - end :]


def _compared(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, Sequence[str], Sequence[str]]]:
    changed: tuple[list[str], list[str]] = ([], [])
    # A space or a comma that two changes have between them is part of the change: it would be read as two.
    between: Sequence[str] = ()
    for each in Indel.opcodes(old, new):
        before, after = old[each.src_start : each.src_end], new[each.dest_start : each.dest_end]
        if each.tag != "equal":
            changed[0].extend([*between, *before])
            changed[1].extend([*between, *after])
            between = ()
        elif any(changed) and not _words(before):
            between = before
        else:
            if any(changed):
                yield REMOVED, *changed
            changed = ([], [])
            yield SAME, before, after
    if any(changed):
        yield REMOVED, *changed
    if between:
        yield SAME, between, between


def _units(text: str) -> list[str]:
    """Split a text into words and what is between them, which together are the text."""
    units: list[str] = []
    for line in text.splitlines(keepends=True):
        at = 0
        for start, end in _splitter().spans(line):
            if start > at:
                units.append(line[at:start])
            units.append(line[start:end])
            at = end
        if at < len(line):
            units.append(line[at:])
    return units


def _words(units: Sequence[str]) -> int:
    return sum(any(letter.isalnum() for letter in unit) for unit in units)


def _append(parts: list[DifferencePart], kind: str, text: str) -> None:
    """Add a part that is not empty, to the last one if that is of the same kind."""
    if text and parts and parts[-1].kind == kind:
        parts[-1] = DifferencePart(kind, parts[-1].text + text)
    elif text:
        parts.append(DifferencePart(kind, text))


@cache
def _splitter() -> Splitter:
    return splitter()
