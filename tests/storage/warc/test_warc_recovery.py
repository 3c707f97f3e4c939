"""WARC recovery: after a kill at any point each whole record is kept and the file is sound again."""

from __future__ import annotations

import fcntl
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from storage.errors import DamageError
from storage.warc import OriginalStore, RecoveredFile, WarcWriter, read_record, recover, recovery
from storage.warc.scan import scan
from tests.storage.warc_samples import INFO, capture, write

if TYPE_CHECKING:
    from collections.abc import Callable

    from storage.records import Pointer


@pytest.fixture
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let fsync be quick, for tests that recover a thousand times and are not about durability."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


def dead(folder: Path, count: int = 4) -> tuple[Path, list[Pointer]]:
    """Leave the file of a dead run with so many captures, and return it with their pointers."""
    pointers = write(folder, [capture(n) for n in range(count)], close=False)
    return folder / f"{pointers[0].warc}.open", pointers


def offsets(pointers: list[Pointer]) -> list[int]:
    """Return the offsets of the pointers, as the database would."""
    return [pointer.offset for pointer in pointers]


@pytest.mark.usefixtures("quick_disk")
def test_a_file_cut_at_every_byte_of_its_last_pair_keeps_all_the_rest(tmp_path: Path) -> None:
    """The tail is found and moved at every cut, nothing else is lost, and the file is sound afterwards."""
    path, pointers = dead(tmp_path)
    whole, last = path.read_bytes(), pointers[-1]
    final = path.with_name(last.warc)
    for cut in range(last.offset, len(whole) + 1):
        path.write_bytes(whole[:cut])
        end = max(edge for edge in (last.offset, last.offset + last.length, len(whole)) if edge <= cut)
        kept = pointers if end > last.offset else pointers[:-1]
        (recovered,) = recover(tmp_path, lambda _: offsets(pointers[:2]))
        assert [record.offset for record in recovered.orphans] == offsets(kept[2:])
        assert (recovered.size, recovered.missing, recovered.damaged) == (end, (), ())
        assert final.read_bytes() == whole[:end]
        torn = recovered.torn and path.with_name(recovered.torn)
        assert (torn.read_bytes() if torn else b"") == whole[end:cut]
        final.unlink()
        if torn:
            torn.unlink()
        assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("quick_disk")
def test_a_file_cut_anywhere_keeps_what_was_whole(tmp_path: Path) -> None:
    """Cut inside the first record nothing is left to keep and the file goes; cut later, the records before stay."""
    path, _ = dead(tmp_path)
    whole = path.read_bytes()
    ends = [record.end for record in scan(path)]
    for cut in [0, 1, *random.Random(3).sample(range(len(whole)), 60)]:
        path.write_bytes(whole[:cut])
        (recovered,) = recover(tmp_path)
        assert [record.end for record in recovered.records] == [end for end in ends if end <= cut]
        final = tmp_path / recovered.name
        assert final.exists() == bool(recovered.records)
        assert all(record.ok for record in scan(final)) if recovered.records else recovered.size == 0
        for left in tmp_path.iterdir():
            left.unlink()


def test_a_lost_write_in_the_tail_is_moved_away(tmp_path: Path) -> None:
    """A last block full of zeros, as after a power cut, is cut off; committed records in it are told as missing."""
    path, pointers = dead(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[: pointers[2].offset + 50] + bytes(len(whole) - pointers[2].offset - 50))
    (recovered,) = recover(tmp_path, lambda _: offsets(pointers))
    assert recovered.size == pointers[2].offset
    assert recovered.missing == tuple(offsets(pointers[2:]))
    assert read_record(OriginalStore(tmp_path), pointers[1]) == capture(1)


def test_damage_before_sound_records_stays_and_is_reported(tmp_path: Path) -> None:
    """A record that rotted in the middle costs itself only; what lies behind it is kept in place."""
    path, pointers = dead(tmp_path)
    data = bytearray(path.read_bytes())
    data[pointers[1].offset + 40] ^= 1
    path.write_bytes(data)
    (recovered,) = recover(tmp_path, lambda _: offsets(pointers))
    assert [record.offset for record in recovered.damaged] == [pointers[1].offset] == list(recovered.missing)
    assert recovered.torn is None
    assert read_record(OriginalStore(tmp_path), pointers[3]) == capture(3)


KILLED_RECOVERY = """
import sys
from pathlib import Path
from storage.warc import recover
for recovered in recover(Path(sys.argv[1]), adopt=lambda found: print(len(found.orphans), flush=True)):
    print(recovered.name)
"""


@pytest.mark.parametrize("reach", range(1, 6))
def test_recovery_killed_at_any_step_comes_to_the_same_end(tmp_path: Path, reach: int) -> None:
    """Killed between any two steps and started again, the folder is what an undisturbed recovery makes of it."""
    path, pointers = dead(tmp_path / "killed")
    torn = path.read_bytes()[:-7]
    path.write_bytes(torn)
    (tmp_path / "calm").mkdir()
    (tmp_path / "calm" / path.name).write_bytes(torn)
    environment = {**os.environ, "CORPUS_SPIDER_FAILPOINT": f"in_recovery:{reach}"}
    command = [sys.executable, "-c", KILLED_RECOVERY, str(tmp_path / "killed")]
    killed = subprocess.run(command, env=environment, start_new_session=True, capture_output=True, check=False)
    assert killed.returncode == (-9 if reach < 5 else 0), killed.stderr
    again = recover(tmp_path / "killed")
    (calm,) = recover(tmp_path / "calm")
    assert [found.records for found in again] == ([calm.records] if reach < 5 else [])
    assert {p.name: p.read_bytes() for p in (tmp_path / "killed").iterdir()} == {
        p.name: p.read_bytes() for p in (tmp_path / "calm").iterdir()
    }
    assert read_record(OriginalStore(tmp_path / "killed"), pointers[-1]).body == capture(3).body


@pytest.mark.usefixtures("quick_disk")
def test_of_a_long_file_only_the_end_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Records that the database points to, far before the end, are not read again; all after them are recovered."""
    path, pointers = dead(tmp_path, 6)
    monkeypatch.setattr(recovery, "LOOK_BACK", path.stat().st_size - pointers[2].offset)
    with path.open("r+b") as file:
        file.seek(pointers[0].offset + pointers[0].length // 2)
        file.write(b"damage")
        file.truncate(pointers[5].offset + 30)
    (recovered,) = recover(tmp_path, lambda _: offsets(pointers[:4]))
    answers = [record for record in recovered.records if record.is_answer]
    assert [record.offset for record in answers] == offsets(pointers[2:5])
    assert [record.offset for record in recovered.orphans] == offsets(pointers[4:5])
    assert (recovered.size, recovered.missing, recovered.damaged) == (pointers[5].offset, (), ())
    assert recovered.torn == f"{recovered.name}.torn-{pointers[5].offset}"


@pytest.mark.usefixtures("quick_disk")
@pytest.mark.parametrize("known", [(0,), (0, 1, 2), (0, 1, 2, 5)])
def test_all_behind_the_last_known_record_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, known: tuple[int, ...]
) -> None:
    """However little would be read at the end; a record that the database knows and the file has lost is told."""
    path, pointers = dead(tmp_path, 6)
    monkeypatch.setattr(recovery, "LOOK_BACK", 1)
    os.truncate(path, pointers[4].offset + 30)
    (recovered,) = recover(tmp_path, lambda _: [pointers[at].offset for at in known])
    assert [record.offset for record in recovered.orphans] == [
        pointer.offset for at, pointer in enumerate(pointers[:4]) if at > max(set(known) - {5})
    ]
    assert recovered.size == pointers[4].offset
    assert recovered.missing == tuple(pointers[at].offset for at in known if at == 5)


def test_orphans_can_be_indexed_before_the_file_gets_its_name(tmp_path: Path) -> None:
    """When indexing them fails, the file stays open, and the next recovery offers the same orphans again."""
    path, pointers = dead(tmp_path)

    def fail(_: RecoveredFile) -> None:
        raise ConnectionError("the database went away")

    with pytest.raises(ConnectionError):
        recover(tmp_path, adopt=fail)
    assert path.exists()
    seen: list[RecoveredFile] = []
    assert recover(tmp_path, adopt=seen.append) == seen
    assert [record.pointer(seen[0].name) for record in seen[0].orphans] == pointers
    assert recover(tmp_path, adopt=seen.append) == []


def test_the_file_of_a_living_run_is_left_alone(tmp_path: Path) -> None:
    """Recovery passes by what a writer still holds, also in the same process."""
    writer = WarcWriter(tmp_path, "test", INFO)
    writer.append([capture(1)])
    assert recover(tmp_path) == []
    writer.append([capture(2)])
    writer.close()
    assert all(record.ok for record in scan(next(tmp_path.iterdir())))


@pytest.mark.parametrize("content", [b"", b"\x1f\x8b", b"junk" * 1000])
def test_a_file_without_a_record_goes(tmp_path: Path, content: bytes) -> None:
    """An empty file is removed; bytes that are no record are kept aside under the torn name."""
    (tmp_path / "a.warc.gz.open").write_bytes(content)
    (recovered,) = recover(tmp_path)
    assert (recovered.size, recovered.records) == (0, ())
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == (
        {"a.warc.gz.torn-0": content} if content else {}
    )


def test_a_warcinfo_alone_is_a_file(tmp_path: Path) -> None:
    """A run killed before its first capture was whole leaves a sound file with its warcinfo record."""
    path, pointers = dead(tmp_path, 1)
    path.write_bytes(path.read_bytes()[: pointers[0].offset])
    (recovered,) = recover(tmp_path)
    assert [record.type for record in recovered.records] == ["warcinfo"]
    assert recovered.torn is None
    assert (tmp_path / recovered.name).stat().st_size == pointers[0].offset


def test_no_file_is_overwritten(tmp_path: Path) -> None:
    """When the final name is taken, recovery stops with DamageError and both files stay."""
    path, _ = dead(tmp_path)
    final = path.with_name(path.name.removesuffix(".open"))
    final.write_bytes(b"precious")
    with pytest.raises(DamageError):
        recover(tmp_path)
    assert final.read_bytes() == b"precious"
    assert path.exists()


FOREIGN: dict[str, Callable[[Path], object]] = {
    "folder": Path.mkdir,
    "pipe": os.mkfifo,
    "link": lambda path: path.symlink_to("precious"),
    "dangling": lambda path: path.symlink_to("nowhere"),
    "loop": lambda path: path.symlink_to(path.name),
}


@pytest.mark.parametrize("make", FOREIGN.values(), ids=FOREIGN)
def test_what_no_writer_can_have_made_is_left_alone(tmp_path: Path, make: Callable[[Path], object]) -> None:
    """It neither stops a crawl nor is opened, and what a link leads to is not cut."""
    path, precious = tmp_path / "a.warc.gz.open", tmp_path / "precious"
    precious.write_bytes(b"precious")
    make(path)
    assert recover(tmp_path) == []
    assert path.is_symlink() or path.exists()
    assert precious.read_bytes() == b"precious"


def test_a_missing_folder_has_nothing_to_recover(tmp_path: Path) -> None:
    """Before the first run there is no folder."""
    assert recover(tmp_path / "none") == []


def test_a_torn_fetched_warc_does_not_keep_its_forged_records(tmp_path: Path) -> None:
    """Torn inside a page that is itself a WARC file: the tail goes as a whole, with anything that it seems to hold."""
    (forged, *_) = write(tmp_path / "other", [capture(n) for n in range(3)])
    bait = (tmp_path / "other" / forged.warc).read_bytes()
    page = capture(2, bait, response_headers=(("Content-Type", "application/gzip"),))
    folder = tmp_path / "warc"
    first, second = write(folder, [capture(1), page], close=False)
    path = folder / f"{first.warc}.open"
    path.write_bytes(path.read_bytes()[: second.offset + second.length - 9])
    (recovered,) = recover(folder)
    assert [record.offset for record in recovered.orphans] == [first.offset]
    assert recovered.size == second.offset


def test_who_looks_whether_a_file_is_written_does_not_keep_it_from_recovery(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A check holds it for a moment; the file was left to the next start, and a removal took it for gone."""
    path, pointers = dead(tmp_path)
    looking = [os.open(path, os.O_RDONLY)]
    fcntl.flock(looking[0], fcntl.LOCK_SH)
    monkeypatch.setattr("time.sleep", lambda _: os.close(looking.pop()))
    (recovered,) = recover(tmp_path, lambda _: offsets(pointers))
    assert (recovered.name, looking) == (pointers[0].warc, [])
