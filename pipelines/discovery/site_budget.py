"""Site budget: hold back the pages of a site that suddenly gives many more new texts than its past.

A tarpit generates texts and lists without end, with any date, under any path and host, and named by any sitemap. So a
site has a nightly allowance from its own past (`storage.runs.allowance`), and two signs let more in:

- **News.** A site that was read before may also have as many new texts as its sources name tonight, if that number is
  plausible: at most `MAX_NEWS`, or twice the usual number. Neither may their sum with the allowance exceed that.
  If the pages of the site lead to as many new pages as were read, less is plausible: `MAX_GROWING_NEWS`.
- **An end.** A site comes to an end if its pages lead to fewer new pages than were read. Epidemiologists call this
  number R, and with R below 1 every outbreak dies out. A tarpit must keep R at 1 or above, so it cannot feign an end.
  R is counted over pages that no source names and over suspended ones, in a night after the first. Then a backlog of
  at most `MAX_BACKLOG` pages is let in. A backlog that was longer does not count as short after some texts of it were
  read: its lists are held back, so R does not count them.

Pages that no source names, and suspended ones, get no more than the allowance adds to the usual number. So a tarpit on
other hosts of a paper leaves room for the news of the paper, which would wait behind it.

Beyond the allowance, pages of a list are still read while the backlog is below `MAX_BACKLOG`. They cost no text, and
they show where the site ends. A redirect counts as the text that it leads to, else a site could spend thousands of
requests on redirects before its texts. The cost is a few counters for each page.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from storage.records import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from storage.records import Lease, Processed
    from storage.runs.allowance import Allowance

MAX_NEWS = 500
"""New pages that the sources of a site may name in any night. A large paper has as many."""
MAX_GROWING_NEWS = 80
"""The same while R of all pages is not below `MAX_GROWTH`. So ten nights of held runs give less than 2,000 texts."""
NEWS_RATIO = 2.0
"""Ratio of new pages that the sources name to the usual number of texts, up to which a busy day explains them."""
MAX_BACKLOG = 5000
"""Waiting pages of a site that has come to an end which are let in without a question."""
MIN_PROBES = 50
"""Pages that are read before R is trusted."""
MAX_GROWTH = 0.9
"""Highest R of a site that comes to an end, below 1 by about what chance does to it."""


@dataclass(slots=True)
class _NightCounts:
    """Counters of a site in this run."""

    allowance: Allowance
    waiting: int = 0
    """Known URLs that were never fetched, as far as this run knows: suspended ones and those found tonight."""
    largest: int = 0
    """The largest backlog of this run and of the runs since the site was last whole."""
    texts: set[int] = field(default_factory=set)
    """Ids of new pages with a text, and of those on their way: a fast site must not outrun the count."""
    probing: set[int] = field(default_factory=set)
    """Those of ``texts`` that no source names, or that were suspended."""
    named: int = 0
    """New pages that the sources named."""
    on_their_way: int = 0
    """Targets of redirects that were not fetched yet. Each counts as a text."""
    read: int = 0
    """Pages read that are no sources."""
    new_links_of_read: int = 0
    """New pages to which these lead."""
    probes: int = 0
    """Pages read that no source names, or that were suspended."""
    new_links: int = 0
    """New pages to which these lead."""
    reached: int = 0
    """The limit that was reached. A page on its way that gives no text does not open the site again."""
    let_in: bool = False
    """Whether the backlog was let in."""

    @property
    def max_news(self) -> int:
        return max(MAX_NEWS, round(NEWS_RATIO * self.allowance.usual))

    @property
    def is_growing(self) -> bool:
        return self.read >= MIN_PROBES and self.new_links_of_read >= MAX_GROWTH * self.read

    @property
    def is_plausible(self) -> bool:
        return self.named <= self.max_news

    @property
    def limit(self) -> int:
        if not self.is_plausible or self.allowance.is_first:
            return self.allowance.texts
        named = self.named
        if self.is_growing:
            named = min(named, max(MAX_GROWING_NEWS, round(NEWS_RATIO * self.allowance.usual)))
        return max(self.allowance.texts, min(self.allowance.extra + named, self.max_news))

    @property
    def counted(self) -> int:
        return len(self.texts) + self.on_their_way

    @property
    def is_spent(self) -> bool:
        return self.limit <= self.reached and not self.has_end

    @property
    def is_probed(self) -> bool:
        """Whether as many pages as the allowance adds to the usual number are without a source that names them."""
        return len(self.probing) >= self.allowance.extra and not self.has_end

    @property
    def has_end(self) -> bool:
        seen = self.probes >= MIN_PROBES and self.new_links < MAX_GROWTH * self.probes
        return seen and self.largest <= MAX_BACKLOG and self.is_plausible and not self.allowance.is_first


class SiteBudget:
    """Counts the new texts of each site in a run. Sites without an allowance are not held back."""

    def __init__(
        self,
        allowances: Mapping[str, Allowance],
        suspended: Mapping[str, int],
        largest: Mapping[str, int] | None = None,
    ) -> None:
        """``suspended``: number of suspended URLs by site, at the start of the run. ``largest``: in earlier runs."""
        earlier = largest or {}
        self._nights = {
            name: _NightCounts(given, waiting, max(waiting, earlier.get(name, 0)))
            for name, given in allowances.items()
            for waiting in (suspended.get(name, 0),)
        }

    def take(self, lease: Lease, is_list: Callable[[str], bool]) -> bool:
        """Count a page that is about to be fetched. Return False, and count nothing, if it must wait (`holds`)."""
        night = self._nights.get(lease.site)
        if night is None or lease.original is not None:
            return True
        if self.holds(lease, is_list):
            return False
        night.waiting -= lease.depth > 0
        is_target = _is_target(lease, night)
        night.on_their_way -= is_target
        is_counted = lease.kind is Kind.PAGE and lease.depth > 0 and not lease.released
        if is_counted and (is_target or not night.is_spent):
            night.texts.add(lease.url_id)
            if not lease.named:
                night.probing.add(lease.url_id)
            if night.counted >= night.limit:
                night.reached = night.limit
        return True

    def ended(self, lease: Lease) -> None:
        """Take back a page that gave no text."""
        if night := self._nights.get(lease.site):
            night.texts.discard(lease.url_id)
            night.probing.discard(lease.url_id)

    def processed(self, lease: Lease, processed: Processed) -> None:
        """Count the outcome of a page, as it was stored."""
        night = self._nights.get(lease.site)
        if night is None:
            return
        night.waiting += processed.new_links
        night.largest = max(night.largest, night.waiting)
        if processed.document is None:
            is_redirect = any(link.redirect for link in processed.links[:1])
            if is_redirect and lease.url_id in night.texts:
                night.on_their_way += processed.new_links
            night.texts.discard(lease.url_id)
            night.probing.discard(lease.url_id)
            if is_redirect:
                return
        is_source = lease.kind is not Kind.PAGE or lease.depth == 0 or lease.is_section
        if is_source or (lease.depth == 1 and processed.document is None):
            night.named += processed.new_links
        elif not lease.released and lease.original is None:
            night.read += 1
            night.new_links_of_read += processed.new_links
            if not lease.named:
                night.probes += 1
                night.new_links += processed.new_links

    def holds(self, lease: Lease, is_list: Callable[[str], bool]) -> bool:
        """Return whether a URL that was never read must wait. ``is_list``: whether pages like a URL give no texts."""
        night = self._nights.get(lease.site)
        if night is None or lease.released or lease.depth == 0:
            return False
        if _is_target(lease, night):
            return False
        if lease.kind is not Kind.PAGE:
            return night.waiting > MAX_BACKLOG and not night.is_plausible
        is_spent = night.is_spent or (not lease.named and night.is_probed)
        return is_spent and (night.waiting > MAX_BACKLOG or not is_list(lease.url))

    def lets_in(self, site: str) -> bool:
        """Return whether the suspended URLs of a site are to be let in now. True once in a run."""
        night = self._nights.get(site)
        if night is None or night.let_in or not night.has_end:
            return False
        night.let_in = True
        return True


def _is_target(lease: Lease, night: _NightCounts) -> bool:
    """Return whether a redirect of this run leads to a page, so that the page is counted already."""
    return lease.kind is Kind.PAGE and lease.hops > 0 and night.on_their_way > 0
