"""Find the headline within a heading that also has a kicker, a mark ("Live", "Plus") or a subhead.

The headline is what the page states as its title: in og:title, JSON-LD or <title>. Only whole elements beside it are
left out, so a colon within a headline divides nothing. Without such a title, the class of an element tells that it is
a kicker.
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from pipelines.markup.tree import UNSHOWN, shown_text
from pipelines.metadata.beside import naming_of
from pipelines.text.normalise import clean_value, letters, letters_of_all

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from selectolax.lexbor import LexborNode

MAX_TITLE = 500
"""Characters."""
SITE_MARK = re.compile(r"\s+(?:[|–—·•»«:/]|-{1,2}|::)\s+|\s*[|｜»]\s*|\s*_(?=[^_]*$)")
"""Sign between a headline, its section and the name of the site."""
_BAR = re.compile(r"\s*[|｜]\s*")
_MAX_PARTS = 12
"""Texts of a heading that is compared with the titles. One with more is read as it is."""
_SEPARATORS = " :：|｜/·•–—-›»"
"""Signs between a kicker and its headline."""
_CLOSING, _OPENING = frozenset(".,:;!?)]}»”’…%°。，、：；！？）」』】،؛؟।"), frozenset("([{«“„‘¿¡#@（「『【/-–—")
"""Signs without a space before them, and without one behind them."""
_WITHIN_WORDS = frozenset({"sub", "sup"})
_BESIDE = re.compile(
    r"kicker|eyebrow|over-?line|(?:over|pre|sur|super)-?title|surtitre|top-?line|dach-?zeile|roof-?line|ante-?titul"
    r"|occhiello|\b(?:label|badge|premium|paywall|flag)\b|visually-?hidden|sr-only|screen-?reader",
    re.IGNORECASE,
)
"""Names of elements in a heading that are beside the headline."""


class StatedTitles:
    """The titles that a page states, and the parts of them that may be its headline alone.

    A part is sure if the rest is the name of the site, or if it is between bars, which divide headline, section and
    site. Other signs may be within a headline: the longer part is only likely.
    """

    def __init__(self, titles: Iterable[str], site: Collection[str]) -> None:
        """``site``: the letters of the names of the site."""
        self._titles, self._site = [title for title in titles if title], site

    @cached_property
    def _parts(self) -> tuple[set[str], set[str]]:
        """The sure and the likely parts. Few headings have several elements and need them."""
        sure, likely = set(self._titles), set[str]()
        for title in self._titles:
            sure.update(_BAR.split(title))
            for mark in SITE_MARK.finditer(title):
                cut = title[: mark.start()], title[mark.end() :]
                for kept, rest in (cut, cut[::-1]):
                    if letters(rest) in self._site:
                        sure.add(kept)
                    elif len(kept) > len(rest) and not _BAR.search(kept):
                        likely.add(kept)
        return sure, likely

    @cached_property
    def _letters(self) -> tuple[set[str], set[str]]:
        """The letters of the sure parts, and of all."""
        sure, likely = (set(letters_of_all(parts)) - {"", *self._site} for parts in self._parts)
        return sure, sure | likely

    def headline_in(self, heading: LexborNode) -> str:
        """Return the headline in a heading. It is the whole heading if nothing tells that it has other parts."""
        shown = (node for node in heading.traverse(include_text=True) if node.tag == "-text" and _is_shown(node))
        texts = list(islice(shown, _MAX_PARTS + 1))
        if len(texts) > _MAX_PARTS:
            return clean_value(shown_text(heading, " "), MAX_TITLE)
        start, end = 0, len(texts)
        if end > 1:
            said = letters_of_all([node.text_content or "" for node in texts])
            start, end = self._stated_run(said) or _without_kickers(texts, said, heading)
        headline = self._joined(texts[start:end])
        headline = headline.lstrip(_SEPARATORS) if start else headline
        return headline.rstrip(_SEPARATORS) if end < len(texts) else headline

    def _stated_run(self, said: Sequence[str]) -> tuple[int, int] | None:
        """Return start and end of the longest run of parts that is a title and not the whole heading, or None.

        ``said`` are the letters of the parts. If the whole heading is stated too, the run must be a sure title.
        """
        whole, (sure, stated) = "".join(said), self._letters
        runs = ((start, end) for start in range(len(said)) for end in range(start + 1, len(said) + 1))
        found = ((start, end, "".join(said[start:end])) for start, end in runs)
        wanted = sure if whole in stated else stated
        fit = ((len(run), start, -end) for start, end, run in found if run != whole and run in wanted)
        best = max(fit, default=None)
        if best:
            return best[1], -best[2]
        return (0, len(said)) if whole in stated else None

    def _joined(self, texts: Sequence[LexborNode]) -> str:
        """Return the text of some nodes as a title has it, else with spaces where words of two elements meet."""
        parts = [node.text_content or "" for node in texts]
        joined = clean_value("".join(parts), MAX_TITLE)
        if len(parts) < 2 or any(joined in each for each in self._parts):
            return joined
        gaps = ["" if _is_one_word(*pair) else " " for pair in pairwise(texts)]
        return clean_value("".join(each for pair in zip(parts, [*gaps, ""], strict=True) for each in pair), MAX_TITLE)


def _without_kickers(texts: Sequence[LexborNode], said: Sequence[str], heading: LexborNode) -> tuple[int, int]:
    """Return start and end of the parts without those at an end whose class names a kicker."""
    beside = [_is_beside(node, heading) for node in texts]
    own = [at for at, letters_of_part in enumerate(said) if letters_of_part and not beside[at]]
    if not own:
        return 0, len(texts)
    start, end = own[0], own[-1] + 1
    return (start if any(beside[:start]) else 0), (end if any(beside[end:]) else len(texts))


def _is_beside(text: LexborNode, heading: LexborNode) -> bool:
    around = text.parent
    while around is not None and around.mem_id != heading.mem_id:
        if _BESIDE.search(naming_of(around)):
            return True
        around = around.parent
    return False


def _is_one_word(one: LexborNode, other: LexborNode) -> bool:
    """Return whether no space is between two texts: a sign is, or a capital has an element of its own ("N" "ew")."""
    before, after = one.text_content or "", other.text_content or ""
    if not before or not after or before[-1] in _OPENING or after[0] in _CLOSING:
        return True
    if any(node.parent is not None and node.parent.tag in _WITHIN_WORDS for node in (one, other)):
        return True
    return (before[-1].islower() or len(before) == 1) and after[0].islower()


def _is_shown(text: LexborNode) -> bool:
    return text.parent is None or text.parent.tag not in UNSHOWN
