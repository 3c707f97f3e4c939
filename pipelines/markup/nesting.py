"""Stack of the open elements of a page. It tolerates missing and stray end tags, in linear time."""

from __future__ import annotations

from typing import Generic, TypeVar

from pipelines.markup.anchors import LINKED
from pipelines.markup.lexer import BLOCKS, VOID, name_set

Value = TypeVar("Value")

_GROUND = frozenset({"html", "body"})

_SECTIONS = name_set("thead tbody tfoot")
_CELLS = name_set("td th tr") | _SECTIONS
IMPLIED_ENDS = {
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
    """Open elements of a page, each with a value. ``html`` and ``body`` are the ground: never opened or closed."""

    def __init__(self, ground: Value) -> None:
        # Two columns: a page of 10 MiB can have a million open elements.
        self._names, self._values = ["body"], [ground]
        self._open: dict[str, int] = {}

    @property
    def innermost(self) -> tuple[str, Value]:
        """Name and value of the innermost open element; ``body`` and the ground's value when none is open."""
        return self._names[-1], self._values[-1]

    @property
    def depth(self) -> int:
        """Number of open elements, with the ground."""
        return len(self._names)

    def holds(self, name: str) -> bool:
        """Return whether an element of that name is open."""
        return self._open.get(name, 0) > 0

    def end_implied(self, name: str) -> None:
        """Close the elements that a start tag of this name closes, such as the paragraph before a paragraph."""
        if name == "a":
            self.end("a")
        while name in IMPLIED_ENDS.get(self._names[-1], ()):
            self._pop()

    def start(self, name: str, value: Value) -> None:
        """Open an element inside the innermost one."""
        self._names.append(name)
        self._values.append(value)
        self._open[name] = self._open.get(name, 0) + 1

    def end(self, name: str) -> None:
        """Close the innermost element of that name and all inside it; a stray end tag does nothing."""
        while self.holds(name) and self._pop() != name:
            pass

    def _pop(self) -> str:
        name = self._names.pop()
        self._values.pop()
        self._open[name] -= 1
        return name


def opens(name: str, tag: str) -> bool:
    """Return whether a tag opens an element. An ``<a>`` that is no link does not: few named places are ever closed."""
    if name == "a":
        return LINKED.search(tag) is not None
    return name[0] != "/" and name not in VOID and name not in _GROUND
