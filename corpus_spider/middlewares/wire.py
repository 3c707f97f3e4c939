"""Leaves bodies as they came over the wire for requests that ask for it; inflates them for everybody else (`scrapy
shell`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response

WIRE = "corpus_wire"


class WireBodyMiddleware(HttpCompressionMiddleware):
    """Inflating is the workers' business: in the reactor it is a quarter of a crawl's time and one bomb stops
    everything.
    """

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        """Hand the response on untouched when the request carries the mark."""
        if request.meta.get(WIRE):
            return response
        return super().process_response(request, response)
