"""Dispatcher: lease due URLs, host by host, within the limits of each host and of the backlog.

The frontier table decides what is due. Memory holds only the number of leases out for each host. The table is queried
for a host when it has room, when a stored page has links to it, and now and then. So few queries return nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import time
from collections import Counter
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, TypeVar

from corpus_spider.crawling.host_backoff import HostPauses
from storage.frontier.leases import Chances
from storage.reasons import HOST_LOCKED
from storage.records import Turn

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from pipelines.runtime.page_pipeline import PagePipeline
    from storage.locking.locks import SiteLocks
    from storage.records import Lease

T = TypeVar("T")

logger = logging.getLogger(__name__)

SLOW_SECONDS = 1.0
"""Seconds without a response after which a host with leases is slow."""
MOST_UNREAD = 128
"""Maximum unprocessed pages per host. Without it a fast crawler trap is fetched hundreds of pages deep before it is
detected.
"""
READ_SECONDS = 5.0
"""Seconds in which fetched pages are still processed when the time of a run is over. The next run does the rest."""
LEASES_BEFORE_TURN = {Turn.ARCHIVE: 10, Turn.RETRY: 1000}
"""Leases of a host after which a sitemap of its archive, or a retry, has its turn.

An archive may have thousands of sitemaps. A retry may end the night of its host, so a night has many first tries
before: one backlog must not keep a feed waiting that failed once.
"""
MAX_IDLE_LOCKS = 500
"""Locked hosts above which those without a lease are unlocked. PostgreSQL has room for about 12,000 locks."""
CUT_OFF_SECONDS = 30.0
"""Seconds without an answer of the database after which nothing is requested. The server gives up locks of a lost
session after about as long, and another crawl may take the hosts.
"""
LOOK_SECONDS = 5.0
"""Seconds between two queries of the whole table for hosts with due URLs."""


@dataclass(frozen=True, slots=True)
class DispatchLimits:
    """Limits on leases that are out at once, and on the run."""

    run_id: int
    sites: tuple[str, ...]
    per_host: int = 2
    total: int = 256
    """Maximum leases of hosts that respond. Slow hosts may have as many on top."""
    most: int = 1024
    """Maximum leases of all hosts. Any host becomes slow while its first request waits for its turn, and a crawl may
    have any number of hosts.
    """
    backlog: int = 2000
    """Maximum pages that wait for a worker."""
    page_limit: int = 0
    """Leases after which no more are given; 0: no limit."""
    time_limit: float = 0.0
    """Seconds after which no more leases are given; 0: no limit."""
    size_limit: int = 0
    """Received bytes after which no more leases are given; 0: no limit."""
    retries: int = 3
    """Consecutive pauses after which a host is left to the next run."""
    patience: float = 30.0
    """Maximum seconds that a run waits for a retry before it leaves the URL to the next run."""
    pause_patience: float = 300.0
    """The same for the pause of a host with URLs left."""


class Dispatcher:
    """Source of a spider's leases: :meth:`leases` yields until no URL is due or leased and no page is unprocessed."""

    def __init__(
        self,
        pipeline: PagePipeline,
        limits: DispatchLimits,
        pauses: HostPauses | None = None,
        locks: SiteLocks | None = None,
    ) -> None:
        """``locks``: lock each host before its first lease. None when no other crawl can have it."""
        self.pipeline, self.limits, self._locks = pipeline, limits, locks
        self._locked_out: dict[str, float] = {}
        """By host that another crawl has locked: when this crawl first wanted it."""
        self.pauses = pauses or HostPauses(limits.retries)
        self.stopping = False
        self.limit_reached = ""
        """Name of the limit that was reached, or empty."""
        self.handed_out = 0
        self._out: Counter[str] = Counter()
        self._heard: dict[str, float] = {}
        """By host with leases out: time of the first lease, or of the last one that ended."""
        self._met: set[str] = set()
        """Hosts of which a lease has ended. The first lease of a host is given alone."""
        self._active: set[str] = set()
        self._since_turn: dict[Turn, Counter[str]] = {turn: Counter() for turn in LEASES_BEFORE_TURN}
        """Leases by host since its last turn of each kind."""
        self._drain: asyncio.Task[int] | None = None
        self._looked, self._started = -math.inf, time.monotonic()
        self.recall: Callable[[], None] = lambda: None
        """Called when the run is over or cut off. Ends the leases that were not requested yet."""
        self.go_on: Callable[[], None] = lambda: None
        """Called after `recall`, when the database answers again."""
        self.is_cut_off = False
        """Whether leases were recalled because the database does not answer."""
        self.regained: Callable[[str], None] = lambda _: None
        """Called with a host that is locked after another crawl had it or may have had it."""
        self._next_retry = math.inf
        """Time (epoch seconds) of the first retry among the URLs settled in this run."""
        pipeline.on_settled = self.settled

    def settled(self, lease: Lease, retry_at: float | None = None) -> None:
        """Record the end of a lease: its exchange is durable, or there was none."""
        if retry_at is not None:
            self._next_retry = min(self._next_retry, retry_at)
        self._out[lease.host] -= 1
        self._heard[lease.host] = time.monotonic()
        self._met.add(lease.host)
        if self._out[lease.host] <= 0:
            del self._out[lease.host], self._heard[lease.host]
        self._active.add(lease.host)
        self.pipeline.changed.set()

    def stop(self) -> None:
        """Give no more leases, and recall those that were not requested yet."""
        self.stopping = True
        self.recall()
        self._leave_in_time()
        self.pipeline.changed.set()

    def _leave_in_time(self) -> None:
        """After READ_SECONDS, leave the pages that wait for a worker to the next run: they might take hours."""
        asyncio.get_running_loop().call_later(READ_SECONDS, self.pipeline.leave)

    async def leases(self) -> AsyncIterator[Lease]:
        """Yield leases as hosts become free, and process pages that wait in the WARC.

        The pipeline keeps an error, which ends the run. Scrapy would log it and finish the crawl as done.
        """
        alarm, watch = self._alarm(), asyncio.ensure_future(self._watch_database())
        try:
            while not self._over():
                self.pipeline.changed.clear()
                batch = await self._lease()
                for lease in batch:
                    yield lease
                self._keep_draining()
                if not batch and await self._finished():
                    return
                if not batch:
                    await self._wait(1.0)
        except Exception as error:  # noqa: BLE001 - the edge of a stage: kept as the end of the run
            self.pipeline.break_down(error)
        finally:
            watch.cancel()
            if alarm is not None:
                alarm.cancel()

    async def _watch_database(self) -> None:
        """Recall the leases when the database does not answer. The hosts may be another crawl's soon."""
        while True:
            await asyncio.sleep(1.0)
            began = self.pipeline.writer.began
            silent = began is not None and time.monotonic() - began > CUT_OFF_SECONDS
            if silent and not self.is_cut_off:
                self.is_cut_off = True
                logger.warning(
                    "the database gave no answer for %.0f s; nothing is requested until it does", CUT_OFF_SECONDS
                )
                self.recall()
            elif self.is_cut_off and not silent and not self._ends:
                self.is_cut_off = False
                self.go_on()

    @property
    def _ends(self) -> bool:
        return self.stopping or self.pipeline.error is not None or self.limit_reached in {"time_limit", "size_limit"}

    def _alarm(self) -> asyncio.TimerHandle | None:
        """End the run at its time limit by a timer: the spider may wait for hosts and take no further lease."""
        limit = self.limits.time_limit
        left = self._started + limit - time.monotonic()
        return asyncio.get_running_loop().call_later(left, self._end_of_time) if limit else None

    def _end_of_time(self) -> None:
        self._end("time_limit")
        self._leave_in_time()

    def _end(self, limit: str) -> None:
        self.limit_reached = self.limit_reached or limit
        self.recall()
        self.pipeline.changed.set()

    def _over(self) -> bool:
        self._look_at_limits()
        return (self.stopping or self.pipeline.error is not None) or bool(self.limit_reached and not self._busy())

    def _look_at_limits(self) -> None:
        limits = self.limits
        if limits.size_limit and self.pipeline.counts.bytes >= limits.size_limit:
            self._end("size_limit")
        elif limits.page_limit and self.handed_out >= limits.page_limit:
            # The leases that are out are the last pages of the limit. The run waits for them.
            self.limit_reached = self.limit_reached or "page_limit"

    def _busy(self) -> bool:
        waiting = self.pipeline.waiting and not self.pipeline.leaving
        return bool(self._out or self.pipeline.held or waiting or self._draining())

    async def _lease(self) -> list[Lease]:
        self._active |= self.pipeline.found_hosts
        self.pipeline.found_hosts.clear()
        if time.monotonic() - self._looked > LOOK_SECONDS:
            # While other hosts keep the run busy, retries and the ends of pauses show only in the table.
            self._active.update(await self._due_hosts())
        quotas = await self._of_locked(self._quotas())
        if not quotas:
            return []
        frontier, run_id, sites = self.pipeline.corpus.frontier, self.limits.run_id, self.limits.sites
        turns = {
            turn: {host for host in quotas if self._since_turn[turn][host] >= number}
            for turn, number in LEASES_BEFORE_TURN.items()
        }
        chances = Chances(turns, {host for host in quotas if not (self._out[host] or self.pipeline.unread[host])})
        leases = await self.pipeline.call(
            lambda: frontier.lease(run_id, quotas, time.time(), sites=sites, chances=chances, judge=self.pipeline.judge)
        )
        if self.limits.page_limit:
            # Sites that share a host get its quota each. The excess becomes pending at the end of the run.
            leases = leases[: self.limits.page_limit - self.handed_out]
        # One query may lease pages of many hosts of a site. The excess becomes pending at the end of the run, too.
        leases = [lease for lease in leases if self.pipeline.take(lease)]
        given = Counter(lease.host for lease in leases)
        self._out.update(given)
        for turn, hosts in turns.items():
            self._since_turn[turn].update(given)
            for host in hosts:
                self._since_turn[turn][host] = 0
        for host in given:
            self._heard.setdefault(host, time.monotonic())
        self._active -= {host for host in quotas if given[host] < quotas[host]}
        self.handed_out += len(leases)
        return _in_turns(leases)

    def _quotas(self) -> dict[str, int]:
        """Return the number of further leases by host. None with a full backlog, without the database or after a
        limit of the run.
        """
        spare = self.limits.most - self._out.total()
        full = len(self.pipeline.held) + self.pipeline.waiting >= self.limits.backlog
        if self.limit_reached or self.is_cut_off or spare <= 0 or full:
            return {}
        self._active = {host for host in self._active if not self.pauses.left(host)}
        unread = {host for host, pages in self.pipeline.unread.items() if pages >= MOST_UNREAD and self._busy()}
        slow = {host for host in self._active | self._out.keys() if self._is_slow(host)}
        out = sum(self._out[host] for host in slow)
        quotas = self._shares(self._active - slow - unread, min(self.limits.total + out - self._out.total(), spare))
        # The rest of a small limit is not for hosts that may never respond.
        if quotas and self.limits.page_limit:
            return quotas
        spare -= sum(quotas.values())
        return quotas | self._shares(self._active & slow - unread, min(self.limits.total - out, spare))

    async def _of_locked(self, quotas: dict[str, int]) -> dict[str, int]:
        """Return the quotas of hosts that this crawl has locked, or locks now. The others wait for their crawl."""
        locks = self._locks
        if locks is None or not quotas:
            return quotas
        before, now = locks.hosts, time.monotonic()
        if len(before) > MAX_IDLE_LOCKS:
            idle = before - quotas.keys() - self._out.keys()
            await self.pipeline.call(lambda: locks.unlock_hosts(idle))
        own = await self.pipeline.call(lambda: locks.lock_hosts(quotas))
        for host in own - before:
            if self._locked_out.pop(host, None) is not None or host in self._met:
                self.regained(host)
        for host in quotas.keys() - own:
            if now - self._locked_out.setdefault(host, now) < self.limits.pause_patience:
                self.pauses.wait(host, LOOK_SECONDS, HOST_LOCKED)
            else:
                self.pauses.leave(host, HOST_LOCKED)
        return {host: quota for host, quota in quotas.items() if host in own}

    def _is_slow(self, host: str) -> bool:
        """Return whether a host responds slowly, or did last time. Its leases do not count for those of other hosts."""
        heard = self._heard.get(host)
        return self.pauses.doubtful(host) or (heard is not None and time.monotonic() - heard > SLOW_SECONDS)

    def _shares(self, hosts: set[str], room: int) -> dict[str, int]:
        """Distribute ``room`` leases among hosts, first to those with the fewest."""
        if self.limits.page_limit:
            room = min(room, self.limits.page_limit - self.handed_out)
        quotas: dict[str, int] = {}
        for host in sorted(hosts, key=lambda host: self._out[host]):
            share = min((self.limits.per_host if host in self._met else 1) - self._out[host], room)
            if share > 0:
                quotas[host] = share
                room -= share
        return quotas

    async def _finished(self) -> bool:
        """Query the table once more before the end, and wait for URLs that are due soon."""
        if self._busy() or self._active or self.pipeline.found_hosts:
            return False
        self.pipeline.waiting = await self.pipeline.count_waiting()
        if self.pipeline.waiting:
            return False
        due = await self._due_hosts()
        self._active.update(host for host in due if not self.pauses.left(host))
        if self._active or self.limit_reached:
            return bool(self.limit_reached)
        seconds = await self._seconds_to_wait(due)
        if seconds is None:
            return True
        await self._wait(min(1.0, max(0.05, seconds)))
        return False

    async def _seconds_to_wait(self, paused: list[str]) -> float | None:
        """Return the seconds until a URL is due; None when a run does not wait that long. Only URLs of paused hosts are
        due now.
        """
        pause = min((self.pauses.left(host) for host in paused), default=math.inf)
        if pause <= self.limits.pause_patience:
            return pause
        retry: float | None = self._next_retry
        if not paused:
            retry = await self.pipeline.call(lambda: self.pipeline.corpus.frontier.next_due(self.limits.sites))
        if retry is None or retry - time.time() > self.limits.patience:
            return None
        return retry - time.time()

    async def _due_hosts(self) -> list[str]:
        self._looked, now = time.monotonic(), time.time()
        if self._next_retry <= now:
            self._next_retry = math.inf
        return await self.pipeline.call(lambda: self.pipeline.corpus.frontier.hosts(self.limits.sites, now))

    def _keep_draining(self) -> None:
        """Start the next batch of pages from the WARC if there is room in memory."""
        if self._drain is not None and self._drain.done():
            error = self._drain.exception()
            self._drain = None
            if error is not None:
                self.pipeline.break_down(error)
        if self._drain is None and self.pipeline.waiting and self.pipeline.room and not self.pipeline.leaving:
            self._drain = asyncio.ensure_future(self.pipeline.drain())
            self._drain.add_done_callback(lambda _: self.pipeline.changed.set())

    def _draining(self) -> bool:
        return self._drain is not None and not self._drain.done()

    async def _wait(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.pipeline.changed.wait(), seconds)


def _in_turns(leases: Sequence[Lease]) -> list[Lease]:
    """Order leases by turns, one of each host at a time: many hosts are busy at once, each over few connections."""
    by_host: dict[str, list[Lease]] = {}
    for lease in leases:
        by_host.setdefault(lease.host, []).append(lease)
    return [lease for turn in zip_longest(*by_host.values()) for lease in turn if lease is not None]
