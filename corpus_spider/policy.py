"""What an answer, or the lack of one, means for a URL: process it, ask again later, or give it up. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from corpus_spider.refusal import RefusalError
from pipelines.rights import reserved_by_answer
from storage.records import Failure, Fetched
from storage.warc.headers import sha1

if TYPE_CHECKING:
    from storage.records import Capture, Lease, Original

# Asked again a little later in the same run, then in a later one.
BACKOFF = (2.0, 10.0, 900.0)
MAX_RETRY_AFTER = 3600.0
# What is wrong with the host, not with the URL: the URL stays pending, whatever its attempts.
OF_HOST = frozenset({"robots_unreachable", "dns", "unreachable", "host_paused", "crawl_delay", "certificate"})
# Of a server, or of a content network that has lost it, all but what it says it will never do (RFC 9110, 15.6), under
# numbers without end: 509, 525, 530 … After 421 a new connection may do.
PASSING = frozenset({408, 421, 425, 429, *range(500, 600)}) - {501, 505, 510}


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often a URL is asked again after an error that may pass."""

    retries: int = 3

    def retry_at(self, lease: Lease, now: float, asked: float | None = None) -> float | None:
        """Return when to ask again (epoch seconds), or None when the URL has had its attempts."""
        if lease.attempts >= self.retries:
            return None
        wait = BACKOFF[min(lease.attempts, len(BACKOFF) - 1)]
        return now + max(wait, min(asked or 0.0, MAX_RETRY_AFTER))

    def judge_answer(self, capture: Capture, lease: Lease, now: float, fault: str | None = None) -> Fetched:
        """Decide what an exchange means. A status that may pass, or a body the server cut, is asked for again; so is a
        page with a ``fault`` of our own.
        """
        if fault:
            return Fetched(capture, lease, fault, self.retry_at(lease, now))
        if repeats(capture, lease.original):
            again = self.retry_at(lease, now) if _reserves_anew(capture, lease) else None
            if again is None:
                return Fetched(capture, lease, original=lease.original)
            return Fetched(capture, lease, RESERVED_ANEW, again)
        reason = _passing_fault(capture)
        if reason is None:
            return Fetched(capture, lease)
        asked = _longest_wait(capture, now)
        return Fetched(capture, lease, reason, self.retry_at(lease, now, asked))

    def judge_failure(self, lease: Lease, reason: str, now: float, *, passing: bool) -> Failure:
        """Decide what a request without an answer means."""
        if reason in OF_HOST:
            return Failure(lease, reason, now + BACKOFF[min(lease.attempts, 1)])
        return Failure(lease, reason, self.retry_at(lease, now) if passing else None)


CONDITIONS = ("If-None-Match", "If-Modified-Since")
RESERVED_ANEW = "reserved_anew"
"""Why a page is asked for whole that has not changed: its answer reserves a text that was free."""


def conditions(original: Original | None) -> dict[str, str]:
    """Return the headers that ask for an answer only if it has changed since the last whole one (RFC 9110, 13.1)."""
    if original is None or original.in_full:
        return {}
    values = (original.etag, original.modified)
    return {name: value for name, value in zip(CONDITIONS, values, strict=True) if value}


def _was_conditional(capture: Capture) -> bool:
    return any(name.title() in CONDITIONS for name, _ in capture.request_headers)


def repeats(capture: Capture, original: Original | None) -> bool:
    """Say whether an answer is the one there was: the server says so, having been asked, or its payload is the same,
    and its headers do not reserve a text that was free.
    """
    if original is None or capture.truncated:
        return False
    if capture.status == 304:
        return _was_conditional(capture)
    same = capture.status == 200 and sha1(capture.body) == original.payload_digest
    return same and not (original.free and reserved_by_answer(capture))


def _reserves_anew(capture: Capture, lease: Lease) -> bool:
    """Say whether the headers of an answer without a page reserve a text that was free: the page says the rest."""
    free = lease.original is not None and lease.original.free
    return free and capture.status == 304 and not lease.attempts and reserved_by_answer(capture)


def pause_asked(capture: Capture, now: float) -> float | None:
    """Return for how many seconds an answer asks to leave its host alone; 0.0: it does not say, None: it does not ask.

    429 is said to a client, not of a page; 503 is of the host when it says when to come back (RFC 9110, 15.6.4).
    """
    asked = _longest_wait(capture, now)
    if capture.status == 429:
        return asked or 0.0
    return asked if capture.status == 503 else None


def _longest_wait(capture: Capture, now: float) -> float | None:
    """Return what Retry-After asks for, the longest where a server and its proxy each say it."""
    said = (retry_after(value, now) for name, value in capture.response_headers if name.lower() == "retry-after")
    return max((seconds for seconds in said if seconds is not None), default=None)


def _passing_fault(capture: Capture) -> str | None:
    # 412 is said of the conditions alone: the next try is without them.
    if capture.status in PASSING or (capture.status == 412 and _was_conditional(capture)):
        return f"http_{capture.status}"
    return f"truncated_{capture.truncated}" if capture.truncated in {"disconnect", "time"} else None


def retry_after(value: str | None, now: float) -> float | None:
    """Read Retry-After (RFC 9110, 10.2.3), seconds or a date, as seconds from now; None for rubbish.

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


def failure_reason(error: BaseException) -> tuple[str, bool]:
    """Name what stopped a request and say whether it may pass: (reason, passing)."""
    if isinstance(error, RefusalError):
        return error.reason, error.retry
    chain = _causes(error)
    if any(_of_certificate(link) for link in chain):
        return "certificate", False
    return _NAMED.get(type(error).__name__, "network"), True


def _of_certificate(error: BaseException) -> bool:
    name = type(error).__name__
    # The words of others name the address, in which anything may stand.
    # Of a certificate that names other hosts service_identity says nothing but their names.
    return (
        "CertificateError" in name
        or name == "VerificationError"
        or (name not in _NAMED and "certificate" in str(error).lower())
    )


def _causes(error: BaseException) -> list[BaseException]:
    """The error and what it was made from: Twisted keeps the reasons in a list, Python in a chain."""
    found: list[BaseException] = []
    waiting: list[BaseException] = [error]
    while waiting and len(found) < 10:
        link = waiting.pop()
        found.append(link)
        nested = getattr(link, "reasons", None) or []
        waiting.extend(getattr(failure, "value", failure) for failure in nested)
        waiting.extend(cause for cause in (link.__cause__, link.__context__) if cause is not None)
    return found


_NAMED = {
    "CannotResolveHostError": "dns",
    "DNSLookupError": "dns",
    "DownloadTimeoutError": "timeout",
    "TimeoutError": "timeout",
    "DownloadConnectionRefusedError": "unreachable",
    "ConnectionRefusedError": "unreachable",
    "UnsupportedURLSchemeError": "scheme",
}
