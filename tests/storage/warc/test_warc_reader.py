"""WARC reader: captures equal to what was written, or refused with the place named."""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from storage.errors import DamageError
from storage.records import Capture, Headers, Kind, Pointer
from storage.warc import OriginalStore, WarcWriter, read_record
from tests.storage.warc_samples import AWKWARD, INFO, capture, noise, write


@pytest.mark.parametrize("name", AWKWARD)
def test_what_was_written_is_read(tmp_path: Path, name: str) -> None:
    """Every awkward capture comes back equal in every field, between two plain ones."""
    pointers = write(tmp_path, [capture(100), AWKWARD[name], capture(101)])
    assert read_record(OriginalStore(tmp_path), pointers[1]) == AWKWARD[name]


NAMES = st.text(st.characters(max_codepoint=255, exclude_characters="\r\n\0:"), min_size=1, max_size=20)
VALUES = st.text(st.characters(max_codepoint=255, exclude_characters="\r\n\0"), max_size=60)
TRICKY = st.sampled_from(
    ["Transfer-Encoding", "CONTENT-LENGTH", "x-archive-orig-a", "X-Archive-Orig-", "Content-Encoding"]
)
URL_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="@"), max_size=30)


def headers(names: st.SearchStrategy[str]) -> st.SearchStrategy[Headers]:
    """Headers as an HTTP library gives them: no space around names and values."""
    pair = st.tuples(
        names.map(lambda name: name.strip(" \t")).filter(bool), VALUES.map(lambda value: value.strip(" \t"))
    )
    return st.lists(pair, max_size=8).map(tuple)


PLAIN_NAMES = NAMES.filter(lambda name: name.strip(" \t").lower() not in SPECIAL)
SPECIAL = {
    "authorization",
    "proxy-authorization",
    "cookie",
    "host",
    "location",
    "content-location",
    "refresh",
    "referer",
}
CAPTURES = st.builds(
    Capture,
    url=URL_TEXT.map(lambda text: "https://example.org/" + re.sub(r"[\x00-\x20\x7f]", "", text)),
    fetched_at=st.datetimes(timezones=st.just(UTC)),
    status=st.integers(0, 9999),
    request_headers=headers(PLAIN_NAMES).map(lambda pairs: (("Host", "example.org"), *pairs)),
    response_headers=headers(PLAIN_NAMES | TRICKY),
    body=st.binary(max_size=300),
    kind=st.sampled_from(Kind),
    ip=st.none() | st.ip_addresses().map(str),
    protocol=st.sampled_from([None, "http/1.0", "http/1.1", "h2"]),
    truncated=st.sampled_from([None, "length", "time", "disconnect"]),
)


@settings(max_examples=80, deadline=None)
@given(st.lists(CAPTURES, min_size=1, max_size=3))
def test_any_capture_is_read_as_it_was_written(captures: list[Capture]) -> None:
    """With any bytes in headers and bodies, writing and reading give an equal capture."""
    with tempfile.TemporaryDirectory() as folder:
        pointers = write(Path(folder), captures)
        assert [read_record(OriginalStore(Path(folder)), pointer) for pointer in pointers] == captures


ANYTHING = st.text(max_size=40)


@settings(max_examples=80, deadline=None)
@given(
    ANYTHING, st.lists(st.tuples(ANYTHING, ANYTHING), max_size=5), st.lists(st.tuples(ANYTHING, ANYTHING), max_size=5)
)
def test_no_text_breaks_a_record(url: str, request: list[tuple[str, str]], response: list[tuple[str, str]]) -> None:
    """Newlines, NULs, lone surrogates, anything at all in URL and headers: the body and the next record stay sound."""
    hostile = capture(1, url=url, request_headers=tuple(request), response_headers=tuple(response))
    with tempfile.TemporaryDirectory() as folder:
        pointers = write(Path(folder), [hostile, capture(2)])
        assert read_record(OriginalStore(Path(folder)), pointers[0]).body == hostile.body
        assert read_record(OriginalStore(Path(folder)), pointers[1]) == capture(2)


def test_injected_lines_stay_in_their_header(tmp_path: Path) -> None:
    """A header with line breaks in it becomes one line, and adds no header and no body."""
    sample = capture(1, response_headers=(("X-A\r\nB", "one\r\nSet-Cookie: x=1\r\n\r\n<html>"), ("X-C", "\ntwo\0\r")))
    (pointer,) = write(tmp_path, [sample])
    found = read_record(OriginalStore(tmp_path), pointer)
    assert found.response_headers == (("X-AB", "one Set-Cookie: x=1 <html>"), ("X-C", "two"))
    assert found.body == sample.body


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({"protocol": "HTTP/1.1"}, {"protocol": "http/1.1"}),
        ({"url": "https://u:p@example.org/a b"}, {"url": "https://example.org/a%20b"}),
        ({"fetched_at": datetime(2026, 1, 1, 1, tzinfo=timezone(timedelta(hours=1)))}, {}),
        ({"request_headers": ()}, {"request_headers": (("Host", "example.org"),)}),
        (
            {"request_headers": (("Host", "a"), ("cookie", "b=c"))},
            {"request_headers": (("Host", "a"), ("cookie", "[redacted]"))},
        ),
    ],
)
def test_documented_changes(tmp_path: Path, given: dict, read: dict) -> None:
    """Protocol names are lower case, user-info and credentials go, times are UTC, a Host is added."""
    sample = capture(1, **given)
    (pointer,) = write(tmp_path, [sample])
    assert read_record(OriginalStore(tmp_path), pointer) == replace(sample, **read)


def test_endless_headers_are_cut_to_what_others_can_read(tmp_path: Path) -> None:
    """The longest headers go first and are counted, so that Content-Type survives."""
    pairs = (("Content-Type", "text/html"), *((f"X-{n}", "v" * 500) for n in range(1000)), ("ETag", '"e"'))
    (pointer,) = write(tmp_path, [capture(1, response_headers=pairs)])
    found = read_record(OriginalStore(tmp_path), pointer)
    assert (found.header("Content-Type"), found.header("ETag")) == ("text/html", '"e"')
    kept = len(found.response_headers) - 1
    assert found.header("X-Archive-Headers-Dropped") == str(1002 - kept)
    assert sum(len(name) + len(value) + 4 for name, value in found.response_headers) < 32_000


def test_a_record_is_found_while_its_file_is_written_and_after(tmp_path: Path) -> None:
    """One pointer serves before and after the file gets its final name."""
    writer = WarcWriter(tmp_path, "test", INFO)
    (pointer,) = writer.append([capture(1)])
    assert read_record(OriginalStore(tmp_path), pointer) == capture(1)
    writer.close()
    assert read_record(OriginalStore(tmp_path), pointer) == capture(1)


@pytest.mark.parametrize(
    "wrong",
    [
        {"offset": 0},
        {"offset": 1 << 40},
        {"length": 10},
        {"record_id": "urn:uuid:00000000-0000-0000-0000-000000000000"},
        {"payload_digest": "sha1:AAAA"},
        {"warc": "no-such-file.warc.gz"},
        {"warc": "../outside.warc.gz"},
        {"warc": "nul\0.warc.gz"},
    ],
)
def test_a_wrong_pointer_is_damage(tmp_path: Path, wrong: dict[str, object]) -> None:
    """A pointer that does not lead to its record is refused with file and offset, exit code 6."""
    folder = tmp_path / "warc"
    (pointer,) = write(folder, [capture(1)])
    (tmp_path / "outside.warc.gz").write_bytes((folder / pointer.warc).read_bytes())
    bad: Pointer = replace(pointer, **wrong)  # type: ignore[arg-type]
    with pytest.raises(DamageError) as caught:
        read_record(OriginalStore(folder), bad)
    assert caught.value.exit_code == 6
    assert bad.warc in caught.value.where
    assert str(bad.offset) in caught.value.where


def test_damage_to_the_record_is_noticed_damage_to_its_request_does_no_harm(tmp_path: Path) -> None:
    """A zeroed byte of the response is damage; a zeroed request leaves a capture without request headers."""
    (pointer, _) = write(tmp_path, [capture(1, noise(500)), capture(2)])
    path = tmp_path / pointer.warc
    whole = path.read_bytes()
    end = pointer.offset + pointer.length
    path.write_bytes(whole[: end + 20] + bytes(20) + whole[end + 40 :])
    assert read_record(OriginalStore(tmp_path), pointer) == capture(1, noise(500), request_headers=())
    path.write_bytes(whole[: end - 200] + bytes(20) + whole[end - 180 :])
    with pytest.raises(DamageError):
        read_record(OriginalStore(tmp_path), pointer)


def test_the_rendered_page_is_a_record_of_its_own_that_refers_to_the_response(tmp_path: Path) -> None:
    """Another reader finds a conversion record (WARC 1.1, 6.8) and in the response what the server sent."""
    page = capture(1, rendered="<p>được dựng".encode())
    (pointer,) = write(tmp_path, [page])
    with (tmp_path / pointer.warc).open("rb") as file:
        records = {
            record.rec_type: (record.rec_headers, record.content_stream().read()) for record in ArchiveIterator(file)
        }
    fields, block = records["conversion"]
    assert block == page.rendered
    assert fields["WARC-Refers-To"] == records["response"][0]["WARC-Record-ID"] == f"<{pointer.record_id}>"
    assert fields["Content-Type"] == "text/html; charset=utf-8"
    assert records["response"][1] == page.body


@pytest.mark.parametrize("harm", ["cut off", "zeroed", "another page's"])
def test_damage_to_the_rendered_page_is_damage(tmp_path: Path, harm: str) -> None:
    """The text was read from it, so the page is not read without."""
    pointer, other = write(tmp_path, [capture(1, rendered=b"<p>one" * 99), capture(2, rendered=b"<p>two" * 99)])
    file = tmp_path / pointer.warc
    data = file.read_bytes()
    if harm == "cut off":
        file.write_bytes(data[: other.offset - 9])
    elif harm == "zeroed":
        file.write_bytes(data[: other.offset - 60] + bytes(60) + data[other.offset :])
    else:
        request_and_page = data[other.offset + other.length :]
        file.write_bytes(data[: pointer.offset + pointer.length] + request_and_page)
    with pytest.raises(DamageError, match="damaged record"):
        read_record(OriginalStore(tmp_path), pointer)


@pytest.mark.parametrize(
    "changed", [{"length": 2**50}, {"length": 0}, {"length": -1}, {"offset": -1}, {"offset": 2**62}, {"offset": 10**6}]
)
def test_a_pointer_to_where_no_file_reaches_is_damage(tmp_path: Path, changed: dict[str, int]) -> None:
    """However much it asks for, no more is read than there is."""
    pointer = write(tmp_path, [capture(100)])[0]
    with pytest.raises(DamageError, match="offset"):
        read_record(OriginalStore(tmp_path), replace(pointer, **changed))


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(tmp_path: Path) -> None:
    """Nor a device read without end: the file is missing."""
    pointer = write(tmp_path, [capture(100)])[0]
    path = tmp_path / pointer.warc
    for replaced in (lambda: os.mkfifo(path), lambda: path.symlink_to("/dev/zero"), path.mkdir):
        path.unlink()
        replaced()
        with pytest.raises(DamageError, match="missing"):
            read_record(OriginalStore(tmp_path), pointer)


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../a.warc.gz", "/etc/passwd", "a\0b", "a\nb", "\x1b[2J", "n" * 5000, "é" * 200]
)
def test_a_name_that_no_file_of_ours_has_is_looked_for_nowhere(tmp_path: Path, name: str) -> None:
    """Outside the folder least of all."""
    pointer = write(tmp_path, [capture(100)])[0]
    with pytest.raises(DamageError, match="missing"):
        read_record(OriginalStore(tmp_path), replace(pointer, warc=name))
