"""Error for a request that is refused before it is sent."""

from __future__ import annotations

from scrapy.exceptions import IgnoreRequest


class RefusalError(IgnoreRequest):
    """A request that is not sent. ``reason`` is counted and stored; ``retry`` allows another attempt in a later run."""

    def __init__(self, reason: str, detail: str = "", *, retry: bool = False) -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.retry = retry
