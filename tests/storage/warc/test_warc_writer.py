"""WARC writer: files that other programs read, durable, without name clashes, whole after any disk error."""

from __future__ import annotations

import fcntl
import gzip
import subprocess
import sys
import tracemalloc
from itertools import pairwise
from pathlib import Path

import pytest
from fastwarc.warc import ArchiveIterator as FastWarcIterator
from warcio.archiveiterator import ArchiveIterator as WarcioIterator

from storage.warc import OriginalStore, WarcInfo, WarcWriter, read_record
from storage.warc.scan import scan
from tests.corpus_spider.running import often
from tests.storage.warc_samples import AWKWARD, INFO, capture, noise, write

BIN = Path(sys.executable).parent


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a capture of every awkward sort."""
    folder = tmp_path_factory.mktemp("warc")
    (pointer, *_) = write(folder, list(AWKWARD.values()))
    return folder / pointer.warc


def test_fastwarc_reads_every_record_and_agrees_with_every_digest(archive: Path) -> None:
    """FastWARC finds each response with its body, and both digests of it agree."""
    with archive.open("rb") as file:
        assert all(record.verify_block_digest() for record in FastWarcIterator(file, parse_http=False))
    bodies = []
    with archive.open("rb") as file:
        for record in FastWarcIterator(file, parse_http=True):
            if record.headers["WARC-Type"] == "response":
                assert record.verify_payload_digest()
                bodies.append(record.reader.read())
    assert bodies == [sample.body for sample in AWKWARD.values()]


def test_warcio_reads_every_record_and_agrees_with_every_digest(archive: Path) -> None:
    """Warcio with digest checks on gives back the same bodies, undechunked, and the same statuses."""
    with archive.open("rb") as file:
        records = [
            (int(record.http_headers.get_statuscode()), record.content_stream().read())
            for record in WarcioIterator(file, check_digests="raise", no_record_parse=False)
            if record.rec_type == "response" and not record.http_headers.get_header("Content-Encoding")
        ]
    plain = [sample for sample in AWKWARD.values() if not sample.header("Content-Encoding")]
    assert records == [(sample.status, sample.body) for sample in plain]


@pytest.mark.parametrize("command", [[str(BIN / "warcio"), "check"], ["gzip", "-t"], [str(BIN / "fastwarc"), "check"]])
def test_command_line_checkers_are_content(archive: Path, command: list[str]) -> None:
    """`warcio check`, `gzip -t` and `fastwarc check` end with 0."""
    done = subprocess.run([*command, str(archive)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_first_record_says_who_and_how(archive: Path) -> None:
    """The warcinfo record names software, operator, user agent, robots policy, file and what is reconstructed."""
    with archive.open("rb") as file:
        record = next(iter(WarcioIterator(file)))
        text = record.content_stream().read().decode()
    assert record.rec_headers.get_header("WARC-Filename") == archive.name
    for line in (
        "software: corpus-spider/0.1",
        "operator: Example Institute <mailto:corpus@example.org>",
        "http-header-user-agent: corpus-spider",
        "robots: classic",
        "format: WARC File Format 1.1",
        "isPartOf: run1",
    ):
        assert f"{line}\r\n" in text
    assert "reconstructed" in text


def test_record_headers_hold_what_is_known(tmp_path: Path) -> None:
    """A response names address, protocol, date to the microsecond, payload type; its request points back to it."""
    (pointer,) = write(tmp_path, [AWKWARD["cut"]])
    with (tmp_path / pointer.warc).open("rb") as file:
        _, response, request = [dict(record.rec_headers.headers) for record in WarcioIterator(file)]
    assert response["WARC-Date"] == "2026-11-20T03:04:05.678901Z"
    assert response["WARC-IP-Address"] == "192.0.2.7"
    assert response["WARC-Protocol"] == "http/1.1"
    assert response["WARC-Truncated"] == "length"
    assert response["WARC-Record-ID"] == f"<{pointer.record_id}>" == request["WARC-Concurrent-To"]
    assert response["WARC-Payload-Digest"] == pointer.payload_digest
    assert response["WARC-Identified-Payload-Type"] == "application/octet-stream"


def test_a_pointer_leads_to_the_very_member(tmp_path: Path) -> None:
    """Offset and length cut out exactly the response's gzip member."""
    pointers = write(tmp_path, [capture(1), capture(2)], [capture(3)])
    for number, pointer in enumerate(pointers, 1):
        data = (tmp_path / pointer.warc).read_bytes()[pointer.offset : pointer.offset + pointer.length]
        assert f"WARC-Target-URI: https://example.org/page/{number}\r\n".encode() in gzip.decompress(data)


def test_a_new_file_begins_at_the_size_limit_and_no_pair_is_split(tmp_path: Path) -> None:
    """Each file ends within one pair of the limit, and holds as many requests as responses."""
    groups = [[capture(n, noise(300, n)) for n in range(start, start + 7)] for start in range(0, 70, 7)]
    pointers = write(tmp_path, *groups, roll_bytes=8000)
    files = sorted(tmp_path.iterdir())
    assert sorted({pointer.warc for pointer in pointers}) == [path.name for path in files]
    assert len(files) > 3
    for path in files:
        types = [record.type for record in scan(path)]
        assert types == ["warcinfo", *["response", "request"] * (len(types) // 2)]
        assert path.stat().st_size < 8000 + 2000
    assert [read_record(OriginalStore(tmp_path), pointer).url for pointer in pointers] == [
        c.url for group in groups for c in group
    ]


def test_thousands_of_small_records_roll_over_and_none_is_overwritten(tmp_path: Path) -> None:
    """Each pointer leads to its own page, through all the files."""
    count = often(1000, 20_000)
    pages = [capture(n, b"%d" % n) for n in range(count)]
    limit = 1 << 20 if count > 1000 else 1 << 18
    pointers = write(tmp_path, *(pages[at : at + 100] for at in range(0, count, 100)), roll_bytes=limit)
    assert len({(pointer.warc, pointer.offset) for pointer in pointers}) == count
    assert [read_record(OriginalStore(tmp_path), pointer).body for pointer in pointers] == [page.body for page in pages]
    sizes = [path.stat().st_size for path in sorted(tmp_path.iterdir())]
    assert len(sizes) > 3
    assert all(limit <= size < limit + 4096 for size in sizes[:-1])


def test_a_file_filled_by_a_group_stays_open_until_the_next(tmp_path: Path) -> None:
    """Records of a group that is not committed yet are never in a file that recovery would not look at."""
    writer = WarcWriter(tmp_path, "test", INFO, roll_bytes=1)
    pointers = writer.append([capture(1), capture(2)])
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(f"{pointer.warc}.open" for pointer in pointers)
    writer.append([capture(3)])
    assert (tmp_path / pointers[0].warc).exists()
    writer.close()
    assert not list(tmp_path.glob("*.open"))


def test_names_never_clash(tmp_path: Path) -> None:
    """Writers of one run, in the same second, in the same folder, each get files of their own; old ones stay."""
    writers = [WarcWriter(tmp_path, "test", INFO, roll_bytes=1) for _ in range(5)]
    pointers = [pointer for n in range(4) for writer in writers for pointer in writer.append([capture(n)])]
    for writer in writers:
        writer.close()
    assert len({pointer.warc for pointer in pointers}) == 20 == len(list(tmp_path.iterdir()))
    assert all(read_record(OriginalStore(tmp_path), pointer) for pointer in pointers)


def test_names_stay_inside_the_folder(tmp_path: Path) -> None:
    """No prefix and no run can lead elsewhere."""
    writer = WarcWriter(tmp_path / "warc", "../../etc/x y", WarcInfo("s", run="../r"))
    writer.append([capture()])
    assert (tmp_path / "warc" / f"{writer.current}.open").is_file()
    writer.close()


def test_the_open_file_is_private_and_locked(tmp_path: Path) -> None:
    """While it is written the file ends in ``.open``, is 0600 and cannot be locked by another."""
    writer = WarcWriter(tmp_path, "test", INFO)
    assert writer.current is None
    writer.append([capture()])
    path = tmp_path / f"{writer.current}.open"
    assert path.stat().st_mode & 0o777 == 0o600
    with path.open("rb") as file, pytest.raises(BlockingIOError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    writer.close()
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name.removesuffix(".open")]


def test_nothing_written_means_no_file(tmp_path: Path) -> None:
    """A writer that got no capture leaves nothing behind, and closing twice does no harm."""
    writer = WarcWriter(tmp_path / "warc", "test", INFO)
    assert writer.append([]) == []
    writer.close()
    writer.close()
    assert not (tmp_path / "warc").exists()


def test_secrets_are_not_stored(tmp_path: Path) -> None:
    """User-info of URLs, credentials and cookies of the request are nowhere in the file."""
    sample = capture(
        url="https://alice:hunter2@example.org/",
        request_headers=(
            ("Authorization", "Basic hunter2"),
            ("COOKIE", "s=hunter2"),
            ("Referer", "http://a:hunter2@x/"),
        ),
        response_headers=(
            ("Location", "//a:hunter2@example.org/x"),
            ("Refresh", "0; url=http://a:hunter2@example.org/"),
        ),
    )
    (pointer,) = write(tmp_path, [sample])
    assert b"hunter2" not in gzip.decompress((tmp_path / pointer.warc).read_bytes())
    assert read_record(OriginalStore(tmp_path), pointer).header("Location") == "//example.org/x"


def test_writing_does_not_hold_a_group_twice(tmp_path: Path) -> None:
    """Records go out one by one: a group of 40 bodies of 1 MiB needs far less than their sum on top."""
    body = noise(1 << 20)
    group = [capture(n, body, response_headers=(("Content-Type", "image/png"),)) for n in range(40)]
    tracemalloc.start()
    try:
        write(tmp_path, group)
        assert tracemalloc.get_traced_memory()[1] < 12 << 20
    finally:
        tracemalloc.stop()


def test_records_of_several_groups_follow_without_a_gap(tmp_path: Path) -> None:
    """The ranges of a scan touch each other and cover the file."""
    (pointer, *_) = write(tmp_path, [capture(1)], [capture(2), capture(3)])
    records = list(scan(tmp_path / pointer.warc))
    assert records[0].offset == 0
    assert all(first.end == second.offset for first, second in pairwise(records))
    assert records[-1].end == (tmp_path / pointer.warc).stat().st_size
