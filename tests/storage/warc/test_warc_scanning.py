"""Strict scan of a WARC file: each flipped bit is detected, and all records behind the damage are found."""

from __future__ import annotations

import gzip
import random
import tracemalloc
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storage.errors import DiskError
from storage.warc.gzip_member import member
from storage.warc.headers import sha1
from storage.warc.scan import ScannedRecord, scan
from tests.storage.warc_samples import AWKWARD, capture, noise, write

if TYPE_CHECKING:
    from pathlib import Path


def test_sound_files_scan_sound(tmp_path: Path) -> None:
    """Every awkward capture is a sound response and request, and a rendering, told as its pointer tells it."""
    pointers = write(tmp_path, list(AWKWARD.values()))
    records = list(scan(tmp_path / pointers[0].warc))
    assert all(record.ok for record in records)
    responses = [record for record in records if record.type == "response"]
    assert [record.pointer(pointers[0].warc) for record in responses] == pointers
    assert [record.status for record in responses] == [sample.status for sample in AWKWARD.values()]
    assert responses[0].uri == AWKWARD["plain"].url
    assert responses[0].date == "2026-11-20T03:04:05.678901Z"
    kinds = [["response", "request", *["conversion"] * bool(sample.rendered)] for sample in AWKWARD.values()]
    assert [record.type for record in records] == ["warcinfo", *(kind for group in kinds for kind in group)]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes, list[ScannedRecord]]:
    """A file of small records, stored and compressed ones: where to write it, its bytes, its records."""
    folder = tmp_path_factory.mktemp("small")
    samples = [
        capture(n, gzip.compress(noise(50 * n, n)), response_headers=(("Content-Encoding", "gzip"),)) for n in range(5)
    ]
    (pointer, *_) = write(folder, [*samples, *(capture(n) for n in range(5, 10))])
    path = folder / pointer.warc
    return folder / "damaged.warc.gz", path.read_bytes(), list(scan(path))


def test_every_flipped_bit_is_noticed_and_costs_one_record(small: tuple[Path, bytes, list[ScannedRecord]]) -> None:
    """At 600 random places one flipped bit damages the record it lies in, and no other record is lost."""
    path, data, records = small
    chooser = random.Random(20261120)
    for place in (chooser.randrange(len(data) * 8) for _ in range(600)):
        flipped = bytearray(data)
        flipped[place // 8] ^= 1 << place % 8
        path.write_bytes(flipped)
        found = list(scan(path))
        assert [(record.offset, record.ok) for record in found] == [
            (record.offset, not record.offset <= place // 8 < record.end) for record in records
        ]
        assert all(record.damage for record in found if not record.ok)


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_any_damage_is_contained(small: tuple[Path, bytes, list[ScannedRecord]], data: st.DataObject) -> None:
    """After any change of a range of the file, the other records are found, and ranges never overlap."""
    path, whole, records = small
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, min(len(whole), start + 2000)))
    junk = data.draw(st.binary(max_size=100) | st.just(bytes(end - start)) | st.just(b"\x1f\x8b\x08\x04" * 20))
    damaged = whole[:start] + junk + whole[end:]
    path.write_bytes(damaged)
    found = list(scan(path))
    assert all(first.end == second.offset for first, second in pairwise([*found, ScannedRecord(len(damaged), 0)]))
    shift = len(junk) - (end - start)
    untouched = [r.offset for r in records if r.end <= start] + [r.offset + shift for r in records if r.offset >= end]
    assert set(untouched) <= {record.offset for record in found if record.ok}


@pytest.mark.parametrize("zeros", [1, 9, 100, 4096])
def test_a_zero_filled_tail_is_no_record(small: tuple[Path, bytes, list[ScannedRecord]], zeros: int) -> None:
    """Zeros behind the last record, as a power cut leaves them, are one damaged range."""
    path, data, records = small
    path.write_bytes(data + bytes(zeros))
    *sound, tail = scan(path)
    assert sound == records
    assert (tail.offset, tail.length, tail.damage) == (len(data), zeros, "no record begins here")


@pytest.mark.parametrize(
    "content", [b"", b"x", b"WARC/1.1\r\n", gzip.compress(b"WARC/1.1\r\n\r\n", mtime=0), noise(200_000)]
)
def test_what_is_no_warc_has_no_sound_record(tmp_path: Path, content: bytes) -> None:
    """Other files give damaged ranges only, an empty one nothing."""
    path = tmp_path / "x.warc.gz"
    path.write_bytes(content)
    assert not any(record.ok for record in scan(path))
    assert sum(record.length for record in scan(path)) == len(content)


def response_record(body: bytes = b"ok", **changes: str) -> bytes:
    """Return the member of a response record with the given header fields changed."""
    block = b"HTTP/1.1 200 OK\r\n\r\n" + body
    fields = {
        "WARC-Type": "response",
        "WARC-Record-ID": "<urn:x>",
        "Content-Type": "application/http;msgtype=response",
        "WARC-Block-Digest": sha1(block),
        "WARC-Payload-Digest": sha1(body),
        "Content-Length": str(len(block)),
    } | {name.replace("_", "-"): value for name, value in changes.items()}
    head = "WARC/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items()) + "\r\n"
    return member(head.encode(), block + b"\r\n\r\n", stored=False)


@pytest.mark.parametrize(
    ("changes", "damage"),
    [
        ({}, None),
        ({"WARC_Payload_Digest": f"sha1:{'0' * 40}"}, "payload digest does not agree"),
        ({"WARC_Block_Digest": sha1(b"other")}, "block digest does not agree"),
        ({"WARC_Block_Digest": "sha1:7"}, "block digest is unreadable"),
        ({"WARC_Block_Digest": "crc32:00000000"}, None),
        ({"Content_Length": "20"}, "there is more than the record says"),
        ({"Content_Length": "99"}, "the record is not as long as it says"),
        ({"Content_Length": "-1"}, "a record length of '-1'"),
        ({"Content_Length": "９"}, "a record length of '９'"),
        ({"Content_Length": "9" * 5000}, "a record length of '99999999999999999999'"),
        ({"X": "y" * 70_000}, "the record header has no end"),
        ({"WARC_Payload_Digest": "sha256:" + "2689367b205c16ce32ed4200942b8b8b1e262dfc70d9bc9fbc77c49699a4f1df"}, None),
    ],
)
def test_records_must_be_what_they_say(tmp_path: Path, changes: dict[str, str], damage: str | None) -> None:
    """Lengths, digests and headers are compared with the bytes; the reason says which of them lies."""
    path = tmp_path / "x.warc.gz"
    path.write_bytes(response_record(**changes))
    (record,) = scan(path)
    assert record.damage == damage


def test_a_page_cannot_slip_records_in(tmp_path: Path) -> None:
    """Records in a WARC file that was itself fetched stay invisible, even when the record around them is torn."""
    other = tmp_path / "other"
    (forged, *_) = write(other, [capture(n) for n in range(3)])
    bait = (other / forged.warc).read_bytes()
    (first, second) = write(
        tmp_path, [capture(1), capture(2, bait, response_headers=(("Content-Type", "application/gzip"),))]
    )
    data = (tmp_path / first.warc).read_bytes()
    assert bait in data
    path = tmp_path / "torn.warc.gz"
    path.write_bytes(data[: second.offset + second.length - 5])
    *sound, torn = scan(path)
    assert [record.type for record in sound] == ["warcinfo", "response", "request"]
    assert (torn.offset, torn.damage) == (second.offset, "the gzip member is cut short")


def test_a_bomb_is_given_up_at_its_declared_length(tmp_path: Path) -> None:
    """A forged member that inflates without end is left where its record should end, in flat memory."""
    block = bytes(64 << 20)
    head = b"WARC/1.1\r\nWARC-Type: resource\r\nContent-Length: 5\r\n\r\n"
    path = tmp_path / "bomb.warc.gz"
    path.write_bytes(member(head, block, stored=False))
    del block
    tracemalloc.start()
    try:
        (record,) = scan(path)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()
    assert record.damage == "there is more than the record says"


def test_a_large_record_is_scanned_in_flat_memory(tmp_path: Path) -> None:
    """A body of 8 MiB is verified in pieces."""
    (pointer,) = write(tmp_path, [capture(1, noise(1 << 20) * 8)])
    tracemalloc.start()
    try:
        assert all(record.ok for record in scan(tmp_path / pointer.warc))
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_a_missing_file_is_a_disk_error(tmp_path: Path) -> None:
    """A file that cannot be opened raises DiskError with its name."""
    with pytest.raises(DiskError, match=r"gone\.warc\.gz"):
        list(scan(tmp_path / "gone.warc.gz"))
