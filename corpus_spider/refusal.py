"""A request that we will not make, with the reason that is counted and stored."""

from __future__ import annotations

from scrapy.exceptions import IgnoreRequest


class RefusalError(IgnoreRequest):
    """Raised before anything is sent. ``reason`` is a short word to count by; ``retry`` says that another night may
    differ.
    """

    def __init__(self, reason: str, detail: str = "", *, retry: bool = False) -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.retry = retry
