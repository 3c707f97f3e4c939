"""Hidden elements: what a start tag says about who sees its content. A style sheet is not read.

The papers (``soup``) know the attribute ``hidden`` and the style ``display: none``. Blocks of ``auto`` are also hidden
by a style that moves them away, and by classes of common style sheets.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_STYLE = r"""style\s*=\s*+(?:"[^">]{0,400}?|'[^'>]{0,400}?|[^"'>]{0,400}?)"""
"""A style attribute up to one of its declarations."""
_NOT_DISPLAYED = rf"hidden(?=[\s/>=]|\Z)|{_STYLE}display\s*:\s*none"
_MOVED_AWAY = rf"{_STYLE}(?:position\s*:\s*fixed|\b(?:left|top|text-indent)\s*:\s*-\d{{4}})"
"""At the edge of the window, as tickers and notices, or far outside of it."""
_UNTIL_LOADED = r"(?:placeholder|fallback)(?=\s|=\"\"|\Z)"
"""AMP shows such elements only while another one is loaded, or instead of it."""
_PAPER_ONLY = "(?:visible|show-for)-print|print-?only"
_FOR_SCREEN_READERS = "(?:is-|u-)?(?:visually-?hidden|sr-only)|screen-?reader(?:-text|-only)?"
_CLASSES = rf"hidden|d-none|{_PAPER_ONLY}|{_FOR_SCREEN_READERS}"
"""Classes of common style sheets for invisible elements."""
_SHOWN_ON_SOME_SCREENS = r"(?::|d-(?:sm|md|lg|xl|xxl)-)(?:block|flex|grid|inline|table|contents)"
"""As in ``hidden md:block``."""
_CLASSED = rf"class=\"(?=(?:[^\"]*\s)?(?:{_CLASSES})[\s\"])(?![^\"]*{_SHOWN_ON_SOME_SCREENS})"
_IS_NOT_DISPLAYED = re.compile(rf"\s(?:{_NOT_DISPLAYED})", re.IGNORECASE)
_IS_HIDDEN = re.compile(rf"\s(?:{_NOT_DISPLAYED}|{_MOVED_AWAY}|{_UNTIL_LOADED}|{_CLASSED})", re.IGNORECASE)
_NEVER_UNFOLDED = re.compile(r"position\s*:|:\s*-\d|print|sr-only|reader", re.IGNORECASE)


def is_not_displayed(tag: str) -> bool:
    """Return whether a start tag says that a browser leaves its element out, by ``hidden`` or ``display: none``.

    >>> is_not_displayed("<p hidden>"), is_not_displayed('<p style="color: red; display:none">')
    (True, True)
    """
    lower = tag.lower()
    return ("none" in lower or "hidden" in lower) and _IS_NOT_DISPLAYED.search(tag) is not None


def hidden_among(tags: Iterable[str]) -> set[str]:
    """Return the start tags, without ``<`` and ``>``, of hidden elements.

    >>> hidden_among(['p class="sr-only"', 'p class="hidden md:block"'])
    {'p class="sr-only"'}
    """
    return {tag for tag in tags if _may_hide(tag) and _IS_HIDDEN.search(tag)}


def never_unfolded(tags: Iterable[str]) -> list[bool]:
    """Return whether each hidden element, by its start tag, is for paper alone, or for no reader of a screen."""
    return [_NEVER_UNFOLDED.search(tag) is not None for tag in tags]


def _may_hide(text: str) -> bool:
    """Sieve before the pattern, which takes twenty times as long."""
    hidden = "none" in text or "hidden" in text or "Hidden" in text or "holder" in text or "fallback" in text
    hidden = hidden or ('style="' in text and (":-" in text or ": -" in text or "fixed" in text))
    return hidden or "print" in text or "sr-only" in text or "reader" in text
