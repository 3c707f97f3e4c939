"""Host back-off: pauses for hosts that request them (429, Retry-After) or cannot be reached.

`corpus_spider.crawling.retry_policy` handles the errors of one URL, this module those of a whole host. Consecutive
pauses grow. After the last attempt the host is paused for the rest of the run, and its URLs stay pending for the next
one. Times are monotonic, so setting the clock cannot shorten a pause.
"""

from __future__ import annotations

import math
import time
from collections import Counter

from corpus_spider.crawling.retry_policy import BACKOFF
from storage.reasons import HOST_PAUSED

FAILURES = 5
"""Consecutive requests without a response after which a host counts as unreachable."""


class HostPauses:
    """Paused hosts. ``retries``: consecutive pauses after which a host is left to the next run."""

    def __init__(self, retries: int) -> None:
        self._retries = retries
        self._until: dict[str, float] = {}
        self._pauses: Counter[str] = Counter()
        self._failures: Counter[str] = Counter()
        self._reasons: dict[str, str] = {}

    def left(self, host: str) -> float:
        """Return the remaining seconds of a host's pause; infinity for the rest of the run."""
        return max(0.0, self._until.get(host, 0.0) - time.monotonic())

    def reason(self, host: str) -> str:
        """Return the reason of a host's last pause."""
        return self._reasons.get(host, HOST_PAUSED)

    def wait(self, host: str, seconds: float, reason: str) -> None:
        """Let a host wait without a fault of its own."""
        self._until[host], self._reasons[host] = time.monotonic() + seconds, reason

    def resume(self, host: str, seconds: float) -> None:
        """Continue a pause of an earlier run."""
        self._until[host] = time.monotonic() + seconds

    def answered(self, host: str) -> None:
        """Record that a host responds normally."""
        self._pauses.pop(host, None)
        self._failures.pop(host, None)

    def failed(self, host: str, reason: str = "timeout") -> None:
        """Record a request without a response. Several in a row pause the host."""
        self._failures[host] += 1
        if self._failures[host] >= FAILURES:
            self.pause(host, reason=reason)

    def doubtful(self, host: str) -> bool:
        """Return whether the last request to a host got no response, or a request for a pause."""
        return host in self._failures or host in self._pauses

    def leave(self, host: str, reason: str) -> None:
        """Pause a host for the rest of the run."""
        self._until[host], self._reasons[host] = math.inf, reason

    def pause(self, host: str, asked: float = 0.0, *, reason: str = HOST_PAUSED) -> None:
        """Pause a host, at least for the seconds that it requested."""
        now = time.monotonic()
        if self.left(host):
            # Responses that were in flight together count as one.
            self._until[host] = max(self._until[host], now + asked)
            return
        self._failures.pop(host, None)
        self._reasons[host] = reason
        wait = BACKOFF[min(self._pauses[host], len(BACKOFF) - 1)]
        given_up = self._pauses[host] >= self._retries
        self._pauses[host] += 1
        self._until[host] = math.inf if given_up else now + max(wait, asked)
