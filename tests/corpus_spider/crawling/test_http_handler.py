"""HTTP client: chunks are read as browsers read them, and idle connections are few."""

from __future__ import annotations

import socket
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionDone
from twisted.internet.protocol import Protocol, connectionDone
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure
from twisted.web._newclient import Request
from twisted.web.http import _MalformedChunkedDataError
from twisted.web.http_headers import Headers

from corpus_spider.crawling import http_handler
from corpus_spider.crawling.http_handler import BoundedPool, Chunks, _BoundedFactory
from corpus_spider.crawling.open_files import MAX_IDLE_CONNECTIONS

if TYPE_CHECKING:
    from collections.abc import Callable

PIECES = [b"one", b"\r\n", b"0\r\n\r\n", b"x" * 5000]
BODY = b"".join(PIECES)


def chunked(size: bytes = b"%x", end: bytes = b"0\r\n\r\n") -> bytes:
    return b"".join(size % len(piece) + b"\r\n" + piece + b"\r\n" for piece in PIECES) + end


def read(*parts: bytes) -> tuple[list[bytes], list[bytes]]:
    """Return what was handed on of a body that came in parts, and what was left when it ended, if it did."""
    handed: list[bytes] = []
    left: list[bytes] = []
    decoder = Chunks(handed.append, left.append)
    for part in parts:
        decoder.dataReceived(part)
    return handed, left


@pytest.mark.parametrize(
    "size",
    [
        b"%x",
        b"%X",
        b"0000%x",
        b"%x ",
        b"%x \t ",
        b"%x;",
        b"%x;name",
        b"%x ; name = value",
        b'%x;name="a;b\\"\xe9"',
        b"%x;\x00\x01\x7f\xff",
        b"%x;" + b"e" * 10_000,
    ],
)
@pytest.mark.parametrize("end", [b"0\r\n\r\n", b"0;last\r\nX-Trailer: 1\r\n\r\n", b"000 \r\n\r\n"])
def test_sizes_are_read_with_any_text_behind_them(size: bytes, end: bytes) -> None:
    """White space and extensions of any kind; what comes after the last chunk is left to the next answer."""
    assert read(chunked(size, end) + b"HTTP/1.1") == ([BODY], [b"HTTP/1.1"])


@pytest.mark.parametrize(
    "line", [b"", b" 5", b"+5", b"-5", b"0x5", b"5_0", b"5 5", b"\xd9\xa5", b"g", b"1" * 17, b"5;" + b"e" * 20_000]
)
def test_what_is_no_size_ends_the_body(line: bytes) -> None:
    """What came before it is handed on all the same: the archive keeps it."""
    handed: list[bytes] = []
    decoder = Chunks(handed.append, handed.append)
    with pytest.raises(_MalformedChunkedDataError):
        decoder.dataReceived(b"3\r\none\r\n" + line + b"\r\nmore\r\n")
    assert handed == [b"one"]


def test_a_size_without_an_end_is_not_waited_for() -> None:
    """However slowly it comes."""
    with pytest.raises(_MalformedChunkedDataError):
        read(*[b"5" * 1000] * 100)


def test_chunks_that_come_together_are_handed_on_in_one_piece() -> None:
    """A hundred thousand chunks of a byte each cost as many calls as there were reads."""
    handed, left = read(b"1\r\nx\r\n" * 50_000, b"1\r\ny\r\n" * 50_000 + b"0\r\n\r\n")
    assert handed == [b"x" * 50_000, b"y" * 50_000]
    assert left == [b""]


@given(st.lists(st.integers(0, len(chunked())), max_size=8))
def test_a_body_is_the_same_wherever_reads_cut_it(cuts: list[int]) -> None:
    whole = chunked(b"%x ;e")
    handed, left = read(*(whole[start:end] for start, end in pairwise([0, *sorted(cuts), len(whole)])))
    assert b"".join(handed) == BODY
    assert left == [b""]


class Resting:
    """A connection that waits for its next request."""

    state = "QUIESCENT"

    def __init__(self) -> None:
        self.transport = StringTransport()


def test_connections_to_ever_more_hosts_are_not_all_kept() -> None:
    """A crawl of a site with a name for every page ran out of open files, and its database with it; the connections
    that have waited longest go first, and those that are kept still end after a while.
    """
    clock = Clock()
    pool = BoundedPool(clock)
    connections = [Resting() for _ in range(MAX_IDLE_CONNECTIONS + 50)]
    for number, connection in enumerate(connections):
        pool._putConnection(("http", f"h{number}.example", 80), connection)
    assert [each.transport.disconnecting for each in connections] == [True] * 50 + [False] * MAX_IDLE_CONNECTIONS
    kept = pool.getConnection(("http", f"h{MAX_IDLE_CONNECTIONS}.example", 80), None)
    assert kept.result._clientProtocol is connections[MAX_IDLE_CONNECTIONS]
    clock.advance(pool.cachedConnectionTimeout)
    assert sum(each.transport.disconnecting for each in connections) == MAX_IDLE_CONNECTIONS + 49


ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody"
IN_CHUNKS = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"


def asked_again(*answer: bytes) -> bool:
    """Return whether the next request to the host uses a connection that received these bytes."""
    pool = BoundedPool(Clock())
    key = ("http", "a.example", 80)
    factory = _BoundedFactory(lambda _: None, lambda each: pool._putConnection(key, each), repr(key))
    connection = factory.buildProtocol(None)
    transport: Any = StringTransport()
    connection.makeConnection(transport)
    connection.request(Request(b"GET", b"/", Headers({b"Host": [b"a.example"]}), None, persistent=True))
    for part in answer:
        connection.dataReceived(part)
    assert transport.disconnecting or connection in pool._connections[key]
    return not transport.disconnecting


@pytest.mark.parametrize(
    ("answer", "again"),
    [
        ((ANSWER,), True),
        ((IN_CHUNKS + b"\r\n4\r\nbody\r\n0\r\n\r\n",), True),
        ((b"HTTP/1.1 200 OK\r\nTransfer-Encoding: Identity\r\nContent-Length: 4\r\n\r\nbody",), True),
        ((b"HTTP/1.1 204 No Content\r\n\r\n",), True),
        ((b"HTTP/1.1 304 Not Modified\r\n\r\n",), True),
        ((b"HTTP/1.1 103 Early Hints\r\n\r\n" + ANSWER,), True),
        ((ANSWER + ANSWER,), False),
        ((ANSWER, ANSWER), False),
        ((ANSWER + b"\r\n",), False),
        ((IN_CHUNKS + b"\r\n0\r\n\r\n" + ANSWER,), False),
        ((IN_CHUNKS + b"Content-Length: 99\r\n\r\n4\r\nbody\r\n0\r\n\r\n",), False),
        ((b"HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\n",), False),
        ((b"HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n",), False),
        ((b"HTTP/1.1 204 No Content\r\n\r\n" + ANSWER,), False),
        ((b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nbody",), False),
        ((b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",), True),
        ((b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n",), False),
    ],
)
def test_nothing_is_asked_where_the_rest_of_an_answer_would_be_taken_for_the_next(
    answer: tuple[bytes, ...], again: bool
) -> None:
    """A page behind a page, or the body of an answer that has none, was stored under the address asked for next."""
    assert asked_again(*answer) is again


@pytest.mark.parametrize(
    ("answer", "more"),
    [
        (ANSWER, True),
        (b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", True),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\ncut", True),
        (b"HTTP/1.1 200 OK\r\nConte", False),
        (b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n", False),
        (b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", False),
        (b"\x00garbage\r\n", False),
        (b"", False),
        (None, False),
    ],
)
def test_a_host_that_answers_but_the_first_request_of_a_connection_is_asked_on_new_ones(
    answer: bytes | None, more: bool
) -> None:
    """Of a server, or what stands before it, that hangs or refuses then, half of the pages were lost."""
    pool, key, made = BoundedPool(Clock()), ("http", "a.example", 80), []

    def request(connection: Any) -> Any:
        made.append(connection)
        asked = Request(b"GET", b"/", Headers({b"Host": [b"a.example"]}), None, persistent=True)
        return connection.request(asked).addErrback(lambda _: None)

    def fresh() -> Any:
        factory = _BoundedFactory(lambda _: None, lambda each: pool._putConnection(key, each), repr(key))
        connection = factory.buildProtocol(None)
        connection.makeConnection(StringTransport())
        return connection

    pool._newConnection = lambda *_: fresh()
    request(pool.getConnection(key, None))
    made[0].dataReceived(ANSWER)
    pending = request(pool.getConnection(key, None).result._clientProtocol)
    if answer is None:
        pending.cancel()
    else:
        made[0].dataReceived(answer)
    made[0].connectionLost(Failure(ConnectionDone()))
    request(fresh())
    made[-1].dataReceived(ANSWER)
    assert isinstance(pool.getConnection(key, None), Deferred) is more


class Reader(Protocol):
    """Notes what is handed on of a body."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []
        self.ended = False

    def dataReceived(self, data: bytes) -> None:
        self.pieces.append(data)

    def connectionLost(self, reason: Any = connectionDone) -> None:
        self.ended = True


@pytest.mark.parametrize("ends", [False, True])
def test_small_pieces_of_a_body_are_handed_on_together(monkeypatch: pytest.MonkeyPatch, ends: bool) -> None:
    """TLS records of a byte each, read one by one, took all the time of a crawl."""
    later: list[Callable[[], None]] = []
    monkeypatch.setattr(http_handler, "_soon", later.append)
    connection = _BoundedFactory(lambda _: None, lambda _: None, "").buildProtocol(None)
    connection.makeConnection(StringTransport())
    reader, request = Reader(), Request(b"GET", b"/", Headers({b"Host": [b"a.example"]}), None, persistent=True)
    connection.request(request).addCallback(lambda response: response.deliverBody(reader))
    connection.dataReceived(b"HTTP/1.1 200 OK\r\n\r\n")
    for number in range(1000):
        connection.dataReceived(b"%d" % (number % 10))
    assert (reader.pieces, len(later)) == ([], 1)
    if ends:
        connection.connectionLost(Failure(ConnectionDone()))
    else:
        later[0]()
        connection.dataReceived(b"x" * 5000)
    assert reader.pieces == [b"0123456789" * 100, *([] if ends else [b"x" * 5000])]
    assert reader.ended is ends


@pytest.mark.parametrize("encrypted", [False, True])
@pytest.mark.parametrize("more", [b"", b"HTTP/1.1 200 OK", None], ids=["nothing", "bytes", "the end"])
def test_a_connection_at_rest_with_something_to_read_is_not_asked(more: bytes | None, encrypted: bool) -> None:
    """What has come is not read before the next request is sent, should there be no delay."""
    pool, key = BoundedPool(Clock()), ("http", "a.example", 80)
    resting, (here, there) = Resting(), socket.socketpair()
    with here, there:
        here.setblocking(False)
        below: Any = StringTransport() if encrypted else resting.transport
        below.socket = here
        if encrypted:
            resting.transport.transport = below  # type: ignore[attr-defined]
        pool._putConnection(key, resting)
        there.close() if more is None else there.sendall(more)
        pool.getConnection(key, Nowhere())
        assert resting.transport.disconnecting is (more != b"")


class Nowhere:
    """An endpoint that leads nowhere."""

    def connect(self, _: object) -> Deferred[object]:
        return Deferred()
