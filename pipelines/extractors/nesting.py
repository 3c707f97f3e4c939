"""Which elements are open at each point of a page: a stack that forgives missing and stray end tags, in linear time.

``OpenElements`` is for following a page step by step; ``outline`` is the same for a whole page at once.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Generic, TypeVar

from pipelines.extractors.soup import BLOCKS, VOID, name_set

if TYPE_CHECKING:
    from collections.abc import Iterable

Value = TypeVar("Value")

_GROUND = frozenset({"html", "body"})
_LINK = re.compile(r"\shref\s*=", re.IGNORECASE)

_SECTIONS = name_set("thead tbody tfoot")
_CELLS = name_set("td th tr") | _SECTIONS
_IMPLIED_ENDS = {
    "p": BLOCKS - {"br", "body", "html"},
    "li": name_set("li"),
    "dt": name_set("dt dd"),
    "dd": name_set("dt dd"),
    "tr": name_set("tr") | _SECTIONS,
    "td": _CELLS,
    "th": _CELLS,
    "thead": _SECTIONS,
    "tbody": _SECTIONS,
    "tfoot": _SECTIONS,
}
"""Elements whose end tag may be left out, and the start tags that end them (HTML standard, 13.1.2.4)."""


class OpenElements(Generic[Value]):
    """Open elements of a page, with a value each. ``html`` and ``body`` are the ground, never opened or closed."""

    def __init__(self, ground: Value) -> None:
        self._stack: list[tuple[str, Value]] = [("body", ground)]
        self._open: dict[str, int] = {}

    @property
    def innermost(self) -> tuple[str, Value]:
        """Name and value of the innermost open element; ``body`` and the ground's value when none is open."""
        return self._stack[-1]

    def holds(self, name: str) -> bool:
        """Say whether an element of that name is open."""
        return self._open.get(name, 0) > 0

    def end_implied(self, name: str) -> None:
        """Close what a start tag of this name closes, such as a paragraph, or a link, before the next."""
        if name == "a":
            self.end("a")
        while name in _IMPLIED_ENDS.get(self._stack[-1][0], ()):
            self._pop()

    def start(self, name: str, value: Value) -> None:
        """Open an element inside the innermost one."""
        self._stack.append((name, value))
        self._open[name] = self._open.get(name, 0) + 1

    def end(self, name: str) -> None:
        """Close the innermost element of that name and all inside it; a stray end tag does nothing."""
        while self.holds(name) and self._pop() != name:
            pass

    def _pop(self) -> str:
        name, _ = self._stack.pop()
        self._open[name] -= 1
        return name


def opens(name: str, tag: str) -> bool:
    """Say whether a tag opens an element. A named place, ``<a name>``, does not: few are ever closed."""
    if name == "a":
        return _LINK.search(tag) is not None
    return name[0] != "/" and name not in VOID and name not in _GROUND


_NEVER_OPEN = VOID | _GROUND


class Outline:
    """The elements of a page, numbered as they open, the body 0; so all that lie in one follow it without a gap."""

    def __init__(self) -> None:
        self.parents = [0]
        self.lasts = [0]
        """The last element inside each, itself if there is none."""
        self._names, self._numbers = ["body"], [0]
        self._open: dict[str, int] = {}

    def start(self, name: str) -> None:
        """Open an element, after closing what its start tag closes."""
        if name == "a":
            self.end("a")
        names, numbers = self._names, self._numbers
        while names[-1] in _IMPLIED_ENDS and name in _IMPLIED_ENDS[names[-1]]:
            self._pop()
        self.parents.append(numbers[-1])
        number = len(self.lasts)
        self.lasts.append(number)
        names.append(name)
        numbers.append(number)
        self._open[name] = self._open.get(name, 0) + 1

    def end(self, name: str) -> None:
        """Close the innermost element of that name and all inside it; a stray end tag does nothing."""
        if self._open.get(name):
            while self._pop() != name:
                pass

    def _pop(self) -> str:
        name = self._names.pop()
        self._open[name] -= 1
        self.lasts[self._numbers.pop()] = len(self.lasts) - 1
        return name

    def follow(self, names: Iterable[str], tags: Iterable[str]) -> tuple[list[int], list[bool]]:
        """Read all tags; return of the text before each, and after the last, the element it is in, and if in a link."""
        where, linked, numbers, is_open = [0], [False], self._numbers, self._open
        for name, tag in zip(names, tags, strict=True):
            if name[0] == "/":
                self.end(name[1:])
            elif name not in _NEVER_OPEN and (name != "a" or _LINK.search(tag)):
                self.start(name)
            where.append(numbers[-1])
            linked.append(is_open.get("a", 0) > 0)
        for number in numbers:
            self.lasts[number] = len(self.lasts) - 1
        return where, linked
