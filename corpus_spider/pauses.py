"""Hosts that are left alone for a while: those that asked for it (429, Retry-After) and those that cannot be reached.

One URL's trouble is its own (corpus_spider.policy); this is what concerns every URL of a host. Each pause in a row is
longer than the one before, and when the attempts are used up the host is left alone for the rest of the run: its URLs
stay pending for the next one. Times are monotonic, so that a clock that is set cannot shorten a pause.
"""

from __future__ import annotations

import math
import time
from collections import Counter

from corpus_spider.policy import BACKOFF

FAILURES = 5
"""Requests in a row without an answer after which a host counts as unreachable."""


class HostPauses:
    """Which hosts are paused, until when. ``retries``: pauses in a row after which a host is left to the next run."""

    def __init__(self, retries: int) -> None:
        self._retries = retries
        self._until: dict[str, float] = {}
        self._pauses: Counter[str] = Counter()
        self._failures: Counter[str] = Counter()

    def left(self, host: str) -> float:
        """Return for how many seconds a host is still left alone; infinity when for the rest of the run."""
        return max(0.0, self._until.get(host, 0.0) - time.monotonic())

    def resume(self, host: str, seconds: float) -> None:
        """Keep to a pause that was asked for in an earlier run."""
        self._until[host] = time.monotonic() + seconds

    def answered(self, host: str) -> None:
        """Note that a host answers as it should."""
        self._pauses.pop(host, None)
        self._failures.pop(host, None)

    def failed(self, host: str) -> None:
        """Note a request without an answer; several in a row are no coincidence."""
        self._failures[host] += 1
        if self._failures[host] >= FAILURES:
            self.pause(host)

    def doubtful(self, host: str) -> bool:
        """Tell whether a host did not answer, or asked for a pause, when it was last asked."""
        return host in self._failures or host in self._pauses

    def leave(self, host: str) -> None:
        """Leave a host alone for the rest of the run."""
        self._until[host] = math.inf

    def pause(self, host: str, asked: float = 0.0) -> None:
        """Leave a host alone, at least for as long as it asked (seconds)."""
        now = time.monotonic()
        if self.left(host):
            # Answers that were on their way together count as one refusal.
            self._until[host] = max(self._until[host], now + asked)
            return
        self._failures.pop(host, None)
        wait = BACKOFF[min(self._pauses[host], len(BACKOFF) - 1)]
        given_up = self._pauses[host] >= self._retries
        self._pauses[host] += 1
        self._until[host] = math.inf if given_up else now + max(wait, asked)
