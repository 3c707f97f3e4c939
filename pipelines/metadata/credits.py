"""Read the credits of a byline: who wrote the text, and who took the pictures or edited it.

``Text: Ann Lee | Photo: Bo Ek`` and ``Words by Ann Lee. Photos by Bo Ek`` name one author. The words are in
``credits.toml``.
"""

from __future__ import annotations

import re
import tomllib
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pipelines.text.scripts import SYLLABIC

if TYPE_CHECKING:
    from collections.abc import Iterator

_TABLE = tomllib.loads(Path(__file__).with_name("credits.toml").read_text("utf-8"))
_BY, _BY_OR_NAME, _TEXTS, _KINDS, _OTHERS = (
    [*chain.from_iterable(_TABLE[name].values())] for name in ("by", "by_or_name", "texts", "kinds", "others")
)
NEVER_A_NAME = "|".join(_BY)
"""Words before the names of authors that are no names themselves, as Oleh is."""
BY = re.compile(
    rf"^(?:(?:{'|'.join(_BY_OR_NAME)}|{NEVER_A_NAME})(?:\s*[:：៖]\s*|\s*[-–]\s+|\s+)(?=\S)"
    rf"|[記记]者(?=[{SYLLABIC}]{{2,4}}\s?[／/]))",
    re.IGNORECASE,
)
"""Words before the names of authors. The shortest, of Swahili, Filipino and Hausa, must precede a full name."""
_SIGNS = frozenset(":：៖")
_PREPOSITIONS = frozenset(_TABLE["prepositions"])
_AUTHORS, _GENRES, _BESIDE = (frozenset(map(str.casefold, words)) for words in (_TEXTS, _KINDS, _OTHERS))
_MAX_LABEL_WORDS, _MAX_ARTICLES = 4, 1
"""Words of a label ("Text und Fotos"), and words before it in its line ("An analysis by")."""
_TOKEN = re.compile(r"[:：៖]|[^\s:：៖|•()\[\]]+")
_UNSIGNED = re.compile(
    rf"(?<![^\s、，,;；|])(?:([{SYLLABIC}]{{1,4}}(?:[・·/／][{SYLLABIC}]{{1,4}})?)\s?[／/＝=・]\s?(?=[{SYLLABIC}])"
    r"|((?:글|사진|영상|그래픽)(?:[·,/]\s?(?:글|사진|영상|그래픽))?)\s(?=[가-힣]{2,4}(?![가-힣]))"
    r"|[一-龥]{0,4}(记者|記者|编辑|編輯|摄影|攝影)\s+(?=[一-龥]))"
)
"""Labels with another sign behind them in Chinese and Japanese (文／, 文＝), or with none in Korean and Chinese."""
_PHOTOGRAPHED = re.compile(r"[^\n|，,。；;（）()]{0,20}[摄攝](?=[\s）)。]|$)")
"""A Chinese photographer, with the reporter's title and the verb behind the name: 记者 王小明 摄."""
_CONJUNCTION = r"(?:and|und|et|y|e|i|og|och|en|và|dan|ve|и|та|і|και|و)\s"
_AND = re.compile(rf"\s*[,&/·・、+]\s*|\s+{_CONJUNCTION}\s*|\s+و|และ", re.IGNORECASE)
_IN_BRACKETS = re.compile(
    rf"(?P<name>(?:[,;/&|]|(?<!\S){_CONJUNCTION}|(?<!\S)(?=\S))(?:(?!\s{_CONJUNCTION})[^,;/&|()\n]){{2,40}}?)"
    r"\s*\((?P<label>[^()]{2,30})\)",
    re.IGNORECASE,
)
_LINE = re.compile(r"[\n|•·;.–—]")
_CREDITED = re.compile(rf"\s*[^|•·\n]*(?:\n\s*(?:[,&]|{_CONJUNCTION})\s*[^|•·\n]*)*")
"""The names behind a label, up to the next part of the line."""
_OTHER_LABEL = re.compile(r"\s+[^\s\d]+\s?[:：៖].*", re.DOTALL)
"""A label that is in no table, and what is behind it."""
_AT_END = " \t\n.,;:：|/·•–—-、，()"


class _Label(NamedTuple):
    start: int
    end: int
    of_author: bool


def of_authors(text: str, *, is_byline: bool = False) -> tuple[str, bool]:
    """Return the credits of the authors in a text, and whether a label names them; else the text without others.

    ``is_byline``: whether the text is known to be one. Then a kind of text ("Report: Ann Lee") is a label too.

    >>> of_authors("Text: Ann Lee, Foto: Bo Ek"), of_authors("Von Ann Lee. Fotos: Bo Ek"), of_authors("Ann Lee")
    (('Ann Lee', True), ('Von Ann Lee', False), ('Ann Lee', False))
    """
    text = _IN_BRACKETS.sub(_unbracketed, text) if "(" in text else text
    text = text if text.isascii() else _UNSIGNED.sub(_signed, _PHOTOGRAPHED.sub("", text))
    found = [*_labels(text)]
    if not is_byline and all(label.of_author for label, _ in found):
        found = [(label, is_genre) for label, is_genre in found if not is_genre]
    labels = [label for label, _ in found]
    if not labels:
        return text, False
    first, authors = text[: labels[0].start].strip(_AT_END), list[str]()
    others = [first]
    if BY.match(first):
        authors.append(first)
    for label, end in zip(labels, [*(label.start for label in labels[1:]), len(text)], strict=True):
        credited = text[label.end : end].strip(_AT_END)
        names = _CREDITED.match(credited)
        behind = names.end() if names else 0
        if label.of_author:
            authors.append(_OTHER_LABEL.sub("", credited[:behind]))
        else:
            others.append(credited[behind:])
    is_labelled = any(label.of_author for label in labels)
    kept = (part.strip(_AT_END) for part in (authors if is_labelled else others))
    return "\n".join(filter(None, kept)), is_labelled


def _unbracketed(found: re.Match[str]) -> str:
    """Return the author of "Ann Lee (Text)", and nothing for "Bo Ek (Fotos)"."""
    is_author = _kind(found["label"], _AUTHORS)
    return found[0] if is_author is None else found["name"] if is_author else ""


def _signed(found: re.Match[str]) -> str:
    label = found[1] or found[2] or found[3]
    return found[0] if _kind(label, _AUTHORS) is None else f"{label}："


def _labels(text: str) -> Iterator[tuple[_Label, bool]]:
    """Yield the labels of a text, and whether each is a kind of text before a colon."""
    folded = text.casefold()
    if _SIGNS.isdisjoint(text) and not any(word in folded for word in _PREPOSITIONS):  # most lines of a page
        return
    tokens = [*_TOKEN.finditer(text)]
    first = 0
    for at, token in enumerate(tokens):
        is_sign = token[0] in _SIGNS
        if not (is_sign or token[0].casefold() in _PREPOSITIONS):
            continue
        for begin in range(max(first, at - _MAX_LABEL_WORDS), at):
            start = tokens[begin].start()
            label = text[start : token.start()]
            kind = _kind(label, _AUTHORS | _GENRES)
            if kind is None:
                continue
            before = _LINE.split(text[tokens[first].start() : start])[-1].split() if not first else []
            if not kind or len(before) <= _MAX_ARTICLES:
                yield _Label(start, token.end(), kind), bool(is_sign and kind and _kind(label, _AUTHORS) is None)
                first = at + 1
            break


def _kind(label: str, authors: frozenset[str]) -> bool | None:
    """Return whether a label is that of an author; None if it is none."""
    words = [word for each in _AND.split(label.casefold()) if each and (word := each.strip(_AT_END))]
    if not words or not all(word in authors or word in _BESIDE for word in words):
        return None
    return any(word in authors for word in words)
