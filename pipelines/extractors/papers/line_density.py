"""R2L and DANA: the lines of an HTML file that are dense in characters beyond ASCII.

Papers:

- R2L: Mohammadzadeh, Schweiggert and Nakhaeizadeh, "Using UTF-8 to Extract Main Content of Right to Left Language Web
  Pages", ICSOFT 2011. The algorithm is section 4.1; P is tuned in section 4.4.
- DANA: Mohammadzadeh, Gottron, Schweiggert and Nakhaeizadeh, "A Fast and Accurate Approach for Main Content Extraction
  based on Character Encoding", TIR 2011, read from the slides.

Both are the same algorithm with another P and another output. The functions below follow it in its order:

======================================================  ===============================  ==============================
step                                                    R2L, section 4.1                 DANA
======================================================  ===============================  ==============================
`divides_at_tags`: divide files written in one line     first step, preprocessing        not on the slides
`count_characters`: count by line                       first step: EPL and NEPL         phase one: T1 and T2
`difference`: the balance of a line                     formula (1)                      part of phase two, step 1
`smoothed`: add both neighbours                         formula (2)                      phase two, step 1: diff
`main_lines`: longest column, then walk by P            second step, last two bullets    phase two, steps 2 and 3
output                                                  NEPL of the lines (`r2l_nepl`)   a parser reads the lines
======================================================  ===============================  ==============================

Open in the papers, and decided here:

- A character is a character, not a byte. S1 is every character beyond ASCII.
- The first and the last line have one neighbour.
- The first of several equal columns wins. Without a column above the axis there is no main content.
- The line of the longest column needs no S1 character.
- T1 and T2 change roles between the slides. The difference is non-ASCII minus ASCII.
- The slides do not mention files written in one line. They are divided as in R2L.

`r2l_nepl` and `dana_paper` are the papers to the letter, for evaluation. `r2l` and `dana` differ from them:

- Only lines of the body count. Titles and descriptions in the head are long, and no content.
- Scripts, styles and comments are cut out before lines are counted. The papers cut nothing: code is a column below the
  axis (R2L, figure 2, regions A). In 2011 scripts stood in the head. Today the walk meets them between paragraphs.
  F1 on 368 pages of non-Latin scripts with code left in, cut out, and with all of BTE's Step 0: R2L .806, .820, .820;
  DANA .810, .819, .825. Step 0 takes twice the time. On the eight Thai, Burmese and Hindi pages R2L has .647 and .845.
- Numeric references count as the characters they name, where they outnumber the characters beyond ASCII.
- The lines found are parsed and rendered whole, as R2L plans (section 6). The characters of S1 alone lose spaces,
  digits and Latin words.
- `dana` divides every file at its tags, as P = 20 counts "lines with HTML tags" (R2L, section 4.4). F1 on 240 pages of
  non-Latin scripts: .798, against .735 with the lines of the file.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pipelines.extractors.base import DEFAULT_OPTIONS, ExtractorOptions
from pipelines.extractors.explanation import Explanation, Series, between
from pipelines.extractors.papers import page_texts
from pipelines.extractors.papers.body_bytes import encoded, without_code
from pipelines.extractors.papers.tag_columns import read
from pipelines.markup.lexer import places, sanitise
from pipelines.markup.soup import render, scan, with_characters
from storage.records import Extraction

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Counts = NDArray[np.signedinteger[Any]]

R2L, R2L_NEPL, DANA, DANA_PAPER = "r2l", "r2l-nepl", "dana", "dana-paper"
VERSION = "4"

R2L_P = 8
"""Lines from one paragraph to the next, at most (R2L, section 4.1)."""
DANA_P = 20
"""The same for DANA (phase two)."""

FEW_LINES = 20
TAGS_A_LINE = 8
"""A file with fewer lines, or with more tags a line on average, counts as written in one line."""
LATIN = 32
"""Bytes for one character beyond ASCII, from which a page counts as one of a Latin script."""

_ASCII_END, _FIRST_BYTE = 0x80, 0xC0
"""Bytes below the first are characters of ASCII; bytes from the second on begin characters beyond ASCII (UTF-8)."""
_LINE_END, _LESS_THAN = b"\n<"
_TAG_NAME = re.compile(rb"</?[a-zA-Z]")
_EPL = re.compile(r"[\x00-\x7f]+")
_BODY, _FILE = "of the body, without scripts and styles", "of the file"


def r2l(html: str, options: ExtractorOptions = DEFAULT_OPTIONS) -> Extraction:
    """Return the main lines of the body, rendered whole; nothing where ASCII prevails everywhere."""
    return _rendered(R2L, main_html(html, options.p or R2L_P))


def dana(html: str, options: ExtractorOptions = DEFAULT_OPTIONS) -> Extraction:
    """Return the main lines of the body divided at its tags, rendered whole."""
    return _rendered(DANA, main_html(html, options.p or DANA_P, at_tags=True))


def r2l_nepl(html: str, options: ExtractorOptions = DEFAULT_OPTIONS) -> Extraction:
    """Return what R2L scores: the NEPL field of the main lines of the file."""
    return _nepl(file_lines(html, options.p or R2L_P))


def dana_paper(html: str, options: ExtractorOptions = DEFAULT_OPTIONS) -> Extraction:
    """Return what DANA scores, phase three: a parser's reading of the main lines of the file.

    Lines that begin inside a script show code.
    """
    return _parsed(file_lines(html, options.p or DANA_P))


def explain_r2l(html: str, options: ExtractorOptions = DEFAULT_OPTIONS) -> Explanation:
    """Explain ``r2l``: R2L, figures 2 and 3, of the body without its code."""
    p = options.p or R2L_P
    found = body_lines(html, p)
    return _explained(found, p, _rendered(R2L, found.html), _BODY)


def explain_dana(html: str, options: ExtractorOptions = DEFAULT_OPTIONS) -> Explanation:
    """Explain ``dana``, as ``explain_r2l``."""
    p = options.p or DANA_P
    found = body_lines(html, p, at_tags=True)
    return _explained(found, p, _rendered(DANA, found.html), _BODY)


def explain_r2l_nepl(html: str, options: ExtractorOptions = DEFAULT_OPTIONS) -> Explanation:
    """Explain ``r2l_nepl``: R2L, figures 2 and 3, of the whole file as in the paper."""
    p = options.p or R2L_P
    found = file_lines(html, p)
    return _explained(found, p, _nepl(found), _FILE)


def explain_dana_paper(html: str, options: ExtractorOptions = DEFAULT_OPTIONS) -> Explanation:
    """Explain ``dana_paper``, of the whole file."""
    p = options.p or DANA_P
    found = file_lines(html, p)
    return _explained(found, p, _parsed(found), _FILE)


def _rendered(name: str, lines: bytes) -> Extraction:
    return Extraction(page_texts.paragraphs(read(lines)), name, VERSION)


def _nepl(found: MainLines) -> Extraction:
    nepl = (_EPL.sub("", line).strip() for line in found.divided.split("\n"))
    return Extraction(tuple(line for line in nepl if line), R2L_NEPL, VERSION)


def _parsed(found: MainLines) -> Extraction:
    return Extraction(render(scan(found.divided)), DANA_PAPER, VERSION)


def _explained(found: MainLines, p: int, extraction: Extraction, scope: str) -> Explanation:
    lines, main = found.lines, found.main
    columns = smoothed(lines)
    series = (
        Series.of("nepl", "characters beyond ASCII (NEPL)", lines.nepl),
        Series.of("epl", "characters of ASCII (EPL)", lines.epl),
        Series.of("difference", "NEPL less EPL, formula (1), characters", difference(lines)),
        Series.of("smoothed", "difference with both neighbours, formula (2), characters", columns),
    )
    marked = () if main is None else (("longest column", int(columns.argmax())),)
    chosen = between(*((main.start, main.stop) if main else (0, 0)), lines.epl.size)
    return Explanation(extraction, "line", series, chosen, scope, (("P", p),), marked)


class Lines(NamedTuple):
    """Array T of R2L (section 4.1), one entry a line: where it starts, and the lengths of its fields EPL and NEPL.

    ``starts`` has one entry more, behind the file and its last line end. Offsets are bytes, lengths characters. A line
    end belongs to the line it ends, but is not counted.
    """

    starts: Counts
    epl: Counts
    nepl: Counts


def divides_at_tags(lines: int, tags: int) -> bool:
    """R2L, first step, preprocessing: say whether a file counts as written in one line ("sometimes more than one")."""
    return lines < FEW_LINES or tags > TAGS_A_LINE * lines


def count_characters(raw: bytes, *, at_tags: bool = False) -> Lines:
    r"""R2L, first step; DANA, phase one: count the ASCII (S2) and the other characters (S1) of each line, in UTF-8.

    A line begins behind every ``\n``. With ``at_tags``, and in a file written in one line, one also begins at every
    less-than sign.
    """
    data = np.frombuffer(raw + b"\n", dtype=np.uint8)
    line_ends, tags = data == _LINE_END, data == _LESS_THAN
    begins = np.ones(data.size + 1, dtype=bool)
    begins[1:] = line_ends
    if at_tags or divides_at_tags(int(np.count_nonzero(line_ends)), int(np.count_nonzero(tags))):
        begins[:-1] |= tags
    starts = places(begins)
    ascii_characters = data < _ASCII_END
    ascii_characters &= ~line_ends
    epl = np.add.reduceat(ascii_characters, starts[:-1], dtype=np.int32)
    nepl = np.add.reduceat(data >= _FIRST_BYTE, starts[:-1], dtype=np.int32)
    return Lines(starts, epl, nepl)


def difference(lines: Lines) -> Counts:
    """R2L, formula (1): length(NEPL) - length(EPL) of each line."""
    return lines.nepl - lines.epl


def smoothed(lines: Lines) -> Counts:
    """R2L, formula (2); DANA, phase two, diff: the difference of each line and of both its neighbours."""
    diff = difference(lines)
    columns = diff.copy()
    columns[:-1] += diff[1:]
    columns[1:] += diff[:-1]
    return columns


def main_lines(lines: Lines, p: int) -> range | None:
    """R2L, second step; DANA, phase two, steps 2 and 3: from the longest column above the axis, walk up and down.

    Returns None when no column is above the axis.
    """
    columns = smoothed(lines)
    longest = int(columns.argmax())
    if columns[longest] <= 0:
        return None
    with_s1 = places(lines.nepl > 0)
    up = _walk(longest, with_s1[with_s1 < longest][::-1], p)
    down = _walk(longest, with_s1[with_s1 > longest], p)
    return range(up, down + 1)


def _walk(start: int, with_s1: Counts, p: int) -> int:
    """Return the last line reached: each step goes to the next line with S1, which is at most ``p`` lines away."""
    steps = np.abs(np.diff(with_s1, prepend=start))
    too_long = steps > p
    reached = with_s1[: too_long.argmax()] if too_long.any() else with_s1
    return int(reached[-1]) if reached.size else start


class MainLines(NamedTuple):
    """A page in UTF-8, its lines, and the main ones; None when there are none."""

    raw: bytes
    lines: Lines
    main: range | None

    @property
    def span(self) -> tuple[int, int] | None:
        """The bytes from the first main line to the last, without its line end; None when there is none."""
        if self.main is None:
            return None
        start, end = int(self.lines.starts[self.main.start]), int(self.lines.starts[self.main.stop])
        return start, end - (end > len(self.raw) or self.raw[end - 1] == _LINE_END)

    @property
    def divided(self) -> str:
        """The main lines, a tag a line if the file is written in one line; "" when there is none."""
        raw = self.raw
        part = raw[slice(*(self.span or (0, 0)))].decode()
        return split_at_tags(part) if divides_at_tags(raw.count(b"\n") + 1, raw.count(b"<")) else part

    @property
    def html(self) -> bytes:
        """The main lines as HTML; b"" when there is none."""
        # A line may begin inside a tag; then the part begins where the tag does.
        start, end = self.span or (0, 0)
        tag = self.raw.rfind(b"<", 0, start)
        inside = tag >= 0 and self.raw.find(b">", tag, start) < 0 and _TAG_NAME.match(self.raw, tag)
        return self.raw[tag if inside else start : end]


def find_lines(raw: bytes, p: int, *, at_tags: bool = False) -> MainLines:
    """Count the characters of all lines, and find the main ones."""
    lines = count_characters(raw, at_tags=at_tags)
    return MainLines(raw, lines, main_lines(lines, p))


def file_lines(html: str, p: int) -> MainLines:
    """Find the main lines of a file that is taken as it is, as both papers do."""
    return find_lines(sanitise(html).encode(), p)


def split_at_tags(html: str) -> str:
    """R2L, first step, preprocessing: begin a line at every tag. No empty line is added."""
    return re.sub(r"(?<=[^\n])<", "\n<", html)


def main_html(html: str, p: int, *, at_tags: bool = False) -> bytes:
    """Return the main lines of the body without its code, as HTML in UTF-8; b"" when there is none."""
    if html.isascii() and "&#" not in html:
        return b""
    return body_lines(html, p, at_tags=at_tags).html


def body_lines(html: str, p: int, *, at_tags: bool = False) -> MainLines:
    """Find the main lines of the body without its code.

    Numeric references are read first where they outnumber characters beyond ASCII: such pages are ASCII throughout.
    On a page of a Latin script a column has to be above the axis with code left in. Without code a copyright sign or a
    name on a line of its own is one.
    """
    raw = encoded(html)
    beyond_ascii = int(np.count_nonzero(np.frombuffer(raw, dtype=np.uint8) >= _FIRST_BYTE))
    if raw.count(b"&#") > beyond_ascii:
        raw = with_characters(raw.decode()).encode()
    elif beyond_ascii * LATIN < len(raw) and (with_code := find_lines(raw, p, at_tags=at_tags)).main is None:
        return with_code
    return find_lines(without_code(raw), p, at_tags=at_tags)
