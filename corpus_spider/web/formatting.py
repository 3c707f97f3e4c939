"""Values as the page shows them: grouped numbers, sizes, times, the direction and the fonts of a language. Pure."""

from __future__ import annotations

import shlex
from datetime import datetime
from typing import TYPE_CHECKING

from corpus_spider.exit_codes import REASONS
from corpus_spider.terminal.escapes import readable
from corpus_spider.terminal.values import MISSING, duration, human_size, number
from pipelines.text.scripts import RIGHT_TO_LEFT
from storage.reasons import meaning_of
from storage.reporting import counted, plural

if TYPE_CHECKING:
    from collections.abc import Callable


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
        return day
    return f"{day} {rest[:5]} {'UTC' if rest.endswith(('+00:00', 'Z')) else rest[-6:]}"


def direction(script: str) -> str:
    """Return the direction of a script (ISO 15924): ``rtl`` or ``ltr``."""
    return "rtl" if script in RIGHT_TO_LEFT else "ltr"


def exit_meaning(code: int | None) -> str:
    """Return the meaning of an exit code.

    >>> exit_meaning(7), exit_meaning(None)
    ('nothing could be fetched', 'unknown')
    """
    return REASONS.get(-1 if code is None else code, "unknown")


def plain_meaning(reason: str) -> str:
    """Return the meaning of a reason without the marks of code.

    >>> plain_meaning("worker_timeout"), plain_meaning("strange")
    ('processing took more CPU time than page_timeout, in two runs', '')
    """
    return meaning_of(reason).replace("`", "")


FILTERS: dict[str, Callable[..., str]] = {
    "number": number,
    "plural": plural,
    "counted": counted,
    "size": human_size,
    "moment": moment,
    "seconds": duration,
    "direction": direction,
    "readable": readable,
    "meaning": plain_meaning,
    "exit_meaning": exit_meaning,
    "shell": shlex.quote,
}
"""Filters of the templates."""
