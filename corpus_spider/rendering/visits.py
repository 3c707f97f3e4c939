"""A page for the browser and what may come of it: words that the crawl, the browser's life and its driver share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Part:
    """What a script asked for, as it is handed to the browser: content coding undone."""

    status: int
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Asked:
    """A request of a page's scripts: safe (GET), for a script or for data."""

    url: str
    headers: dict[str, str]
    script: bool


@dataclass(frozen=True, slots=True)
class Visit:
    """A page to render: its address, its HTML, the language to ask in and who answers what its scripts ask for."""

    url: str
    html: str
    answer: Callable[[Asked], Awaitable[Part | None]]
    """None: the request is refused."""
    language: str = ""


@dataclass(frozen=True, slots=True)
class Limits:
    """Which program, and how much it may take."""

    program: Path
    user_agent: str
    timeout: float = 60.0
    """Seconds for one page, from its place to its DOM."""
    pages: int = 2
    """Pages at a time."""
    pages_per_browser: int = 100
    memory: int = 2**30
    """Bytes of the browser and all its processes, beyond which it is killed."""
    max_chars: int = 16 * 2**20


class RenderError(Exception):
    """A page that was not rendered. ``reason``: ``render_timeout``, ``render_crash`` or ``render_too_large``."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class StartError(Exception):
    """The browser does not start."""
