"""Signals that ask the program to end, and that it ends tidily."""

from __future__ import annotations

import os
import signal
import stat
from contextlib import AbstractContextManager, suppress
from typing import Any, Self


class Interruption(AbstractContextManager["Interruption"]):
    """Have the signals that stop a crawl, or those that are named, end the program as Ctrl-C does: tidily.

    ``asked`` is the number of the signal that has come, 0 for none: an exception that is raised in a finaliser or a
    callback goes no further, and must not be all there is of it.
    """

    def __init__(self, *signals: signal.Signals) -> None:
        self.asked = 0
        self._signals = signals
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        for number in self._signals or heeded():
            self._before[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _on_signal(self, number: int, _: object) -> None:
        self.asked = number
        let_go_of_terminal(number)
        raise KeyboardInterrupt


def heeded() -> tuple[signal.Signals, ...]:
    """Return the signals that stop a crawl; SIGHUP, of a terminal that closes, is none of them under nohup(1)."""
    return (signal.SIGINT, *ending())


def ending() -> tuple[signal.Signals, ...]:
    """Return the signals that would end any program where it is; Python itself sees to SIGINT."""
    hangup = () if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else (signal.SIGHUP,)
    return (signal.SIGTERM, *hangup)


def let_go_of_terminal(number: int) -> None:
    """Have nothing more written to a terminal that has hung up: every write would be an error."""
    if number != signal.SIGHUP:
        return
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (1, 2):
        with suppress(OSError):
            # Of one that has hung up isatty is not true any more.
            if stat.S_ISCHR(os.fstat(descriptor).st_mode):
                os.dup2(nowhere, descriptor)
    os.close(nowhere)
