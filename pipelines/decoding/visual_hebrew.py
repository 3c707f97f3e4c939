"""Turn Hebrew in visual order into logical order.

Pages of the nineties have each line backwards, for browsers that wrote from left to right only. Five letters have a
form of their own at the end of a word. In visual order these forms are at the beginning of words.
"""

from __future__ import annotations

import re

CODECS = frozenset({"iso8859-8", "cp1255", "cp862"})
_BEGINS = re.compile("(?<![א-ת])[ךםןףץ](?=[א-ת])")
_ENDS = re.compile("(?<=[א-ת])[ךםןףץ](?![א-ת])")
_MIN_FINAL_FORMS, _FOR_ONE = 5, 5
"""Words that begin with a final form, and the number of them for each word that ends with one."""
# A tag or script without an end extends to the end of the page. To search its end from each start is quadratic.
_LINE = re.compile(r"<(?i:script|style)\b.*?(?:</(?i:script|style)|\Z)|<[^>]*(?:>|\Z)|[^<\r\n]+", re.DOTALL)
_HEBREW = re.compile("[א-ת]")
# The parts of a line that are read from left to right: references, numbers, words in other scripts and what joins them.
_FORWARD = re.compile(
    r"&#?\w{1,10};|[^\W_א-ת](?:[^\W_א-ת]|[.,:/@%?=&_'’-]+(?=[^\W_א-ת])|\s(?=[^\W\d_א-ת])(?<=[^\W\d_א-ת]\s))*[%]?"
)
_MIRRORED = str.maketrans("()[]{}<>«»", ")(][}{><»«")


def is_visual(text: str) -> bool:
    """Return whether the words of a text begin with final forms."""
    begins = len(_BEGINS.findall(text))
    return begins >= _MIN_FINAL_FORMS and begins >= _FOR_ONE * len(_ENDS.findall(text))


def logical(text: str) -> str:
    """Return a page with each line of Hebrew reversed. Tags, scripts and styles stay as they are.

    >>> logical("<p>(1999) םולש ארק Times New York</p>")
    '<p>Times New York קרא שלום (1999)</p>'
    """
    return _LINE.sub(lambda found: _turned(found[0]) if _HEBREW.search(found[0]) else found[0], text)


def _turned(line: str) -> str:
    if line.startswith("<"):
        return line
    parts, at = list[str](), 0
    for found in _FORWARD.finditer(line):
        parts += [line[at : found.start()].translate(_MIRRORED)[::-1], found[0]]
        at = found.end()
    return "".join(reversed([*parts, line[at:].translate(_MIRRORED)[::-1]]))
