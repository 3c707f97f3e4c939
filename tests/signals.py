"""Signals: the tests end, and end the servers and programs that they started. A plug-in of pytest."""

from __future__ import annotations

import os
import signal
import threading

ENDING = (signal.SIGTERM, signal.SIGHUP)
HEEDED = {number: signal.getsignal(number) for number in (signal.SIGINT, *ENDING)}
"""What the tests began with. Under nohup(1) SIGHUP is ignored."""
END_SECONDS = 60.0
"""Time for the fixtures to end what they started."""


def pytest_configure() -> None:
    """End on the signals that end a program, with the servers and programs that the tests started."""
    for number in ENDING:
        if HEEDED[number] is not signal.SIG_IGN:
            HEEDED[number] = _end
    pytest_runtest_logstart()


def pytest_runtest_logstart() -> None:
    """Heed signals in each test. Modules of the workers ignore them as soon as a test imports one."""
    for number, handler in HEEDED.items():
        signal.signal(number, handler)


def _end(_: int, __: object) -> None:
    hangs = threading.Timer(END_SECONDS, os._exit, [1])
    hangs.daemon = True
    hangs.start()
    raise KeyboardInterrupt
