"""Site budget: how many undated texts a run takes that only other articles lead to.

A tarpit generates texts without end, each with links to more. No list page, feed or sitemap of the site names them. The
archive of a newspaper grows as fast, but its lists and sitemaps name the articles. So a link is *vouched for* if a
source names it, or a page without a text of its own that is vouched for itself (`storage.frontier.new_links.Found`).
Others are fetched last. When `MOST` of their pages gave an undated text, the rest of the site's is suspended.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from storage.records import Kind

if TYPE_CHECKING:
    from storage.records import Lease, Processed

MOST = 200
"""Undated texts of a site and run that only other articles lead to."""


class SiteBudget:
    """Counts the pages of each site that nothing but articles leads to, and that gave an undated text."""

    def __init__(self) -> None:
        self._taken: defaultdict[str, set[int]] = defaultdict(set)

    def fetched(self, lease: Lease, status: int) -> None:
        """Count a response until its page is processed, so that a fast site does not outrun the count."""
        if lease.kind is Kind.PAGE and not lease.vouched and status == 200:
            self._taken[lease.site].add(lease.url_id)

    def processed(self, lease: Lease, processed: Processed) -> None:
        """Take back a page that gave no text, or a text with a date."""
        if processed.document is None or processed.document.metadata.published:
            self._taken[lease.site].discard(lease.url_id)

    def is_spent(self, lease: Lease) -> bool:
        """Return whether a URL must wait because the budget of its site is spent."""
        return not lease.vouched and lease.kind is Kind.PAGE and len(self._taken[lease.site]) >= MOST
