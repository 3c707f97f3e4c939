"""Two lines between a program and PostgreSQL that a test can cut, while the newspapers can be reached."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TYPE_CHECKING, Protocol

from tests.corpus_spider.queue.own_network import own_network

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conftest import PostgresServer

SERVER_SECONDS = 20.0
"""Seconds after which the server gives up the sessions of a dead line."""


class Line(Protocol):
    """A line to PostgreSQL. ``port``: of 127.0.0.1, for the program. ``within``: what its command line starts with."""

    @property
    def port(self) -> int: ...

    @property
    def within(self) -> tuple[str, ...]: ...

    def cut(self) -> None:
        """Let nothing pass. Neither end is notified."""

    def mend(self) -> None:
        """Let new connections pass. Those from before a cut of a minute are lost."""


Lines = Callable[["PostgresServer", int], AbstractContextManager[Line]]
"""Opens a line to a server, for a program that needs the port of the newspapers too."""


class DeadLine:
    """A line through a proxy: the program's own system sees living connections even while the line is cut.

    The server gives the lost sessions up after SERVER_SECONDS. When the line is open again, the old connections are
    reset at their next word.
    """

    within: tuple[str, ...] = ()

    def __init__(self, port: int) -> None:
        self.to, self.listener = port, socket.create_server(("127.0.0.1", 0))
        self.port = int(self.listener.getsockname()[1])
        self.open = threading.Event()
        self.open.set()
        self.servers: list[socket.socket] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                threading.Thread(target=self._join, args=(client,), daemon=True).start()

    def _join(self, client: socket.socket) -> None:
        self.open.wait()
        server = socket.create_connection(("127.0.0.1", self.to))
        self.servers.append(server)
        threading.Thread(target=self._copy, args=(server, client), daemon=True).start()
        self._copy(client, server)

    def _copy(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError), source, target:
            while data := source.recv(1 << 16):
                self.open.wait()
                target.sendall(data)
        # The end of one direction is passed on only while there is a line.
        self.open.wait()

    def cut(self) -> None:
        self.open.clear()
        lost, self.servers = self.servers, []

        def give_up() -> None:
            for server in lost:
                with suppress(OSError):
                    server.shutdown(socket.SHUT_RDWR)

        threading.Timer(SERVER_SECONDS, give_up).start()

    def mend(self) -> None:
        self.open.set()

    def close(self) -> None:
        self.open.set()
        self.listener.close()


@contextmanager
def dead_line(server: PostgresServer, _newspapers: int) -> Iterator[Line]:
    """Open a line through a proxy."""
    line = DeadLine(server.port)
    try:
        yield line
    finally:
        line.close()


@contextmanager
def pulled_cable(server: PostgresServer, newspapers: int) -> Iterator[Line]:
    """Open a line out of a network namespace: program and server notice the cut by their own keepalives."""
    with own_network(server.port, newspapers) as (line, _), _allowed(server, line.address):
        yield line


@contextmanager
def _allowed(server: PostgresServer, address: str) -> Iterator[None]:
    """Let programs with an address connect to the server in the block."""
    file = server.folder / "data" / "pg_hba.conf"
    before = file.read_text()
    file.write_text(f"{before}\nhost all all {address}/32 trust\n")
    try:
        server.run("pg_ctl", "reload")
        yield
    finally:
        file.write_text(before)
        server.run("pg_ctl", "reload")
