"""DANA: Mohammadzadeh, Gottron, Schweiggert and Nakhaeizadeh, TIR 2011 (slides), in three phases (see ``lines``).

The paper's: phase one counts characters beyond ASCII against ASCII by line, phase two finds the region by the
smoothed difference and the walk with P = 20, phase three feeds the lines found to a parser. Its T1 and T2 change
roles between the slides; the difference is non-ASCII minus ASCII. The slides do not say whether
files in one line are split; they cannot be left whole.

Ours, in ``extract``: Step 0 before counting, because a fragment may begin inside a script; numeric references read as
characters; and a line for every tag in all files, as P = 20 counts "lines with HTML tags" (R2L, section 4.4): F1 on 368
pages of non-Latin scripts .836 against .760, at P = 8 .840 against .841, so ``r2l`` keeps the lines of the file.
``extract_paper`` leaves these out, for evaluation; the parser then sees a fragment of the raw file.
"""

from __future__ import annotations

from pipelines.extractors.base import DEFAULT_OPTIONS, ExtractorOptions
from pipelines.extractors.lexer import code_points
from pipelines.extractors.lines import main_span, raw_part, tag_starts
from pipelines.extractors.soup import decode_references, render, scan
from storage.records import Extraction

NAME, VERSION = "dana", "1"
PAPER_NAME = "dana-paper"
P = 20
"""How many lines away the next paragraph may be (phase two)."""


def extract(html: str, options: ExtractorOptions = DEFAULT_OPTIONS) -> Extraction:
    """Return the lines densest in text beyond ASCII, rendered whole; nothing where ASCII prevails everywhere."""
    soup = decode_references(scan(html)) if "&#" in html else scan(html)
    span = main_span(code_points(soup.html), options.p or P, tag_starts(soup))
    return Extraction(render(soup, *span) if span else (), NAME, VERSION)


def extract_paper(html: str, options: ExtractorOptions = DEFAULT_OPTIONS) -> Extraction:
    """Return the parser's reading of the lines found in the raw file; one that begins inside a script shows code."""
    part = raw_part(html, options.p or P)
    return Extraction(render(scan(part)), PAPER_NAME, VERSION)
