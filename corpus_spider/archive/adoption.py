"""Re-index WARC records that have no database row.

A run died before it wrote the rows. Or the database is older than the archive: it was restored from a copy, or a
standby without the last commits took over. Recovery has indexed such records as orphans. The newest orphan of a page
becomes a fetch, if the page belongs to a site and the corpus has no newer one. It waits for processing then. The others
get a reason.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from corpus_spider.archive.foreign_warc import EARLIEST, PAGES
from pipelines.discovery.scope import scope_of
from pipelines.urls.url import parse
from storage.errors import CorpusError, MissingFileError, ObjectStorageError
from storage.frontier.imported_pages import CapturedPage
from storage.records import Fetched
from storage.reporting import counted
from storage.warc import read_record

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from corpus_spider.config.model import Config
    from pipelines.discovery.scope import Scope
    from storage.corpus import Corpus
    from storage.fetches.orphan_records import UndecidedOrphan
    from storage.records import Capture, Pointer
    from storage.warc import OriginalStore

logger = logging.getLogger(__name__)

GROUP = 64
"""Orphans to adopt at a time."""
KNOWN = "known"
"""Reason of an orphan that is not adopted: the corpus has its page as new or newer, or must not have it."""


MAX_REMEMBERED_HOSTS = 10_000
"""Hosts whose sites are remembered. A month of Common Crawl's news has as many."""


class PageSites:
    """Assignment of URLs to sites: a URL belongs to the first site whose rules include it.

    The sites of a host are remembered: to test each URL by the rules of 500 sites takes .7 ms.
    """

    def __init__(self, config: Config) -> None:
        self._scopes: dict[str, Scope] = {name: scope_of(model) for name, model in config.site_models().items()}
        self._others = [scope_of(config.site_model(site)) for site in config.others]
        self._of_hosts: dict[str, tuple[str, ...]] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the sites."""
        return tuple(self._scopes)

    def has_host(self, host: str) -> bool:
        """Return whether a host belongs to a site. An address of it may still be no page by the link rules."""
        return bool(self._sites_of(host))

    def is_elsewhere(self, host: str) -> bool:
        """Return whether a host belongs to a configured site that is not selected."""
        return any(scope.has_host(host) for scope in self._others)

    def seen(self, address: str, at: datetime = EARLIEST) -> CapturedPage | None:
        """Return the page of an address, captured at that time, with its site; None if it belongs to no site."""
        parsed = parse(address)
        if parsed is None:
            return None
        site = next((name for name in self._sites_of(parsed.host) if self._scopes[name].has(parsed)), None)
        return CapturedPage(parsed.canonical, parsed.fetchable, site, parsed.host, at) if site else None

    def _sites_of(self, host: str) -> tuple[str, ...]:
        """Return the names of the sites that have a host."""
        found = self._of_hosts.get(host)
        if found is None:
            if len(self._of_hosts) >= MAX_REMEMBERED_HOSTS:
                self._of_hosts.clear()
            found = tuple(name for name, scope in self._scopes.items() if scope.has_host(host))
            self._of_hosts[host] = found
        return found


def waiting(config: Config, corpus: Corpus) -> int:
    """Count the orphans of the configured sites that a crawl may adopt."""
    sites, before, number = PageSites(config), None, 0
    while strays := corpus.fetches.undecided_orphans(GROUP, before):
        number += sum(sites.seen(stray.uri) is not None for stray in strays)
        before = strays[-1].fetch_id
    return number


def take_up(config: Config, corpus: Corpus, run_id: int) -> int:
    """Adopt the orphans of a run's sites, whose locks it holds. Return the number of pages.

    Orphans of other sites stay for their runs. After a kill the next start does the rest.
    """
    sites, before, taken = PageSites(config), None, 0
    while strays := corpus.fetches.undecided_orphans(GROUP, before):
        taken += _take_up(corpus, config.originals, sites, run_id, strays)
        before = strays[-1].fetch_id
    if taken:
        logger.info("adopted from WARC records without a row: %s", counted(taken, "page"))
    return taken


def _take_up(
    corpus: Corpus, store: OriginalStore, sites: PageSites, run_id: int, strays: Sequence[UndecidedOrphan]
) -> int:
    """Adopt the wanted ones of some orphans, the last found first, and record a reason for the others."""
    pages: dict[str, tuple[CapturedPage, Capture, UndecidedOrphan]] = {}
    why: dict[int, str] = {}
    for stray in strays:
        seen = sites.seen(stray.uri, stray.fetched_at)
        if seen is None:
            continue
        page = KNOWN if seen.url in pages else _page(store, stray.pointer)
        if page is None:
            continue
        if isinstance(page, str):
            why[stray.fetch_id] = page
        else:
            pages[seen.url] = seen, page, stray
    leases = corpus.frontier.take_in([seen for seen, _, _ in pages.values()], sites.names)
    why |= {stray.fetch_id: KNOWN for address, (_, _, stray) in pages.items() if address not in leases}
    group = [(Fetched(pages[address][1], lease), pages[address][2].pointer) for address, lease in leases.items()]
    corpus.fetches.adopt_orphans(run_id, group, why)
    return len(group)


def _page(store: OriginalStore, pointer: Pointer) -> Capture | str | None:
    """Return the capture without its body if it is a whole page, otherwise the reason to leave it.

    None: its file is missing, or the object storage is away, so a later run decides.
    """
    try:
        capture = read_record(store, pointer)
    except (MissingFileError, ObjectStorageError):
        return None
    except (CorpusError, OSError) as error:
        logger.debug("cannot read the record in %s at offset %d: %s", pointer.warc, pointer.offset, error)
        return "unreadable"
    if capture.truncated:
        return "truncated"
    is_page = (capture.header("Content-Type") or "").partition(";")[0].strip().lower() in PAGES
    return replace(capture, body=b"") if is_page else "not_html"
