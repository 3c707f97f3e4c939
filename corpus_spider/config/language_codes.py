"""Two-letter language codes (ISO 639-1) for three-letter codes (ISO 639-2, -3), language tags and names.

The corpus stores two-letter codes if they exist, so a configured ``heb`` would match no text. A code of ISO 639-3 that
CLDR treats as its macrolanguage is converted too: ``arb`` (Standard Arabic) is ``ar``.
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
"""Language codes by country codes that users write by mistake and that are not language codes."""
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
"""Codes by English names that CLDR does not have."""
MIN_NAME_SIMILARITY = 0.8
"""Minimum similarity (Ratcliff and Obershelp) of a misspelled name."""


def two_letters(code: str) -> str:
    """Return the two-letter code of a three-letter or outdated code, by CLDR's language aliases; "" if there is none.

    >>> two_letters("heb"), two_letters("iw"), two_letters("vi")
    ('he', 'he', '')
    """
    if code in ISO_639_1:
        return ""
    from babel.core import get_global

    found: str = get_global("language_aliases").get(code, "")
    return found if len(found) == 2 else ""


def of_tag(tag: str) -> str:
    """Return the present two-letter code of a language tag (BCP 47); "" if there is none.

    >>> of_tag("vi-VN"), of_tag("iw_IL"), of_tag("gibberish")
    ('vi', 'he', '')
    """
    code = re.split("[-_]", tag.casefold(), maxsplit=1)[0]
    return two_letters(code) or (code if code in ISO_639_1 else "")


def code_of(name: str) -> str:
    """Return the code of a language by its name in English or in the language itself, or by a similar name.

    Names are those of CLDR. Returns "" for other words.

    >>> code_of("Vietnamese"), code_of("فارسی"), code_of("gibberish")
    ('vi', 'fa', '')
    """
    names = _names()
    close = difflib.get_close_matches(name.casefold().strip(), names, n=1, cutoff=MIN_NAME_SIMILARITY)
    return names[close[0]] if close else ""


@cache
def _names() -> dict[str, str]:
    """Return codes by names. A variety has the code of its language: Dari is ``fa``."""
    from babel import Locale
    from babel.localedata import locale_identifiers

    names = OTHER_NAMES | {name.casefold(): code.partition("_")[0] for code, name in Locale("en").languages.items()}
    for code in locale_identifiers():
        if len(code) == 2 and (own := Locale(code).get_language_name()):
            names.setdefault(own.casefold(), code)
    return names
