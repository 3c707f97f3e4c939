"""Retry policy: classify a response or an error as process, retry or give up. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus_spider.network.errors import RefusalError
from corpus_spider.network.retry_after import MAX_RETRY_AFTER, retry_after
from pipelines.metadata.rights import reserved_by_answer
from storage.reasons import OF_HOST, RESERVED_ANEW
from storage.records import Failure, Fetched
from storage.warc.headers import sha1

if TYPE_CHECKING:
    from storage.records import Capture, Lease, Original

BACKOFF = (2.0, 10.0, 900.0)
"""Seconds before each retry. The first retries are in the same run, the later ones in another."""
# Statuses that may pass. Of the server errors, all but those that say "never" (RFC 9110, 15.6): content networks add
# codes of their own, such as 509, 525 and 530. After 421 a new connection may succeed.
PASSING = frozenset({408, 421, 425, 429, *range(500, 600)}) - {501, 505, 510}


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Decides about retries. ``retries``: attempts after the first one, for errors that may pass."""

    retries: int = 3

    def retry_at(self, lease: Lease, now: float, asked: float | None = None) -> float | None:
        """Return the time of the next attempt (epoch seconds), or None after the last one."""
        if lease.attempts >= self.retries:
            return None
        wait = BACKOFF[min(lease.attempts, len(BACKOFF) - 1)]
        return now + max(wait, min(asked or 0.0, MAX_RETRY_AFTER))

    def judge_answer(self, capture: Capture, lease: Lease, now: float, fault: str | None = None) -> Fetched:
        """Classify an exchange. Retried are a status that may pass, a body that the server cut, and a page with a
        ``fault`` of this program.
        """
        if fault:
            return Fetched(capture, lease, fault, self.retry_at(lease, now))
        if repeats(capture, lease.original):
            # The 304 response reserves rights in a text that was free. The full page has the details.
            free = lease.original is not None and lease.original.free and capture.status == 304
            reserves = free and not lease.attempts and reserved_by_answer(capture)
            again = self.retry_at(lease, now) if reserves else None
            if again is None:
                return Fetched(capture, lease, original=lease.original)
            return Fetched(capture, lease, RESERVED_ANEW, again)
        reason = _passing_fault(capture)
        if reason is None:
            return Fetched(capture, lease)
        asked = _longest_wait(capture, now)
        return Fetched(capture, lease, reason, self.retry_at(lease, now, asked))

    def judge_failure(self, lease: Lease, reason: str, now: float, *, passing: bool) -> Failure:
        """Classify a request without a response."""
        if reason in OF_HOST:
            return Failure(lease, reason, now + BACKOFF[min(lease.attempts, 1)], of_host=True)
        return Failure(lease, reason, self.retry_at(lease, now) if passing else None)


CONDITIONS = ("If-None-Match", "If-Modified-Since")


def conditions(original: Original | None) -> dict[str, str]:
    """Return the headers of a conditional request, by the last full response (RFC 9110, 13.1)."""
    if original is None or original.in_full:
        return {}
    values = (original.etag, original.modified)
    return {name: value for name, value in zip(CONDITIONS, values, strict=True) if value}


def _was_conditional(capture: Capture) -> bool:
    return any(name.title() in CONDITIONS for name, _ in capture.request_headers)


def repeats(capture: Capture, original: Original | None) -> bool:
    """Return whether a response repeats the last one.

    Either the server says so (304 to a conditional request), or the payload is the same and its headers do not reserve
    rights in a text that was free.
    """
    if original is None or capture.truncated:
        return False
    if capture.status == 304:
        return _was_conditional(capture)
    same = capture.status == 200 and sha1(capture.body) == original.payload_digest
    return same and not (original.free and reserved_by_answer(capture))


def pause_asked(capture: Capture, now: float) -> float | None:
    """Return the seconds of a pause that a response requests for its host; 0.0 without a time, None for no pause.

    429 is about the client, not about a page. 503 is about the host if it has a Retry-After (RFC 9110, 15.6.4).
    """
    asked = _longest_wait(capture, now)
    if capture.status == 429:
        return asked or 0.0
    return asked if capture.status == 503 else None


def _longest_wait(capture: Capture, now: float) -> float | None:
    """Return the seconds of Retry-After; the longest if a server and its proxy both send it."""
    waits = (retry_after(value, now) for name, value in capture.response_headers if name.lower() == "retry-after")
    return max((seconds for seconds in waits if seconds is not None), default=None)


def _passing_fault(capture: Capture) -> str | None:
    # 412 is about the conditions. The next attempt has none.
    if capture.status in PASSING or (capture.status == 412 and _was_conditional(capture)):
        return f"http_{capture.status}"
    return f"truncated_{capture.truncated}" if capture.truncated in {"disconnect", "time"} else None


def failure_reason(error: BaseException) -> tuple[str, bool]:
    """Return the reason for a failed request, and whether the error may pass."""
    if isinstance(error, RefusalError):
        return error.reason, error.retry
    chain = _causes(error)
    if any(_of_certificate(link) for link in chain):
        return "certificate", False
    return _NAMED.get(type(error).__name__, "network"), True


def _of_certificate(error: BaseException) -> bool:
    name = type(error).__name__
    # The message of another error may contain the URL, and so any word.
    # service_identity's message about a certificate of other hosts has their names and no more.
    return (
        "CertificateError" in name
        or name == "VerificationError"
        or (name not in _NAMED and "certificate" in str(error).lower())
    )


def _causes(error: BaseException) -> list[BaseException]:
    """Return the error and its causes. Twisted keeps them in a list, Python in a chain."""
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
