"""Export the originals: a CDXJ index of the WARC files, or all of them in one WACZ.

CDXJ has a line for each response: its address in SURT form, the time in 14 digits, and the place of its record as JSON.
Lines are sorted by bytes. WACZ 1.1.1 (https://specs.webrecorder.net/wacz/1.1.1/) is a ZIP without further compression.
It holds the WARC files, the index (named ``index.cdx``, as pywb expects), the list of pages and the digests of all.
"""

from __future__ import annotations

import hashlib
import heapq
import json
import os
import re
import tempfile
import zipfile
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast
from urllib.parse import unquote_to_bytes, urlsplit

from storage.disk import disk_errors
from storage.errors import ConfigError, DiskError
from storage.exports.atomic import CHECKSUM, DATA, checksum_line, make_way, publish, staging
from storage.exports.files import opened
from storage.exports.format_table import require_place
from storage.exports.formats import jsonl
from storage.records import PORTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from storage.documents.model import CorpusDocument
    from storage.fetches.fetches import StoredFetch
    from storage.warc import OriginalStore

CDXJ, WACZ = "cdxj", "wacz"
RUN = 100_000
"""Lines to sort at a time. More are merged from temporary files, so that memory stays flat."""
_CHUNK = 1 << 20
_EPOCH = (1980, 1, 1, 0, 0, 0)
_WWW = re.compile(r"^www\d*\.")
_UNSAFE = re.compile(rb"[\x00-\x20\x7f-\xff#%]")


@dataclass(frozen=True, slots=True)
class Originals:
    """Input of the export: the WARC files, names of the finished ones, fetches, documents."""

    store: OriginalStore
    files: tuple[str, ...]
    fetches: Iterable[StoredFetch]
    documents: Iterable[CorpusDocument]
    software: str
    have_gone: Callable[[], bool] = lambda: False
    """Return whether files were removed or replaced since these were read."""
    elsewhere: Mapping[str, int] = field(default_factory=dict)
    """Files on other machines, by machine."""


@dataclass(frozen=True, slots=True)
class OriginalsReport:
    """Result of the export: records in the index, pages with a text, WARC files, and the file itself."""

    records: int
    pages: int
    files: int
    bytes: int
    sha256: str
    path: Path
    elsewhere: dict[str, int] = field(default_factory=dict)
    """WARC files that are left out because only other machines have them, by machine."""


def write_originals(originals: Originals, target: Path, *, overwrite: bool) -> OriginalsReport:
    """Write a ``.cdxj`` or ``.wacz``, by the name of the target. It appears whole or not at all, with its checksum.

    Raises ConfigError for another name or a target that exists, DiskError when a file cannot be read or written.
    """
    if target.suffix not in {f".{CDXJ}", f".{WACZ}"}:
        raise ConfigError(
            "the target has no suffix of originals", where=str(target), do="Name a file that ends in .wacz or .cdxj."
        )
    require_place(target)
    make_way(target, overwrite=overwrite)
    with staging(target) as staged, ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=staged)))
        index = scratch / "index.cdxj"
        records = _write_index(originals, index, scratch)
        pages = 0
        with opened(staged / DATA, durable=True) as stream:
            if target.suffix == f".{CDXJ}":
                with index.open("rb") as file:
                    while chunk := file.read(_CHUNK):
                        stream.write(chunk)
            else:
                pages = _write_wacz(originals, index, cast("BinaryIO", stream), scratch)
        digest = stream.sha256.hexdigest()
        with opened(staged / CHECKSUM, durable=True) as checksum:
            checksum.write(checksum_line(digest, target.name))
        stack.close()
        if originals.have_gone():
            raise DiskError(
                "originals were removed while they were exported", where=str(target), do="Export them again."
            )
        publish(staged, target, overwrite=overwrite)
    left_out = dict(originals.elsewhere)
    return OriginalsReport(records, pages, len(originals.files), stream.count, digest, target, left_out)


def surt(address: str) -> str:
    """Return the SURT form of a URL, the key by which replay tools look it up. Variants of a URL have the same key.

    The host is reversed, without ``www.`` and the default port. The path has no final slash and is escaped once. The
    query is in alphabetical order. All is in lower case. Session identifiers stay, though some tools remove them.

    >>> surt("https://www.News.example:8080/A/?c=D&b=C")
    'example,news:8080)/a?b=c&c=d'
    """
    try:
        parts = urlsplit(address)
        host, port = _WWW.sub("", (parts.hostname or "").strip(".")), parts.port
    except ValueError:
        return address.lower()
    turned = ",".join(reversed(host.split(".")))
    turned += f":{port}" if port and port != PORTS.get(parts.scheme) else ""
    path = remove_dots(escaped(parts.path).lower())
    query = "&".join(sorted(escaped(parts.query).lower().split("&"), key=lambda each: each.partition("=")[::2]))
    return f"{turned}){path}{'?' + query if query else ''}".lower()


def escaped(part: str) -> str:
    """Return a part of a URL with unsafe characters escaped exactly once."""
    data = part.encode("utf-8", "surrogatepass")
    while (less := unquote_to_bytes(data)) != data:
        data = less
    return _UNSAFE.sub(lambda found: b"%%%02x" % found[0][0], data).decode("ascii")


def remove_dots(path: str) -> str:
    """Return a path without dot segments, empty segments and a final slash. The root stays ``/``."""
    kept: list[str] = []
    for segment in path.split("/"):
        if segment == "..":
            kept = kept[:-1]
        elif segment not in {"", "."}:
            kept.append(segment)
    return "/" + "/".join(kept)


def index_line(fetch: StoredFetch) -> bytes:
    """Return the CDXJ line of a fetch."""
    place = fetch.pointer
    entry = {
        "url": fetch.uri,
        "mime": "warc/revisit" if fetch.original else fetch.mime or "unk",
        "status": str(fetch.status),
        "digest": place.payload_digest,
        "length": str(place.length),
        "offset": str(place.offset),
        "filename": place.warc,
    }
    key = "".join(surt(fetch.uri).split())
    return f"{key} {fetch.fetched_at:%Y%m%d%H%M%S} {json.dumps(entry)}\n".encode("utf-8", "replace")


def _write_index(originals: Originals, path: Path, scratch: Path) -> int:
    """Write the sorted index and return the number of its lines."""
    known = frozenset(originals.files)
    lines = (index_line(fetch) for fetch in originals.fetches if fetch.pointer.warc in known)
    with ExitStack() as stack, disk_errors(path), path.open("wb") as file:
        runs = [stack.enter_context(run.open("rb")) for run in _sorted_runs(lines, scratch)]
        count = 0
        for line in heapq.merge(*runs):
            file.write(line)
            count += 1
    return count


def _sorted_runs(lines: Iterator[bytes], scratch: Path) -> list[Path]:
    runs: list[Path] = []
    batch: list[bytes] = []

    def flush() -> None:
        path = scratch / f"run-{len(runs)}"
        path.write_bytes(b"".join(sorted(batch)))
        runs.append(path)
        batch.clear()

    for line in lines:
        batch.append(line)
        if len(batch) >= RUN:
            flush()
    if batch:
        flush()
    return runs


def _write_wacz(originals: Originals, index: Path, stream: BinaryIO, scratch: Path) -> int:
    pages = scratch / "pages.jsonl"
    number, newest = _write_pages(originals.documents, pages)
    of_export = [("indexes/index.cdx", index), ("pages/pages.jsonl", pages)]
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as packed:
        resources = []
        store = originals.store.streaming()
        for name in store.in_turn(originals.files):
            with store.open(name) as path:
                resources.append(_add(packed, f"archive/{name}", path))
        resources += [_add(packed, name, path) for name, path in of_export]
        package = {"profile": "data-package", "wacz_version": "1.1.1", "software": originals.software}
        described = json.dumps(package | {"created": newest, "resources": resources}, indent=1).encode()
        packed.writestr(_entry("datapackage.json"), described)
        digest = {"path": "datapackage.json", "hash": f"sha256:{hashlib.sha256(described).hexdigest()}"}
        packed.writestr(_entry("datapackage-digest.json"), json.dumps(digest).encode())
    return number


def _write_pages(documents: Iterable[CorpusDocument], path: Path) -> tuple[int, str]:
    """Write the list of pages. Return their number and the time of the newest fetch."""
    number, newest = 0, ""
    with disk_errors(path), path.open("wb") as file:
        file.write(jsonl.line({"format": "json-pages-1.0", "id": "pages", "title": "Pages with a text"}))
        for document in documents:
            moment = f"{document.fetched_at:%Y-%m-%dT%H:%M:%SZ}"
            file.write(jsonl.line({"id": document.id, "url": document.url, "ts": moment, "title": document.title}))
            number, newest = number + 1, max(newest, moment)
    return number, newest


def _add(packed: zipfile.ZipFile, name: str, path: Path) -> dict[str, str | int]:
    digest, size = hashlib.sha256(), 0
    with disk_errors(path), path.open("rb") as file:
        entry = _entry(name)
        entry.file_size = os.fstat(file.fileno()).st_size
        with packed.open(entry, "w") as member:
            while chunk := file.read(_CHUNK):
                member.write(chunk)
                digest.update(chunk)
                size += len(chunk)
    return {"name": path.name, "path": name, "hash": f"sha256:{digest.hexdigest()}", "bytes": size}


def _entry(name: str) -> zipfile.ZipInfo:
    """Return a ZIP member without a time, so that equal corpora give equal bytes."""
    entry = zipfile.ZipInfo(name, _EPOCH)
    entry.external_attr = 0o644 << 16
    return entry
