"""Former names of commands, options and reasons. They work for one more version, and each use announces today's name.

An entry stays until the version after the one that renamed it. Then its test fails, and the entry goes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from corpus_spider.terminal.console import Console

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Kind(StrEnum):
    """Kinds of names."""

    VERB = "command"
    OPTION = "option"
    REASON = "reason"


@dataclass(frozen=True, slots=True)
class Former:
    """A former name. ``verb`` is the command of an option. ``until``: first version without the old name."""

    kind: Kind
    old: str
    new: str
    verb: str = ""
    until: str = "0.2"

    def sentence(self) -> str:
        """Return the announcement of today's name."""
        return f"The {self.kind} {self.old} is now {self.new}. Version {self.until} will not know the old name."


FORMER = (
    Former(Kind.OPTION, "--against", "--compare", "evaluate"),
    Former(Kind.OPTION, "--since-dump", "--since-release", "export"),
    Former(Kind.OPTION, "--words", "--limit", "cloud"),
)


def today(kind: Kind, name: str, verb: str = "") -> str:
    """Return today's name for a name of the command line, and announce it if the name is a former one."""
    for each in FORMER:
        if (each.kind, each.old, each.verb) == (kind, name, verb):
            Console().error(each.sentence())
            return each.new
    return name


def with_options_of_today(verb: str, arguments: Iterable[str]) -> list[str]:
    """Return the arguments of a command with today's names of its options, as far as ``--``."""
    rest = iter(arguments)
    renamed: list[str] = []
    for argument in rest:
        name, equals, value = argument.partition("=")
        renamed.append(f"{today(Kind.OPTION, name, verb)}{equals}{value}" if name.startswith("--") else argument)
        if argument == "--":
            break
    return [*renamed, *rest]


def reasons_of_today(names: Sequence[str]) -> tuple[str, ...]:
    """Return today's names of reasons."""
    return tuple(today(Kind.REASON, name) for name in names)
