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

- R2L divides a file "written in one line", which "sometimes" has more lines, at its tags, and gives no limits. Here it
  is a file of fewer than 20 lines, or of more than 8 tags a line. F1 of R2L on 368 pages of non-Latin scripts: .820
  with both limits, and with 10 or 40 lines; .822 with 4 tags, .817 with 16; .757 if no file is divided.
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
from array import array
from typing import TYPE_CHECKING, NamedTuple

from pipelines.extractors.base import DEFAULT_OPTIONS, ExtractorOptions
from pipelines.extractors.explanation import Explanation, Series, between
from pipelines.markup.lexer import sanitise, without_code
from pipelines.markup.soup import body_of, render, scan, with_characters
from storage.records import Extraction

if TYPE_CHECKING:
    from collections.abc import Iterator

R2L, R2L_NEPL, DANA, DANA_PAPER = "r2l", "r2l-nepl", "dana", "dana-paper"
VERSION = "5"

R2L_P = 8
"""Lines from one paragraph to the next, at most (R2L, section 4.1)."""
DANA_P = 20
"""The same for DANA (phase two)."""

FEW_LINES = 20
TAGS_A_LINE = 8
"""A file with fewer lines, or with more tags a line on average, counts as written in one line."""
LATIN = 32
"""Bytes for one character beyond ASCII, from which a page counts as one of a Latin script."""

_AT_ONCE = 1 << 20
"""Characters."""
_TAG_NAME = re.compile("</?[a-zA-Z]")
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


def _rendered(name: str, lines: str) -> Extraction:
    return Extraction(render(scan(lines)), name, VERSION)


def _nepl(found: MainLines) -> Extraction:
    nepl = (_EPL.sub("", line).strip() for line in found.divided.split("\n"))
    return Extraction(tuple(line for line in nepl if line), R2L_NEPL, VERSION)


def _parsed(found: MainLines) -> Extraction:
    return Extraction(render(scan(found.divided)), DANA_PAPER, VERSION)


def _explained(found: MainLines, p: int, extraction: Extraction, scope: str) -> Explanation:
    lines, main = found.lines, found.main
    columns = smoothed(lines)
    series = (
        Series("nepl", "characters beyond ASCII (NEPL)", tuple(lines.nepl)),
        Series("epl", "characters of ASCII (EPL)", tuple(lines.epl)),
        Series("difference", "NEPL less EPL, formula (1), characters", tuple(difference(lines))),
        Series("smoothed", "difference with both neighbours, formula (2), characters", tuple(columns)),
    )
    marked = () if main is None else (("longest column", columns.index(max(columns))),)
    chosen = between(*((main.start, main.stop) if main else (0, 0)), len(lines.epl))
    return Explanation(extraction, "line", series, chosen, scope, (("P", p),), marked)


class Lines(NamedTuple):
    """Array T of R2L (section 4.1), one entry a line: where it starts, and the lengths of its fields EPL and NEPL.

    ``starts`` has one entry more, behind the file and its last line end. A line end belongs to the line it ends, but is
    not counted. The fields are arrays of numbers: a page of 10 MiB can have millions of lines.
    """

    starts: array[int]
    epl: array[int]
    nepl: array[int]


def divides_at_tags(lines: int, tags: int) -> bool:
    """R2L, first step, preprocessing: say whether a file counts as written in one line ("sometimes more than one")."""
    return lines < FEW_LINES or tags > TAGS_A_LINE * lines


def count_characters(html: str, *, at_tags: bool) -> Lines:
    r"""R2L, first step; DANA, phase one: count the ASCII (S2) and the other characters (S1) of each line.

    A line begins behind every ``\n``. With ``at_tags``, and in a file written in one line, one also begins at every
    less-than sign.
    """
    starts, epl, nepl = array("i", [0]), array("i"), array("i")
    at_tags = at_tags or divides_at_tags(html.count("\n") + 1, html.count("<"))
    for line in _divided(html + "\n", at_tags=at_tags):
        characters = len(line)
        s2 = characters if line.isascii() else len(line.encode("ascii", "ignore"))
        nepl.append(characters - s2)
        epl.append(s2 - (line[-1] == "\n"))
        starts.append(starts[-1] + characters)
    return Lines(starts, epl, nepl)


def _divided(html: str, *, at_tags: bool) -> Iterator[str]:
    """Yield the lines of a file with their line ends; the last line has one too.

    The file is divided part by part: all its lines at a time could take 30 times its size.
    """
    rest = ""
    for first in range(0, len(html), _AT_ONCE):
        part = (rest + html[first : first + _AT_ONCE]).replace("\n", "\n\0")
        *lines, rest = (part.replace("<", "\0<") if at_tags else part).split("\0")
        yield from filter(None, lines)


def difference(lines: Lines) -> list[int]:
    """R2L, formula (1): length(NEPL) - length(EPL) of each line."""
    return [nepl - epl for nepl, epl in zip(lines.nepl, lines.epl, strict=True)]


def smoothed(lines: Lines) -> list[int]:
    """R2L, formula (2); DANA, phase two, diff: the difference of each line and of both its neighbours."""
    diff = [0, *difference(lines), 0]
    return [diff[i] + diff[i + 1] + diff[i - 1] for i in range(1, len(diff) - 1)]


def main_lines(lines: Lines, p: int) -> range | None:
    """R2L, second step; DANA, phase two, steps 2 and 3: from the longest column above the axis, walk up and down.

    Each step goes to the next line with S1, which is at most ``p`` lines away. Returns None when no column is above the
    axis.
    """
    columns = smoothed(lines)
    longest = columns.index(max(columns))
    if columns[longest] <= 0:
        return None
    up = down = longest
    for line in range(longest - 1, -1, -1):
        if up - line > p:
            break
        if lines.nepl[line]:
            up = line
    for line in range(longest + 1, len(columns)):
        if line - down > p:
            break
        if lines.nepl[line]:
            down = line
    return range(up, down + 1)


class MainLines(NamedTuple):
    """A page, its lines, and the main ones; None when there are none."""

    page: str
    lines: Lines
    main: range | None

    @property
    def span(self) -> slice:
        """The characters from the first main line to the last, without its line end; an empty slice without any."""
        if self.main is None:
            return slice(0, 0)
        start, end = (self.lines.starts[line] for line in (self.main.start, self.main.stop))
        return slice(start, end - (end > len(self.page) or self.page[end - 1] == "\n"))

    @property
    def divided(self) -> str:
        """The main lines, a tag a line if the file is written in one line; "" when there is none."""
        part = self.page[self.span]
        return split_at_tags(part) if divides_at_tags(self.page.count("\n") + 1, self.page.count("<")) else part

    @property
    def html(self) -> str:
        """The main lines as HTML; "" when there is none."""
        # A line may begin inside a tag; then the part begins where the tag does.
        start, end = self.span.start, self.span.stop
        tag = self.page.rfind("<", 0, start)
        inside = tag >= 0 and self.page.find(">", tag, start) < 0 and _TAG_NAME.match(self.page, tag)
        return self.page[tag if inside else start : end]


def find_lines(html: str, p: int, *, at_tags: bool = False) -> MainLines:
    """Count the characters of all lines, and find the main ones."""
    lines = count_characters(html, at_tags=at_tags)
    return MainLines(html, lines, main_lines(lines, p))


def file_lines(html: str, p: int) -> MainLines:
    """Find the main lines of a file that is taken as it is, as both papers do."""
    return find_lines(sanitise(html), p)


def split_at_tags(html: str) -> str:
    """R2L, first step, preprocessing: begin a line at every tag. No empty line is added."""
    return re.sub(r"(?<=[^\n])<", "\n<", html)


def main_html(html: str, p: int, *, at_tags: bool = False) -> str:
    """Return the main lines of the body without its code, as HTML; "" when there is none."""
    if html.isascii() and "&#" not in html:
        return ""
    return body_lines(html, p, at_tags=at_tags).html


def body_lines(html: str, p: int, *, at_tags: bool = False) -> MainLines:
    """Find the main lines of the body without its code.

    Numeric references are read first where they outnumber characters beyond ASCII: such pages are ASCII throughout.
    On a page of a Latin script a column has to be above the axis with code left in. Without code a copyright sign or a
    name on a line of its own is one.
    """
    body = body_of(sanitise(html))
    beyond_ascii = len(body) - len(body.encode("ascii", "ignore"))
    if body.count("&#") > beyond_ascii:
        body = with_characters(body)
    elif beyond_ascii * LATIN < len(body.encode()) and (found := find_lines(body, p, at_tags=at_tags)).main is None:
        return found
    return find_lines(without_code(body), p, at_tags=at_tags)
