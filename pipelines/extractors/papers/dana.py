"""DANA: Mohammadzadeh, Gottron, Schweiggert and Nakhaeizadeh, TIR 2011 (slides), in three phases (see ``lines``).

The paper's: phase one counts characters beyond ASCII against ASCII by line, phase two finds the region by the
smoothed difference and the walk with P = 20, phase three feeds the lines found to a parser. Its T1 and T2 change
roles between the slides; the difference is non-ASCII minus ASCII. The slides do not say whether files in one line are
split; they cannot be left whole.

Ours, in ``extract``: only the lines of the body count; scripts, styles and comments are cut out before; and there is a
line for every tag in all files, as P = 20 counts "lines with HTML tags" (R2L, section 4.4): F1 on 240 pages of
non-Latin scripts .798 against .735 with the lines of the file. The slides name no code, and cut nothing; F1 on 368 such
pages is .810 with it, .819 without it, and .825 with all that Step 0 of BTE drops, which takes twice the time.
``extract_paper`` leaves these out, for evaluation.
"""

from __future__ import annotations

from pipelines.extractors.base import DEFAULT_OPTIONS, ExtractorOptions
from pipelines.extractors.papers.fragments import paragraphs
from pipelines.extractors.papers.line_density import main_fragment, raw_part
from pipelines.markup.soup import render, scan
from storage.records import Extraction

NAME, VERSION = "dana", "4"
PAPER_NAME = "dana-paper"
P = 20
"""How many lines away the next paragraph may be (phase two)."""


def extract(html: str, options: ExtractorOptions = DEFAULT_OPTIONS) -> Extraction:
    """Return the lines densest in text beyond ASCII, parsed; nothing where ASCII prevails everywhere."""
    fragment = main_fragment(html, options.p or P, at_tags=True)
    return Extraction(paragraphs(fragment) if fragment else (), NAME, VERSION)


def extract_paper(html: str, options: ExtractorOptions = DEFAULT_OPTIONS) -> Extraction:
    """Return the parser's reading of the lines found in the raw file; one that begins inside a script shows code."""
    part = raw_part(html, options.p or P)
    return Extraction(render(scan(part)), PAPER_NAME, VERSION)
