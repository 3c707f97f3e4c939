"""Archives of other programs are read whole, verified record by record, and read on after damage."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import os
import tracemalloc
import zlib
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from storage.warc import ArchiveForm, FileSource, ForeignRecord, ForeignRecords, Loss
from storage.warc.gzip_member import Inflater
from storage.warc.headers import sha1
from storage.warc.verify import StatedDigest
from tests.storage.warc_samples import noise

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

URL = "https://news.example.org/{}"
OTHER = "https://other.example.org/forged"


def page(number: int) -> bytes:
    """Return a body that is half text, half noise."""
    return b"<p>%d %s" % (number, b"Words of the page. " * 20) + noise(100 + number, number).hex().encode()


def record(url: str, body: bytes, *, digest: bool = True, kind: str = "response", length: int | None = None) -> bytes:
    """Return a response as another program writes it."""
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
    digests = f"WARC-Block-Digest: {sha1(block)}\r\nWARC-Payload-Digest: {sha1(body)}\r\n" if digest else ""
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-11-20T03:00:00Z\r\n{digests}"
        f"Content-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(block) if length is None else length}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def pages(*numbers: int, digest: bool = True) -> list[bytes]:
    return [record(URL.format(number), page(number), digest=digest) for number in numbers]


def packed(parts: list[bytes]) -> list[bytes]:
    return [gzip.compress(part, mtime=0) for part in parts]


def read(path: Path, data: bytes, keep: int = 10**6) -> list[ForeignRecord | Loss]:
    path.write_bytes(data)
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return list(
            ForeignRecords(FileSource(descriptor), lambda _: keep, ArchiveForm(packed=path.name.endswith(".gz")))
        )
    finally:
        os.close(descriptor)


def stored(found: list[ForeignRecord | Loss]) -> dict[str, bytes]:
    records = [each for each in found if isinstance(each, ForeignRecord) and each.fields.get("warc-type") == "response"]
    return {each.fields.get("warc-target-uri", ""): each.block.partition(b"\r\n\r\n")[2] for each in records}


def expected(*numbers: int) -> dict[str, bytes]:
    return {URL.format(number): page(number) for number in numbers}


def with_warcio(*numbers: int, gzipped: bool) -> bytes:
    file = io.BytesIO()
    writer = WARCWriter(file, gzip=gzipped)
    writer.write_record(writer.create_warcinfo_record("x", {"software": "x"}))
    for number in numbers:
        http = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
        writer.write_record(
            writer.create_warc_record(URL.format(number), "response", io.BytesIO(page(number)), http_headers=http)
        )
    return file.getvalue()


def split_anywhere(data: bytes) -> bytes:
    return b"".join(gzip.compress(data[at : at + 777], mtime=0) for at in range(0, len(data), 777))


def arc(*numbers: int) -> bytes:
    first = b"1 0 Tool\nURL IP-address Archive-date Content-type Archive-length\n"
    parts = [b"filedesc://x.arc 0.0.0.0 20260101000000 text/plain %d\n%s" % (len(first), first)]
    for number in numbers:
        block = b"HTTP/1.1 200 OK\r\n\r\n" + page(number)
        line = f"{URL.format(number)} 192.0.2.1 20260101000000 text/html {len(block)}\n"
        parts.append(line.encode() + block + b"\n")
    return b"".join(parts)


WHOLE = {
    "plain": b"".join(pages(1, 2, 3)),
    "plain without digests": b"".join(pages(1, 2, 3, digest=False)),
    "a member for each record": b"".join(packed(pages(1, 2, 3))),
    "a member for each record, without digests": b"".join(packed(pages(1, 2, 3, digest=False))),
    "one member": gzip.compress(b"".join(pages(1, 2, 3))),
    "one member without digests": gzip.compress(b"".join(pages(1, 2, 3, digest=False))),
    "members that begin anywhere": split_anywhere(b"".join(pages(1, 2, 3, digest=False))),
    "an empty member at the end": b"".join(packed([*pages(1, 2, 3), b""])),
    "no blank lines between records": b"".join(part[:-4] for part in pages(1, 2, 3)),
    "line feeds only": b"".join(
        part.partition(b"\r\n\r\n")[0].replace(b"\r\n", b"\n") + b"\n\n" + part.partition(b"\r\n\r\n")[2][:-4] + b"\n\n"
        for part in pages(1, 2, 3)
    ),
    "version 0.18": b"".join(pages(1, 2, 3)).replace(b"WARC/1.0", b"WARC/0.18"),
    "version 1.1": b"".join(pages(1, 2, 3)).replace(b"WARC/1.0", b"WARC/1.1"),
    "target in brackets": b"".join(pages(1, 2, 3))
    .replace(b"URI: ", b"URI: <")
    .replace(b"\r\nWARC-Date", b">\r\nWARC-Date"),
    "warcio": with_warcio(1, 2, 3, gzipped=False),
    "warcio, packed": with_warcio(1, 2, 3, gzipped=True),
    "arc": arc(1, 2, 3),
    "arc in one member": gzip.compress(arc(1, 2, 3)),
    "packed, then plain": b"".join([*packed(pages(1, 2)), *pages(3)]),
    "plain, then packed": b"".join([*pages(1), *packed(pages(2, 3))]),
    "no final blank lines": b"".join(pages(1, 2, 3, digest=False))[:-4],
    "arc without a final line end": arc(1, 2, 3)[:-1],
    "a request whose length includes the blank lines": b"".join(
        [*pages(1), record("x", b"", digest=False, kind="request", length=48), *pages(2, 3, digest=False)]
    ),
    "a request whose length is too short": b"".join(
        [*pages(1), record("x", b"", digest=False, kind="request", length=40), *pages(2, 3, digest=False)]
    ),
}


@pytest.mark.parametrize("form", WHOLE)
def test_every_form_of_archive_is_read_without_a_loss(tmp_path: Path, form: str) -> None:
    """Packed in any way, of any version, with the habits of its program."""
    found = read(tmp_path / "theirs.warc", WHOLE[form])
    assert stored(found) == expected(1, 2, 3)
    assert not any(isinstance(each, Loss) for each in found)


def flip(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 0x15]) + data[at + 1 :]


def in_second(mark: bytes, shift: int = 0) -> Callable[[list[bytes]], bytes]:
    """Return a damage that flips a byte of the second record, at a mark."""
    return lambda parts: parts[0] + flip(parts[1], parts[1].index(mark) + shift) + parts[2]


PLAIN_DAMAGE: dict[str, tuple[Callable[[list[bytes]], bytes], tuple[int, ...]]] = {
    "version": (in_second(b"WARC/1.0"), (1, 3)),
    "length: the digest says where it ends": (in_second(b"Content-Length: ", 16), (1, 2, 3)),
    "end of the header": (in_second(b"\r\n\r\n", 2), (1, 3)),
    "digest": (in_second(b"sha1:", 9), (1, 3)),
    "block": (in_second(b"Words"), (1, 3)),
    "separator": (lambda parts: parts[0] + parts[1][:-2] + b"xy" + parts[2], (1, 2, 3)),
    "separator missing": (lambda parts: parts[0] + parts[1][:-4] + parts[2], (1, 2, 3)),
    "torn end": (lambda parts: b"".join(parts)[:-200], (1, 2)),
    "garbage between records": (lambda parts: parts[0] + parts[1] + noise(5000) + parts[2], (1, 2, 3)),
    "zeros over a boundary": (lambda parts: parts[0] + parts[1][:-100] + bytes(150) + parts[2][50:], (1,)),
    "zeros at the end": (lambda parts: b"".join(parts) + bytes(4096), (1, 2, 3)),
    "a torn file, then another": (lambda parts: parts[0] + parts[1][:-200] + parts[2], (1, 3)),
    "a piece cut out": (lambda parts: parts[0] + parts[1][:300] + parts[1][400:] + parts[2], (1, 3)),
    "a wrong length without a digest": (
        lambda parts: parts[0] + record(URL.format(2), page(2), digest=False, length=30) + parts[2],
        (1, 3),
    ),
}
PACKED_DAMAGE: dict[str, tuple[Callable[[list[bytes]], bytes], tuple[int, ...]]] = {
    "magic": (lambda parts: parts[0] + flip(parts[1], 0) + parts[2], (1, 3)),
    "flags": (lambda parts: parts[0] + parts[1][:3] + b"\x04" + parts[1][4:] + parts[2], (1, 3)),
    "time, which nothing depends on": (lambda parts: parts[0] + flip(parts[1], 5) + parts[2], (1, 2, 3)),
    "compressed data": (lambda parts: parts[0] + flip(parts[1], len(parts[1]) // 2) + parts[2], (1, 3)),
    "CRC": (lambda parts: parts[0] + flip(parts[1], len(parts[1]) - 7) + parts[2], (1, 3)),
    "length": (lambda parts: parts[0] + flip(parts[1], len(parts[1]) - 2) + parts[2], (1, 3)),
    "torn end": (lambda parts: b"".join(parts)[:-1], (1, 2)),
    "garbage between members": (lambda parts: parts[0] + parts[1] + noise(5000) + parts[2], (1, 2, 3)),
    "another packed file between members": (
        lambda parts: parts[0] + parts[1] + gzip.compress(b"no record") + parts[2],
        (1, 2, 3),
    ),
    "zeros over a boundary": (lambda parts: parts[0] + parts[1][:-50] + bytes(60) + parts[2][10:], (1,)),
    "zeros at the end": (lambda parts: b"".join(parts) + bytes(4096), (1, 2, 3)),
    "a torn file, then another": (lambda parts: parts[0] + parts[1][:-20] + parts[2], (1, 3)),
    "the first bytes": (lambda parts: bytes(12) + parts[0][12:] + parts[1] + parts[2], (2, 3)),
}


@pytest.mark.parametrize("damage", PLAIN_DAMAGE)
def test_plain_archives_are_read_on_after_damage(tmp_path: Path, damage: str) -> None:
    """Each row damages the second of three records, or what lies around it."""
    change, numbers = PLAIN_DAMAGE[damage]
    found = read(tmp_path / "theirs.warc", change(pages(1, 2, 3)))
    assert stored(found) == expected(*numbers)
    assert any(isinstance(each, Loss) for each in found) == (len(numbers) < 3 or lossy(damage))


@pytest.mark.parametrize("separator", [b"\r\n", b"\n"])
@pytest.mark.parametrize("kind", ["warcinfo", "response"])
def test_the_first_records_show_the_separator_of_an_archive(tmp_path: Path, kind: str, separator: bytes) -> None:
    """Their own content may end like a separator."""
    first = record(URL.format(0), b"software: x\r\n", kind=kind, digest=False)
    found = read(
        tmp_path / "theirs.warc", b"".join(part[:-4] + separator for part in [first, *pages(1, 2, digest=False)])
    )
    assert stored(found).items() >= expected(1, 2).items()
    assert not any(isinstance(each, Loss) for each in found)


SEPARATORS = {"blank lines": b"\r\n\r\n", "line feeds": b"\n\n", "one line end": b"\r\n", "nothing": b""}


@pytest.mark.parametrize("changed", [1, 2, 3])
@pytest.mark.parametrize("separator", SEPARATORS)
def test_a_record_without_a_digest_must_fit(tmp_path: Path, separator: str, changed: int) -> None:
    """One that has lost or gained a few bytes is lost, however the records are separated.

    The others are read if the separator shows where the next one begins. A search does not find them.
    """
    end = SEPARATORS[separator]
    parts = [part[:-4] + end for part in [record("x", b"1", kind="warcinfo"), *pages(1, 2, 3, digest=False)]]
    whole = stored(read(tmp_path / "theirs.warc", b"".join(parts)))
    whole.pop("x", None)
    assert whole == expected(1, 2, 3)
    others = expected(*({1, 2, 3} - {changed}))
    for gained in range(-5, 6):
        if gained:
            place = parts[changed].index(b"Words")
            new = parts[changed][:place] + b"x" * gained + parts[changed][place - min(gained, 0) :]
            data = b"".join([*parts[:changed], new, *parts[changed + 1 :]])
            found = stored(read(tmp_path / "theirs.warc", data))
            assert found.items() <= others.items(), gained
            assert found == others or not -len(end) <= gained < 0, gained


@pytest.mark.parametrize("digest", [True, False])
@pytest.mark.parametrize("damage", PACKED_DAMAGE)
def test_packed_archives_are_read_on_after_damage(tmp_path: Path, damage: str, digest: bool) -> None:
    """Each row damages the second of three members, or what lies around it."""
    change, numbers = PACKED_DAMAGE[damage]
    found = read(tmp_path / "theirs.warc.gz", change(packed(pages(1, 2, 3, digest=digest))))
    assert stored(found) == expected(*numbers)
    assert any(isinstance(each, Loss) for each in found) == (len(numbers) < 3 or lossy(damage))


def lossy(damage: str) -> bool:
    """Whether bytes are lost that belong to no record."""
    return damage.startswith(("garbage", "zeros", "another", "separator")) and damage != "separator missing"


@pytest.fixture(scope="module", params=["plain", "packed", "packed, without digests", "one member"])
def sound(request: pytest.FixtureRequest) -> tuple[bytes, list[tuple[int, int]]]:
    """Return an archive of five records, and the range of each in it."""
    form: str = request.param
    parts = pages(*range(5), digest="without" not in form)
    if form == "one member":
        return gzip.compress(b"".join(parts)), [(0, 0)] * 5
    parts = packed(parts) if "packed" in form else parts
    ends = [sum(map(len, parts[: at + 1])) for at in range(5)]
    return b"".join(parts), list(pairwise([0, *ends]))


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_any_damaged_range_costs_only_the_records_that_it_touches(
    tmp_path_factory: pytest.TempPathFactory, sound: tuple[bytes, list[tuple[int, int]]], data: st.DataObject
) -> None:
    """After any change of a range, the records outside it are read, and every block is as it was written."""
    whole, ranges = sound
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, min(len(whole), start + 2000)))
    junk = data.draw(st.binary(max_size=100) | st.just(bytes(end - start)) | st.just(b"\x1f\x8b\x08\x00" * 20))
    path = tmp_path_factory.getbasetemp() / "damaged.warc.gz"
    found = stored(read(path, whole[:start] + junk + whole[end:]))
    untouched = {URL.format(n) for n, (first, last) in enumerate(ranges) if last and (last <= start or first >= end)}
    assert untouched <= found.keys()
    assert set(found.values()) <= set(expected(*range(5)).values())


def test_records_before_damage_in_one_member_are_read_where_they_have_digests(tmp_path: Path) -> None:
    """The CRC of the member is lost with its end. Records without a digest have nothing else to vouch for them."""
    for digest, numbers in ((True, (1, 2)), (False, ())):
        whole = gzip.compress(b"".join(pages(1, 2, 3, digest=digest)))
        assert stored(read(tmp_path / "theirs.warc.gz", whole[:-100])) == expected(*numbers)


def test_a_flipped_byte_that_gzip_unpacks_is_never_read(tmp_path: Path) -> None:
    """In a member of a record, and in one of all records, without digests, at every twentieth byte."""
    one, several = packed(pages(1, digest=False))[0], gzip.compress(b"".join(pages(1, 2, digest=False)))
    for whole in (one, several):
        for at in range(10, len(whole), 20):
            assert stored(read(tmp_path / "theirs.warc.gz", flip(whole, at))) in ({}, expected(1), expected(1, 2))
            assert at < 10 or stored(read(tmp_path / "theirs.warc.gz", flip(whole, at))) == {}


def test_a_member_decides_the_length_of_its_record(tmp_path: Path) -> None:
    """A record with a wrong length in a sound member of its own is whole. It is marked as recovered."""
    for length in (1, 10**7):
        wrong = record(URL.format(2), page(2), digest=False, length=length)
        found = read(tmp_path / "theirs.warc.gz", b"".join(packed([*pages(1), wrong, *pages(3)])))
        assert stored(found) == expected(1, 2, 3)
        assert [each.recovered for each in found if isinstance(each, ForeignRecord)] == [False, True, False]


def test_what_a_search_finds_is_marked(tmp_path: Path) -> None:
    """The first record behind the damage is. Those after it begin where it ends."""
    data = packed(pages(1, 2, 3, 4))
    found = read(tmp_path / "theirs.warc.gz", data[0] + data[1][:-30] + data[2] + data[3])
    assert [each.recovered for each in found if isinstance(each, ForeignRecord)] == [False, True, False]
    (loss,) = [each for each in found if isinstance(each, Loss)]
    assert (loss.offset, loss.length) == (len(data[0]), len(data[1]) - 30)
    assert loss.uri == URL.format(2)


def test_a_plain_record_without_a_digest_is_not_found_by_a_search(tmp_path: Path) -> None:
    """Nothing vouches for it. The next one with a digest is read."""
    parts = [*pages(1), *pages(2, 3, digest=False), *pages(4)]
    parts[1] = parts[1].replace(b"Content-Length: ", b"Content-Length: 9")
    found = read(tmp_path / "theirs.warc", b"".join(parts))
    assert stored(found) == expected(1, 4)


FORGED = record(OTHER, b"<p>Forged.")
BAIT = {
    "record": FORGED,
    "text around a record": b"<pre>\r\n\r\n" + FORGED + b"</pre>",
    "text around records": b"<pre>\r\n\r\n" + 3 * FORGED + b"</pre>",
    "record at the end": b"<pre>\r\n\r\n" + FORGED,
    "member": gzip.compress(FORGED, mtime=0),
    "file": gzip.compress(record("x", b"", kind="warcinfo")) + gzip.compress(FORGED) + b" " * 60,
    "member in noise": noise(3000) + gzip.compress(FORGED) + noise(3000),
}
OUTER_DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "none": lambda outer: outer,
    "its first bytes": lambda outer: flip(outer, 1),
    "its middle": lambda outer: flip(outer, len(outer) // 2),
    "its end": lambda outer: flip(outer, len(outer) - 6),
    "its header": lambda outer: flip(outer, 60),
    "a sector": lambda outer: bytes(200) + outer[200:],
    "its beginning is missing": lambda outer: outer[40:],
    "its end is missing": lambda outer: outer[:-40],
    "a byte too many": lambda outer: outer[:-9] + b"x" + outer[-9:],
}


@pytest.mark.parametrize("damage", OUTER_DAMAGE)
@pytest.mark.parametrize("bait", BAIT)
@pytest.mark.parametrize("gzipped", [True, False])
def test_a_page_cannot_slip_records_in(tmp_path: Path, gzipped: bool, bait: str, damage: str) -> None:
    """A page whose body holds records or gzip members, sound or damaged, gives no page of another site."""
    parts = [*pages(1), record(URL.format(2), BAIT[bait]), *pages(3)]
    if gzipped:
        # Level 0 leaves the bait as it is, for a search to come upon.
        parts = [gzip.compress(part, 0, mtime=0) for part in parts]
    found = stored(read(tmp_path / "theirs.warc", parts[0] + OUTER_DAMAGE[damage](parts[1]) + parts[2]))
    assert OTHER not in found
    assert found.keys() >= expected(1, 3).keys()


@pytest.mark.parametrize("digest", [True, False])
def test_a_wrong_length_does_not_open_a_page_to_a_search(tmp_path: Path, digest: bool) -> None:
    """Its own digest, or the Content-Length of the server, says where a plain record ends."""
    body = b"<pre>\r\n\r\n" + FORGED
    outer = record(URL.format(2), body, digest=digest, length=77)
    outer = (
        outer.replace(b"Content-Type: text/html\r\n", b"Content-Length: %d\r\n" % len(body), 1) if not digest else outer
    )
    found = stored(read(tmp_path / "theirs.warc", b"".join([*pages(1), outer, *pages(3, 4, digest=digest)])))
    assert OTHER not in found
    assert found.keys() >= expected(1, 3, 4).keys()


def test_long_records_are_read_in_flat_memory(tmp_path: Path) -> None:
    """With any length: packed, plain, or with a length that has no end."""
    body = noise(1 << 20) * 24
    for data in (
        gzip.compress(record("x", body), 1) + packed(pages(1))[0],
        record("x", body) + pages(1)[0],
        record("x", body, length=10**17) + pages(1)[0],
    ):
        path = tmp_path / "theirs.warc"
        path.write_bytes(data)
        del data
        tracemalloc.start()
        try:
            found = read_file(path)
            assert tracemalloc.get_traced_memory()[1] < 8 << 20
        finally:
            tracemalloc.stop()
        assert found.keys() >= expected(1).keys()


def read_file(path: Path) -> dict[str, bytes]:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return stored(list(ForeignRecords(FileSource(descriptor), lambda _: 10**5, ArchiveForm())))
    finally:
        os.close(descriptor)


@pytest.mark.parametrize("algorithm", ["md5", "sha1", "sha256", "sha512"])
@pytest.mark.parametrize("label", ["{}", "SHA-{}"])
def test_digests_are_read_in_every_encoding(algorithm: str, label: str) -> None:
    """Base 16, 32 and 64, in upper and lower case where it does not matter, with and without padding."""
    digest = hashlib.new(algorithm, b"block").digest()
    name = label.format(algorithm).replace("SHA-sha", "SHA-").replace("SHA-md", "MD")
    padded = [base64.b32encode(digest), base64.b64encode(digest), base64.urlsafe_b64encode(digest)]
    values = [digest.hex().encode(), digest.hex().upper().encode(), padded[0].lower(), *padded]
    for value in [*values, *(each.rstrip(b"=") for each in values)]:
        stated = StatedDigest.readable({"warc-block-digest": f"{name}:{value.decode()}"}, "block")
        assert stated is not None
        assert (stated.agrees_after(b"block"), stated.agrees_after(b"other")) == (True, False)
    assert StatedDigest.readable({"warc-block-digest": f"{name}:{digest.hex()[1:]}"}, "block") is None


def test_the_crc_is_that_of_zlib() -> None:
    """A member of several pieces, with every optional field of its header, unpacks to what went in."""
    body = noise(1 << 18)
    header = b"\x1f\x8b\x08\x1e" + bytes(6) + b"\x02\x00ab" + b"name\x00" + b"comment\x00" + b"\x00\x00"
    raw = zlib.compressobj(6, zlib.DEFLATED, -15)
    trailer = zlib.crc32(body).to_bytes(4, "little") + len(body).to_bytes(4, "little")
    data = header + raw.compress(body) + raw.flush() + trailer
    inflater = Inflater(Bytes(data), 0)
    assert b"".join(iter(inflater.read, b"")) == body
    assert (inflater.end, inflater.damage) == (len(data), "")


class Bytes:
    """A source in memory."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def read_at(self, offset: int, size: int) -> bytes:
        return self._data[offset : offset + size]
