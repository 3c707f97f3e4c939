"""Download of large files from servers that answer as those of Common Crawl do."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from corpus_spider.network.download import download
from corpus_spider.network.range_client import ATTEMPTS, DownloadError
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CONTENT = bytes(range(256)) * 4000


@dataclass
class Server:
    """Answers one file. ``faults``: what it does for the first requests, in order; then it answers well."""

    faults: list[str] = field(default_factory=list)
    ranges: bool = True
    retry_after: str = "7"
    requests: list[str] = field(default_factory=list)
    """Range headers of the requests."""
    content: bytes = CONTENT


@contextmanager
def served(server: Server) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = self.headers.get("Range", "")
            server.requests.append(asked)
            fault = server.faults.pop(0) if server.faults else ""
            if fault.isdigit():
                self.send_response(int(fault))
                self.send_header("Retry-After", server.retry_after)
                self.end_headers()
                return
            if fault == "changed":
                server.content = CONTENT[::-1]
            start = int(asked.removeprefix("bytes=").rstrip("-")) if asked and server.ranges else 0
            fresh = self.headers.get("If-Range") in {None, str(hash(server.content))}
            if not fresh:
                start = 0
            self.send_response(206 if start else 200)
            self.send_header("ETag", str(hash(server.content)))
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(server.content) - 1}/{len(server.content)}")
            self.send_header("Content-Length", str(len(server.content) - start))
            self.end_headers()
            body = server.content[start:]
            self.wfile.write(body[: len(body) // 2] if fault == "cut" else body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}/a.warc.gz"
        running.shutdown()


@pytest.mark.parametrize(
    ("faults", "ranges"),
    [([], True), (["503"], True), (["cut"], True), (["cut", "503", "cut", "429"], True), (["cut", "cut"], False)],
)
def test_a_file_arrives_whole(tmp_path: Path, faults: list[str], ranges: bool) -> None:
    """After busy answers and cut connections, from servers with and without ranges."""
    server, waits = Server(list(faults), ranges), list[float]()
    with served(server) as address:
        download(address, tmp_path / "a", waits.append)
    assert (tmp_path / "a").read_bytes() == CONTENT
    assert len(waits) == len(faults)
    if "cut" in faults and ranges:
        assert server.requests[-1].startswith("bytes=")


@pytest.mark.parametrize(
    "stated", ["7", format_datetime(datetime.now(UTC) + timedelta(hours=2), usegmt=True)], ids=["7", "date"]
)
def test_the_wait_that_a_server_states_is_kept(tmp_path: Path, stated: str) -> None:
    """In seconds, or as a date."""
    waits: list[float] = []
    with served(Server(["503"], retry_after=stated)) as address:
        download(address, tmp_path / "a", waits.append)
    assert waits[0] >= 7


def test_a_file_that_changed_meanwhile_is_fetched_from_its_start(tmp_path: Path) -> None:
    """Halves of two files are never joined."""
    with served(Server(["cut", "changed"])) as address:
        download(address, tmp_path / "a", lambda _: None)
    assert (tmp_path / "a").read_bytes() == CONTENT[::-1]


@pytest.mark.parametrize(
    ("faults", "message"), [(["404"], "HTTP 404"), (["503"] * ATTEMPTS, f"no progress in {ATTEMPTS} attempts")]
)
def test_a_file_that_cannot_be_had_is_an_error(tmp_path: Path, faults: list[str], message: str) -> None:
    """A missing one at once, a busy server after some attempts."""
    with served(Server(list(faults))) as address, pytest.raises(DownloadError, match=message):
        download(address, tmp_path / "a", lambda _: None)


def test_an_unknown_kind_of_address_is_an_error_with_advice(tmp_path: Path) -> None:
    """The extra `remote` reads further kinds."""
    with pytest.raises((ConfigError, DownloadError)):
        download("nothing-known://bucket/a.warc.gz", tmp_path / "a")
