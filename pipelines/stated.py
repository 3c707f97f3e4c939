"""What pages state of themselves as text fit to print: values on one line, and names of authors."""

from __future__ import annotations

import html
import re
import unicodedata
from typing import TYPE_CHECKING

from pipelines.byline import NEVER_A_NAME, is_name
from pipelines.normalise import INVISIBLE

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_AUTHOR = 200
_MAX_NAME_WORDS = 8

_UNSEEN = re.compile(f"[{INVISIBLE}\x1c-\x1f\ud800-\udfff]")
"""With the separators of ASCII, and halves of characters."""
_BYLINE = re.compile(rf"^(?:{NEVER_A_NAME}|theo(?=:|\s+\S+\s)(?=.*[\u1ea0-\u1ef9đơư]))\s*:?\s+(?=\S)", re.IGNORECASE)
"""Theo is what Vietnamese papers put before a name that they quote from, and a name elsewhere, or of who has one more
name (Theo Nguyễn).
"""
_ALL_POSTS = re.compile(
    r"^(?:(?:(?:view|see|show|read)\s+)?(?:all|more)\s+(?:posts|articles|stories)\s+(?:by|from)|zeige alle beiträge von"
    r"|alle beiträge von|(?:voir|afficher) tous les articles (?:de|par)|ver tod[ao]s (?:las entradas|l?os posts) de"
    r"|vedi tutti gli articoli di|(?:bekijk )?alle berichten van|xem (?:tất cả )?(?:các )?bài viết (?:của|bởi)"
    r"|lihat semua (?:pos|tulisan) (?:milik|oleh|dari)|посмотреть все записи (?:автора|от)"
    r"|(?:عرض|مشاهدة) (?:كل|جميع) (?:ال)?مقالات(?: بواسطة)?|(?:نمایش|مشاهده|دیدن) همه\W?ی? نوشته\W?های)\s+(?=\S)",
    re.IGNORECASE,
)
"""What WordPress puts before the name in the link to an author's page."""
_NO_NAME = re.compile(
    r"https?:|www\.|@|:\s|\.(?:com|net|org)\b|[{}<>\\]|^\W*$|^\d+$|[→»›]|\b(?:develop|design|power|creat)ed\s+by\b",
    re.IGNORECASE,
)
_NOBODY = frozenset(
    {"admin", "administrator", "editor", "author", "no author", "webmaster", "root", "none", "null", "unknown"}
    | {"super user", "user admin", "site admin", "guest", "name", "first name", "last name", "your name"}
    | {"see full bio", "full bio", "view bio", "read bio", "view profile", "read more", "more"}
)
_ADDRESS = re.compile(r"\s*[|,;]?\s*<?\S+@\S+")
"""Of e-mail, which papers write beside the name or the name beside (RSS 2.0)."""
_OF_SITE = re.compile(r"\s*[,|]\s*[\w-]+(?:\.[\w-]+)*\.[a-z]{2,8}$")
_ACCOUNT = re.compile(r"[a-z][a-z0-9._-]*")


def clean_value(text: str, limit: int) -> str:
    """Return a stated value as one line of NFC text without entities and invisible characters, cut at ``limit``."""
    shown = html.unescape(text[: 4 * limit]) if "&" in text else text[: 4 * limit]
    return unicodedata.normalize("NFC", " ".join(_UNSEEN.sub("", shown).split()))[:limit].rstrip()


def letters(text: str) -> str:
    """Return the letters and digits of a name alone, to compare it as hosts and people write it."""
    return "".join(character for character in text.casefold() if character.isalnum())


def names(values: Iterable[str]) -> list[str]:
    """Return names fit to print; of those with the same letters, as addresses write them too, the first."""
    fit = [name for value in values if (name := _author_name(value))]
    return list({letters(name): name for name in reversed(fit)}.values())[::-1]


def is_account(name: str) -> bool:
    """Return whether a name is one that somebody logs in with, as systems state it for want of another.

    >>> is_account("ann.author.12"), is_account("Ann Author"), is_account("AFP")
    (True, False, False)
    """
    return _ACCOUNT.fullmatch(name) is not None


def _author_name(value: str) -> str:
    """Return a name fit to print, or nothing for addresses, accounts, markup and texts too long for a name."""
    stated = clean_value(value, MAX_AUTHOR + 1)
    if _ALL_POSTS.match(stated):
        stated = _ALL_POSTS.sub("", stated).rstrip(" →»›")
    name = _said_once(_without_paper(_BYLINE.sub("", stated)).strip(" ,;|-–"))
    wordy = any(len(part.split()) > _MAX_NAME_WORDS for part in name.split(","))
    return "" if wordy or len(name) > MAX_AUTHOR or _NO_NAME.search(name) or name.casefold() in _NOBODY else name


def _without_paper(stated: str) -> str:
    """Leave out the address and the paper that stand behind a name (Ann Author | The Daily, ann@daily.example)."""
    named = _OF_SITE.sub("", _ADDRESS.sub("", stated)).strip()
    if named[:1] == "(" and named[-1:] == ")":
        named = named[1:-1]
    first, *others = named.split(" | ")
    return ", ".join([first, *filter(is_name, others)])


def _said_once(names: str) -> str:
    """Leave out names that are repeated, but for surnames (García, Ana, García, Luis)."""
    parts = names.split(", ")
    once = dict.fromkeys(parts)
    return ", ".join(once) if len(once) == 1 or all(" " in part for part in parts) else names
