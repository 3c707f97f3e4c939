"""Split lines into sentences by punctuation, for every script that has some. No models, no rules of one language.

- Full stops, question and exclamation marks of Latin, Cyrillic, Greek, Hebrew and similar scripts end a sentence before
  white space, unless a small letter follows. A full stop does not after an abbreviation, initials or an item number.
- The signs that a script has of its own (`pipelines.text.scripts`) end one everywhere except between digits.
- Closing quotation marks and brackets belong to the sentence that they end.
- Thai and Lao have no full stops, and their spaces separate clauses too. There a paragraph is one sentence.
"""

from __future__ import annotations

import re

from pipelines.text.punctuation import CLOSING, REVERSED_QUOTES
from pipelines.text.scripts import SENTENCE_ENDS, STRONG_ENDS
from storage.records import SENTENCE

# A mark that opens a quotation in one language closes it in another („Ja.“ »Ja.«). Greek asks with a semicolon. A set
# comes first: the search for it is three times as fast as that for alternatives.
_STOP = re.compile(
    f"[{SENTENCE_ENDS};](?<!(?<![\u0370-\u03ff\u1f00-\u1fff]);)"
    f"[{re.escape(SENTENCE_ENDS + CLOSING)}]*(?:[{REVERSED_QUOTES}](?=\\s))?"
)
_BEFORE_NEXT = re.compile(r"\s*[\"'“‘«‹„(\[]*")
_STRONG = frozenset(STRONG_ENDS)
_INITIALS = re.compile(r"(?:\w\.)+\w")
_LONGEST_WORD = 20
_ABBREVIATIONS = """
mr mrs ms dr prof st jr sr vs no nos vol pp fig gen col lt sgt capt gov sen rep rev hon inc ltd co corp dept
jan feb mar apr jun jul aug sep sept oct nov dec approx est tp ts ths gs pgs bs ks cn nxb
bzw usw ca nr bd hr fr abs tel str mme mlle env av sra sto sta avv dott sig ing
г гг ул им тыс млн млрд руб стр см проф ред np tzn itd tys mln mld
"""
ABBREVIATIONS = frozenset(_ABBREVIATIONS.split())
"""Abbreviations of several languages, in lower case without the full stop."""


def marked(text: str) -> str:
    """Return the text with `SENTENCE` after each sentence that another one follows in its line.

    >>> marked("Xong. Đi thôi! TP. Huế.\\nچرا؟ بله.").replace(SENTENCE, "|")
    'Xong.| Đi thôi!| TP. Huế.\\nچرا؟| بله.'
    """
    return "\n".join(map(_split, text.replace(SENTENCE, " ").split("\n")))


def _split(line: str) -> str:
    length = len(line.rstrip())
    ends = [found.end() for found in _STOP.finditer(line) if found.end() < length and _ends(line, found)]
    return SENTENCE.join(line[start:end] for start, end in zip([0, *ends], [*ends, len(line)], strict=True))


def _ends(line: str, found: re.Match[str]) -> bool:
    start, end = found.span()
    if not _STRONG.isdisjoint(found.group()):
        return not (line[start - 1 : start].isdigit() and line[end : end + 1].isdigit())
    if not line[end].isspace():
        return False
    follows = _BEFORE_NEXT.match(line, end)
    at = follows.end() if follows else end
    if line[at : at + 1].islower():
        return False
    return found.group()[0] != "." or not _is_shortened(line, start)


def _is_shortened(line: str, stop: int) -> bool:
    """Return whether the word before a full stop is an abbreviation, an initial, or an item number."""
    earliest = max(0, stop - _LONGEST_WORD)
    begin = line.rfind(" ", earliest, stop) + 1
    if not begin and earliest:
        # The word is longer than all abbreviations. Reading it would be quadratic for a line of many full stops.
        return False
    word = line[begin:stop].lstrip("\"'“‘«‹„([")
    if len(word) == 1 and word.isalpha():
        return True
    return word.lower() in ABBREVIATIONS or bool(_INITIALS.fullmatch(word)) or (begin == 0 and word.isdigit())
