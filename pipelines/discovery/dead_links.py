"""Dead-link detection: URL shapes that nearly always answer 404 or 410, such as broken relative links in articles.

A shape whose pages nearly always state that they are another page (print versions) is one too.

An article page with one broken relative link in its layout names a dead URL for every article, and there may be twenty
dead URLs for each live one. URLs of one shape at one host are sampled. When nearly all of the sample are gone, the
others wait for the next night.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipelines.discovery.url_shapes import NUMBER_SLOT, shape_of
from pipelines.urls.url import parse
from storage.reasons import GONE_STATUSES
from storage.records import Kind

if TYPE_CHECKING:
    from storage.records import Lease

SAMPLE = 10
"""Missing pages of a shape after which the rest waits."""
NEARLY_ALL = 0.9
"""Share of missing pages among the responses for a shape."""
INNER_DEPTH = 2
"""Depth of links found inside pages. What feeds, sitemaps and start pages name is always fetched."""
MAX_SHAPES = 2000
"""Shapes in memory. The least recent is dropped."""


@dataclass(slots=True)
class _ShapeCounts:
    gone: int = 0
    alive: int = 0

    @property
    def is_dead(self) -> bool:
        return self.gone >= SAMPLE and self.gone >= NEARLY_ALL * (self.gone + self.alive)


class DeadLinks:
    """Counts missing and other pages of the URL shapes of a run, in limited memory."""

    def __init__(self) -> None:
        self._shapes: OrderedDict[tuple[str, str], _ShapeCounts] = OrderedDict()

    def note(self, lease: Lease, status: int) -> None:
        """Count the response to a request for a page. Errors other than 404 and 410 show nothing about the shape."""
        counted = status < 400 or (status in GONE_STATUSES and lease.depth >= INNER_DEPTH)
        if lease.kind is not Kind.PAGE or not counted:
            return
        shape = self._shapes.setdefault(_key(lease), _ShapeCounts())
        self._shapes.move_to_end(_key(lease))
        if len(self._shapes) > MAX_SHAPES:
            self._shapes.popitem(last=False)
        if status in GONE_STATUSES:
            shape.gone += 1
        else:
            shape.alive += 1

    def note_same_page(self, lease: Lease) -> None:
        """Count a page that was read and stated to be another one (its canonical URL) as a missing one."""
        shape = self._shapes.get(_key(lease))
        if shape is not None and lease.kind is Kind.PAGE and lease.depth >= INNER_DEPTH:
            shape.gone, shape.alive = shape.gone + 1, max(0, shape.alive - 1)

    def has(self, lease: Lease) -> bool:
        """Return whether a URL has a dead shape."""
        if not self._shapes or lease.kind is not Kind.PAGE or lease.depth < INNER_DEPTH or lease.hops:
            return False
        shape = self._shapes.get(_key(lease))
        return shape is not None and shape.is_dead


def _key(lease: Lease) -> tuple[str, str]:
    address = parse(lease.url)
    return lease.host, NUMBER_SLOT.sub("#", shape_of(address).text) if address else lease.url
