"""Cut hidden elements out of a page in columns (Thai blocks, section III.A, rules R1)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from pipelines.extractors.papers.tag_columns import cut_out, slices
from pipelines.markup.lexer import VOID
from pipelines.markup.tag_codes import NAMES, codes_of, name_at

if TYPE_CHECKING:
    from pipelines.extractors.papers.tag_columns import Page, Places

HIDDEN = re.compile(rb"""\s(?:hidden(?=[\s/>=])|style\s*=\s*+["']?[^"'>]{0,400}?display\s*:\s*none)""")
_SPACE = np.zeros(256, dtype=bool)
_SPACE[list(b"\t\n\v\f\r ")] = True
_HIDES = ~codes_of(VOID | {"html", "body"}) & (np.arange(2 * len(NAMES) + 1) % 2 == 0)
_HIDES[-1] = False


def shown(page: Page) -> Page:
    """Return a page without hidden elements (``hidden``, ``display:none``).

    As in ``soup``: an element that never ends hides nothing. If hidden text is most of the page, nothing is hidden.
    """
    lower = page.source.lower()
    firsts, lasts, done = list[int](), list[int](), 0
    codes = list[int]()
    for index in _suspects(page, lower):
        if index < done or not HIDDEN.search(lower, int(page.starts[index]), int(page.ends[index])):
            continue
        codes = codes or page.codes.tolist()
        last = _last_tag(page, lower, codes, index)
        if last is None:
            return page
        firsts.append(index)
        lasts.append(last)
        done = last + 1
    if not firsts or not _credible(page, np.array(firsts), np.array(lasts)):
        return page
    kept = np.ones(page.codes.size, dtype=bool)
    for first, last in zip(firsts, lasts, strict=True):
        kept[first : last + 1] = False
    return cut_out(page, kept, np.array(firsts), page.ends[lasts])


def _suspects(page: Page, lower: bytes) -> list[int]:
    """Return the indices of the start tags that may hide an element: they contain ``hidden`` or ``display``."""
    data = np.frombuffer(lower, dtype=np.uint8)
    hidden = positions(lower, b"hidden")
    places = np.concatenate((hidden[_SPACE[data[hidden - 1]]], positions(lower, b"display")))
    if not places.size or not page.starts.size:
        return []
    around = page.starts.searchsorted(places) - 1
    around = around[(around >= 0) & (places < page.ends[around]) & _HIDES[page.codes[around]]]
    return sorted(set(around.tolist()))


def positions(text: bytes, word: bytes) -> Places:
    """Return every place where a word begins in a text."""
    sizes = np.array([len(part) for part in text.split(word)[:-1]], dtype=np.int32)
    return np.cumsum(sizes + len(word), dtype=np.int32) - len(word)


def _last_tag(page: Page, lower: bytes, codes: list[int], index: int) -> int | None:
    """Return the tag that ends an element, by counting tags of its name. None if it never ends."""
    start = codes[index]
    if not start:
        return _last_by_name(page, lower, index)
    depth, deeper = 1, -1 if NAMES[start >> 1] == "p" else 1  # a paragraph ends where the next begins
    for place in range(index + 1, len(codes)):
        code = codes[place]
        if code | 1 == start + 1:
            depth += -1 if code & 1 else deeper
            if not depth:
                return place
    return None


def _last_by_name(page: Page, lower: bytes, index: int) -> int | None:
    name = name_at(lower, int(page.starts[index]) + 1)
    depth, pattern = 1, re.compile(rb"<(/?)%b(?=[\s/>])" % re.escape(name))
    for match in pattern.finditer(lower, int(page.ends[index])):
        at = int(page.starts.searchsorted(match.start()))
        if at < page.starts.size and page.starts[at] == match.start():
            depth += -1 if match[1] else 1
            if not depth:
                return at
    return None


def _credible(page: Page, firsts: Places, lasts: Places) -> bool:
    """Return whether most of a page's text is shown. Otherwise a script shows the hidden text later."""
    hidden_bytes = int((page.ends[lasts] - page.starts[firsts]).sum())
    if 5 * hidden_bytes <= len(page.source) - int((page.ends - page.starts).sum()):  # a character has four at most
        return True
    starts, ends = page.bounds()
    steps = np.zeros(starts.size, dtype=np.int8)
    steps[firsts + 1] += 1
    steps[lasts + 1] -= 1
    within = np.cumsum(steps, dtype=np.int8).view(bool)
    hidden, others = (_characters(page.source, starts[mask], ends[mask]) for mask in (within, ~within))
    return hidden <= others


def _characters(source: bytes, starts: Places, ends: Places) -> int:
    return len(b"".join(slices(source, starts, ends)).decode())
