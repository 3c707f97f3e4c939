"""Panels of a figure: which numbers of an explanation are drawn as columns, curves and limits.

=================  ========================  ===========================================================
panel              extractors                source
=================  ========================  ===========================================================
`lengths`          r2l, dana, their papers   R2L, figure 2: NEPL above the axis, EPL below
`differences`      r2l, dana, their papers   R2L, figure 3 and formula (1); formula (2) is the curve
`balance`          bte, bte-original         BTE: words less tags so far; the region has the greatest rise
`ratios`           blocks                    Thai blocks, section III.B: AR of the lowest blocks
`characters`       blocks, auto, scored      characters of the text above the axis, others below
`probability`      auto, scored              probability of each block
`weights`, `sum`   density                   weight of each block, and the sum so far
=================  ========================  ===========================================================

``auto`` has the panels of the extractor that it used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pipelines.extractors.explanation import Explanation

Numbers = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Columns:
    """A column for each item, above the axis or, where the number is negative, below it."""

    name: str
    label: str
    values: Numbers
    content: bool
    """Whether they speak for content: these are dark, others light."""


@dataclass(frozen=True, slots=True)
class Curve:
    """A curve through points, or a limit."""

    name: str
    label: str
    x: Numbers
    y: Numbers


@dataclass(frozen=True, slots=True)
class Panel:
    """One plot. Items are at 1, 2, 3, …; ``chosen`` are the stretches of the x-axis that the text comes from."""

    name: str
    title: str
    x_label: str
    y_label: str
    size: float
    """End of the x-axis. It begins half an item before the first one."""
    chosen: tuple[tuple[float, float], ...]
    columns: tuple[Columns, ...] = ()
    curves: tuple[Curve, ...] = ()
    marks: tuple[tuple[str, int], ...] = ()
    """Items that are marked on the axis: name and place."""
    mirrored: bool = False
    """Whether columns below the axis are lengths, not negative numbers."""


def panels_of(explanation: Explanation) -> tuple[Panel, ...]:
    """Return the panels of a figure."""
    names = {series.name for series in explanation.series}
    return tuple(next(make for key, make in _FIGURES if key in names)(explanation))


def stretches(chosen: Sequence[bool]) -> tuple[tuple[float, float], ...]:
    """Return where the chosen items begin and end on the axis.

    >>> stretches((True, True, False, True))
    ((0.5, 2.5), (3.5, 4.5))
    """
    edges = [
        place + 0.5
        for place, (one, other) in enumerate(zip((False, *chosen), (*chosen, False), strict=True))
        if one != other
    ]
    return tuple(zip(edges[::2], edges[1::2], strict=True))


def _lines(found: Explanation) -> list[Panel]:
    difference, smoothed = found.values("difference"), found.values("smoothed")
    lengths = (
        Columns("nepl", "beyond ASCII (NEPL)", found.values("nepl"), content=True),
        Columns("epl", "ASCII (EPL)", _below(found.values("epl")), content=False),
    )
    differences = (
        Columns("content", "NEPL longer", tuple(max(0, one) for one in difference), content=True),
        Columns("other", "EPL longer", tuple(min(0, one) for one in difference), content=False),
    )
    curve = Curve("smoothed", "with neighbours", _places(found), smoothed)
    return [
        _panel(
            found,
            "lengths",
            "Characters of each line",
            "characters: beyond ASCII ↑, ASCII ↓",
            columns=lengths,
            mirrored=True,
        ),
        _panel(
            found,
            "differences",
            "Difference of each line: NEPL − EPL, formula (1); with both neighbours, formula (2)",
            "difference (characters)",
            columns=differences,
            curves=(curve,),
            marks=tuple((name, index + 1) for name, index in found.marked),
        ),
    ]


def _runs(found: Explanation) -> list[Panel]:
    tokens, balance = (0, *found.values("tokens")), (0, *found.values("balance"))
    inside = [index for index, chosen in enumerate(found.chosen) if chosen]
    region = ((float(tokens[inside[0]]), float(tokens[inside[-1] + 1])),) if inside else ()
    curve = Curve("balance", "words less tags so far", tokens, balance)
    title, y = "Words less tags, from the beginning of the page", "words less tags (tokens)"
    return [Panel("balance", title, "word or tag (number)", y, float(tokens[-1]), region, curves=(curve,))]


def _blocks_of_links(found: Explanation) -> list[Panel]:
    limit = dict(found.parameters)["maximum AR"]
    end = len(found.chosen) + 0.5
    line = Curve("limit", f"limit of AR, {limit}", (0.5, end), (limit, limit))
    characters = (
        Columns("selected", "content", found.values("selected"), content=True),
        Columns("rejected", "other", _below(found.values("rejected")), content=False),
    )
    return [
        _panel(
            found,
            "ratios",
            "Anchor ratio of each block",
            "anchor ratio AR (0 to 1)",
            columns=_split(found, found.values("anchor_ratio")),
            curves=(line,),
        ),
        _panel(
            found,
            "characters",
            "Characters of each block",
            "characters: content ↑, other ↓",
            columns=characters,
            mirrored=True,
        ),
    ]


def _likely_blocks(found: Explanation) -> list[Panel]:
    chars = found.values("characters")
    chosen = tuple(length if own else 0 for length, own in zip(chars, found.chosen, strict=True))
    others = tuple(0 if own else -length for length, own in zip(chars, found.chosen, strict=True))
    columns = (
        Columns("selected", "content", chosen, content=True),
        Columns("rejected", "other", others, content=False),
    )
    return [
        _panel(
            found,
            "probability",
            "Probability of each block",
            "probability (0 to 1)",
            columns=_split(found, found.values("probability")),
        ),
        _panel(
            found,
            "characters",
            "Characters of each block",
            "characters: content ↑, other ↓",
            columns=columns,
            mirrored=True,
        ),
    ]


def _weighed_blocks(found: Explanation) -> list[Panel]:
    curve = Curve("sum", "sum of the weights so far", _places(found), found.values("sum"))
    return [
        _panel(
            found,
            "weights",
            "Weight of each block",
            "weight (characters)",
            columns=_split(found, found.values("weight")),
        ),
        _panel(found, "sum", "Sum of the weights, from the beginning of the page", "sum (characters)", curves=(curve,)),
    ]


_FIGURES: tuple[tuple[str, Callable[[Explanation], list[Panel]]], ...] = (
    ("nepl", _lines),
    ("encode", _runs),
    ("anchor_ratio", _blocks_of_links),
    ("probability", _likely_blocks),
    ("weight", _weighed_blocks),
)
"""Panels by a series that only one kind of explanation has."""


def _panel(
    found: Explanation,
    name: str,
    title: str,
    y_label: str,
    *,
    columns: tuple[Columns, ...] = (),
    curves: tuple[Curve, ...] = (),
    marks: tuple[tuple[str, int], ...] = (),
    mirrored: bool = False,
) -> Panel:
    x_label, size = " ".join(filter(None, (found.item, found.scope, "(number)"))), len(found.chosen) + 0.5
    return Panel(name, title, x_label, y_label, size, stretches(found.chosen), columns, curves, marks, mirrored)


def _places(found: Explanation) -> Numbers:
    return tuple(range(1, len(found.chosen) + 1))


def _below(values: Numbers) -> Numbers:
    return tuple(-value for value in values)


def _split(found: Explanation, values: Numbers) -> tuple[Columns, Columns]:
    """Return the columns of the chosen items and those of the others."""
    chosen = tuple(value if own else 0 for value, own in zip(values, found.chosen, strict=True))
    others = tuple(0 if own else value for value, own in zip(values, found.chosen, strict=True))
    return Columns("content", "content", chosen, content=True), Columns("other", "other", others, content=False)
