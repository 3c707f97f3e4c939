"""Leave bodies compressed for marked requests. Decompress them for others, such as those of `scrapy shell`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response

WIRE = "corpus_wire"
"""Key of `Request.meta` that marks a request whose body stays compressed."""


class WireBodyMiddleware(HttpCompressionMiddleware):
    """Leaves decompression to the workers. In the reactor it takes a quarter of the time, and a bomb stops all."""

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        """Return the response unchanged if the request is marked."""
        if request.meta.get(WIRE):
            return response
        return super().process_response(request, response)
