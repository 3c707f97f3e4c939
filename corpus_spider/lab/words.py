"""Words of a text, for scores and comparisons: runs of letters and digits.

In scripts without spaces between words (`pipelines.text.scripts`), each character with its marks is a word.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from pipelines.text.scripts import UNSPACED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import regex

_WORD = rf"[[\p{{L}}\p{{N}}]&&[{UNSPACED}]]\p{{M}}*|[[\p{{L}}\p{{N}}\p{{M}}\u200c\u200d]--[{UNSPACED}]]+"
_SURROGATES = range(0xD800, 0xE000)


@cache
def _pattern() -> regex.Pattern[str]:
    import regex

    return regex.compile(_WORD, regex.VERSION1)


def words(text: str) -> list[str]:
    """Return the words of a text, in order."""
    return _pattern().findall(text)


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each word."""
    return (match.span() for match in _pattern().finditer(text))


def coded(*texts: Sequence[str]) -> list[str]:
    """Encode sequences of words as strings with one character for each word, the same in all sequences.

    Surrogates are not used. If there are more different words than characters, the last words share one.
    """
    codes: dict[str, str] = {}
    return ["".join(codes.setdefault(word, _character(len(codes))) for word in text) for text in texts]


def _character(number: int) -> str:
    return chr(min(number if number < _SURROGATES.start else number + len(_SURROGATES), 0x10FFFF))
