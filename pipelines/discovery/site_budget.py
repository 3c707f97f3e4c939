"""Site budget: how many undated texts a run takes that only other articles lead to.

A tarpit generates texts without end, each with links to more. No list page, feed or sitemap of the site names them. The
archive of a newspaper grows as fast, but its lists and sitemaps name the articles. So a link is *vouched for* if a
source names it, or a page without a text of its own that is vouched for itself (`storage.frontier.new_links.Found`).
Others are fetched last. When `MOST` of their pages gave an undated text, the rest of the site's is suspended.

A tarpit may date its texts to the moment of the request. So only `MOST_OF_TODAY` texts with the day of their fetch
count as dated: feeds and front pages name the news of the day.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from storage.records import Kind

if TYPE_CHECKING:
    from datetime import datetime

    from storage.records import Lease, Processed

MOST = 200
"""Undated texts of a site and run that only other articles lead to."""
MOST_OF_TODAY = 50
"""Texts of a site and run with the day of their fetch that only other articles lead to. Others count as undated."""


class SiteBudget:
    """Counts the pages of each site that nothing but articles leads to, and that gave an undated text."""

    def __init__(self) -> None:
        self._taken: defaultdict[str, dict[int, str]] = defaultdict(dict)
        """By site: ids of URLs with the day of their fetch."""
        self._of_today: Counter[str] = Counter()

    def fetched(self, lease: Lease, status: int, at: datetime) -> None:
        """Count a response until its page is processed, so that a fast site does not outrun the count."""
        if lease.kind is Kind.PAGE and not lease.vouched and status == 200:
            self._taken[lease.site][lease.url_id] = at.date().isoformat()

    def processed(self, lease: Lease, processed: Processed) -> None:
        """Take back a page that gave no text, or a text with a date."""
        taken, document = self._taken[lease.site], processed.document
        published = document.metadata.published if document else None
        if published and published[:10] >= taken.get(lease.url_id, "9"):
            self._of_today[lease.site] += 1
            published = published if self._of_today[lease.site] <= MOST_OF_TODAY else None
        if document is None or published:
            taken.pop(lease.url_id, None)

    def is_spent(self, lease: Lease) -> bool:
        """Return whether a URL must wait because the budget of its site is spent."""
        return not lease.vouched and lease.kind is Kind.PAGE and len(self._taken[lease.site]) >= MOST
