"""Hands out leases: what is due, host by host, never more at once than a host and the backlog bear.

The frontier table decides what is due; memory holds only how much of each host is out. A host is asked for again when
it had enough, when a stored page found links to it, and now and then, so that the table is hardly searched in vain.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections import Counter
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, TypeVar

from corpus_spider.pauses import HostPauses

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from pipelines.line import PagePipeline
    from storage.records import Lease

T = TypeVar("T")

SLOW_SECONDS = 1.0
"""A host from which nothing has come for so long, although it was asked, is a slow one."""
MOST_UNREAD = 128
"""Pages of a host that may wait to be read: what comes of them decides whether more of it are worth asking for, and a
host that answers faster than they are read would be asked for hundreds of a place without an end.
"""
READ_SECONDS = 5.0
"""How long pages that were fetched are still read when a run's time is over; what is left is the next one's."""
LOOK_SECONDS = 5.0
"""How often the whole table is looked at for hosts that have something due."""


@dataclass(frozen=True, slots=True)
class DispatchLimits:
    """How much may be out at once, and when to end."""

    run_id: int
    sites: tuple[str, ...]
    per_host: int = 2
    total: int = 256
    """Leases out to hosts that answer; as many again to hosts that keep us waiting."""
    most: int = 1024
    """Leases out in all: while its first request waits for its turn any host becomes a slow one, and a crawl may have
    any number of hosts.
    """
    backlog: int = 2000
    page_limit: int = 0
    time_limit: float = 0.0
    """Seconds after which nothing more is handed out; 0: no limit."""
    size_limit: int = 0
    """Bytes, as received, after which nothing more is handed out; 0: no limit."""
    retries: int = 3
    """Pauses in a row after which a host is left to the next run."""
    patience: float = 30.0
    """Seconds a run waits for a URL that is to be asked again soon, rather than leave it to the next run."""
    pause_patience: float = 300.0
    """The same for a host that asked for a pause and has URLs left."""


class Dispatcher:
    """The feed of a spider: :meth:`leases` yields until nothing is due, leased or fetched but unprocessed."""

    def __init__(self, pipeline: PagePipeline, limits: DispatchLimits, pauses: HostPauses | None = None) -> None:
        self.pipeline, self.limits = pipeline, limits
        self.pauses = pauses or HostPauses(limits.retries)
        self.stopping = False
        self.limit_reached = ""
        """The limit, by its name here, at which nothing more is handed out; empty before one is reached."""
        self.handed_out = 0
        self._out: Counter[str] = Counter()
        self._heard: dict[str, float] = {}
        """When each host that has leases out was first given one, or last brought one to its end."""
        self._met: set[str] = set()
        """Hosts that have brought a lease to its end: the first is given alone."""
        self._active: set[str] = set()
        self._drain: asyncio.Task[int] | None = None
        self._looked, self._started = -math.inf, time.monotonic()
        self.recall: Callable[[], None] = lambda: None
        """Gives back the leases that nobody has asked for yet, once the run is over."""
        self._next_retry = math.inf
        """When (epoch seconds) the first of the URLs given back in this run is due, as far as it is still to come."""
        pipeline.on_settled = self.settled

    def settled(self, lease: Lease, retry_at: float | None = None) -> None:
        """Note that a lease is over: its exchange is durable, or there was none."""
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
        """Hand out nothing more, and recall what was not asked for yet."""
        self.stopping = True
        self.recall()
        self._leave_in_time()
        self.pipeline.changed.set()

    def _leave_in_time(self) -> None:
        """Leave to the next run what waits for a worker after READ_SECONDS: it is durable, and may take hours."""
        asyncio.get_running_loop().call_later(READ_SECONDS, self.pipeline.leave)

    async def leases(self) -> AsyncIterator[Lease]:
        """Yield leases as hosts become free, draining what waits in the WARC on the way.

        An error ends it and is kept as the pipeline's, since Scrapy would log it and take the crawl for finished.
        """
        alarm = self._alarm()
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
            if alarm is not None:
                alarm.cancel()

    def _alarm(self) -> asyncio.TimerHandle | None:
        """End the run at its time limit: who takes the leases may be waiting for hosts, and not come back for more."""
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
            # What is out are the last pages of the number that was asked for: they are waited for.
            self.limit_reached = self.limit_reached or "page_limit"

    def _busy(self) -> bool:
        waiting = self.pipeline.waiting and not self.pipeline.leaving
        return bool(self._out or self.pipeline.held or waiting or self._draining())

    async def _lease(self) -> list[Lease]:
        self._active |= self.pipeline.found_hosts
        self.pipeline.found_hosts.clear()
        if time.monotonic() - self._looked > LOOK_SECONDS:
            # A URL to be asked again, or a pause that is over, shows nowhere else while other hosts keep the run busy.
            self._active.update(await self._due_hosts())
        quotas = self._quotas()
        if not quotas:
            return []
        frontier, run_id, sites = self.pipeline.corpus.frontier, self.limits.run_id, self.limits.sites
        leases = await self._call(lambda: frontier.lease(run_id, quotas, time.time(), sites=sites))
        if self.limits.page_limit:
            # Sites that share a host get the quota each; what is too much goes back at the end of the run.
            leases = leases[: self.limits.page_limit - self.handed_out]
        given = Counter(lease.host for lease in leases)
        self._out.update(given)
        for host in given:
            self._heard.setdefault(host, time.monotonic())
        self._active -= {host for host in quotas if given[host] < quotas[host]}
        self.handed_out += len(leases)
        return _in_turns(leases)

    def _quotas(self) -> dict[str, int]:
        """How many more each active host may get; nothing while the backlog is full or the run's limit is reached."""
        spare = self.limits.most - self._out.total()
        if self.limit_reached or spare <= 0 or len(self.pipeline.held) + self.pipeline.waiting >= self.limits.backlog:
            return {}
        self._active = {host for host in self._active if not self.pauses.left(host)}
        full = {host for host, pages in self.pipeline.unread.items() if pages >= MOST_UNREAD and self._busy()}
        slow = {host for host in self._active | self._out.keys() if self._is_slow(host)}
        out = sum(self._out[host] for host in slow)
        quotas = self._shares(self._active - slow - full, min(self.limits.total + out - self._out.total(), spare))
        # What is left of a small limit is not for hosts that may never answer.
        if quotas and self.limits.page_limit:
            return quotas
        spare -= sum(quotas.values())
        return quotas | self._shares(self._active & slow - full, min(self.limits.total - out, spare))

    def _is_slow(self, host: str) -> bool:
        """Tell whether a host keeps us waiting, or did so last: its leases take no place from those of others."""
        heard = self._heard.get(host)
        return self.pauses.doubtful(host) or (heard is not None and time.monotonic() - heard > SLOW_SECONDS)

    def _shares(self, hosts: set[str], room: int) -> dict[str, int]:
        """Share out so many leases to hosts, first to those that have least."""
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
        """Look once more at the table before ending; wait for URLs that come due soon."""
        if self._busy() or self._active or self.pipeline.found_hosts:
            return False
        self.pipeline.waiting = await self._call(lambda: self.pipeline.corpus.count_unprocessed(self.limits.sites))
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
        """Tell when something is due again; None when that is more than a run waits for. Nothing is due now but URLs of
        paused hosts.
        """
        pause = min((self.pauses.left(host) for host in paused), default=math.inf)
        if pause <= self.limits.pause_patience:
            return pause
        retry: float | None = self._next_retry
        if not paused:
            retry = await self._call(lambda: self.pipeline.corpus.frontier.next_due(self.limits.sites))
        if retry is None or retry - time.time() > self.limits.patience:
            return None
        return retry - time.time()

    async def _due_hosts(self) -> list[str]:
        self._looked, now = time.monotonic(), time.time()
        if self._next_retry <= now:
            self._next_retry = math.inf
        return await self._call(lambda: self.pipeline.corpus.frontier.hosts(self.limits.sites, now))

    def _keep_draining(self) -> None:
        """Start the next batch while pages wait in the WARC and there is room in memory."""
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

    async def _call(self, function: Callable[[], T]) -> T:
        """Run a piece of frontier work in the writer's thread: one thread writes, the event loop never waits for a
        disk.
        """
        return await self.pipeline.call(function)

    async def _wait(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.pipeline.changed.wait(), seconds)


def _in_turns(leases: Sequence[Lease]) -> list[Lease]:
    """Take one lease of each host, then the next of each: many hosts are asked at a time, each over few connections."""
    by_host: dict[str, list[Lease]] = {}
    for lease in leases:
        by_host.setdefault(lease.host, []).append(lease)
    return [lease for turn in zip_longest(*by_host.values()) for lease in turn if lease is not None]
