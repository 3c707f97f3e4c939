"""Lines that say by their words that they are none of the text: prompts, and what papers end with.

The words (asides.toml) are those of newspapers in many languages.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pipelines.extractors.auto.blocks.text_stats import ENDS
from pipelines.extractors.auto.rules import boilerplate_phrases, phrase_tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.extractors.auto.blocks.page import Page
    from pipelines.extractors.auto.blocks.text_stats import Array
    from storage.records import ParagraphKind

PROMPT, TERMS = 200, 500
"""Most characters of a line that asks to follow the paper, and of one that says what its readers agree to."""
EDGE = 4
"""Lines at the head of a text, and at its end, among which figures about the page may stand."""
MOST = 3
"""Most lines of a text that ask for something."""
KEPT = 1
"""Lines of a text that are not taken for its end."""
_END = re.compile(r"[^\w]*(?:انتهای|پایان) (?:پیام|خبر)(?:\W.{0,20})?")
"""What Iranian agencies close a report with, and the number of who wrote it."""
_ANY = {name: phrase_tables.either(words) for name, words in phrase_tables.read("asides.toml").items()}
_FOLLOW = re.compile(rf"\A\W*{_ANY['follow_first']}|\b{_ANY['follow']}", re.IGNORECASE)
_WHERE = re.compile(_ANY["where"], re.IGNORECASE)
_SIGN_UP = re.compile(rf"\A\W*{_ANY['sign_up']}", re.IGNORECASE)
_LETTER = re.compile(_ANY["letter"], re.IGNORECASE)
_RIGHTS = re.compile(rf"[^\w©ⓒ(]*+\(?{_ANY['rights']}", re.IGNORECASE)
_PRIVACY, _USE = (re.compile(_ANY[name], re.IGNORECASE) for name in ("privacy", "use"))
_READER = re.compile(rf"\b{_ANY['reader']}\b|[^\W\x00-\u024f]|[đươạảấầẩậắằẵặẹẻẽếềểễệọỏốồổỗộớờởợụủứừửữự]", re.IGNORECASE)
"""Of most languages their letters are enough."""
_REACHED = re.compile(
    r"\b(?:can|may) be (?:reached|contacted|followed) (?:at|by|on|via)\b"
    r"|\A\W*(?i:you can |please )?(?i:contact|e-?mail|reach|write to) [A-Z][^@]{0,80}@\w"
)
"""Who wrote the text, in papers in English."""
_COMMENTING = re.compile(r"\bcomment(?:s|ing|ary)? (?:policy|guidelines|rules)\b", re.IGNORECASE)
"""What readers may write, in papers in English."""


def without(lines: Sequence[tuple[str, ParagraphKind]]) -> list[tuple[str, ParagraphKind]]:
    """Return the lines of a text, with their kinds, without notices, prompts and what follows its end.

    A heading of the word advertisement is what is spoken of below it.

    >>> from storage.records import ParagraphKind
    >>> without([("- Quảng cáo -", ParagraphKind.PARAGRAPH), ("Nước sông lên.", ParagraphKind.PARAGRAPH)])
    [('Nước sông lên.', <ParagraphKind.PARAGRAPH: 'p'>)]
    """
    last = len(lines) - EDGE
    suspects = boilerplate_phrases.suspects(lines)
    found = {
        place for place in suspects if boilerplate_phrases.is_prompt(*lines[place], edge=place < EDGE or place >= last)
    }
    found.update(
        place
        for place, (line, kind) in enumerate(lines[:EDGE])
        if boilerplate_phrases.tells_minutes(line) or boilerplate_phrases.tells_author(line, kind)
    )
    kept = list(lines)
    if found:
        kept = [line for place, line in enumerate(lines) if place not in found]
        if 2 * _size(kept) < _size(lines):
            kept = list(lines)  # of pictures with what they show, it may be
    while len(kept) > KEPT and closes(kept[-1][0]):
        kept.pop()
    return kept


def _size(lines: Sequence[tuple[str, ParagraphKind]]) -> int:
    return sum(len(line) for line, _ in lines)


def closes(line: str) -> bool:
    """Say whether a last line is the agency's mark of the end, says whose the text is, how its author is reached or
    what its readers agree to, or asks to follow the paper.
    """
    if len(line) <= TERMS and "@" in line and _REACHED.search(line):
        return True
    if len(line) > PROMPT:
        return len(line) <= TERMS and _agrees(line)
    if _COMMENTING.search(line) is not None and (line[-1] not in ENDS or _READER.search(line) is not None):
        return True
    return _END.fullmatch(line) is not None or _RIGHTS.match(line) is not None or _asks(line) or _agrees(line)


def _agrees(line: str) -> bool:
    """Say whether a line tells its reader of the terms of use and of privacy, both."""
    return all(words.search(line) is not None for words in (_PRIVACY, _USE, _READER))


def without_asking(page: Page, chosen: Array) -> Array:
    """Return the chosen blocks without those that ask to follow the paper or to sign up for its letters by a link.

    A text that has many of them is about that.
    """
    linked = (chosen & (page.link > 0)).nonzero()[0].tolist()
    texts = page.blocks.texts
    found = [index for index in linked if len(texts[index]) <= PROMPT and _asks(texts[index])]
    if not found or len(found) > MOST:
        return chosen
    kept = chosen.copy()
    kept[found] = False
    return kept


def _asks(text: str) -> bool:
    return (_FOLLOW.search(text) is not None and _WHERE.search(text) is not None) or (
        _SIGN_UP.match(text) is not None and _LETTER.search(text) is not None
    )
