"""Revisit records: a repeated response is stored as headers and a reference, which readers resolve."""

from __future__ import annotations

import gzip
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from fastwarc.warc import ArchiveIterator as FastWarcIterator
from fastwarc.warc import WarcRecordType
from warcio.archiveiterator import ArchiveIterator as WarcioIterator

from storage.errors import DamageError
from storage.records import Original
from storage.warc import OriginalStore, WarcWriter, read_record, recover
from storage.warc.scan import scan
from tests.storage.warc_samples import INFO, capture, headers

if TYPE_CHECKING:
    from pathlib import Path

    from storage.records import Capture, Pointer

BODY = gzip.compress(b"<p>the same as before</p>", mtime=0)
FIRST = capture(1, BODY, **headers(("Content-Encoding", "gzip"), ("ETag", '"1"'), ("Content-Length", str(len(BODY)))))
LATER = {"fetched_at": FIRST.fetched_at + timedelta(days=1)}
AGAIN = replace(FIRST, **LATER)  # type: ignore[arg-type]
NOT_MODIFIED = replace(AGAIN, status=304, body=b"", response_headers=(("ETag", '"1"'), ("Content-Length", "99")))


def original_of(first: Capture, pointer: Pointer) -> Original:
    return Original(1, first.url, first.fetched_at, pointer.record_id, pointer.payload_digest, '"1"')


def archived(folder: Path, *, close: bool = True) -> tuple[Pointer, Pointer, Pointer]:
    """Write a response and its two kinds of revisit; return where they are."""
    writer = WarcWriter(folder, "test", INFO)
    (first,) = writer.append([FIRST])
    original = original_of(FIRST, first)
    same, not_modified = writer.append([AGAIN, NOT_MODIFIED], [original, original])
    if close:
        writer.close()
    else:
        writer.abandon()
    return first, same, not_modified


def records(folder: Path) -> list[dict[str, str]]:
    (path,) = folder.glob("*.warc.gz")
    with path.open("rb") as file:
        return [
            dict(record.rec_headers.headers) | {"head": str(record.http_headers)}
            for record in WarcioIterator(file, check_digests="raise")
            if record.rec_type == "revisit"
        ]


def test_a_revisit_says_what_it_refers_to_in_the_words_of_the_standard(tmp_path: Path) -> None:
    """Profile, record, address and date of WARC 1.1, section 6.7, read by warcio with its digests checked."""
    first, *_ = archived(tmp_path)
    same, not_modified = records(tmp_path)
    for record, profile in ((same, "identical-payload-digest"), (not_modified, "server-not-modified")):
        assert record["WARC-Profile"] == f"http://netpreserve.org/warc/1.1/revisit/{profile}"
        assert record["WARC-Refers-To"] == f"<{first.record_id}>"
        assert record["WARC-Refers-To-Target-URI"] == record["WARC-Target-URI"] == FIRST.url
        assert record["WARC-Refers-To-Date"] == "2026-11-20T03:04:05.678901Z"
        assert record["WARC-Date"] == "2026-11-21T03:04:05.678901Z"
        assert record["WARC-Payload-Digest"] == first.payload_digest
    assert "HTTP/1.1 200" in same["head"]
    assert "HTTP/1.1 304" in not_modified["head"]
    assert same["WARC-Truncated"] == "length"


def test_fastwarc_reads_revisits(tmp_path: Path) -> None:
    """Every record of the file, revisits with their block digests."""
    archived(tmp_path)
    (path,) = tmp_path.glob("*.warc.gz")
    with path.open("rb") as file:
        found = [
            (record.record_type, record.verify_block_digest())
            for record in FastWarcIterator(file, parse_http=False, record_types=WarcRecordType.any_type)
        ]
    assert [kind for kind, _ in found].count(WarcRecordType.revisit) == 2
    assert all(sound for _, sound in found)


def test_a_revisit_is_read_back_as_what_was_there_then(tmp_path: Path) -> None:
    """The payload comes from the original, and status and headers too where the server sent none of its own."""
    first, same, not_modified = archived(tmp_path)
    assert read_record(OriginalStore(tmp_path), same, first) == AGAIN
    assert read_record(OriginalStore(tmp_path), not_modified, first) == AGAIN


def test_a_revisit_is_small(tmp_path: Path) -> None:
    """It holds no payload, however large that is."""
    writer = WarcWriter(tmp_path, "test", INFO)
    large = replace(FIRST, body=bytes(range(256)) * 4000, response_headers=())
    (first,) = writer.append([large])
    (again,) = writer.append([replace(large, **LATER)], [original_of(large, first)])
    writer.close()
    assert again.length < 2000
    assert read_record(OriginalStore(tmp_path), again, first).body == large.body


def test_a_revisit_without_its_original_is_refused_and_so_is_one_of_another(tmp_path: Path) -> None:
    """Nothing is made up: without the very record it refers to, a revisit cannot be read."""
    first, same, not_modified = archived(tmp_path)
    with pytest.raises(DamageError, match="revisit of record"):
        read_record(OriginalStore(tmp_path), same)
    with pytest.raises(DamageError, match="revisit of record"):
        read_record(OriginalStore(tmp_path), not_modified, same)
    with pytest.raises(DamageError):
        read_record(OriginalStore(tmp_path), not_modified, replace(first, payload_digest="sha1:0"))


def test_scan_and_recovery_know_revisits(tmp_path: Path) -> None:
    """A revisit is an answer that a row points to: sound, with its status, and an orphan when it has no row."""
    first, same, not_modified = archived(tmp_path, close=False)
    (found,) = recover(tmp_path, lambda _: [first.offset, same.offset])
    assert [record.pointer(found.name) for record in found.orphans] == [not_modified]
    assert found.missing == ()
    answers = [record for record in scan(tmp_path / found.name) if record.is_answer]
    assert [(record.type, record.status, record.ok) for record in answers] == [
        ("response", 200, True),
        ("revisit", 200, True),
        ("revisit", 304, True),
    ]
    assert {record.refers_to for record in answers[1:]} == {first.record_id}
