"""Values as people read them: grouped numbers, shares, durations, local times and bars. Pure."""

from __future__ import annotations

import time
from datetime import UTC, datetime

from storage.reporting import counted

MISSING = "–"
_EIGHTHS = " ▏▎▍▌▋▊▉"


def number(value: float | None) -> str:
    """Return a number with groups of three digits.

    >>> number(214380), number(None)
    ('214,380', '–')
    """
    return MISSING if value is None else f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"


def rounded(value: int) -> str:
    """Return a large number in thousands, millions or billions, a small one in full.

    >>> rounded(9731), rounded(96_214_380), rounded(999_700)
    ('9,731', '96 M', '1.0 M')
    """
    if value < 10_000:
        return number(value)
    for letter, unit in (("k", 10**3), ("M", 10**6), ("G", 10**9)):
        share = value / unit
        if share < 999.5 or letter == "G":
            return f"{share:.1f} {letter}" if share < 9.95 else f"{share:,.0f} {letter}"
    raise AssertionError(value)


def per_cent(part: float, whole: float) -> str:
    """Return a share in per cent.

    >>> per_cent(981, 1000), per_cent(1, 100000)
    ('98.1 %', '<0.1 %')
    """
    share = 100 * part / whole if whole else 0.0
    return "<0.1 %" if 0 < share < 0.05 else f"{share:.1f} %"


def duration(seconds: float | None) -> str:
    """Return a duration in its one or two largest units.

    >>> duration(3725), duration(42), duration(200_000)
    ('1 h 2 min', '42 s', '2 days 7 h')
    """
    if seconds is None:
        return MISSING
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min"
    if whole < 86400:
        return f"{whole // 3600} h {whole % 3600 // 60} min"
    days = whole // 86400
    return f"{counted(days, 'day')} {whole % 86400 // 3600} h"


def local(moment: datetime | float | None) -> str:
    """Return a time (epoch seconds, or a datetime; without a zone it is UTC) to the minute, in the local time zone."""
    if moment is None:
        return ""
    if not isinstance(moment, datetime):
        moment = datetime.fromtimestamp(moment, UTC)
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return f"{aware.astimezone():%Y-%m-%d %H:%M}"


def zone() -> str:
    """Return the name of the local time zone: ``UTC``, ``CET/CEST``, or ``UTC+07`` for zones without a name."""
    names = dict.fromkeys(time.tzname if time.daylight else time.tzname[:1])
    return "/".join(f"UTC{name}" if name[:1] in "+-" else name for name in names)


def in_local_time(title: str) -> str:
    """Return the title of a table that has times, with the time zone."""
    return f"{title} (times are {zone()})"


def bar(share: float, cells: int) -> str:
    """Return a bar of ``share`` (0 to 1) of so many cells, in eighths of a cell; a share above 0 is visible.

    >>> bar(0.5, 5), bar(0.001, 8), bar(0, 8)
    ('██▌', '▏', '')
    """
    eighths = round(min(share, 1.0) * cells * 8)
    if share > 0:
        eighths = max(eighths, 1)
    return "█" * (eighths // 8) + (_EIGHTHS[eighths % 8] if eighths % 8 else "")


def human_size(count: int) -> str:
    """Format a number of bytes in the largest fitting unit: 826688 is ``807.3 KiB``."""
    size = float(count)
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{count} bytes" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TiB"


def in_units(key: str, value: object) -> object:
    """Return a value of a report for readers: ``bytes`` in units, ``next_try`` (epoch seconds) as a time."""
    if key == "bytes" and isinstance(value, int):
        return human_size(value)
    if value is None:
        return ""
    if key == "next_try" and isinstance(value, (int, float)):
        return datetime.fromtimestamp(value, UTC).isoformat(timespec="seconds") if value else "at once"
    return value
