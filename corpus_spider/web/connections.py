"""Limits of connections: how long a request may take to arrive and an answer to leave, and how many connections wait.

uvicorn limits idle connections alone: one byte now and then keeps a half-sent request open, and so many of them lock
everyone out. Every connection is in one of three phases here, and the first two have a time limit:

- *waiting* for the whole head of a request, since its start or since the last answer
- *sending* what the client has not taken yet
- *answering*: the view works on it, with the limits of views
"""

from __future__ import annotations

import asyncio
from enum import Enum
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    from asyncio import TimerHandle, Transport

HEAD_SECONDS = 10.0
"""Seconds in which the head of a request must arrive, however many bytes come. For TLS the handshake has as many."""
SENDING_SECONDS = 60.0
"""Seconds in which a client must take what waits for it, 320 KB at most: five KB a second."""
MAX_CONNECTIONS = 200
"""Connections at one time. Beyond that the one that has waited longest for its client is closed."""


class Phase(Enum):
    """What a connection waits for."""

    WAITING = "waiting"
    SENDING = "sending"
    ANSWERING = "answering"


LIMIT_SECONDS: dict[Phase | None, float] = {Phase.WAITING: HEAD_SECONDS, Phase.SENDING: SENDING_SECONDS}


class LimitedProtocol(H11Protocol):  # type: ignore[misc, unused-ignore]
    """One connection with the limits of this module."""

    phase: Phase | None = None
    since = 0.0
    """Start of the phase, by the clock of the event loop."""
    limit: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override, unused-ignore]
        """Start to wait for a request. Close the connection that has waited longest if there are too many."""
        super().connection_made(transport)
        self.look()
        known = [each for each in self.connections if isinstance(each, LimitedProtocol)]
        still_open = [each for each in known if not each.transport.is_closing()]
        if len(still_open) > MAX_CONNECTIONS:
            idle = [each for each in still_open if each.phase in LIMIT_SECONDS and each is not self]
            min(idle, key=lambda each: each.since, default=self).transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        super().connection_lost(exc)
        if self.limit:
            self.limit.cancel()

    def handle_events(self) -> None:
        """Read what has arrived: it may complete the head of a request."""
        super().handle_events()
        self.look()

    def on_response_complete(self) -> None:
        """Wait for the client to take the answer, and then for the next request."""
        super().on_response_complete()
        self.look()

    def pause_writing(self) -> None:
        """Note that the client does not take the answer as fast as it is made."""
        super().pause_writing()
        self.look()

    def resume_writing(self) -> None:
        """Note that the client has taken nearly all that waited."""
        super().resume_writing()
        self.look()

    def look(self) -> None:
        """Find the phase. The clock starts again only with a new one, so single bytes do not prolong it."""
        phase = self.present_phase()
        if phase is not self.phase:
            self.phase, self.since = phase, self.loop.time()
            if self.limit:
                self.limit.cancel()
            seconds = LIMIT_SECONDS.get(phase)
            self.limit = None if seconds is None else self.loop.call_later(seconds, self.run_out, phase)

    def present_phase(self) -> Phase:
        """Return what the connection waits for now."""
        answering = self.cycle is not None and not self.cycle.response_complete
        if self.flow.write_paused or (not answering and self.transport.get_write_buffer_size()):
            return Phase.SENDING
        return Phase.ANSWERING if answering else Phase.WAITING

    def run_out(self, phase: Phase) -> None:
        """Close the connection if it is still in the phase. An answer may have left without a sign since the start."""
        if self.present_phase() is phase:
            self.transport.abort()
        else:
            self.look()


class LimitedLoop(asyncio.SelectorEventLoop):
    """An event loop whose servers limit the TLS handshake, which comes before the protocol knows a connection."""

    async def create_server(self, *arguments: Any, **options: Any) -> asyncio.Server:
        """Start a server."""
        if options.get("ssl"):
            options = {"ssl_handshake_timeout": HEAD_SECONDS, "ssl_shutdown_timeout": HEAD_SECONDS} | options
        return await super().create_server(*arguments, **options)
