"""Head and end of a text: find the title above it, add the standfirst, remove the signature below it.

A standfirst is short, alone, and formatted unlike the text, so the model often misses it. But pages repeat it in their
head as the description for other sites. Of 2942 passages that 987 pages of other collections should have, 156 are
missed instead of 171. One more wrong passage is taken.

Vietnamese papers name the author only in a signature at the end. Of 801 gold pages 11 end so. On one of them the true
text has the line.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain, islice, takewhile
from typing import TYPE_CHECKING

import numpy as np

from pipelines.extractors.auto.blocks.marks import BIT, KIND, naming_of
from pipelines.extractors.auto.blocks.walk import LINE, one_line
from pipelines.extractors.auto.rules.captions import MAX_CHARS
from pipelines.extractors.auto.rules.text_lines import is_heading
from pipelines.text.scripts import is_from_the_right

if TYPE_CHECKING:
    from pipelines.extractors.auto.blocks.page import PageBlocks
    from pipelines.extractors.auto.blocks.text_measures import Array

# The title.
MIN_LIKENESS = 0.6
"""Share of the stated title from which a block is the title."""
MIN_TITLE_CHARS = 15
"""Characters, at least, of a line that is the title."""
MIN_TITLE_SHARE = 0.5
"""Share of the stated title, at least, in such a line."""
_PARTING = frozenset("|-–—·•»«:/_｜")


def shown_title(page: PageBlocks, likeness: Array) -> str:
    """Return the heading that is the stated title or most of it. On a page without an h1 a line may be the title.

    The heading of the comments ("3 replies to …") is not the title.
    """
    like = ((likeness > MIN_LIKENESS) & ((page.near & BIT["comment"]) == 0)).nonzero()[0].tolist()
    names = {index: page.blocks.elements.name(page.blocks.inside[index]) for index in like}
    headings = (index for index in like if is_heading(names[index]))
    best = max(headings, key=lambda index: (names[index] == "h1", likeness[index]), default=None)
    if best is None:
        return "" if page.h1.any() else _title_line(page)
    return " ".join(page.blocks.lines(best))


def _title_line(page: PageBlocks) -> str:
    """Return the first line at the start of a block that equals the stated title without the name of the site."""
    title = page.blocks.title[:MAX_CHARS]
    shortest = max(MIN_TITLE_CHARS, MIN_TITLE_SHARE * len(title))
    # A sieve: it counts neither spaces nor further lines.
    may_be = (2 * page.texts.chars >= shortest) & (page.link < MAX_LINKED_SHARE) & ~page.hidden
    for index in may_be.nonzero()[0].tolist() if len(title) >= shortest else ():
        line = one_line(page.blocks.texts[index][:MAX_CHARS].partition(LINE)[0])
        if len(line) >= shortest and _names(title, line):
            return line
    return ""


def _names(title: str, line: str) -> bool:
    """Return whether a title is a line, or a line and the name of a site after a separator."""
    behind, before = title.removeprefix(line), title.removesuffix(line)
    return (
        title == line
        or (behind != title and behind.lstrip()[:1] in _PARTING)
        or (before != title and before.rstrip()[-1:] in _PARTING)
    )


# The standfirst.
MIN_STANDFIRST_PROBABILITY = 0.05
"""Probability from which a block may be a standfirst. With .2 three gold pages lose a line, and no page gains."""
NAMING = 4
"""Elements around a block, at most, that may name it a standfirst."""
MIN_STANDFIRST_WEIGHT = 40
"""Weight of a standfirst, at least, in letters of an alphabet."""
MAX_LINKED_SHARE = 0.5
"""Share of linked characters from which a block is a link to another page."""
MAX_BLOCKS = 20
"""Blocks between headline and text that are checked."""
MAX_OPENING_CHARS, MIN_OPENING_CHARS = 40, 24
"""Characters of a standfirst that are searched in the head, at most and at least."""
MAX_MARK_DISTANCE = 100
"""Bytes before a line in the head that may mark it as a title."""
_TITLED = re.compile(rb"(?:title|headline|site_name)[^<>]*\Z|<title[^<>]*>[^<>]*\Z", re.IGNORECASE)
_HEADLINE = KIND["h1"] | KIND["h2"]
_ELSEWHERE = BIT["nav"] | BIT["tag"]
_HEAD_END = re.compile(rb"</head|<body", re.IGNORECASE)
_STANDFIRST = re.compile(
    r"(?<![a-z])(?:stand-?first|sub-?title|sub-?head(?:line)?|tag-?line|dek|sapo|chapo|article_lead)(?![a-z])"
)
"""Names of the line below a headline in publishing systems."""
_WRITTEN_OTHERWISE = frozenset("\"'&<>\\\xa0’‘“”…")
"""Characters that attributes and JSON may write in other ways."""


def head_of(source: bytes) -> bytes:
    """Return the ``head`` element of a page, both in UTF-8; b"" if its end is not found."""
    # Nearly all pages write the end tag, and this is faster than the pattern.
    end = source.find(b"</head")
    if end < 0:
        found = _HEAD_END.search(source)
        end = found.start() if found else 0
    return source[:end]


def with_standfirst(page: PageBlocks, chosen: Array, likely: Array, head: bytes) -> Array:
    """Add to the chosen blocks the standfirst: ``likely`` blocks between headline and text that the head repeats.

    ``head`` is the head of the page in UTF-8. It need not repeat a block that is named as a standfirst. Blocks that the
    text repeats are in it already. The motto of the site and a title in the head are no standfirst.
    """
    first, headline = int(chosen.argmax()), int(page.heads.argmax())
    if not (head and chosen[first] and page.heads[headline]) or headline + 1 >= first:
        return chosen
    between = slice(headline + 1, first)
    may_be = likely[between] & (page.weight[between] >= MIN_STANDFIRST_WEIGHT) & (page.link[between] < MAX_LINKED_SHARE)
    may_be &= ((page.path[between] & _ELSEWHERE) == 0) & ~page.h1[between]
    if not may_be.any():
        return chosen
    text = "\n".join(chain.from_iterable(page.blocks.lines_of(chosen.nonzero()[0][:MAX_BLOCKS].tolist())))
    found = chosen.copy()
    for index in (may_be.nonzero()[0] + headline + 1)[:MAX_BLOCKS].tolist():
        # The start of the block, up to the first character that the head may write in another way.
        start = "".join(islice(page.blocks.lines(index), 1))[:MAX_OPENING_CHARS]
        line = "".join(takewhile(lambda character: character not in _WRITTEN_OTHERWISE, start)).strip()
        if len(line) >= MIN_OPENING_CHARS and line not in text:
            pieces = head.split(line.encode("utf-8", "replace"), MAX_BLOCKS)[:-1]
            described = any(_TITLED.search(piece[-MAX_MARK_DISTANCE:]) is None for piece in pieces)
            found[index] = described or _is_standfirst(page, index)
    if page.title[headline] <= MIN_LIKENESS:  # the site's name and motto may be above the real headline
        headed = ((page.kind[between] & _HEADLINE) != 0) & ~found[between]
        found[between] &= ~np.logical_or.accumulate(headed[::-1])[::-1]
    return found


def _is_standfirst(page: PageBlocks, index: int) -> bool:
    elements = page.blocks.elements
    own = takewhile(lambda element: page.held[element] == 1, page.blocks.around(index))
    return any(_STANDFIRST.search(naming_of(elements.tags[elements.tag[element]])) for element in islice(own, NAMING))


# The signature.
MAX_SIGNATURE_BLOCKS, MAX_SIGNATURE_CHARS = 2, 100
"""Blocks at the end of a text that may be a signature, and characters of one, at most."""
MAX_ALIGNING_ELEMENTS, MAX_ALIGNED_BLOCKS = 2, 2
"""Elements around a signature that may align it, and blocks of such an element, at most."""
MAX_SIGNATURE_SHARE = 0.2
"""Share of the text, at most, in signatures."""
_CELL = KIND["td"]
"""Cells are aligned for another reason: columns of figures."""
_FLUSH = {
    side: re.compile(rf'\salign="?{side}\b|\sstyle="[^"]{{0,400}}?\btext-align\s*:\s*{side}\b', re.IGNORECASE)
    for side in ("left", "right")
}
_AUTHOR = re.compile(
    r"(?<![a-z])(?:by-?lines?|authors?|writers?|reporters?|posted-?(?:by|on)|pub-?date|date|time|timestamp|dateline"
    r"|(?:post|entry|article|story|news|page)-?(?:meta|info|details?))(?![a-z])(?!-(?:text|bio|intro|desc|description|note|quote))"
)
_LETTER = re.compile(r"[^\W\d_]")


def without_signature(page: PageBlocks, chosen: Array) -> Array:
    """Return the chosen blocks without signatures at the end: short lines that are no sentences.

    A signature is aligned to the side where lines end, or an element around it is named as a byline.
    """
    last = page.count - 1 - int(chosen[::-1].argmax())
    if not _may_sign(page, last):
        return chosen
    taken = chosen.nonzero()[0][: -MAX_SIGNATURE_BLOCKS - 1 : -1].tolist()
    signed = list(takewhile(lambda index: _may_sign(page, index) and _is_set_apart(page, index), taken))
    if not signed or page.texts.chars[signed].sum() > MAX_SIGNATURE_SHARE * page.texts.chars[chosen].sum():
        return chosen
    left = chosen.copy()
    left[signed] = False
    return left


def _is_set_apart(page: PageBlocks, index: int) -> bool:
    letter = _LETTER.search(page.blocks.texts[index])
    side = "left" if letter and is_from_the_right(letter[0]) else "right"
    elements = page.blocks.elements
    small = takewhile(lambda element: page.held[element] <= MAX_ALIGNED_BLOCKS, page.blocks.around(index))
    return any(
        _is_signed(elements.tags[elements.tag[element]], side) for element in islice(small, MAX_ALIGNING_ELEMENTS)
    )


def _may_sign(page: PageBlocks, index: int) -> bool:
    short = page.texts.chars[index] <= MAX_SIGNATURE_CHARS and not page.texts.ends_sentence[index]
    return bool(short and not page.kind[index] & _CELL)


@lru_cache(maxsize=2**10)
def _is_signed(tag: str, side: str) -> bool:
    return _FLUSH[side].search(tag) is not None or (
        not is_heading(tag.partition(" ")[0]) and _AUTHOR.search(naming_of(tag)) is not None
    )
