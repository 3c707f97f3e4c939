"""Hebrew in visual order, as pages of the nineties have it: every line backwards, for browsers that could write from
left to right alone. Put in logical order, it is text again.

What tells it are the letters that have a form of their own at the end of a word, and stand at its beginning here.
"""

from __future__ import annotations

import re

CODECS = frozenset({"iso8859-8", "cp1255", "cp862"})
_BEGINS = re.compile("(?<![א-ת])[ךםןףץ](?=[א-ת])")
_ENDS = re.compile("(?<=[א-ת])[ךםןףץ](?![א-ת])")
_LEAST, _FOR_ONE = 5, 5
"""So many words that begin with one, and for each that ends with one."""
# What does not end goes on to the end: to look for it from each beginning would take for ever.
_LINE = re.compile(r"<(?i:script|style)\b.*?(?:</(?i:script|style)|\Z)|<[^>]*(?:>|\Z)|[^<\r\n]+", re.DOTALL)
_HEBREW = re.compile("[א-ת]")
# What is read from left to right in it: references, figures and words of other letters, and what joins these.
_FORWARD = re.compile(
    r"&#?\w{1,10};|[^\W_א-ת](?:[^\W_א-ת]|[.,:/@%?=&_'’-]+(?=[^\W_א-ת])|\s(?=[^\W\d_א-ת])(?<=[^\W\d_א-ת]\s))*[%]?"
)
_MIRRORED = str.maketrans("()[]{}<>«»", ")(][}{><»«")


def is_visual(text: str) -> bool:
    """Say whether words of a text begin with letters that end them."""
    begins = len(_BEGINS.findall(text))
    return begins >= _LEAST and begins >= _FOR_ONE * len(_ENDS.findall(text))


def logical(text: str) -> str:
    """Return a page with every line that has Hebrew in it turned round; tags, scripts and styles stay.

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
