"""R2L, for scripts beyond ASCII: Mohammadzadeh, Schweiggert and Nakhaeizadeh, ICSOFT 2011, section 4.1 (see ``lines``).

The paper's: counting characters beyond ASCII against ASCII by line, formulas (1) and (2), the walk with P = 8, and a
line for every tag in files written in one line. Ours, in ``extract``: Step 0 first, because a region may begin inside
a script (section 5 of the paper knows pages only whose code is short); numeric references read as the characters they
name, as such pages are ASCII throughout; and the lines found are rendered whole, as section 6 of the paper plans,
where the paper puts out the characters beyond ASCII alone and loses spaces, digits and Latin words. ``extract_nepl``
is the paper to the letter, for evaluation.
"""

from __future__ import annotations

import re

from pipelines.extractors.base import DEFAULT_OPTIONS, ExtractorOptions
from pipelines.extractors.lexer import code_points
from pipelines.extractors.lines import is_single_line, main_span, raw_part, tag_starts
from pipelines.extractors.soup import decode_references, render, scan
from storage.records import Extraction

NAME, VERSION = "r2l", "1"
NEPL_NAME = "r2l-nepl"
_EPL = re.compile("[\\x00-\\x7f]+")
P = 8
"""How many lines away the next paragraph may be (section 4.1)."""


def extract(html: str, options: ExtractorOptions = DEFAULT_OPTIONS) -> Extraction:
    """Return the lines densest in text beyond ASCII, rendered whole; nothing where ASCII prevails everywhere."""
    soup = decode_references(scan(html)) if "&#" in html else scan(html)
    source = soup.html
    breaks = tag_starts(soup) if is_single_line(source, len(soup.tags)) else None
    span = main_span(code_points(source), options.p or P, breaks)
    return Extraction(render(soup, *span) if span else (), NAME, VERSION)


def extract_nepl(html: str, options: ExtractorOptions = DEFAULT_OPTIONS) -> Extraction:
    """Return what the paper scores: the characters beyond ASCII (NEPL) of the lines found in the raw file."""
    part = raw_part(html, options.p or P)
    nepl = (_EPL.sub("", line).strip() for line in part.split("\n"))
    return Extraction(tuple(line for line in nepl if line), NEPL_NAME, VERSION)
