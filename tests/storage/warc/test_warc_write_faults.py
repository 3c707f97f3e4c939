"""WARC files are whole after any disk error and after the end of the writer."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from storage.errors import DiskError
from storage.warc import OriginalStore, WarcWriter, read_record, recover
from storage.warc.scan import scan
from tests.storage.warc_samples import INFO, abandon, capture

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize("call", range(1, 8))
def test_a_failing_fsync_leaves_a_whole_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: int) -> None:
    """Whichever fsync fails with EIO: exit code 3, no second fsync of that file, what was handed out is there."""
    writer = WarcWriter(tmp_path, "test", INFO, roll_bytes=2500)
    calls, real = [], os.fsync

    def fsync(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) == call:
            raise OSError(errno.EIO, "Input/output error")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    pointers, error = _append_until_error(writer)
    assert error.exit_code == 3
    assert "input/output error" in str(error)
    assert len(calls) == call
    with pytest.raises(DiskError):
        writer.append([capture()])
    writer.close()
    assert len(calls) == call
    _assert_recovered(tmp_path, pointers)


def _grow(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"not ours")


@pytest.mark.parametrize(
    "change",
    [
        Path.unlink,
        lambda path: path.rename(path.with_name("elsewhere")),
        lambda path: (path.unlink(), path.touch()),
        lambda path: os.truncate(path, 1000),
        _grow,
    ],
    ids=["removed", "renamed", "replaced", "cut", "grown"],
)
def test_nothing_is_handed_out_of_a_file_that_another_program_has_touched(
    tmp_path: Path, change: Callable[[Path], object]
) -> None:
    """It would never be found again: exit code 3; cut-off bytes do not come back as zeros."""
    writer = WarcWriter(tmp_path, "test", INFO)
    (pointer,) = writer.append([capture(1)])
    path = tmp_path / f"{pointer.warc}.open"
    change(path)
    with pytest.raises(DiskError, match=r"moved, replaced or changed|No such file"):
        writer.append([capture(2)])
    writer.close()
    assert not path.exists() or not path.read_bytes().endswith(bytes(8))


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO])
@pytest.mark.parametrize("space", [0, 1, 100, 700, 1500, 2600, 3500])
def test_a_failing_write_leaves_a_whole_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, space: int
) -> None:
    """When the disk takes so many bytes and no more, the group is cut off and all earlier ones are readable."""
    writer = WarcWriter(tmp_path, "test", INFO)
    left, real = space, os.write

    def full(descriptor: int, data: bytes) -> int:
        nonlocal left
        if not left:
            raise OSError(code, os.strerror(code))
        written = real(descriptor, data[: min(left, 60)])
        left -= written
        return written

    monkeypatch.setattr(os, "write", full)
    pointers, error = _append_until_error(writer)
    monkeypatch.undo()
    assert error.exit_code == 3
    assert error.do
    assert str(tmp_path) in error.where
    for path in tmp_path.iterdir():
        assert all(record.ok for record in scan(path))
    _assert_recovered(tmp_path, pointers)


def _append_until_error(writer: WarcWriter) -> tuple[list, DiskError]:
    pointers: list = []
    for number in range(0, 100, 2):
        try:
            pointers += writer.append([capture(number), capture(number + 1)])
        except DiskError as error:
            return pointers, error
    raise AssertionError("the disk never refused")


def _assert_recovered(folder: Path, pointers: list) -> None:
    for pointer in pointers:
        read_record(OriginalStore(folder), pointer)
    recover(folder)
    assert not list(folder.glob("*.open"))
    assert all(record.ok for path in folder.iterdir() if path.name.endswith(".gz") for record in scan(path))
    store = OriginalStore(folder)
    assert [read_record(store, pointer).url for pointer in pointers] == [capture(n).url for n in range(len(pointers))]


def test_a_real_file_size_limit_ends_with_a_disk_error(tmp_path: Path) -> None:
    """Under RLIMIT_FSIZE the system itself refuses; the error is ours and what was handed out is there."""
    code = """
import resource, sys
from pathlib import Path
sys.path.insert(0, "tests/storage")
from tests.storage.warc_samples import INFO, capture, noise
from storage.errors import DiskError
from storage.warc import WarcWriter
resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, resource.RLIM_INFINITY))
writer, folder = WarcWriter(Path(sys.argv[1]), "test", INFO), sys.argv[1]
try:
    for number in range(100):
        writer.append([capture(number, noise(3000, number))])
        print(number)
except DiskError as error:
    sys.exit(error.exit_code)
"""
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 3, done.stderr
    written = len(done.stdout.split())
    assert written > 5
    (recovered,) = recover(tmp_path)
    assert [record.uri for record in recovered.orphans] == [capture(n).url for n in range(written)]
    assert recovered.torn is None


def test_an_unusable_folder_is_a_disk_error(tmp_path: Path) -> None:
    """A file where the folder should be is told as such."""
    (tmp_path / "warc").write_text("")
    with pytest.raises(DiskError) as caught:
        WarcWriter(tmp_path / "warc", "test", INFO).append([capture()])
    assert str(tmp_path / "warc") in str(caught.value)


@pytest.mark.parametrize("place", ["before_fsync", "after_fsync"])
def test_a_killed_writer_loses_nothing_it_handed_out(tmp_path: Path, place: str) -> None:
    """Killed around its fourth fsync, the file holds the first three groups whole."""
    code = """
import sys
from pathlib import Path
sys.path.insert(0, "tests/storage")
from tests.storage.warc_samples import INFO, capture
from storage.warc import WarcWriter
writer = WarcWriter(Path(sys.argv[1]), "test", INFO)
for number in range(9):
    writer.append([capture(number)])
"""
    environment = {**os.environ, "CORPUS_SPIDER_FAILPOINT": f"{place}:4"}
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], env=environment, start_new_session=True, check=False
    )
    assert done.returncode == -9
    (recovered,) = recover(tmp_path)
    assert [record.uri for record in recovered.orphans][:3] == [capture(n).url for n in range(3)]
    assert not recovered.damaged


def test_an_error_in_the_middle_of_a_group_cuts_it_off(tmp_path: Path) -> None:
    """A capture that cannot be written (a naive bug upstream) takes its group with it, not the file."""
    writer = WarcWriter(tmp_path, "test", INFO)
    kept = writer.append([capture(1)])
    with pytest.raises(AttributeError):
        writer.append([capture(2), None])  # type: ignore[list-item]
    (recovered,) = recover(tmp_path)
    assert [record.offset for record in recovered.orphans] == [pointer.offset for pointer in kept]


def test_an_abandoned_writer_frees_its_lock(tmp_path: Path) -> None:
    """The lock dies with the last open handle, so a dead run's file can be told from a live one."""
    writer = WarcWriter(tmp_path, "test", INFO)
    writer.append([capture()])
    assert recover(tmp_path) == []
    abandon(writer)
    assert len(recover(tmp_path)) == 1
