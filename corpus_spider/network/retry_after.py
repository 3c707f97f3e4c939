"""Read the header Retry-After: for the crawl, and for downloads of archives."""

from __future__ import annotations

from datetime import UTC
from email.utils import parsedate_to_datetime

MAX_RETRY_AFTER = 3600.0
"""Maximum seconds that a Retry-After header may request."""


def retry_after(value: str | None, now: float) -> float | None:
    """Parse Retry-After (RFC 9110, 10.2.3), seconds or a date, into seconds from now; None if it is malformed.

    A date without a zone, such as C's ``asctime`` writes, is in UTC (5.6.7).
    """
    if not value:
        return None
    text = value.strip()
    if text.isascii() and text.isdigit():
        return min(float(text[:9]), MAX_RETRY_AFTER)
    try:
        until = parsedate_to_datetime(text)
        seconds = (until if until.tzinfo else until.replace(tzinfo=UTC)).timestamp() - now
        return max(0.0, min(seconds, MAX_RETRY_AFTER))
    except (ValueError, TypeError, OverflowError):
        return None
