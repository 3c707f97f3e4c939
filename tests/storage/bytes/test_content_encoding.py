"""Content codings: decoded whole or not at all, never to more than the limit."""

from __future__ import annotations

import gzip
import random
import resource
import tracemalloc
import zlib

import brotli
import pytest
from backports import zstd
from hypothesis import given, settings
from hypothesis import strategies as st

from storage.bytes.content_encoding import MAX_LAYERS, MAX_MEMBERS, InflateError, inflate, inflated_prefix

PAGE = (
    "<!doctype html><title>Bản tin</title>" + "".join(f"<p>Đoạn {i}: خبر رقم {i * 7919}</p>" for i in range(400))
).encode()


def raw_deflate(data: bytes) -> bytes:
    return zlib.compress(data)[2:-4]


PACK = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstd.compress,
}


def reason_of(body: bytes, coding: str, **options: int) -> str:
    with pytest.raises(InflateError) as caught:
        inflate(body, coding, **options)
    return caught.value.reason


@pytest.mark.parametrize("coding", PACK)
@settings(max_examples=25, deadline=None)
@given(data=st.binary(max_size=5000))
def test_what_was_packed_comes_back(coding: str, data: bytes) -> None:
    """Every coding gives back the bytes that were packed."""
    assert inflate(PACK[coding](data), coding) == data


@pytest.mark.parametrize("coding", PACK)
@pytest.mark.parametrize("size", [2**18 - 1, 2**18, 2**18 + 1, 600_000, 5 * 2**20])
def test_a_page_that_a_few_bytes_hold_comes_back_whole(coding: str, size: int) -> None:
    """All of its input is taken long before all of it is unpacked."""
    assert inflate(PACK[coding](bytes(size)), coding) == bytes(size)


def test_deflate_without_its_zlib_header_comes_back() -> None:
    """Bare DEFLATE, which many servers send as deflate, unpacks too."""
    assert inflate(raw_deflate(PAGE), "deflate") == PAGE


@pytest.mark.parametrize("header", [None, "", "identity", " , identity"])
def test_no_coding_leaves_the_body_alone(header: str | None) -> None:
    """An absent, empty or identity header changes nothing."""
    assert inflate(PAGE, header) == PAGE


@pytest.mark.parametrize(
    ("body", "header"),
    [
        (brotli.compress(gzip.compress(PAGE, mtime=0)), "gzip, br"),
        (zstd.compress(zlib.compress(brotli.compress(PAGE))), "br,deflate , ZSTD"),
        (gzip.compress(gzip.compress(PAGE, mtime=0), mtime=0), "gzip, identity, gzip"),
    ],
)
def test_layers_come_off_in_reverse_order(body: bytes, header: str) -> None:
    """A comma list names the codings in the order they were applied."""
    assert inflate(body, header) == PAGE


@pytest.mark.parametrize(
    ("body", "header"),
    [
        (gzip.compress(PAGE), "gzip;q=1.0"),
        (gzip.compress(PAGE), "gzip; , identity"),
        (gzip.compress(PAGE), '"gzip"'),
        (gzip.compress(PAGE), "deflate"),
        (gzip.compress(PAGE), "gzip, UTF-8"),
        (gzip.compress(PAGE), "gzip,aws-chunked"),
        (zstd.compress(PAGE), "zstd, binary"),
        (zstd.compress(gzip.compress(PAGE)), "gzip, zst"),
    ],
)
def test_names_that_are_no_codings_are_read_by_the_bytes(body: bytes, header: str) -> None:
    """Parameters, quotes, charsets, what a store of files is told, and gzip under deflate's name."""
    assert inflate(body, header) == PAGE


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
def test_members_are_joined_and_padding_behind_them_is_ignored(coding: str) -> None:
    """Several members make one body; zeros or garbage after the last are no part of it."""
    packed = PACK[coding](PAGE[:1000]) + PACK[coding](PAGE[1000:])
    assert inflate(packed, coding) == PAGE
    assert inflate(packed + bytes(512), coding) == PAGE
    assert inflate(packed + b"trailing garbage", coding) == PAGE


@pytest.mark.parametrize("coding", PACK)
def test_a_stream_cut_anywhere_is_an_error(coding: str) -> None:
    """No prefix of a packed page passes as a page."""
    packed = PACK[coding](PAGE)
    for end in [*range(1, 40), *range(40, len(packed), 97), *range(len(packed) - 12, len(packed))]:
        assert reason_of(packed[:end], coding) in {"truncated", "corrupt"}


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_a_flipped_bit_is_an_error(coding: str) -> None:
    """Codings with a checksum refuse every damaged stream."""
    packed = PACK[coding](PAGE)
    for at in range(12, len(packed), 131):
        damaged = bytearray(packed)
        damaged[at] ^= 0x10
        assert reason_of(bytes(damaged), coding) in {"corrupt", "truncated"}


def test_a_second_member_that_is_cut_is_an_error() -> None:
    """Half of a second member is not padding."""
    assert reason_of(gzip.compress(PAGE, mtime=0) + gzip.compress(PAGE, mtime=0)[:-9], "gzip") == "truncated"


@pytest.mark.parametrize("coding", PACK)
@pytest.mark.parametrize("behind", [b"\n", bytes(10), b"<!-- cached -->", bytes(range(256)) * 500])
@pytest.mark.parametrize("page", [b"<p>short", PAGE, bytes(random.Random(1).randbytes(40_000)), bytes(600_000)])
def test_bytes_behind_the_end_are_passed_over(coding: str, behind: bytes, page: bytes) -> None:
    """As browsers do, wherever in a step of the input the end lies."""
    assert inflate(PACK[coding](page) + behind, coding) == page


def test_what_follows_a_brotli_stream_unlocks_no_bomb() -> None:
    """A second reading has the same limit."""
    packed = bomb("br", 64 * 2**20)
    assert len(packed) < 16_000
    assert reason_of(packed + b"x", "br", limit=2**20) == "too_large"


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd", "utf-8", "none"])
@pytest.mark.parametrize("page", [PAGE, b"\xef\xbb\xbf \r\n<html>", b"<p>short"])
def test_a_plain_page_under_a_false_label_passes(coding: str, page: bytes) -> None:
    """A server that labels but does not pack is believed by the bytes."""
    assert inflate(page, coding) == page


@pytest.mark.parametrize("coding", PACK)
def test_an_empty_body_stays_empty(coding: str) -> None:
    """Answers without a body often keep the header."""
    assert inflate(b"", coding) == b""


def test_an_unknown_coding_is_named() -> None:
    """Bytes in an unknown encoding are refused by its name."""
    with pytest.raises(InflateError, match="unknown_coding: compress"):
        inflate(b"\x1f\x9d\x90\x00\x01", "compress")


def test_too_many_layers_are_refused() -> None:
    """More layers than any honest server applies are not unpacked."""
    assert reason_of(PAGE, ", ".join(["gzip"] * (MAX_LAYERS + 1))) == "too_large"


def test_too_many_members_are_refused() -> None:
    """A body made of empty members costs time and unpacks to nothing, so it ends early."""
    assert reason_of(zstd.compress(b"") * (MAX_MEMBERS + 2), "zstd") == "too_large"


def bomb(coding: str, size: int) -> bytes:
    """Pack ``size`` zeros without holding them."""
    step = bytes(2**20)
    if coding == "br":
        stream = brotli.Compressor(quality=1)
        return b"".join([stream.process(step) for _ in range(size // 2**20)]) + stream.finish()
    if coding == "zstd":
        packer = zstd.ZstdCompressor()
        return b"".join([packer.compress(step) for _ in range(size // 2**20)]) + packer.flush()
    deflater = zlib.compressobj(1, zlib.DEFLATED, 31 if coding == "gzip" else 15)
    return b"".join([deflater.compress(step) for _ in range(size // 2**20)]) + deflater.flush()


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_a_bomb_is_refused_near_its_limit(coding: str) -> None:
    """512 MiB of zeros are refused at 4 MiB, and the process does not grow by more than a few of them."""
    packed = bomb(coding, 512 * 2**20)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert reason_of(packed, coding, limit=4 * 2**20) == "too_large"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024


def test_a_nested_bomb_is_refused() -> None:
    """The limit holds for every layer, not only for the last."""
    assert reason_of(gzip.compress(bomb("gzip", 64 * 2**20)), "gzip, gzip", limit=2**20) == "too_large"


def test_the_limit_itself_is_allowed() -> None:
    """A page of exactly the limit passes, one byte more does not."""
    assert inflate(gzip.compress(PAGE, mtime=0), "gzip", limit=len(PAGE)) == PAGE
    assert reason_of(gzip.compress(PAGE, mtime=0), "gzip", limit=len(PAGE) - 1) == "too_large"
    assert reason_of(PAGE, "identity", limit=len(PAGE) - 1) == "too_large"


@settings(max_examples=200, deadline=None)
@given(data=st.binary(max_size=300), coding=st.sampled_from([*PACK, "gzip, br", "zstd,deflate"]))
def test_hostile_bytes_end_in_an_answer(data: bytes, coding: str) -> None:
    """Any bytes under any label either unpack or raise the one error."""
    try:
        outcome = type(inflate(data, coding)).__name__
    except InflateError as error:
        outcome = error.reason
    assert outcome in {"bytes", "too_large", "truncated", "corrupt", "unknown_coding"}


PLAIN_OR_CODED = [
    (gzip.compress(PAGE), "gzip"),
    (gzip.compress(PAGE), "X-GZIP"),
    (gzip.compress(PAGE), "deflate"),
    (gzip.compress(PAGE), "unknown-coding"),
    (gzip.compress(PAGE) + b"padding", "gzip;q=1"),
    (zlib.compress(PAGE), "deflate"),
    (raw_deflate(PAGE), '"deflate"'),
    (brotli.compress(PAGE), "br"),
    (brotli.compress(PAGE) + b"padding", "br"),
    (zstd.compress(PAGE), "zstd"),
    (zstd.compress(gzip.compress(PAGE)), "GZIP, zstd"),
    (PAGE, "identity"),
    (PAGE, "gzip"),
    (PAGE, "br"),
    (PAGE, "unknown-coding"),
    (PAGE, None),
]


@pytest.mark.parametrize(("body", "coding"), PLAIN_OR_CODED)
def test_a_prefix_is_the_beginning_of_the_whole_body(body: bytes, coding: str | None) -> None:
    """The sniffer of an archive and the reader of a page see the same bytes (RFC 9110 section 8.4)."""
    assert inflated_prefix(body, coding, 1000) == inflate(body, coding)[:1000] == PAGE[:1000]


@pytest.mark.parametrize(
    ("body", "coding"),
    [
        (gzip.compress(PAGE)[:400], "gzip"),
        (zlib.compress(PAGE)[:400], "deflate"),
        (raw_deflate(PAGE)[:400], "deflate"),
        (zstd.compress(gzip.compress(PAGE))[:400], "zstd, gzip"),
    ],
)
def test_a_truncated_body_has_a_prefix(body: bytes, coding: str) -> None:
    """The bytes before the cut are there, though the whole body is an error."""
    prefix = inflated_prefix(body, coding, 1000)
    assert PAGE.startswith(prefix)
    assert reason_of(body, coding) in ("truncated", "unknown_coding")


@pytest.mark.parametrize("coding", ["deflate", "br", "zstd", "compress", ",".join(["gzip"] * (MAX_LAYERS + 1))])
def test_bytes_that_cannot_be_decoded_have_no_prefix(coding: str) -> None:
    """They would say nothing about the content."""
    assert inflated_prefix(b"\xff\x00 not packed", coding, 1000) == b""


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_a_prefix_of_a_bomb_costs_no_more_than_that_of_a_page(coding: str) -> None:
    """Of 16 MiB of zeros only the prefix is decoded, in layers too."""
    bomb = PACK[coding](bytes(16 << 20))
    tracemalloc.start()
    try:
        assert len(inflated_prefix(bomb, ",".join([coding] * 40), 2048)) <= 2048
        assert len(inflated_prefix(bomb, coding, 2048)) == 2048
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()
