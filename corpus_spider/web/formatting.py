"""Values as the page shows them, in the language of the request: numbers, sizes, times, counts, meanings. Pure.

English has the forms of the terminal: days of ISO 8601, grouped numbers. Other languages have those of CLDR.
"""

from __future__ import annotations

import shlex
from datetime import date, datetime, time
from typing import TYPE_CHECKING

from babel.dates import format_date, format_skeleton, format_time
from babel.numbers import format_decimal, format_percent
from markupsafe import Markup

from corpus_spider.exit_codes import REASONS
from corpus_spider.terminal import values
from corpus_spider.terminal.escapes import readable
from corpus_spider.terminal.values import MISSING
from corpus_spider.terminal.vocabulary import SIGNS
from corpus_spider.web.translation import ENGLISH, current, gettext, marked, marked_forms, ngettext
from pipelines.text.scripts import RIGHT_TO_LEFT
from storage.reasons import HTTP, meaning_of

if TYPE_CHECKING:
    from collections.abc import Callable

COUNTS = {
    "byte": marked_forms("%(number)s byte", "%(number)s bytes"),
    "character": marked_forms("%(number)s character", "%(number)s characters"),
    "crawl": marked_forms("%(number)s crawl", "%(number)s crawls"),
    "document": marked_forms("%(number)s document", "%(number)s documents"),
    "hit": marked_forms("%(number)s hit", "%(number)s hits"),
    "language": marked_forms("%(number)s language", "%(number)s languages"),
    "line": marked_forms("%(number)s line", "%(number)s lines"),
    "page": marked_forms("%(number)s page", "%(number)s pages"),
    "counted word": marked_forms("%(number)s counted word", "%(number)s counted words"),
    "searched token": marked_forms("%(number)s searched token", "%(number)s searched tokens"),
    "site": marked_forms("%(number)s site", "%(number)s sites"),
    "token": marked_forms("%(number)s token", "%(number)s tokens"),
}
"""A number with its noun, for each noun of `counted`. Languages have up to six forms."""
_DIGITS = {"arab": "٠١٢٣٤٥٦٧٨٩", "arabext": "۰۱۲۳۴۵۶۷۸۹"}
"""Digits of numbering systems of CLDR. Babel writes those of ASCII."""
_LEFT_TO_RIGHT, _END = "\u2066", "\u2069"
"""Isolate of Unicode: an offset such as +07:00 has its sign at its left in every language."""
_STATUS = marked("the server responded with status %(status)s")


def number(value: float | None) -> str:
    """Return a number with groups of digits.

    >>> number(214380), number(None)
    ('214,380', '–')
    """
    if value is None or current() == ENGLISH:
        return values.number(value)
    pattern = "#,##0" if float(value).is_integer() else "#,##0.00"
    return in_digits(format_decimal(value, format=pattern, locale=current().locale, numbering_system="default"))


def in_digits(text: str) -> str:
    """Return a text with the digits of the language."""
    digits = _DIGITS.get(current().locale.default_numbering_system)
    return text.translate(str.maketrans("0123456789", digits)) if digits else text


def isolated(text: str) -> str:
    """Return a text that is written from left to right, for a page of any direction."""
    return f"{_LEFT_TO_RIGHT}{text}{_END}" if current().direction == "rtl" else text


def per_cent(part: float, whole: float) -> str:
    """Return a share in per cent.

    >>> per_cent(981, 1000), per_cent(1, 100000)
    ('98.1 %', '<0.1 %')
    """
    if current() == ENGLISH:
        return values.per_cent(part, whole)
    share = part / whole if whole else 0.0
    locale = current().locale
    pattern = locale.percent_formats[None].pattern.replace("0%", "0.0%").replace("0\xa0%", "0.0\xa0%")
    small = 0 < share < 0.0005
    shown = format_percent(0.001 if small else share, pattern, locale=locale, numbering_system="default")
    symbols = locale.number_symbols.get(locale.default_numbering_system, {})
    shown = shown.replace("%", symbols.get("percentSign", "%"))
    return in_digits(f"<{shown}" if small else shown)


def counted(count: int, noun: str, *, strong: bool = False) -> str:
    """Return a number with its noun, one of `COUNTS`. ``strong``: the number stands out.

    >>> counted(1, "site"), counted(1204, "page"), counted(0, "line", strong=True)
    ('1 site', '1,204 pages', Markup('<strong>0</strong> lines'))
    """
    message = ngettext(*COUNTS[noun], count)
    shown = number(count)
    if not strong:
        return message % {"number": shown}
    # The message is one of the catalogues.
    return Markup(message) % {"number": Markup("<strong>{}</strong>").format(shown)}  # noqa: S704


def human_size(count: int) -> str:
    """Return a number of bytes in the largest fitting unit.

    >>> human_size(826688), human_size(12)
    ('807.3 KiB', '12 bytes')
    """
    shown, _, unit = values.human_size(count).partition(" ")
    if unit == "bytes":
        return counted(count, "byte") if current() != ENGLISH else f"{shown} bytes"
    if current() == ENGLISH:
        return f"{shown} {unit}"
    locale = current().locale
    return isolated(f"{in_digits(format_decimal(float(shown), locale=locale, numbering_system='default'))} {unit}")


def moment(value: datetime | str | None) -> str:
    """Return a time to the minute, with the offset it was stored with.

    >>> moment("2026-03-07T00:05:00+07:00"), moment("2026-03-07")
    ('2026-03-07 00:05 +07:00', '2026-03-07')
    """
    if value is None or value == "":
        return MISSING
    text = value.isoformat(timespec="minutes") if isinstance(value, datetime) else value
    day, _, rest = text.partition("T")
    if not rest:
        return period(day)
    offset = "UTC" if rest.endswith(("+00:00", "Z")) else rest[-6:]
    if current() == ENGLISH:
        return f"{day} {rest[:5]} {offset}"
    at = in_digits(format_time(time.fromisoformat(rest[:5]), "short", locale=current().locale))
    return f"{period(day)} {at} {isolated(in_digits(offset))}"


def period(label: str) -> str:
    """Return a day, a month, a year or a minute, which are given in ISO 8601. Other texts stay as they are.

    >>> period("2026-03-07"), period("2026-03"), period("once")
    ('2026-03-07', '2026-03', 'once')
    """
    if current() == ENGLISH:
        return label
    try:
        if len(label) == 4:
            return in_digits(str(int(label)))
        if len(label) == 7:
            return in_digits(format_skeleton("yMMM", date.fromisoformat(f"{label}-01"), locale=current().locale))
        if len(label) == 16:
            at = format_time(time.fromisoformat(label[11:]), "short", locale=current().locale)
            return f"{period(label[:10])} {in_digits(at)}"
        return in_digits(format_date(date.fromisoformat(label), "medium", locale=current().locale))
    except ValueError:
        return label


def heading(name: str) -> str:
    """Return the name of a column or field as a heading, in the language of the request.

    >>> heading("per_million"), heading("log_dice")
    ('per million', 'logDice')
    """
    return gettext(plain_heading(name))


def plain_heading(name: str) -> str:
    """Return the name of a column or field as a heading in English."""
    return "logDice" if name == "log_dice" else name.replace("_", " ")


def direction(script: str) -> str:
    """Return the direction of a script (ISO 15924): ``rtl`` or ``ltr``."""
    return "rtl" if script in RIGHT_TO_LEFT else "ltr"


def exit_meaning(code: int | None) -> str:
    """Return the meaning of an exit code.

    >>> exit_meaning(7), exit_meaning(None)
    ('nothing could be fetched', 'unknown')
    """
    return gettext(REASONS.get(-1 if code is None else code, "unknown"))


def plain_meaning(reason: str) -> str:
    """Return the meaning of a reason without the marks of code.

    >>> plain_meaning("worker_timeout"), plain_meaning("http_403"), plain_meaning("strange")
    ('processing took more CPU time than page_timeout, in two runs', 'the server responded with status 403', '')
    """
    if reason.startswith(HTTP) and meaning_of(reason):
        return gettext(_STATUS) % {"status": reason.removeprefix(HTTP)}
    return gettext(meaning_of(reason)).replace("`", "")


def sign_meaning(sign: str) -> str:
    """Return what a sign of a failing site says.

    >>> sign_meaning("refused")
    'the server refuses requests'
    """
    return gettext(SIGNS[sign])


FILTERS: dict[str, Callable[..., str]] = {
    "number": number,
    "counted": counted,
    "size": human_size,
    "moment": moment,
    "period": period,
    "heading": heading,
    "translated": gettext,
    "sign_meaning": sign_meaning,
    "direction": direction,
    "readable": readable,
    "meaning": plain_meaning,
    "exit_meaning": exit_meaning,
    "shell": shlex.quote,
}
"""Filters of the templates."""
