"""Reconnect timeout shared by all threads of a corpus. Each outage is logged once."""

from __future__ import annotations

import logging
import os
import random
import threading
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

logger = logging.getLogger(__name__)

VARIABLE = "CORPUS_SPIDER_DATABASE_PATIENCE"
"""Environment variable: seconds that a corpus opened for writing waits for a lost database."""
SECONDS = 300.0
READER_SECONDS = 5.0
MAX_SECONDS = 86_400.0


def configured_seconds() -> float:
    """Return a writer's reconnect timeout in seconds: that of the environment, else 300.

    Raises ConfigError unless it is a number between 0 and a day.
    """
    text = os.environ.get(VARIABLE, "")
    try:
        seconds = float(text or SECONDS)
    except ValueError:
        seconds = -1.0
    if not 0.0 <= seconds <= MAX_SECONDS:
        raise ConfigError(f"{text!r} is no number of seconds", where=VARIABLE, do="Write a number such as 300.")
    return seconds


def pauses(patience: float) -> Iterator[float]:
    """Yield the waits between attempts, doubling from 0.1 s to 3 s, for ``patience`` seconds in total."""
    end, pause = time.monotonic() + patience, 0.1
    while time.monotonic() < end:
        yield min(pause * random.uniform(0.5, 1.0), max(0.0, end - time.monotonic()))  # noqa: S311
        pause = min(pause * 2, 3.0)


class Patience:
    """Waits for a lost database. Safe to use from any thread.

    If one caller has waited for ``seconds``, all give up. Every call then gets a single attempt until one succeeds. So
    the end of a run does not wait again for each statement.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._guard = threading.Lock()
        self._logged = False
        self._given_up = threading.Event()
        self._ended = False

    def pauses(self) -> Iterator[float]:
        """Yield the waits of one call; no waits after giving up."""
        return pauses(0.0 if self._given_up.is_set() else self.seconds)

    def lost(self, where: str, why: str) -> None:
        """Record a lost connection. The first one of an outage is logged, with the end of the retries."""
        with self._guard:
            logged, self._logged = self._logged, True
        if not logged and not self._given_up.is_set():
            until = (datetime.now(UTC) + timedelta(seconds=self.seconds)).astimezone()
            logger.warning("lost the database %s (%s); trying again until %s", where, why, f"{until:%H:%M:%S}")

    def sleep(self, seconds: float) -> bool:
        """Wait; False if all gave up meanwhile."""
        return not self._given_up.wait(seconds)

    def give_up(self) -> None:
        """End all waits: the timeout is over."""
        self._given_up.set()

    def end(self) -> None:
        """End all waits for good, because the program stops. Not in a signal handler: the lock may be held."""
        self._ended = True
        self._given_up.set()

    def succeeded(self) -> None:
        """Record that the database answers. The next outage is logged and waited for again."""
        if self._logged or self._given_up.is_set():
            with self._guard:
                logged, self._logged = self._logged, False
                if not self._ended:
                    self._given_up.clear()
            if logged:
                logger.info("the database is back")
