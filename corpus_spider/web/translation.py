"""Languages of the page: which one a request gets, and its catalogue.

A catalogue is a file of gettext, `catalogues/CODE.po`, read by Babel at its first use. English is the language of the
code and has none. A message without a translation is shown in English. `tools/messages.py` finds the messages.
"""

from __future__ import annotations

import re
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, cached_property
from io import BytesIO
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

from babel import Locale
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import Translations

CATALOGUES = Path(__file__).parent / "catalogues"
"""Folder of the catalogues. A file makes a language."""
PARAMETER = "lang"
"""Name of the parameter of a URL, and of the cookie, that chooses the language."""
MAX_ACCEPTED_CHARS = 500
"""Characters of `Accept-Language` that are read."""
REVIEWED = re.compile(r"^# reviewed by a speaker: yes$", re.MULTILINE)
"""Line of a catalogue's header."""
_OLD_CODES = {"in": "id"}
"""Codes that browsers had before, and those of today."""


@dataclass(frozen=True)
class PageLanguage:
    """A language of the page, by its code of ISO 639."""

    code: str

    @property
    def file(self) -> Path:
        """The catalogue."""
        return CATALOGUES / f"{self.code}.po"

    @cached_property
    def locale(self) -> Locale:
        """What CLDR knows about the language."""
        return Locale.parse(self.code)

    @property
    def name(self) -> str:
        """Name of the language in itself."""
        name = self.locale.get_display_name(self.code) or self.code
        return name[0].upper() + name[1:]

    @property
    def direction(self) -> str:
        """``rtl`` or ``ltr``."""
        return self.locale.text_direction

    @cached_property
    def is_reviewed(self) -> bool:
        """Whether a speaker of the language has read its catalogue."""
        if self == ENGLISH:
            return True
        with self.file.open(encoding="utf-8") as lines:
            return REVIEWED.search(lines.read(2000)) is not None

    @cached_property
    def translations(self) -> Translations:
        """Messages of the catalogue."""
        if self == ENGLISH:
            return Translations()
        with self.file.open("rb") as stream:
            catalogue = read_po(stream, locale=self.code)
        compiled = BytesIO()
        write_mo(compiled, catalogue)
        compiled.seek(0)
        return Translations(compiled)


ENGLISH = PageLanguage("en")


@cache
def languages() -> dict[str, PageLanguage]:
    """Return the languages of the page by code, English first."""
    codes = sorted(each.stem for each in CATALOGUES.glob("*.po"))
    return {each.code: each for each in (ENGLISH, *map(PageLanguage, codes))}


_CURRENT: ContextVar[PageLanguage] = ContextVar("language of the page", default=ENGLISH)


def speak(language: PageLanguage) -> None:
    """Choose the language for the rest of this request."""
    _CURRENT.set(language)


def current() -> PageLanguage:
    """Return the language of this request."""
    return _CURRENT.get()


def page_language() -> str:
    """Return the code of the language of this request."""
    return current().code


def page_direction() -> str:
    """Return the direction of the language of this request: ``rtl`` or ``ltr``."""
    return current().direction


def gettext(message: str) -> str:
    """Return a message in the language of this request."""
    return current().translations.ugettext(message) if message else ""


def ngettext(one: str, many: str, number: int) -> str:
    """Return the form of a message for a number, in the language of this request."""
    return current().translations.ungettext(one, many, number)


def marked(message: str) -> str:
    """Return a message as it is. The call marks it for the catalogues; `gettext` translates it where it is shown."""
    return message


def marked_forms(one: str, many: str) -> tuple[str, str]:
    """Return the forms of a message with a number. The call marks them; `ngettext` translates them."""
    return one, many


def accepted(header: str) -> list[str]:
    """Return the codes of the languages in a header `Accept-Language`, the most wanted first.

    >>> accepted("id-ID,id;q=0.9, en;q=0.8, *;q=0.1"), accepted("th;q=0, in"), accepted(";q=x,,")
    (['id', 'en'], ['id'], [])
    """
    found: list[tuple[float, str]] = []
    for part in header[:MAX_ACCEPTED_CHARS].split(","):
        code, _, weight = part.partition(";")
        code = code.strip().partition("-")[0].lower()
        try:
            share = float(weight.strip().removeprefix("q=") or 1)
        except ValueError:
            continue
        if code.isalpha() and share > 0:
            found.append((-share, _OLD_CODES.get(code, code)))
    return list(dict.fromkeys(code for _, code in sorted(found, key=lambda each: each[0])))


def url_in(path: str, query: str, code: str) -> str:
    """Return the URL of a page in a language.

    >>> url_in("/search", "q=x&lang=th&site=a", "vi")
    '/search?q=x&site=a&lang=vi'
    """
    kept = [(name, value) for name, value in parse_qsl(query, keep_blank_values=True) if name != PARAMETER]
    return f"{path}?{urlencode([*kept, (PARAMETER, code)])}"
