"""Recognise a text that is only a part of the version before: a teaser in place of the article. Pure.

Newspapers close an article to readers without a subscription after some days. The page then shows its first paragraphs.
"""

from __future__ import annotations

from math import ceil

MIN_CHARS = 200
"""Characters. A shorter text has no part that is worth distinguishing."""
MOST_OF_PREFIX = 0.8
"""Longest beginning, as a share of the whole. A longer one is an edited text that has lost its last lines."""
MOST_OF_PART = 0.5
"""Longest other part, as a share of the whole."""
TAKEN_FROM_PREFIX, TAKEN_FROM_PART = 0.95, 0.7
"""Minimum share of the new text that comes from the old one. The rest may be "…" or an offer to subscribe."""
LEAST_OF_LINE = 20
"""Characters. A cut line shares at least its first ones with the old text."""


def may_be_part(chars: int, of: int) -> bool:
    """Return whether a text of so many characters may be a part of one of ``of`` characters, by length alone."""
    return of >= MIN_CHARS and chars <= MOST_OF_PREFIX * of


def is_part(text: str, of: str) -> bool:
    """Return whether a text is a beginning or a small part of another.

    >>> story = " ".join(f"Sentence {number} of the story." for number in range(20))
    >>> is_part(story[:200] + "… Read on with a subscription.", story)
    True
    >>> is_part("Another story. " * 10, story)
    False
    """
    lines = [line for each in text.splitlines() if (line := " ".join(each.split()))]
    part, whole = " ".join(lines), " ".join(of.split())
    if not part or not may_be_part(len(part), len(whole)):
        return False
    if whole.startswith(part[: ceil(TAKEN_FROM_PREFIX * len(part))]):
        return True
    return len(part) <= MOST_OF_PART * len(whole) and (
        sum(_taken(line, whole) for line in lines) >= TAKEN_FROM_PART * len(part)
    )


def _taken(line: str, whole: str) -> int:
    """Return how many characters at the beginning of a line stand in a text; 0 if too few."""
    if line in whole:
        return len(line)
    # If a beginning stands in the text, each shorter one does too.
    low, high = 0, len(line)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if line[:middle] in whole else (low, middle - 1)
    return low if low >= LEAST_OF_LINE else 0
