"""Languages by their codes of three letters (ISO 639-2 and -3), where ISO 639-1 has one of two, and by their names.

Texts are known by the code of two letters; a wish for ``heb`` would be a wish for nothing. Of languages that ISO 639-3
divides, such as Arabic (``ara``) into its varieties, those that CLDR counts as the whole are known too (``arb``).
"""

from __future__ import annotations

import difflib
from functools import cache

ALIKE = 0.8
"""Similarity (Ratcliff and Obershelp) from which a word is taken for a name that is not spelled right."""


def two_letters(code: str) -> str:
    """Return the code of two letters for one of three, by CLDR's language aliases; "" where there is none."""
    if len(code) != 3:
        return ""
    from babel.core import get_global

    found: str = get_global("language_aliases").get(code, "")
    return found if len(found) == 2 else ""


def code_of(name: str) -> str:
    """Return the code of the language that CLDR knows by a name, in English or in itself, or nearly so; "" for others.

    >>> code_of("Vietnamese"), code_of("فارسی"), code_of("gibberish")
    ('vi', 'fa', '')
    """
    names = _names()
    close = difflib.get_close_matches(name.casefold().strip(), names, n=1, cutoff=ALIKE)
    return names[close[0]] if close else ""


@cache
def _names() -> dict[str, str]:
    """Codes by names, of varieties that of the whole language: Dari is ``fa``."""
    from babel import Locale
    from babel.localedata import locale_identifiers

    names = {name.casefold(): code.partition("_")[0] for code, name in Locale("en").languages.items()}
    for code in locale_identifiers():
        if len(code) == 2 and (own := Locale(code).get_language_name()):
            names.setdefault(own.casefold(), code)
    return names
