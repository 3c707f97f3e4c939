"""Whether crawls go on or died."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING

from storage.locking.locks import held_sites

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from datetime import datetime

    from storage.corpus import Corpus

RUNNING, DIED = "running", "died"


@dataclass(frozen=True, slots=True)
class CrawlAtWork:
    """A crawl of any machine that goes on, or died and was not taken up. ``state``: as `run_state` gives it.

    ``sites``: those at which no later crawl has begun. ``pages_per_minute``: 0 if it died.
    """

    run: int
    machine: str
    process: int
    started: datetime
    state: str
    pages_per_minute: float
    sites: tuple[str, ...]

    @property
    def is_running(self) -> bool:
        """Whether it goes on, or may do so on another machine."""
        return self.state.startswith(RUNNING)


def crawls_at_work(corpus: Corpus) -> list[CrawlAtWork]:
    """Return the crawls without an end of all machines, oldest first.

    In PostgreSQL the locks of its sites show that a crawl lives, on any machine.
    """
    runs = corpus.runs.unfinished()
    if not runs:
        return []
    locked = None if corpus.database.is_sqlite else held_sites(corpus, {site for run in runs for site in run.sites})
    rates = corpus.runs.pages_per_minute([run.sites[0] for run in runs])
    found = []
    for run in runs:
        is_alive = None if locked is None else not locked.isdisjoint(run.sites)
        state = _state(run.host, str(run.process), is_alive)
        rate = rates.get(run.sites[0], 0.0) if state.startswith(RUNNING) else 0.0
        found.append(CrawlAtWork(run.id, run.host, run.process, run.started, state, rate, run.sites))
    return found


def run_state(known: Mapping[str, str], at_work: Collection[CrawlAtWork] = ()) -> str:
    """Return the state of the last run: ended, running or died; an empty string without a run.

    ``at_work``: crawls whose state is known better than from the process.
    """
    if not known:
        return ""
    if "finished" in known:
        return "ended"
    better = (crawl.state for crawl in at_work if str(crawl.run) == known.get("id"))
    return next(better, None) or _state(known.get("host", "another host"), known.get("pid", ""))


def _state(host: str, process: str, is_alive: bool | None = None) -> str:
    """Return the state of a run without an end. ``is_alive``: None if only its process can tell."""
    is_here = host == socket.gethostname()
    if is_alive is None:
        if not is_here:
            return f"{RUNNING} on {host}, or died there"
        is_alive = _is_there(process)
    if is_alive:
        return RUNNING if is_here else f"{RUNNING} on {host}"
    return f"{DIED}; the next crawl goes on where it stopped"


def _is_there(process: str) -> bool:
    try:
        os.kill(int(process), 0)
    except PermissionError:
        return True  # as another user
    except (ValueError, OverflowError, OSError):
        return False
    return True
