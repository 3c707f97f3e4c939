"""Data model of rendering: visit, request and response of scripts, limits, errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class ScriptResponse:
    """Response to a request of a script, with the content coding undone."""

    status: int
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class PageRequest:
    """GET request of a page, for a script or for data."""

    url: str
    headers: dict[str, str]
    script: bool


@dataclass(frozen=True, slots=True)
class RenderVisit:
    """A page to render: URL, HTML, preferred language, and the function that answers requests of its scripts."""

    url: str
    html: str
    answer: Callable[[PageRequest], Awaitable[ScriptResponse | None]]
    """Returns None to refuse the request."""
    language: str = ""


@dataclass(frozen=True, slots=True)
class BrowserLimits:
    """Browser program and its limits."""

    program: Path
    user_agent: str
    timeout: float = 60.0
    """Seconds for one page, until its DOM is read."""
    pages: int = 2
    """Pages in parallel."""
    pages_per_browser: int = 100
    """Pages after which the browser is restarted."""
    memory: int = 2**30
    """Bytes of memory of all processes of the browser. It is killed beyond."""
    max_chars: int = 16 * 2**20
    """Maximum length of the DOM in characters."""


class RenderError(Exception):
    """A page could not be rendered. ``reason`` is ``render_timeout``, ``render_crash`` or ``render_too_large``."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class StartError(Exception):
    """The browser does not start."""
