"""Log messages of Scrapy: one line for each event, without item bodies or raw text from the web."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.logformatter import LogFormatter

from corpus_spider.terminal.escapes import safe

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.http import Response
    from scrapy.logformatter import LogFormatterResult
    from twisted.python.failure import Failure


class QuietLogFormatter(LogFormatter):
    """Formats Scrapy's messages without text from the web."""

    def crawled(self, request: Request, response: Response, spider: Spider) -> LogFormatterResult:
        """Return one DEBUG line for each response."""
        return _line(10, "%(status)s %(url)s", status=response.status, url=safe(request.url))

    def scraped(self, item: Any, response: Any, spider: Spider) -> None:  # type: ignore[override]
        """Return None: the outcome of a page is in the database."""

    def dropped(
        self, item: Any, exception: BaseException, response: Response | Failure | None, spider: Spider
    ) -> LogFormatterResult:
        """Return one DEBUG line with the reason."""
        return _line(10, "dropped: %(reason)s", reason=safe(str(exception)))

    def item_error(
        self, item: Any, exception: BaseException, response: Response | Failure | None, spider: Spider
    ) -> LogFormatterResult:
        """Return one ERROR line with the URL, never the item."""
        return _line(40, "cannot store %(url)s", url=safe(getattr(response, "url", "a page")))


def _line(level: int, message: str, **values: Any) -> LogFormatterResult:
    return {"level": level, "msg": message, "args": values}
