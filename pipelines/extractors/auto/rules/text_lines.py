"""Lines of the chosen blocks and their kinds, by the innermost element around each that gives a kind."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from pipelines.extractors.auto.blocks.text_measures import UNMARKED
from pipelines.extractors.auto.blocks.walk import LINE, one_line
from pipelines.extractors.base import PARAGRAPH_KINDS
from pipelines.text.punctuation import COMMAS
from pipelines.text.scripts import SINGLE
from storage.records import ParagraphKind

if TYPE_CHECKING:
    from pipelines.extractors.auto.blocks.page import PageBlocks
    from pipelines.extractors.auto.blocks.text_measures import Array
MAX_KIND_SHARE = 0.5
"""Share of the text. An item, cell or quotation with more of it is layout."""
MAX_CARD, MIN_CARD_LINKED = 5, 0.9
"""Blocks from one part of a sentence to the next, at most, with cards of links between them. Share of linked characters
of such a card.
"""

_WIDE = re.compile(f"[{SINGLE}\u3000-\u303f\uff00-\uffef]{{2}}")
"""Two neighbours in Chinese or Japanese. In Thai and others a space may separate the parts of a sentence."""
_CERTAIN = {ParagraphKind.HEADING, ParagraphKind.PREFORMATTED}


class TextLine(NamedTuple):
    """A line of a text, its kind, and the indices of the blocks that it is from."""

    text: str
    kind: ParagraphKind
    blocks: tuple[int, ...]


def goes_on(page: PageBlocks, before: int, after: int) -> bool:
    """Return whether a block continues the sentence of a block before it: only links are between them.

    A card in a paragraph ends the paragraph for the parser. So the rest of the sentence is directly in the element
    around the paragraph.
    """
    if not 1 < after - before <= MAX_CARD or page.texts.ends_sentence[before]:
        return False
    blocks = page.blocks
    end = one_line(blocks.texts[before])[-1:]
    if not end or (end not in COMMAS and unicodedata.category(end)[0] not in "LMN"):  # a label and its sign
        return False
    element, around_it = blocks.inside[before], blocks.inside[after]
    direct = element == around_it and page.texts.classes[before, UNMARKED] == 0
    paragraph = blocks.elements.name(element) == "p" and blocks.elements.parents[element] == around_it
    return (
        (direct or paragraph)
        and bool((page.link[before + 1 : after] >= MIN_CARD_LINKED).all())
        and not one_line(blocks.texts[after])[:1].isupper()
    )


class Kinds:
    """Kinds of the chosen blocks, by the innermost element around each that gives a kind."""

    def __init__(self, page: PageBlocks, chosen: Array) -> None:
        self.page, self.blocks, self.chosen = page, page.blocks, chosen
        held = page.total(page.texts.chars * chosen)
        self.layout = (held > MAX_KIND_SHARE * held[0]).tolist()
        self.known = {0: ParagraphKind.PARAGRAPH}
        self.named = [PARAGRAPH_KINDS.get(name) for name in page.blocks.elements.names]
        """The kind that each distinct start tag gives."""

    def lines(self) -> list[TextLine]:
        """Return the lines of the chosen blocks. Preformatted text keeps its lines.

        A sentence that a card of a link cuts is one line.
        """
        found, before = list[TextLine](), -1
        taken = self.chosen.nonzero()[0].tolist()
        for index, lines in zip(taken, self.blocks.lines_of(taken), strict=True):
            cut = before >= 0 and goes_on(self.page, before, index)
            kind = self.of(self.blocks.inside[index])
            for text in self._preformatted(index) if kind is ParagraphKind.PREFORMATTED else lines:
                held = found[-1] if cut and found else None
                if held and kind is held.kind is ParagraphKind.PARAGRAPH:
                    space = "" if _WIDE.fullmatch(held.text[-1] + text[0]) else " "
                    found[-1] = TextLine(f"{held.text}{space}{text}", kind, (*held.blocks, index))
                else:
                    found.append(TextLine(text, kind, (index,)))
                cut = False
            before = index
        return found

    def _preformatted(self, index: int) -> list[str]:
        pieces = self.blocks.texts[index].replace(LINE, "\n").split("\n")
        return [line for piece in pieces if (line := one_line(piece))]

    def of(self, innermost: int) -> ParagraphKind:
        """Return the kind of the blocks directly in an element. Results are cached for each element."""
        if known := self.known.get(innermost):
            return known
        passed, element, elements = [], innermost, self.blocks.elements
        while element not in self.known:
            named = self.named[elements.tag[element]]
            if named and (not self.layout[element] or named in _CERTAIN):
                self.known[element] = named
            else:
                passed.append(element)
                element = elements.parents[element]
        self.known |= dict.fromkeys(passed, self.known[element])
        return self.known[element]


def is_heading(name: str) -> bool:
    """Return whether elements of this name are headings."""
    return PARAGRAPH_KINDS.get(name) is ParagraphKind.HEADING
