"""Languages by their codes of three letters (ISO 639-2 and -3), where ISO 639-1 has one of two.

Texts are known by the code of two letters; a wish for ``heb`` would be a wish for nothing. Of languages that ISO 639-3
divides, such as Arabic (``ara``) into its varieties, those that CLDR counts as the whole are known too (``arb``).
"""

from __future__ import annotations


def two_letters(code: str) -> str:
    """Return the code of two letters for one of three, by CLDR's language aliases; "" where there is none."""
    if len(code) != 3:
        return ""
    from babel.core import get_global

    found: str = get_global("language_aliases").get(code, "")
    return found if len(found) == 2 else ""
