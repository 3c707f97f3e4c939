"""When a page says it was published: the best of the texts on it that may state a date.

What a page states for programs is trusted most (JSON-LD, meta elements, time elements), then its address, then what
readers see. Nothing is guessed: a date is stated in full or there is none (see ``pipelines.dating.written``).
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from pipelines.dating.months import fold
from pipelines.dating.written import read_date

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

TRUST = {"json-ld": 1.0, "meta": 1.0, "time": 0.95, "url": 0.9, "text": 0.85, "masthead": 0.6}
"""Where a date may stand, and how sure it is that one there is the date of publication."""
_DAY = timedelta(days=1)
_IN_PATH = re.compile(
    r"(?<!\d)(?:((?:19|20)\d\d)([/_.-])(0?[1-9]|1[0-2])\2(0?[1-9]|[12]\d|3[01])"
    r"|((?:19|20)\d\d)[/_-]?(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?:\d{6}|\d{9})?)(?!\d)"
)


class Candidate(NamedTuple):
    """A text that may state the date of publication, and where it stands: a key of ``TRUST``."""

    source: str
    text: str


class Published(NamedTuple):
    """A date of publication in ISO 8601 (in UTC where time and zone were stated), and what is known of it."""

    iso: str
    original: str
    calendar: str
    """``gregorian``, ``buddhist``, ``solar-hijri`` or ``islamic``: as it was written."""
    source: str
    confidence: float


def find_date(candidates: Iterable[Candidate], now: datetime, language: str = "") -> Published | None:
    """Return the first of the candidates that states a date, in full and not after ``now``; None when none does."""
    for source, text in candidates:
        found = read_date(text, now, language)
        if found and not (source == "masthead" and _is_today(found.iso, now)):
            sure = round(found.confidence * TRUST[source], 2)
            return Published(found.iso, found.original, found.calendar, source, sure)
    return None


def parse_date(text: str, now: datetime, language: str = "") -> str | None:
    """Return the date that a text states as ``find_date`` does, its ISO 8601 form alone."""
    found = read_date(text, now, language)
    return found.iso if found else None


def _is_today(iso: str, now: datetime) -> bool:
    """Say whether a date is that of the visit, which newspapers print on top of every page."""
    return abs(date.fromisoformat(iso[:10]) - now.date()) <= _DAY


def dates_in_path(path: str) -> list[str]:
    """Return the dates that the path of a URL states (``/2024/05/13/``, ``/20240513``, ``-2024-5-13``) as ISO dates."""
    groups = (match.groups() for match in _IN_PATH.finditer(fold(unquote(path))))
    return [f"{g[0] or g[4]}-{int(g[2] or g[5]):02}-{int(g[3] or g[6]):02}" for g in groups]
