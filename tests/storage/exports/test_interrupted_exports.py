"""Interrupted exports: errors, a full disk, kill -9, two at once."""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from storage.errors import ConfigError, DatabaseError, DiskError
from storage.exports import export
from storage.exports.atomic import make_way
from tests.storage.export_samples import (
    TARGETS,
    a_document,
    documents,
    everything_under,
    read_back,
    run_python,
    target_in,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from storage.documents.model import CorpusDocument


def failing(error: BaseException, after: int = 3) -> Iterator[CorpusDocument]:
    yield from documents(["x" * 1000] * after)
    raise error


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt(), SystemExit(11), DatabaseError("gone"), OSError(5, "read error")]
)
@pytest.mark.parametrize("name", TARGETS)
def test_an_interrupted_export_leaves_nothing(tmp_path: Path, name: str, error: BaseException) -> None:
    """The error of the documents' source comes through as it is, and neither the target nor a temporary remains."""
    with pytest.raises(type(error)) as caught:
        export(failing(error), target_in(tmp_path, name))
    assert caught.value is error
    assert everything_under(tmp_path) == []


@pytest.mark.parametrize("name", TARGETS)
def test_an_interrupted_overwrite_leaves_the_old_export(tmp_path: Path, name: str) -> None:
    """Until the new export is whole the old one and its checksum stay."""
    export(documents(["old"]), target_in(tmp_path, name))
    before = everything_under(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        export(failing(KeyboardInterrupt()), target_in(tmp_path, name), overwrite=True)
    assert [row["text"] for row in read_back(tmp_path / name)] == ["old"]
    assert everything_under(tmp_path) == before


@pytest.mark.parametrize("name", TARGETS)
def test_an_existing_target_is_replaced_only_when_asked(tmp_path: Path, name: str) -> None:
    """Without overwrite the export refuses before it reads a document; with it the new one takes the place."""
    export(documents(["old", "older"]), target_in(tmp_path, name))
    with pytest.raises(ConfigError, match="exists already"):
        export(failing(AssertionError("documents were read"), 0), target_in(tmp_path, name))
    export(documents(["new"]), target_in(tmp_path, name), overwrite=True)
    assert [row["text"] for row in read_back(tmp_path / name)] == ["new"]
    subprocess.run(["sha256sum", "--status", "-c", name.strip("/") + ".sha256"], cwd=tmp_path, check=True, timeout=30)


def test_a_target_that_appears_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    """A file made by somebody else while the export ran survives."""
    target = tmp_path / "out.jsonl"

    def slow() -> Iterator[CorpusDocument]:
        yield a_document()
        target.write_text("theirs")

    with pytest.raises(ConfigError):
        export(slow(), target)
    assert target.read_text() == "theirs"
    assert everything_under(tmp_path) == ["out.jsonl"]


def test_no_moment_shows_a_checksum_that_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whenever a file of an overwriting export gets its final name, a checksum beside it is right or not there."""
    target = tmp_path / "out.jsonl"
    export(documents(["old"]), target)
    rename, seen = Path.rename, []

    def watched(path: Path, to: Path) -> Path:
        moved = rename(path, to)
        checksum = Path(f"{target}.sha256")
        digest = hashlib.sha256(target.read_bytes()).hexdigest()
        seen.append(checksum.read_text().split()[0] == digest if checksum.exists() else None)
        return moved

    monkeypatch.setattr(Path, "rename", watched)
    export(documents(["new"]), target, overwrite=True)
    assert seen == [None, True]


def test_a_folder_with_other_files_is_never_replaced(tmp_path: Path) -> None:
    """Overwrite or not, a folder that is no export of ours keeps what is in it."""
    home = tmp_path / "home"
    home.mkdir()
    export(documents(["into an empty folder"]), home)
    (home / "thesis.tex").write_text("years of work")
    with pytest.raises(ConfigError, match="files that no export made"):
        export(documents(["new"]), home, overwrite=True)
    assert (home / "thesis.tex").read_text() == "years of work"


DISK_FULL = """
import resource, sys
from storage.errors import DiskError
from storage.exports import export
from storage.exports.atomic import make_way
from tests.storage.export_samples import a_document
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
import random
random.seed(1)
texts = ("".join(chr(random.randrange(0x4E00, 0x9FFF)) for _ in range(20_000)) for _ in range(6))
try:
    export((a_document(n, text) for n, text in enumerate(texts)), sys.argv[1])
except DiskError as error:
    sys.exit(f"{error.exit_code} {error}")
"""


@pytest.mark.parametrize("name", TARGETS)
def test_a_full_disk_is_a_disk_error_and_leaves_nothing(tmp_path: Path, name: str) -> None:
    """When the system refuses to write on (a file size limit here) the user is told so and nothing half remains."""
    done = run_python(DISK_FULL, target_in(tmp_path, name))
    assert done.stderr.startswith(b"3 "), done.stderr.decode()
    assert b"the file may not grow any further" in done.stderr
    assert everything_under(tmp_path) == []


def test_a_failing_fsync_is_a_disk_error_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that reports its error only when asked to flush does not give an export either."""

    def broken(_descriptor: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(DiskError, match="reported an input/output error"):
        export(documents(["x"]), tmp_path / "out.jsonl")
    assert everything_under(tmp_path) == []


KILLED = """
import os, signal, sys
from storage.exports import export
from storage.exports.atomic import make_way
from tests.storage.export_samples import a_document
def documents():
    yield a_document()
    os.kill(os.getpid(), signal.SIGKILL)
export(documents(), sys.argv[1], overwrite=True)
"""


@pytest.mark.parametrize("name", ["out.jsonl", "out/"])
def test_what_a_killed_export_left_is_cleared_by_the_next(tmp_path: Path, name: str) -> None:
    """kill -9 leaves nothing under the final name, and the next export removes the temporary folder."""
    assert run_python(KILLED, target_in(tmp_path, name)).returncode == -9
    left = [path.name for path in tmp_path.iterdir()]
    assert len(left) == 1
    assert left[0].startswith("out")
    assert ".tmp-" in left[0]
    export(documents(["x"]), target_in(tmp_path, name))
    assert sorted(path.name for path in tmp_path.iterdir()) == [name.strip("/"), name.strip("/") + ".sha256"]


def test_a_folder_whose_replacement_was_killed_comes_back(tmp_path: Path) -> None:
    """A process that died between the two renames of a folder loses nothing: the next export puts the old one back."""
    export(documents(["old"]), target_in(tmp_path, "out/"))
    staged = tmp_path / "out.tmp-4194305"
    staged.mkdir()
    (tmp_path / "out").rename(staged / "old")
    with pytest.raises(ConfigError, match="exists already"):
        export(documents(["new"]), target_in(tmp_path, "out/"))
    assert [row["text"] for row in read_back(tmp_path / "out")] == ["old"]
    assert not staged.exists()


def test_what_was_killed_behind_its_last_step_is_cleared_by_an_export_that_is_refused(tmp_path: Path) -> None:
    """The file is whole and stays; only the temporary folder was still to go."""
    export(documents(["old"]), tmp_path / "out.jsonl")
    (tmp_path / "out.jsonl.tmp-4194305").mkdir()
    with pytest.raises(ConfigError, match="exists already"):
        export(documents(["new"]), tmp_path / "out.jsonl")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.jsonl", "out.jsonl.sha256"]


def test_a_running_export_is_left_alone(tmp_path: Path) -> None:
    """The temporary folder of a living process, known by its lock, stays; so do names that look alike."""
    living = tmp_path / "out.jsonl.tmp-4194305"
    living.mkdir()
    (tmp_path / "out.jsonl.tmp-notes").mkdir()
    (tmp_path / "out.jsonl.tmp-123").symlink_to(tmp_path)
    descriptor = os.open(living, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    export(documents(["x"]), tmp_path / "out.jsonl")
    os.close(descriptor)
    assert sum(".tmp-" in path.name for path in tmp_path.iterdir()) == 3


def test_two_exports_to_one_name_in_one_process_are_distinguished(tmp_path: Path) -> None:
    """The second is refused, the first finishes."""

    def nested() -> Iterator[CorpusDocument]:
        yield a_document()
        with pytest.raises(ConfigError, match="another export"):
            export(documents(["inner"]), tmp_path / "out.jsonl")

    export(nested(), tmp_path / "out.jsonl")
    assert len(read_back(tmp_path / "out.jsonl")) == 1


@pytest.mark.parametrize(("module", "step"), [(Path, "mkdir"), (os, "open")])
def test_an_export_that_another_takes_for_one_that_was_killed_begins_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: ModuleType | type[Path], step: str
) -> None:
    """For a moment its temporary folder is there and not locked, as those of killed ones are."""
    target, do, others = tmp_path / "out.jsonl", getattr(module, step), [lambda: make_way(target, overwrite=True)]

    def done(path: Path, *more: int, **named: Any) -> object:
        result = do(path, *more, **named)
        while others and ".tmp-" in str(path):
            others.pop()()
        return result

    monkeypatch.setattr(module, step, done)
    export(documents(["x"]), target)
    assert others == []
    assert everything_under(tmp_path) == ["out.jsonl", "out.jsonl.sha256"]


@pytest.mark.parametrize("name", ["out.jsonl", "out/"])
def test_one_export_at_a_time_moves_its_files_to_their_final_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Of two at once either would replace the other's unasked, or stand beside its checksum."""
    export(documents(["old"]), target_in(tmp_path, name))
    rename, moved = Path.rename, list[str]()

    def watched(path: Path, to: Path) -> Path:
        moved.append(to.name)
        descriptor = os.open(tmp_path, os.O_RDONLY)
        with pytest.raises(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(descriptor)
        return rename(path, to)

    monkeypatch.setattr(Path, "rename", watched)
    export(documents(["new"]), target_in(tmp_path, name), overwrite=True)
    assert moved[-2:] == [name.strip("/"), name.strip("/") + ".sha256"]


def test_a_folder_that_another_program_has_locked_can_be_exported_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As flock(1) does for what it runs: that would wait for itself."""
    monkeypatch.setattr("storage.disk.ALONE_SECONDS", 0.1)
    descriptor = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    export(documents(["x"]), tmp_path / "out.jsonl")
    os.close(descriptor)
    assert len(read_back(tmp_path / "out.jsonl")) == 1


@pytest.mark.parametrize("overwrite", [False, True])
def test_pipes_devices_and_open_files_are_not_replaced(tmp_path: Path, overwrite: bool) -> None:
    """Not even when asked to: for root a file over /dev/null would stand there for every program."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/null")
    for target in (tmp_path / "pipe", tmp_path / "link", Path("/dev/null"), Path("/dev/stdout")):
        with pytest.raises(ConfigError, match="is a device or a pipe"):
            make_way(target, overwrite=overwrite)
    assert Path("/dev/null").is_char_device()
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("name", ["latest/", "latest"])
def test_a_link_to_a_folder_is_refused_before_anything_is_read(tmp_path: Path, name: str, overwrite: bool) -> None:
    """It was an error of the disk, told when all was written; the message names the folder."""
    (tmp_path / "first").mkdir()
    (tmp_path / "latest").symlink_to("first")

    def none() -> Iterator[CorpusDocument]:
        pytest.fail("a document was read")
        yield

    with pytest.raises(ConfigError, match="is a link to a folder") as reported:
        export(none(), target_in(tmp_path, name), format_name="txt", overwrite=overwrite)
    assert str(tmp_path / "first") in str(reported.value)
    assert everything_under(tmp_path) == ["first", "latest"]
