"""How long a database that went away is waited for: one patience for all threads of a corpus, told once an outage."""

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
"""Environment variable: for how many seconds a corpus opened for writing waits for its database to come back."""
SECONDS = 300.0
READER_SECONDS = 5.0
MAX_SECONDS = 86_400.0


def configured_seconds(setting: str | None = None) -> float:
    """Return a writer's patience in seconds: `setting`, by default of the environment, 300 when there is none.

    Raises ConfigError for what is no number between 0 and a day.
    """
    text = os.environ.get(VARIABLE, "") if setting is None else setting
    try:
        seconds = float(text or SECONDS)
    except ValueError:
        seconds = -1.0
    if not 0.0 <= seconds <= MAX_SECONDS:
        raise ConfigError(f"{text!r} is no number of seconds", where=VARIABLE, do="Write a number such as 300.")
    return seconds


def pauses(patience: float) -> Iterator[float]:
    """Yield the waits before new attempts, doubling from 0.1 s to 3 s, until ``patience`` seconds have passed."""
    end, pause = time.monotonic() + patience, 0.1
    while time.monotonic() < end:
        yield min(pause * random.uniform(0.5, 1.0), max(0.0, end - time.monotonic()))  # noqa: S311
        pause = min(pause * 2, 3.0)


class Patience:
    """Waits for a lost database; safe to use from any thread.

    When one caller has waited for ``seconds`` in vain, all give up, and until something succeeds again every call gets
    a single try: the end of a run must not wait once more for each thing it would like to note.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._guard = threading.Lock()
        self._told = False
        self._given_up = threading.Event()
        self._ended = False

    def pauses(self) -> Iterator[float]:
        """Yield the waits of one call; none when all have given up."""
        return pauses(0.0 if self._given_up.is_set() else self.seconds)

    def lost(self, where: str, why: str) -> None:
        """Note a lost connection; the first of an outage is told, with until when it will be tried again."""
        with self._guard:
            told, self._told = self._told, True
        if not told and not self._given_up.is_set():
            until = (datetime.now(UTC) + timedelta(seconds=self.seconds)).astimezone()
            logger.warning("lost the database %s (%s); trying again until %s", where, why, f"{until:%H:%M:%S}")

    def sleep(self, seconds: float) -> bool:
        """Wait; False when meanwhile all have given up."""
        return not self._given_up.wait(seconds)

    def give_up(self) -> None:
        """End every wait: it has been long enough."""
        self._given_up.set()

    def end(self) -> None:
        """End every wait for good: whoever waited is to stop. Not from a signal handler, which may hold the lock."""
        self._ended = True
        self._given_up.set()

    def succeeded(self) -> None:
        """Note that the database answers; the next outage is told and waited for anew."""
        if self._told or self._given_up.is_set():
            with self._guard:
                told, self._told = self._told, False
                if not self._ended:
                    self._given_up.clear()
            if told:
                logger.info("the database is back")
