"""Readers' comments: their section after the text, and each comment that is marked as one."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from pipelines.extractors.auto.blocks.marks import BIT, naming_of
from pipelines.extractors.auto.rules.captions import MAX_CHARS, MAX_LINKED_SHARE
from pipelines.extractors.auto.rules.text_lines import is_heading

if TYPE_CHECKING:
    from pipelines.extractors.auto.blocks.page import PageBlocks
    from pipelines.extractors.auto.blocks.text_measures import Array
    from pipelines.extractors.auto.blocks.walk import BlockSequence


# Readers' comments: their section after the text, and each comment that is marked as one.
MAX_COMMENTS = 200
MIN_PROBABILITY, MIN_CHARS_BEFORE = 0.5, 100
"""Probability from which a comment may look like the text, and expected characters of text before a section."""
MAX_SECTIONS = 200
"""Sections of comments on a page that are checked."""
MIN_SINGLE_CHARS = 60
"""Characters of a comment that needs no second one like it."""
_WORD = re.compile("[a-z]+")
_COMMENT = frozenset({"comment", "usercomment", "commenttext", "commentbody", "komment", "kommentar", "comentario"})
_NO_COMMENT = frozenset(
    {"list", "form", "respond", "area", "section", "count", "metadata", "reply", "disqus", "notes", "title", "name"}
)
_SECTION = re.compile(
    r'\s(?:id|class)="(?:[^"]*\s)?(?:[a-z]+[-_]+)?(?:comments|comments?[-_]?(?:list|listing|area|section|container|wrap(?:per)?|thread|block|box|stream|body|posts?)'
    r"|kommentare?|comentarios?|commentaires?|commenti|komentarz?[ei]?|yorumlar|reacties|talkbacks|hozzaszolasok|sxolia"
    r'|binh-?luan)(?:\s[^"]*)?"',
    re.IGNORECASE,
)
"""An element named as the section of comments."""
_OF_COMMENT = re.compile(r"\b(?:submitted|username|commenter)\b")
"""What Drupal calls the line of who wrote a comment, and when."""
_DIGITS = re.compile(r"\d+")
_ABOUT = BIT["meta"] | BIT["sign"] | BIT["share"] | BIT["nav"] | BIT["form"] | BIT["head"] | BIT["hidden"] | BIT["box"]


def comments(page: PageBlocks, chosen: Array) -> tuple[str, ...]:
    """Return readers' comments, each marked as one, without names, dates and buttons. Paragraphs are lines.

    A short comment counts only if another element has the same marks and another text. Buttons repeat their text.
    """
    of_comments = (page.path & BIT["comment"]) != 0
    if not of_comments.any():
        return ()
    likely = of_comments & ~chosen & ~page.hidden & (page.link < MAX_LINKED_SHARE)
    found: dict[int, list[str]] = {}
    for index in likely.nonzero()[0].tolist():
        if element := _comment_around(page, index):
            found.setdefault(element, []).extend(page.blocks.lines(index))
    texts = {element: "\n".join(lines)[:MAX_CHARS] for element, lines in found.items()}
    made = {element: _DIGITS.sub("", page.blocks.elements.attributes(element)) for element in texts}
    alike, said = Counter(made.values()), Counter(texts.values())
    credible = (
        text
        for element, text in texts.items()
        if len(text) >= MIN_SINGLE_CHARS or (alike[made[element]] > 1 and said[text] == 1 and not text.isnumeric())
    )
    return tuple(islice(credible, MAX_COMMENTS))


def comment_sections(page: PageBlocks, probability: Array) -> Array:
    """Mark the blocks in the sections of readers' comments after a likely text.

    A comment looks like an article, and the comments on a short article are longer than it.
    """
    found = np.zeros(page.count, bool)
    left = (page.path & BIT["comment"]) != 0
    likely = left & (probability >= MIN_PROBABILITY)
    if not likely.any():
        return found
    expected = np.add.accumulate(probability * page.texts.chars * (1 - page.link))
    heads = page.total(page.heads)
    for _ in range(MAX_SECTIONS):
        at = int(left.argmax())
        if not left[at]:
            break
        named = [box for box in page.blocks.around(at) if _is_section(page, box) and not heads[box]]
        place = slice(int(page.first[named[-1]]), int(page.last[named[-1]])) if named else slice(at, at + 1)
        behind = place.start > 0 and expected[place.start - 1] >= MIN_CHARS_BEFORE
        if named and not behind and likely[place].any():
            break
        found[place] = bool(named) and behind
        left[: place.stop] = False
    return found


def _is_section(page: PageBlocks, element: int) -> bool:
    tag = page.blocks.elements.tag[element]
    return bool(page.marks[tag] & BIT["comment"]) and _is_named_section(page.blocks.elements.tags[tag][:MAX_CHARS])


@lru_cache(maxsize=2**12)
def _is_named_section(tag: str) -> bool:
    return _SECTION.search(tag) is not None


def _comment_around(page: PageBlocks, index: int) -> int:
    """Return the innermost element around a block that is one comment; 0 if the block is not in a comment."""
    blocks, elements = page.blocks, page.blocks.elements
    for element in blocks.around(index):
        number = elements.tag[element]
        said = _is_comment(elements.tags[number][:MAX_CHARS], page.marks[number])
        if said is not None:
            return element if said and not _in_form(blocks, element) else 0
    return 0


@lru_cache(maxsize=2**12)
def _is_comment(tag: str, bits: int) -> bool | None:
    """Return whether an element is one comment, by its start tag and marks; None if they do not mention comments."""
    name, _, attributes = tag.partition(" ")
    naming = naming_of(f" {attributes}")
    if bits & _ABOUT or is_heading(name) or _OF_COMMENT.search(naming):
        return False
    if not bits & BIT["comment"]:
        return None
    words = set(_WORD.findall(naming))
    return bool(words & _COMMENT and not words & _NO_COMMENT)


def _in_form(blocks: BlockSequence, element: int) -> bool:
    """Return whether an element is in a form that is not around most of the page."""
    elements = blocks.elements
    while element:
        if elements.name(element) == "form":
            return 2 * (elements.last[element] - elements.first[element]) < len(blocks)
        element = elements.parents[element]
    return False
