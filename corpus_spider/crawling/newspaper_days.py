"""Move dates that an earlier release stored in UTC to the day at their newspaper."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from pipelines.metadata.dates.zones import STATED, site_zone
from pipelines.metadata.publication_date import at_newspaper
from storage.documents.newspaper_days import PendingDate, PlacedDate
from storage.reporting import unseen

if TYPE_CHECKING:
    from collections.abc import Iterable

    from corpus_spider.config.sections import Site
    from storage.corpus import Corpus
    from storage.reporting import Progress

logger = logging.getLogger(__name__)


def renew(corpus: Corpus, sites: Iterable[Site], on_progress: Progress = unseen) -> int:
    """Move all dates that an earlier release stored in UTC. Return their number, 0 at nearly all starts."""
    zones = {site.name: site.timezone for site in sites}

    def place(date: PendingDate) -> PlacedDate:
        zone = site_zone(zones.get(date.site, ""), date.host, date.language)
        moved = at_newspaper(date.published, zone) if zone else ""
        return PlacedDate(moved, zone.source) if zone and moved else PlacedDate(date.published, STATED)

    number = corpus.documents.renew_days(place, on_progress)
    if number:
        logger.info("moved %d dates in UTC to the day at their newspaper, where its zone is known", number)
    return number
