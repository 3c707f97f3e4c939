"""Languages by their codes of three letters (ISO 639-2 and -3), where ISO 639-1 has one of two, and by their names.

Texts are known by the code of two letters; a wish for ``heb`` would be a wish for nothing. Of languages that ISO 639-3
divides, such as Arabic (``ara``) into its varieties, those that CLDR counts as the whole are known too (``arb``).
"""

from __future__ import annotations

import difflib
import re
from functools import cache

_CODES = (
    "aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en "
    "eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja "
    "jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb "
    "nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq "
    "sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu"
)
ISO_639_1 = frozenset(_CODES.split())
"""Codes of two letters (ISO 639-1)."""
COUNTRIES = {"vn": "vi", "jp": "ja", "cn": "zh", "gr": "el", "cz": "cs", "dk": "da", "ua": "uk", "ir": "fa"}
"""Codes of languages by those of countries that are written in their place, and are none of a language."""
OTHER_NAMES = {
    "azeri": "az",
    "bengali": "bn",
    "farsi": "fa",
    "ivrit": "he",
    "kurmanji": "ku",
    "mandarin": "zh",
    "myanmar": "my",
    "oriya": "or",
    "sorani": "ckb",
}
"""Codes by names in English that CLDR does not have."""
ALIKE = 0.8
"""Similarity (Ratcliff and Obershelp) from which a word is taken for a name that is not spelled right."""


def two_letters(code: str) -> str:
    """Return the code of two letters for one of three, or for one that is no longer used, by CLDR's language aliases;
    "" where there is none.

    >>> two_letters("heb"), two_letters("iw"), two_letters("vi")
    ('he', 'he', '')
    """
    if code in ISO_639_1:
        return ""
    from babel.core import get_global

    found: str = get_global("language_aliases").get(code, "")
    return found if len(found) == 2 else ""


def of_tag(tag: str) -> str:
    """Return the code that a language tag begins with (BCP 47), and one for that of today; "" where there is none.

    >>> of_tag("vi-VN"), of_tag("iw_IL"), of_tag("gibberish")
    ('vi', 'he', '')
    """
    code = re.split("[-_]", tag.casefold(), maxsplit=1)[0]
    return two_letters(code) or (code if code in ISO_639_1 else "")


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

    names = OTHER_NAMES | {name.casefold(): code.partition("_")[0] for code, name in Locale("en").languages.items()}
    for code in locale_identifiers():
        if len(code) == 2 and (own := Locale(code).get_language_name()):
            names.setdefault(own.casefold(), code)
    return names
