"""Leave out lines that are boilerplate by their words: labels of links, words of buttons, labels of advertisements.

A line goes only if the words are all there is ("Copy link"), or if they are a label before a link ("Read also: ...").
The words (boilerplate_lines.toml) are those of newspapers. A line is compared in lower case, without marks at its ends.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

from storage.records import ParagraphKind

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST, LABEL = 200, 50
"""Characters, at most, of such a line and of a label."""
_FORMS = {"i": "İı", "ا": "أإآ", "ی": "يى", "ک": "ك", "ه": "ةە", "'": "’"}
"""Letters, and the variants that are typed for them."""
_FOLD = str.maketrans(
    {form: letter for letter, forms in _FORMS.items() for form in forms}
    | dict.fromkeys("ًٌٍَُِّْ", "")
    | {"ـ": "", "\u200c": " ", "\xa0": " "}
)
_BEFORE = (
    " \t\"'“”„‟«»<>‹›*•·|¦-–—―:：;՝፦()[]{}【】〔〕「」『』~#_…\u200e\u200f\u200b\xa0"
    "■□▪▫●○◆◇►▶▸▹▼▽▲△↓→⇒➡➔➤➜👉👇📌🔗📷📸🎥✅✔\ufe0f"
)
_BEHIND = _BEFORE + ".!。،,؛;/\\+؟?"
_COLON = re.compile(r"[:：|»›՝፦]")
_LABELLED = frozenset({ParagraphKind.PARAGRAPH, ParagraphKind.HEADING, ParagraphKind.ITEM})


def _folded(line: str) -> str:
    # A dotted capital I would be two letters in lower case.
    return unicodedata.normalize("NFC", line.replace("İ", "i")).casefold().translate(_FOLD)


def _read() -> dict[str, frozenset[str]]:
    tables = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    return {
        name: frozenset(
            _folded(" ".join(line.split())) for lines in scripts.values() for line in lines.split(",") if line.strip()
        )
        for name, scripts in tables.items()
    }


_WORDS = _read()
_ELSEWHERE = _WORDS["elsewhere"]
_ALONE = _WORDS["alone"] | _WORDS["advertisements"]


def without(lines: Sequence[tuple[str, ParagraphKind]]) -> list[tuple[str, ParagraphKind]]:
    """Return the lines of a text, with their kinds, without boilerplate; all of them if less than half would be left.

    >>> without([("- Quảng cáo -", ParagraphKind.PARAGRAPH), ("Nước sông lên.", ParagraphKind.PARAGRAPH)])
    [('Nước sông lên.', <ParagraphKind.PARAGRAPH: 'p'>)]
    """
    kept = [(line, kind) for line, kind in lines if len(line) > MOST or not is_boilerplate(line, kind)]
    return kept if 2 * sum(len(line) for line, _ in kept) >= sum(len(line) for line, _ in lines) else list(lines)


def leads_elsewhere(text: str) -> bool:
    """Return whether a text is the heading of a list of links to other articles.

    >>> leads_elsewhere("Tin liên quan"), leads_elsewhere("Tin liên quan đến lũ")
    (True, False)
    """
    return len(text) <= LABEL and _folded(text.strip().strip(_BEHIND)) in _ELSEWHERE


def is_boilerplate(line: str, kind: ParagraphKind) -> bool:
    """Return whether a line is a label of a link, or no more than the words of a button or of an advertisement.

    A heading may be the words of a button: the text below it is about them.

    >>> is_boilerplate("Xem thêm: Nước sông lên", ParagraphKind.PARAGRAPH)
    True
    >>> is_boilerplate("Xem thêm ba con sông lớn ở miền Trung", ParagraphKind.PARAGRAPH)
    False
    """
    if len(line) > 2 * LABEL and not _COLON.search(line, 0, 2 * LABEL):  # most lines: do not fold them
        return False
    folded = _folded(line.lstrip(_BEFORE))
    colon = _COLON.search(folded, 0, LABEL)
    if kind in _LABELLED and (colon or len(folded) <= LABEL):
        label = folded[: colon.start() if colon else LABEL].rstrip(_BEHIND)
        if label in _ELSEWHERE:
            return True
    return kind is ParagraphKind.PARAGRAPH and len(folded) <= LABEL and folded.rstrip(_BEHIND) in _ALONE
