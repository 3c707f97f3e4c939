"""How long work reports its progress."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int | None], None]
"""Takes the name of a step, the number of finished things, and the number of all things or None."""


def unseen(what: str, done: int, total: int | None) -> None:
    """Report to no one."""
