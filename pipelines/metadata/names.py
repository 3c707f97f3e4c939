"""Clean the values that pages state: text on one line, and names of authors."""

from __future__ import annotations

import html
import re
import unicodedata
from typing import TYPE_CHECKING

from pipelines.metadata.byline import NEVER_A_NAME, is_name
from pipelines.text.normalise import INVISIBLE

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_AUTHOR = 200
"""Characters of all authors together."""
_MAX_NAME_WORDS = 8

_UNSEEN = re.compile(f"[{INVISIBLE}\x1c-\x1f\ud800-\udfff]")
"""Invisible characters, separators of ASCII, and halves of characters."""
_BYLINE = re.compile(rf"^(?:{NEVER_A_NAME}|theo(?=:|\s+\S+\s)(?=.*[\u1ea0-\u1ef9đơư]))\s*:?\s+(?=\S)", re.IGNORECASE)
"""Words before a name. Vietnamese papers write "theo" before a quoted source; elsewhere it is a name (Theo Nguyễn)."""
_ALL_POSTS = re.compile(
    r"^(?:(?:(?:view|see|show|read)\s+)?(?:all|more)\s+(?:posts|articles|stories)\s+(?:by|from)|zeige alle beiträge von"
    r"|alle beiträge von|(?:voir|afficher) tous les articles (?:de|par)|ver tod[ao]s (?:las entradas|l?os posts) de"
    r"|vedi tutti gli articoli di|(?:bekijk )?alle berichten van|xem (?:tất cả )?(?:các )?bài viết (?:của|bởi)"
    r"|lihat semua (?:pos|tulisan) (?:milik|oleh|dari)|посмотреть все записи (?:автора|от)"
    r"|(?:عرض|مشاهدة) (?:كل|جميع) (?:ال)?مقالات(?: بواسطة)?|(?:نمایش|مشاهده|دیدن) همه\W?ی? نوشته\W?های)\s+(?=\S)",
    re.IGNORECASE,
)
"""WordPress's words before the name in the link to an author's page."""
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
"""An e-mail address beside the name, or with the name beside it (RSS 2.0)."""
_OF_SITE = re.compile(r"\s*[,|]\s*[\w-]+(?:\.[\w-]+)*\.[a-z]{2,8}$")
_ACCOUNT = re.compile(r"[a-z][a-z0-9._-]*")


def clean_value(text: str, limit: int) -> str:
    """Return a stated value as one line of NFC text without entities and invisible characters, cut at ``limit``."""
    shown = html.unescape(text[: 4 * limit]) if "&" in text else text[: 4 * limit]
    return unicodedata.normalize("NFC", " ".join(_UNSEEN.sub("", shown).split()))[:limit].rstrip()


def letters(text: str) -> str:
    """Return the letters and digits of a name in one case, for comparison with hosts and other spellings."""
    return "".join(character for character in text.casefold() if character.isalnum())


def names(values: Iterable[str]) -> list[str]:
    """Return names that can be printed. Of names with the same letters, as in addresses, the first is kept."""
    fit = [name for value in values if (name := _author_name(value))]
    return list({letters(name): name for name in reversed(fit)}.values())[::-1]


def is_account(name: str) -> bool:
    """Return whether a name is that of a user account, which systems state if they have no other.

    >>> is_account("ann.author.12"), is_account("Ann Author"), is_account("AFP")
    (True, False, False)
    """
    return _ACCOUNT.fullmatch(name) is not None


def _author_name(value: str) -> str:
    """Return a name that can be printed, or "" for addresses, accounts, markup and texts too long for a name."""
    stated = clean_value(value, MAX_AUTHOR + 1)
    if _ALL_POSTS.match(stated):
        stated = _ALL_POSTS.sub("", stated).rstrip(" →»›")
    # The address or the paper may follow a name (Ann Author | The Daily, ann@daily.example).
    named = _OF_SITE.sub("", _ADDRESS.sub("", _BYLINE.sub("", stated))).strip()
    if named[:1] == "(" and named[-1:] == ")":
        named = named[1:-1]
    first, *others = named.split(" | ")
    name = ", ".join([first, *filter(is_name, others)]).strip(" ,;|-–")
    # Repeated names go, except surnames (García, Ana, García, Luis).
    parts = name.split(", ")
    once = dict.fromkeys(parts)
    if len(once) == 1 or all(" " in part for part in parts):
        name = ", ".join(once)
    wordy = any(len(part.split()) > _MAX_NAME_WORDS for part in name.split(","))
    return "" if wordy or len(name) > MAX_AUTHOR or _NO_NAME.search(name) or name.casefold() in _NOBODY else name
