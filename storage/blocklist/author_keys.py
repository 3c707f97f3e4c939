"""Author keys: hashes of names that are equal for all spellings of a name.

Pages state several authors at once, with titles, and surnames first. A removal request has one name, as typed on some
keyboard. The comparison prefers to match too often: a dry run shows what would be removed.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

AND = (
    *("and", "with", "und", "mit", "et", "avec", "y", "e", "con", "và", "với", "cùng", "dan", "ve", "och", "og", "en"),
    *("și", "és", "ja", "û", "και", "и", "й", "і", "та", "و", "او", "اور", "और", "এবং", "ও"),
)
"""Words for "and" between names."""
_SIGNS = r"[,;|/&+\u2022\xb7()\u060c\u061b\u3001\n]|\s[-\u2013\u2014]\s"
AND_UNSPACED = "และ|ແລະ|និង|နှင့်"
"""Words for "and" in scripts without word spaces."""
_BETWEEN_AUTHORS = re.compile(rf"{_SIGNS}|\s(?:{'|'.join(AND)})\s|{AND_UNSPACED}", re.IGNORECASE)
JOINED_AND = re.compile(r"^(\S+\s.*\S)\s[\u0648\u05d5](?=\w)(\S+\s.*\S)$")
"""Arabic and Hebrew write "and" as the first letter of the next word."""
_TITLES = re.compile(r"^(?:[^\s.]+\.+\s*)+(?=\S+\s+\S)")
"""Abbreviations before a name of two or more words: Dr., PGS.TS., and the Thai one without a space."""

_TYPED = {
    "'": "\u2018\u2019\u02bc\u02bb\u2032`\xb4",
    "-": "\u2010\u2011\u2012\u2013\u2212",
    "\u0627": "\u0622\u0623\u0625\u0671",
    "\u0647": "\u06c1\u06d5",
    "\u06a9": "\u0643",
    "\u06cc": "\u064a\u0649",
    "": "\u0640\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0652\u0670\u200b\u200c\u200d\u200e\u200f\u2060\xad",
}
"""Characters that keyboards confuse: apostrophes, hyphens, alef with and without hamza; heh, kaf and yeh of Arabic,
Persian and Urdu. Also invisible and rarely typed characters.
"""
_ALSO_TYPED = {
    "'": "\u05f3",
    '"': "\u05f4\u201c\u201d\u201e\xab\xbb",
    "\u0647": "\u0629\u06be\u06c0\u06c2\u06c3",
    "\u06af": "\u06ab",
    "\u0435": "\u0451",
    "\u0111": "\xf0\u0256",
    "i": "\u0131",
    "": "\u0307" + "".join(map(chr, (*range(0x591, 0x5BE), 0x5BF, 0x5C1, 0x5C2, 0x5C4, 0x5C5, 0x5C7))),
}
"""More of them: geresh and quotation marks, teh marbuta and other heh, gaf of Pashto, yo, d with stroke, dotless and
double-dotted i, and Hebrew points.
"""
_AS_TYPED, _AS_TYPED_TOO = (
    str.maketrans({sign: one for one, signs in table.items() for sign in signs}) for table in (_TYPED, _ALSO_TYPED)
)
_TONES = re.compile("([\u0300\u0301\u0303\u0309\u0323])")
_SARA_AE = "\u0e40\u0e40", "\u0e41"
"""Thai characters that look the same: a vowel typed as two, and another one."""


def author_key(name: str) -> str:
    """Return the hash of the form of a name; empty for no name."""
    return _hashed(name_form(name))


def name_form(name: str) -> str:
    """Return a name in the form by which names are compared; empty for no name.

    These make no difference: letter case, spaces, Unicode form, characters that keyboards confuse, and the place of a
    tone mark in a word (hòa, hoà).
    """
    return " ".join(map(tones_last, alike(name).split()))


def alike(text: str) -> str:
    """Return a text in small letters, with one of the characters that keyboards confuse."""
    return _typed(text).translate(_AS_TYPED_TOO).replace(*_SARA_AE)


def tones_last(word: str) -> str:
    """Return a word in NFD with its tone marks behind its letters."""
    parts = _TONES.split(unicodedata.normalize("NFD", word))
    return "".join((*parts[::2], *parts[1::2]))


def name_forms(author: str) -> set[str]:
    """Return the forms of an author as a page states it, and of each name if it states several."""
    return {name_form(name) for name in _names(author)} - {""}


def earlier_author_keys(name: str) -> set[str]:
    """Return the hashes of a name made by earlier releases, which distinguished more spellings."""
    return {_hashed(_plain(name)), _hashed(_typed(name))} - {""}


def author_keys(author: str | None) -> set[str]:
    """Return the hashes of an author as a page states it, and of each name if it states several."""
    return {key for name in set(_names(author or "")) for key in (author_key(name), *earlier_author_keys(name))} - {""}


def _names(author: str) -> Iterator[str]:
    parts = [part.strip() for part in _BETWEEN_AUTHORS.split(author)]
    for name in (author.strip(), *parts):
        yield name
        yield _TITLES.sub("", name)
        if found := JOINED_AND.match(name):
            yield from found.groups()
    for surname, given in pairwise(author.split(",")):
        yield f"{given} {surname}"


def _typed(name: str) -> str:
    return _plain(name.translate(_AS_TYPED)).translate(_AS_TYPED)


def _plain(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def _hashed(plain: str) -> str:
    return f"sha256:{hashlib.sha256(plain.encode('utf-8', 'replace')).hexdigest()}" if plain else ""
