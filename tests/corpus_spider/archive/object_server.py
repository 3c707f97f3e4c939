"""A server of S3 on the loopback interface (MiniStack), and a line to it that can be broken."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from tests import extras
from tests.corpus_spider.running import ROOT, until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BUCKET = "originals"
PROGRAM = str(ROOT / ".ministack/bin/ministack")
KEYS = {"AWS_ACCESS_KEY_ID": "key-of-tests", "AWS_SECRET_ACCESS_KEY": "secret-of-tests"}
REGION = "us-east-1"
ANSWERS = {"full": ("403 Forbidden", "QuotaExceeded"), "unconditional": ("501 Not Implemented", "NotImplemented")}
"""By fault: status and code of what the line answers to an upload."""


@dataclass
class ObjectServer:
    """The server and the line to it. ``fault``: what the line does to uploads."""

    port: int = 0
    line: int = 0
    process: subprocess.Popen[bytes] | None = None
    fault: str = ""
    fault_of: str = ""
    """What the address of an upload must have, for it to meet the fault."""
    more: dict[str, str] = field(default_factory=dict)
    """More variables of a program that uses it."""
    uploads: list[str] = field(default_factory=list)
    """The faults that met an upload."""

    @property
    def variables(self) -> dict[str, str]:
        """Return the environment of a program that uses it."""
        place = {"AWS_DEFAULT_REGION": REGION, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.line}"}
        return KEYS | place | {"AWS_MAX_ATTEMPTS": "2"} | self.more

    @property
    def client(self) -> Any:
        import boto3

        return boto3.client(
            "s3",
            endpoint_url=f"http://127.0.0.1:{self.port}",
            aws_access_key_id="k",
            aws_secret_access_key="s",
            region_name=REGION,
        )

    def start(self) -> None:
        program = shutil.which(PROGRAM) or shutil.which("ministack")
        if program is None:
            assert not extras.ALL_ARE_HERE, "needs MiniStack: make ministack"
            pytest.skip("needs MiniStack: make ministack")
        variables = os.environ | {"BIND_HOST": "127.0.0.1", "GATEWAY_PORT": str(self.port)}
        self.process = subprocess.Popen([program], env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(lambda: _answers(self.port))

    def kill(self) -> None:
        assert self.process
        self.process.kill()
        self.process.wait()

    def files(self) -> set[str]:
        """Return the keys of the WARC files that have a version."""
        return {key for key in self.versions() if key.endswith(".warc.gz")}

    def versions(self) -> list[str]:
        """Return the key of each version of an object and each mark of a deletion."""
        found = self.client.list_object_versions(Bucket=BUCKET)
        return [each["Key"] for each in [*found.get("Versions", ()), *found.get("DeleteMarkers", ())]]


@contextmanager
def object_server(**options: Any) -> Iterator[ObjectServer]:
    """Serve an empty bucket with versions."""
    server = ObjectServer(port=_free_port())
    server.start()
    listener = socket.create_server(("127.0.0.1", 0))
    server.line = listener.getsockname()[1]
    threading.Thread(target=_accept, args=(listener, server), daemon=True).start()
    try:
        server.client.create_bucket(Bucket=BUCKET, **options)
        server.client.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})
        yield server
    finally:
        listener.close()
        server.kill()


@contextmanager
def ftp_server(folder: Path, password: str) -> Iterator[str]:
    """Serve a folder by FTP to the user ``corpus``. Give its address."""
    port, python = _free_port(), ROOT / ".ministack/bin/python"
    if not python.exists():
        assert not extras.ALL_ARE_HERE, "needs pyftpdlib: make ministack"
        pytest.skip("needs pyftpdlib: make ministack")
    options = ["-i", "127.0.0.1", "-p", str(port), "-w", "-d", str(folder), "-u", "corpus", "-P", password]
    process = subprocess.Popen(
        [python, "-m", "pyftpdlib", *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        until(lambda: _answers(port))
        yield f"ftp://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def _answers(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def _accept(listener: socket.socket, server: ObjectServer) -> None:
    with suppress(OSError):
        while True:
            client, _ = listener.accept()
            threading.Thread(target=_carry, args=(client, server), daemon=True).start()


def _carry(client: socket.socket, server: ObjectServer) -> None:
    """Carry the bytes of a connection both ways, with the fault for uploads."""
    with client, suppress(OSError), socket.create_connection(("127.0.0.1", server.port)) as other:
        threading.Thread(target=_back, args=(other, client), daemon=True).start()
        is_upload = False
        while data := client.recv(1 << 14):
            if is_head := data.startswith(b"PUT /"):
                is_upload = server.fault_of in data.partition(b"\r\n")[0].decode()
            is_hit = b"if-none-match" in data.lower() if server.fault == "unconditional" else not is_head
            if is_upload and server.fault and is_hit:
                server.uploads.append(server.fault)
                if server.fault in ANSWERS:
                    status, code = ANSWERS[server.fault]
                    body = f"<Error><Code>{code}</Code><Message>a fault of tests</Message></Error>"
                    client.sendall(f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
                    return
                data = _changed(data, server)
            other.sendall(data)


def _changed(data: bytes, server: ObjectServer) -> bytes:
    """Return what the line makes of data. Raises OSError if that is nothing more."""
    if server.fault == "killed":
        server.kill()
    if server.fault in {"cut", "killed"}:
        raise ConnectionAbortedError
    if server.fault == "slow":
        time.sleep(0.05)
    return bytes([data[0] ^ 1]) + data[1:] if server.fault == "flipped" else data


def _back(other: socket.socket, client: socket.socket) -> None:
    with suppress(OSError):
        while data := other.recv(1 << 14):
            client.sendall(data)
    with suppress(OSError):
        client.shutdown(socket.SHUT_RDWR)
