"""Lay out text for a terminal: measure cells, wrap at words, set direction marks, arrange tables. Pure.

No word is broken. A table column whose longest word does not fit is written below its row.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import zip_longest
from typing import TYPE_CHECKING

from rich.cells import cell_len

from corpus_spider.terminal.headings import heading
from pipelines.text.scripts import CLUSTERED, SINGLE, is_from_the_right

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

GAP = "  "
"""Between two columns."""
NARROW_GAP = " "
"""The same where a column would otherwise go below its row."""
MAX_NAME_WORDS = 4
"""Words of a cell that may be a name or a number. A cell with more is a sentence."""
INDENT = "  "
"""Before the lines below a row."""
BELOW = frozenset({"advice", "next"})
"""Fields that always stand below their row: what to do about it."""
FACTS = ("what", "value")
"""Headings of a table of names and their values."""
_LETTER = re.compile(r"[^\W\d_]")
_CHUNK = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d\S* *|[\d.,]+ (?:bytes|[KMGT]iB)(?![^ ]) *|[^ ]+ *|^ +")
"""A word with the spaces behind it. The date and the time of day are one, and so are a number and its unit."""
MIN_PROSE_WIDTH = 32
"""Cells. A column of sentences that would be narrower goes below its row."""
_FIRST_STRONG, _POP = "\u2068", "\u2069"
_RTL_MARK, _RTL_ISOLATE = "\u200f", "\u2067"
_HAN = SINGLE
# Characters that may not begin or end a line (JIS X 4051, Unicode UAX 14).
_OPENING = "（「『【《〈〔［｛“‘(\\[{"
_CLOSING = "、。，．・：；？！）」』】》〉〕］｝”’…ー々ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ,.:;?!)\\]}%"
_HAN_PIECE = rf"[{_OPENING}]*(?:[{_HAN}]|[^{_HAN}{_OPENING}{_CLOSING}]+)?[{_CLOSING}]*"
_UNSPACED = f"[{CLUSTERED}]+"
"""Runs of scripts of South-East Asia, which have no spaces between words."""
_FIRST_SPECIAL = "\u0590"
"""First character of the scripts that need more than spaces. Their patterns take long to compile."""
_NUMERIC = re.compile(r"[-+]?[\d.,]+( (bytes|[KMGT]iB|%))?|[–-]?")


def wrap(text: str, width: int) -> list[str]:
    """Break a line of text at words into lines of ``width`` cells. A longer word has a line of its own."""
    lines, line = [], ""
    for piece in pieces(text):
        if line and cell_len(line + piece.rstrip()) > width:
            lines.append(line.rstrip())
            line = ""
        line += piece
    return [*lines, line.rstrip()]


def pieces(text: str) -> Iterator[str]:
    """Yield the parts of a line that must not be broken, with the spaces behind them."""
    special = not _is_plain(text)
    for chunk in _CHUNK.findall(text):
        if special and _compiled(_UNSPACED).search(chunk):
            yield from _split_unspaced(chunk)
        elif special and _compiled(f"[{_HAN}]").search(chunk):
            yield from filter(None, _compiled(_HAN_PIECE).findall(chunk))
        else:
            yield chunk


def _is_plain(text: str) -> bool:
    return max(text, default="") < _FIRST_SPECIAL or all(
        letter < _FIRST_SPECIAL or "\u2000" <= letter < "\u2c00" for letter in text
    )


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _split_unspaced(chunk: str) -> Iterator[str]:
    """Split Thai, Lao, Burmese and Khmer at words; signs and spaces stay with the word before them."""
    pieces: list[str] = []
    last = 0
    for run in _compiled(_UNSPACED).finditer(chunk):
        before, (first, *others) = chunk[last : run.start()], _segmenter()(run[0])
        if last and before:
            pieces[-1] += before
            before = ""
        pieces += [before + first, *others]
        last = run.end()
    pieces[-1] += chunk[last:]
    joined: list[str] = []
    for piece in pieces:
        # A sign of repetition or abbreviation, or a mark alone, never begins a line.
        if joined and (piece[0] in "ๆฯໆ" or not cell_len(piece[0])):
            joined[-1] += piece
        else:
            joined.append(piece)
    yield from joined


@cache
def _segmenter() -> Callable[[str], list[str]]:
    """Return the segmenter of words, or of characters with their marks if it is not installed."""
    import regex

    from pipelines.text.segmentation import libraries

    try:
        return libraries.load_icu()
    except ImportError:
        return lambda run: regex.findall(r"[เแโใไເແໂໃໄ]?\X[ะาำๆฯະາຳ]*", run)


def directed(line: str, *, right_to_left: bool) -> str:
    """Return a line of a right-to-left paragraph with the marks that set its direction; others unchanged.

    The first mark is for terminals that detect the direction of a line, the isolate for those that assume left to
    right (Unicode, UAX 9).
    """
    return f"{_RTL_MARK}{_RTL_ISOLATE}{line}{_POP}" if right_to_left and line else line


def is_right_to_left(text: str) -> bool:
    """Return whether the first letter of a text is written from right to left."""
    first = _LETTER.search(text)
    return bool(first and _has_right_to_left(first[0]))


def _has_right_to_left(text: str) -> bool:
    return not _is_plain(text) and is_from_the_right(text)


def isolated(text: str) -> str:
    """Return the text of a cell with marks that keep right-to-left letters from reordering its row."""
    return f"{_FIRST_STRONG}{text}{_POP}" if _has_right_to_left(text) else text


def paragraphs(text: str, width: int) -> str:
    """Wrap each line of a text at words, with the marks of its direction."""
    return "\n".join(
        directed(line, right_to_left=is_right_to_left(paragraph))
        for paragraph in text.split("\n")
        for line in wrap(paragraph, width)
    )


def table(header: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """Arrange rows in ``width`` cells: headings, a rule and the rows. Columns that do not fit go below their row.

    Names and values (`FACTS`) have no headings.
    """
    if tuple(header) == FACTS:
        return facts([(row[0], row[1]) for row in rows], width)
    # A column without a value says nothing.
    filled = [at for at in range(len(header)) if any(row[at] for row in rows)]
    header, rows = [header[at] for at in filled], [[row[at] for at in filled] for row in rows]
    names = [heading(name) for name in header]
    every = [[_words_of(cell) for cell in (name, *(row[at] for row in rows))] for at, name in enumerate(names)]
    least = [max(max(words) for words in column) for column in every]
    natural = [max(cell_len(cell) for cell in (name, *(row[at] for row in rows))) for at, name in enumerate(names)]
    inside = [at for at in range(len(names)) if header[at] not in BELOW]
    gap = GAP
    if sum(least[at] for at in inside) + len(gap) * (len(inside) - 1) > width:
        gap = NARROW_GAP
    while len(inside) > 1 and sum(least[at] for at in inside) + len(gap) * (len(inside) - 1) > width:
        gap = GAP
        inside.remove(max(inside[1:], key=lambda at: (least[at], at)))
    sizes = _sizes(inside, natural, least, gap, width)
    prose = [at for at, size in zip(inside, sizes, strict=True) if natural[at] > size and size < MIN_PROSE_WIDTH]
    prose = [at for at in prose if at != inside[0] and any(_is_prose(row[at]) for row in rows)]
    if prose:
        inside = [at for at in inside if at not in prose]
        sizes = _sizes(inside, natural, least, gap, width)
    below = [at for at in range(len(names)) if at not in inside]
    right = [all(_NUMERIC.fullmatch(row[at]) for row in rows) for at in inside]
    lines = _row([names[at] for at in inside], sizes, right, gap)
    # Values below their row have no name of their own if they are URLs or alone.
    unnamed = [
        at
        for at in below
        if header[at] not in BELOW and (len(below) == 1 or at in prose or any("://" in row[at] for row in rows))
    ]
    lines += [INDENT + GAP.join(names[at] for at in unnamed)] if unnamed else []
    lines.append(gap.join("─" * size for size in sizes))
    for row in rows:
        lines += _row([row[at] for at in inside], sizes, right, gap)
        # A sentence and the command after it have lines of their own.
        for some in ([at for at in below if at in prose], [at for at in below if at not in prose]):
            named = [("" if header[at] in BELOW or at in prose else names[at], row[at]) for at in some]
            lines += _below(named, width)
    return lines


def _is_prose(cell: str) -> bool:
    return len(_words_of(cell)) > MAX_NAME_WORDS


def _sizes(inside: Sequence[int], natural: Sequence[int], least: Sequence[int], gap: str, width: int) -> list[int]:
    room = width - len(gap) * (len(inside) - 1)
    return _shrunk([natural[at] for at in inside], [least[at] for at in inside], room)


def facts(pairs: Sequence[tuple[str, str]], width: int) -> list[str]:
    """Arrange names and values in two columns. A value with a word that is too long for its column goes below."""
    size = min(max((cell_len(name) for name, _ in pairs), default=0), width // 2)
    room = width - size - len(GAP)
    lines = []
    for name, value in pairs:
        if cell_len(name) > size or max(_words_of(value)) > room:
            lines += [name, *(f"{INDENT}{isolated(each)}" for each in wrap(value, width - len(INDENT)))]
        else:
            lines += _row([name, value], [size, room], [False, False])
    return lines


def _words_of(cell: str) -> list[int]:
    return [cell_len(piece.rstrip()) for piece in pieces(cell)] or [0]


def _shrunk(natural: list[int], least: list[int], room: int) -> list[int]:
    """Return widths that fit into ``room``: the widest columns are narrowed first, none below its longest word."""
    sizes = list(natural)
    while sum(sizes) > room:
        wide = [at for at, size in enumerate(sizes) if size > least[at]]
        if not wide:
            break
        sizes[max(wide, key=lambda at: sizes[at])] -= 1
    return sizes


def _row(cells: Sequence[str], sizes: Sequence[int], right: Sequence[bool], gap: str = GAP) -> list[str]:
    wrapped = [wrap(cell, size) for cell, size in zip(cells, sizes, strict=True)]
    lines = []
    for parts in zip_longest(*wrapped, fillvalue=""):
        line = (_padded(part, size, to_right=side) for part, size, side in zip(parts, sizes, right, strict=True))
        lines.append(gap.join(line).rstrip())
    return lines


def _padded(text: str, size: int, *, to_right: bool) -> str:
    blank = " " * max(0, size - cell_len(text))
    return blank + isolated(text) if to_right else isolated(text) + blank


def _below(pairs: Sequence[tuple[str, str]], width: int) -> list[str]:
    """Return the values that did not fit into a row, each with its heading. URLs need none; zeros are left out."""
    lines, line = [], ""
    for name, value in pairs:
        if value in {"", "0"}:
            continue
        item = value if not name or "://" in value or len(pairs) == 1 else f"{name} {value}"
        if line and cell_len(line) + len(GAP) + cell_len(item) <= width - len(INDENT):
            line += f"{GAP}{item}"
            continue
        lines += wrap(line, width - len(INDENT)) if line else []
        line = item
    lines += wrap(line, width - len(INDENT)) if line else []
    return [f"{INDENT}{isolated(each)}" for each in lines]


def padded(text: str, size: int) -> str:
    """Return the text with spaces up to ``size`` cells, isolated if it has right-to-left letters."""
    return _padded(text, size, to_right=False)


def flow(items: Sequence[str], width: int) -> list[str]:
    """Arrange items one after the other in lines of ``width`` cells. An item is wrapped only if it is longer."""
    lines: list[str] = []
    line = ""
    for item in items:
        joined = f"{line}{GAP} {item}" if line else item
        if line and cell_len(joined) > width:
            lines.append(line)
            joined = item
        line = joined
    return [
        part for each in (*lines, line) if each for part in (wrap(each, width) if cell_len(each) > width else [each])
    ]


def beside(left: str, right: str, width: int) -> list[str]:
    """Return two texts at the ends of one line if they fit, else below each other."""
    blank = width - cell_len(left) - cell_len(right)
    if not right or blank < len(GAP):
        return [part for text in (left, right) if text for part in wrap(text, width)]
    return [left + " " * blank + right]
