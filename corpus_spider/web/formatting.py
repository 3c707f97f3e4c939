"""Values as the page shows them: grouped numbers, sizes, times, the direction and the fonts of a language. Pure."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from corpus_spider.terminal.console import human_size, readable
from storage.exports.vertical import RIGHT_TO_LEFT

if TYPE_CHECKING:
    from collections.abc import Callable

_MISSING = "–"


def number(value: float | None) -> str:
    """Return a number with groups of three digits.

    >>> number(214380), number(None)
    ('214,380', '–')
    """
    return _MISSING if value is None else f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"


def per_cent(part: float, whole: float) -> str:
    """Return a share in per cent.

    >>> per_cent(981, 1000), per_cent(1, 100000)
    ('98.1 %', '<0.1 %')
    """
    share = 100 * part / whole if whole else 0.0
    return "<0.1 %" if 0 < share < 0.05 else f"{share:.1f} %"


def moment(value: datetime | str | None) -> str:
    """Return a time to the minute, with the offset it was stored with.

    >>> moment("2026-03-07T00:05:00+07:00"), moment("2026-03-07")
    ('2026-03-07 00:05 +07:00', '2026-03-07')
    """
    if value is None or value == "":
        return _MISSING
    text = value.isoformat(timespec="minutes") if isinstance(value, datetime) else value
    day, _, rest = text.partition("T")
    if not rest:
        return day
    return f"{day} {rest[:5]} {'UTC' if rest.endswith(('+00:00', 'Z')) else rest[-6:]}"


def seconds(value: float | None) -> str:
    """Return a duration in the two largest units.

    >>> seconds(3725), seconds(42)
    ('1 h 2 min', '42 s')
    """
    if value is None:
        return _MISSING
    whole = round(value)
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60} min" if whole < 3600 else f"{whole // 3600} h {whole % 3600 // 60} min"


def direction(script: str) -> str:
    """Return the direction of a script (ISO 15924): ``rtl`` or ``ltr``."""
    return "rtl" if script in RIGHT_TO_LEFT else "ltr"


FILTERS: dict[str, Callable[..., str]] = {
    "number": number,
    "size": human_size,
    "moment": moment,
    "seconds": seconds,
    "direction": direction,
    "readable": readable,
}
"""Filters of the templates."""
