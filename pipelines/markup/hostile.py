"""Detect pages that cost tree builders seconds, by counting tags in linear time before a tree is built.

HTML parsers rebuild open formatting elements at every block, and walks over a tree visit every element. Both take
seconds if a page nests tens of thousands of elements, leaves hundreds of formatting elements open, or has ten times the
elements of any article. Extractors that read the page as a flat sequence of tags are not affected.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.markup.lexer import VOID, name_set

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_DEPTH = 2_000
MAX_ELEMENTS = 50_000
MAX_REBUILT = 1_000_000
"""Formatting elements that a parser would open again on one page."""

# Not `a` and `nobr`: a second one closes the first, so they never pile up.
FORMATTING = name_set("b big code em font i s small strike strong tt u")
_ENDS_IMPLIED = name_set("p li dt dd tr td th thead tbody tfoot colgroup option optgroup rt rp rb rtc html head body")


def strain(names: Iterable[str]) -> str:
    """Return the reason why a page of these tags strains tree builders; "" if it does not.

    ``names`` are those of ``lexer.markup``.
    """
    elements = depth = formatting = rebuilt = deepest = 0
    for name in names:
        if name[:1] == "/":
            depth -= depth > 0 and name[1:] not in _ENDS_IMPLIED
            formatting -= formatting > 0 and name[1:] in FORMATTING
        elif name:
            elements += 1
            if name in FORMATTING:
                formatting += 1
            else:
                rebuilt += formatting
            depth += name not in _ENDS_IMPLIED and name not in VOID
            deepest = max(deepest, depth)
    if deepest > MAX_DEPTH:
        return f"elements nest {deepest} deep"
    if rebuilt > MAX_REBUILT:
        return f"open formatting elements are to be rebuilt {rebuilt} times"
    if elements > MAX_ELEMENTS:
        return f"the page has {elements} elements"
    return ""
