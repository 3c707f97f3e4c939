"""Graceful shutdown on SIGINT, SIGTERM and SIGHUP."""

from __future__ import annotations

import os
import signal
import stat
from contextlib import AbstractContextManager, suppress
from typing import Any, Self


class Interruption(AbstractContextManager["Interruption"]):
    """Context in which signals raise KeyboardInterrupt: those named, or all that stop a crawl.

    ``asked`` is the number of the signal received, 0 for none. It is stored because Python swallows an exception that
    is raised in a finaliser or callback.
    """

    def __init__(self, *signals: signal.Signals) -> None:
        self.asked = 0
        self._signals = signals
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        for number in self._signals or ending_signals():
            self._before[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _on_signal(self, number: int, _: object) -> None:
        self.asked = number
        let_go_of_terminal(number)
        raise KeyboardInterrupt


def ending_signals() -> tuple[signal.Signals, ...]:
    """Return the signals that stop a crawl. Under nohup(1), SIGHUP (the terminal closes) is not one of them."""
    return (signal.SIGINT, *ending())


def ending() -> tuple[signal.Signals, ...]:
    """Return the signals that would kill the process. SIGINT is not among them: Python handles it."""
    hangup = () if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else (signal.SIGHUP,)
    return (signal.SIGTERM, *hangup)


def let_go_of_terminal(number: int) -> None:
    """After SIGHUP, redirect output from the closed terminal to /dev/null. Every write to it would fail."""
    if number != signal.SIGHUP:
        return
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (1, 2):
        with suppress(OSError):
            # isatty is false for a terminal that has closed.
            if stat.S_ISCHR(os.fstat(descriptor).st_mode):
                os.dup2(nowhere, descriptor)
    os.close(nowhere)
