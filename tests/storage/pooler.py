"""A pooler before a PostgreSQL server. It lends one session to one transaction after the other, as many hosts do."""

from __future__ import annotations

import socket
import struct
import threading
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING

from sqlalchemy.engine import make_url

if TYPE_CHECKING:
    from collections.abc import Iterator

_VERSION, _CANCEL, _ENCRYPTED = 196_608, 80_877_102, (80_877_103, 80_877_104)
_ENDS_A_REQUEST, _READY, _BYE = b"QS", b"Z", b"X"


@contextmanager
def pooled(url: str) -> Iterator[str]:
    """Yield the address of a pooler before the database of another address."""
    where = make_url(url)
    asked = f"user\0{where.username}\0database\0{where.database}\0client_encoding\0utf8\0\0".encode()
    with socket.create_connection((where.host, where.port)) as server, socket.create_server(("127.0.0.1", 0)) as door:
        server.sendall(struct.pack("!II", len(asked) + 8, _VERSION) + asked)
        greeting, turn = _until_ready(server), threading.Lock()
        threading.Thread(target=_welcome, args=(door, (server, greeting, turn)), daemon=True).start()
        yield where.set(port=door.getsockname()[1]).render_as_string()


def _welcome(door: socket.socket, shared: tuple[socket.socket, bytes, threading.Lock]) -> None:
    with suppress(OSError):
        while True:
            client, _ = door.accept()
            threading.Thread(target=_serve, args=(client, *shared), daemon=True).start()


def _serve(client: socket.socket, server: socket.socket, greeting: bytes, turn: threading.Lock) -> None:
    with closing(client), suppress(EOFError, OSError):
        while (code := _begun(client)) in _ENCRYPTED:
            client.sendall(b"N")
        if code == _CANCEL:
            return
        client.sendall(greeting)
        while True:
            request = _request(client)
            with turn:
                while request:
                    server.sendall(request)
                    answer = _until_ready(server)
                    client.sendall(answer)
                    request = b"" if answer.endswith(b"I") else _request(client)


def _begun(client: socket.socket) -> int:
    length, code = struct.unpack("!II", _exactly(client, 8))
    _exactly(client, length - 8)
    return int(code)


def _request(client: socket.socket) -> bytes:
    parts = [_message(client)]
    while parts[-1][:1] not in _ENDS_A_REQUEST:
        if parts[-1][:1] == _BYE:
            raise EOFError
        parts.append(_message(client))
    return b"".join(parts)


def _until_ready(server: socket.socket) -> bytes:
    parts = [_message(server)]
    while parts[-1][:1] != _READY:
        parts.append(_message(server))
    return b"".join(parts)


def _message(peer: socket.socket) -> bytes:
    head = _exactly(peer, 5)
    return head + _exactly(peer, struct.unpack("!I", head[1:])[0] - 4)


def _exactly(peer: socket.socket, length: int) -> bytes:
    data = b""
    while len(data) < length:
        part = peer.recv(length - len(data))
        if not part:
            raise EOFError
        data += part
    return data
