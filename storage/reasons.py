"""Sets of reasons and statuses that storage, a crawl and its health read alike.

`corpus_spider.terminal.reasons` has the meaning of each reason.
"""

from __future__ import annotations

GONE_STATUSES = frozenset({404, 410})
"""Statuses that say that there is no such page."""
GONE = frozenset(f"http_{status}" for status in GONE_STATUSES)
"""Reasons of pages that are not there."""
NO_NETWORK = frozenset({"dns"})
"""Reasons of all attempts on a machine without a network. A refused connection was answered."""
HOST_FAULTS = frozenset({"robots_unreachable", "dns", "unreachable", "certificate"})
"""Reasons of a host that failed."""
OF_HOST = HOST_FAULTS | {"host_paused", "host_locked", "crawl_delay", "cut_off"}
"""Reasons that lie in the host, not in the URL: the URL stays pending, and its attempts are not counted."""
NO_ANSWER = OF_HOST | {"timeout", "network", "internal_error"}
"""Reasons of attempts that ended without a response."""
