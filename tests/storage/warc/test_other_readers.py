"""Our WARC files, read by the programs that others use.

warcio and FastWARC are always there. Daft, datatrove and pywb need an environment of their own, `make readers`: they
bind libraries to older versions.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.error import HTTPError
from urllib.request import ProxyHandler, build_opener

import pytest
from fastwarc.warc import ArchiveIterator as FastArchiveIterator
from fastwarc.warc import WarcRecordType
from w3lib.url import safe_url_string
from warcio.archiveiterator import ArchiveIterator

from tests.storage.warc_samples import AWKWARD, PAGE, capture, headers, write

if TYPE_CHECKING:
    from collections.abc import Iterator

READERS = Path(__file__).parents[3] / ".venv-readers/bin"
needs_readers = pytest.mark.skipif(
    not (READERS / "python").exists(), reason="needs Daft, datatrove and pywb: make readers"
)
PAGES = {
    f"https://paper.example/{name}": capture(url=f"https://paper.example/{name}", body=body, **headers(*fields))
    for name, body, fields in (
        ("vi", "<title>Tin</title><p>Thành phố khởi công cây cầu mới.".encode(), (("Content-Type", "text/html"),)),
        ("ar", "<p>أعلن مجلس المدينة عن خطة.".encode(), (("Content-Type", "text/html; charset=utf-8"),)),
        ("th", "<p>สภาเมืองประกาศ".encode("cp874"), (("Content-Type", "text/html; charset=windows-874"),)),
        ("untyped", b"<!doctype html><title>x</title><p>No type is stated.", ()),
        ("chunked", PAGE, (("Content-Type", "text/html"), ("Transfer-Encoding", "chunked"))),
    )
}
"""Pages by URL, whose bodies have no content encoding."""
FROM_DATATROVE = """
import json, sys
from datatrove.pipeline.readers import WarcReader
reader = WarcReader(sys.argv[1], glob_pattern="*.warc.gz")
print(json.dumps([document.metadata["url"] for document in reader.run()]))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file of all awkward captures and pages."""
    write(tmp_path / "warc", [*AWKWARD.values()], [*PAGES.values()])
    return tmp_path / "warc"


def archive_in(folder: Path) -> Path:
    return next(folder.glob("*.warc.gz"))


def expected() -> dict[str, tuple[int, str]]:
    """Return the status and the digest of the body of each response by its URL."""
    whole = (*AWKWARD.values(), *PAGES.values())
    return {each.url: (each.status, hashlib.sha256(each.body).hexdigest()) for each in whole}


def plain(found: dict[str, tuple[int, str]]) -> dict[str, tuple[int, str]]:
    """Return responses by their URLs as a WARC file has them."""
    return {safe_url_string(url): each for url, each in found.items()}


def test_warcio_reads_all_responses(folder: Path) -> None:
    """Status and body of each, and every digest is right."""
    found = {}
    with archive_in(folder).open("rb") as file:
        for record in ArchiveIterator(file, check_digests="raise"):
            body = record.raw_stream.read()
            if record.rec_type == "response":
                status = int(record.http_headers.get_statuscode())
                found[record.rec_headers["WARC-Target-URI"]] = status, hashlib.sha256(body).hexdigest()
    assert plain(found) == plain(expected())


def test_fastwarc_reads_all_responses(folder: Path) -> None:
    """Status and body of each, and every digest of a block is right."""
    found = {}
    with archive_in(folder).open("rb") as file:
        for record in FastArchiveIterator(file, parse_http=False):
            assert record.verify_block_digest()
            record.parse_http()
            body = record.reader.read()
            if record.record_type == WarcRecordType.response:
                found[record.headers["WARC-Target-URI"]] = (
                    record.http_headers.status_code,
                    hashlib.sha256(body).hexdigest(),
                )
    assert plain(found) == plain(expected())


FROM_DAFT = """
import daft, json, sys
rows = daft.read_warc(sys.argv[1]).to_pylist()
print(json.dumps([row["WARC-Target-URI"] for row in rows if row["WARC-Type"] == "response"]))
"""


@needs_readers
def test_daft_reads_all_responses(folder: Path) -> None:
    """The URL of each."""
    done = subprocess.run(
        [READERS / "python", "-c", FROM_DAFT, str(archive_in(folder))], capture_output=True, text=True, check=True
    )
    assert sorted(map(safe_url_string, json.loads(done.stdout.splitlines()[-1]))) == sorted(plain(expected()))


@needs_readers
def test_datatrove_reads_all_pages(tmp_path: Path) -> None:
    """It takes HTML alone, by the type that the record states of its payload."""
    write(tmp_path / "warc", [*PAGES.values()])
    done = subprocess.run(
        [READERS / "python", "-c", FROM_DATATROVE, str(tmp_path / "warc")], capture_output=True, text=True, check=True
    )
    assert sorted(json.loads(done.stdout.splitlines()[-1])) == sorted(PAGES)


@pytest.fixture
def replay(tmp_path: Path) -> Iterator[str]:
    """The address of a pywb with a collection of the pages."""
    write(tmp_path / "warc", [*PAGES.values()])
    for command in (["init", "paper"], ["add", "paper", str(archive_in(tmp_path / "warc"))]):
        subprocess.run([READERS / "wb-manager", *command], cwd=tmp_path, check=True, capture_output=True)
    server = subprocess.Popen(
        [READERS / "python", "-u", "-c", SERVER], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True,
    )  # fmt: skip
    assert server.stdout
    address = next((line for line in server.stdout if line.startswith("http")), "").strip()
    yield address
    server.kill()
    server.communicate()


SERVER = """
from gevent.monkey import patch_all; patch_all()
from gevent.pywsgi import WSGIServer
from pywb.apps.frontendapp import FrontEndApp
server = WSGIServer(("127.0.0.1", 0), FrontEndApp(), log=None)
server.start()
print(f"http://127.0.0.1:{server.server_port}/paper", flush=True)
server.serve_forever()
"""


@needs_readers
def test_pywb_replays_pages_as_they_were_received(replay: str) -> None:
    """`id_` asks for the bytes of a capture. What is not there is not found."""
    opener = build_opener(ProxyHandler({}))
    for url, page in PAGES.items():
        with opener.open(f"{replay}/20261120030405id_/{url}", timeout=60) as answer:
            assert (answer.status, answer.read()) == (200, page.body)
    with pytest.raises(HTTPError) as refused:
        opener.open(f"{replay}/20261120030405id_/https://paper.example/absent", timeout=60)
    assert refused.value.code == 404
