"""Read the dates in the path of a URL."""

from __future__ import annotations

import re
from datetime import date
from urllib.parse import unquote

from pipelines.metadata.dates.calendars import EARLIEST
from pipelines.metadata.dates.months import fold
from pipelines.metadata.publication_date import ONE_DAY

_OTHER_CALENDARS = date(2400, 1, 1)
_ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_IN_PATH = re.compile(
    r"(?<!\d)(?:((?:19|20)\d\d)([/_.-])(0?[1-9]|1[0-2])\2(0?[1-9]|[12]\d|3[01])"
    r"|((?:19|20)\d\d)(?:[/_-]?(0[1-9]|1[0-2])|-(0[1-9]|1[0-2])/)(0[1-9]|[12]\d|3[01])(?:\d{6}|\d{9})?)(?!\d)"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMED_IN_PATH = re.compile(rf"/((?:19|20)\d\d)/({'|'.join(_MONTHS)})/(0?[1-9]|[12]\d|3[01])(?=/)")
# Years of other calendars. Many numbers look like them, so they need a directory of their own.
_ELSEWHERE_IN_PATH = re.compile(r"/((?:13[6-9]|14[0-4]|25[3-9])\d)([/-])(0?[1-9]|1[0-2])\2(0?[1-9]|[12]\d|3[01])(?=/)")
# With the year last, in a directory of its own: /05-08-2024/. The language of the page decides the order.
_YEAR_LAST_IN_PATH = re.compile(r"/(\d{1,2})([-_./])(\d{1,2})\2((?:19|20)\d\d)(?=/|$)")
# Moment when a web archive made its copy: /web/20110106023242/http://example.org/.
_COPIED = re.compile(r"(?:^/web)?/\d{14}(?:[a-z]{2}_)?(?=/https?:)|^/web/\d{14}(?:[a-z]{2}_)?(?=/[^/]+\.)")
# A day in a headline, which is the topic: /attack-of-2001-09-11-remembered.
_AMID_WORDS = re.compile(r"(?<=[^\W\d_]-)\d{4}-\d{1,2}-\d{1,2}(?=-[^\W\d_])")


def dates_in_path(path: str) -> list[str]:
    """Return the dates in the path of a URL (``/2024/05/13/``, ``/20240513``, ``/2024/may/13/``), in ISO 8601."""
    folded = fold(unquote(path))
    groups = (match.groups() for match in _IN_PATH.finditer(folded))
    figures = [f"{g[0] or g[4]}-{int(g[2] or g[5] or g[6]):02}-{int(g[3] or g[7]):02}" for g in groups]
    return figures or [f"{m[1]}-{_MONTHS.index(m[2]) + 1:02}-{int(m[3]):02}" for m in _NAMED_IN_PATH.finditer(folded)]


def stated_in_path(path: str) -> list[str]:
    """Return the dates in a path that may be its page's: as `dates_in_path`, and as written (``/1403/02/24/``).

    A day between the words of a headline is its topic and is skipped.
    """
    folded = fold(unquote(path))
    elsewhere = ["-".join(match.group(1, 3, 4)) for match in _ELSEWHERE_IN_PATH.finditer(folded)]
    year_last = ["-".join(match.group(1, 3, 4)) for match in _YEAR_LAST_IN_PATH.finditer(folded)]
    return dates_in_path(_AMID_WORDS.sub("", _COPIED.sub("", folded))) or elsewhere or year_last


def may_be_of(text: str, dates: list[str]) -> bool:
    """Return whether a text in ISO 8601 states one of some dates, give or take a day for zones. True if there are none.

    >>> may_be_of("2024-05-13T22:00:00Z", ["2024-05-14"]), may_be_of("2024-07-01", ["2024-05-14"])
    (True, False)
    """
    stated = _ISO_DAY.match(text.strip())
    days = [day for one in dates if (day := _day(one)) and EARLIEST <= day < _OTHER_CALENDARS]
    own = _day(stated[0]) if stated else None
    return own is None or not days or any(abs(own - day) <= ONE_DAY for day in days)


def _day(iso: str) -> date | None:
    try:
        return date.fromisoformat(iso)
    except ValueError:
        return None
