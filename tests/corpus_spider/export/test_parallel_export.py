"""Parallel exports: the same file as by one process, whole or absent, and no process is left."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from storage.corpus import Corpus
from storage.documents import reader
from storage.documents.selection import Selection
from tests.corpus_spider.local_paper import crawl_into
from tests.corpus_spider.running import PATIENCE, environment, run, until

if not sys.platform.startswith("linux") or len(os.sched_getaffinity(0)) < 2:
    pytest.skip("takes Linux and two processors", allow_module_level=True)

# A few documents are many, a page has two of them, and signals do what they do in a shell.
FEW = """
import os, signal, sys
signal.signal(signal.SIGTERM, signal.SIG_DFL)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)
from corpus_spider.export import parallel
from storage.documents import reader
parallel.MIN_PARALLEL_DOCUMENTS, reader._PAGE_OF_DOCUMENTS = 1, 2
"""
START = """
from corpus_spider.cli.app import main
main()
"""
COUNTED = """
made = parallel._in_order
def counted(view, readers, stack):
    print(f"{len(readers)} read", file=sys.stderr)
    return made(view, readers, stack)
parallel._in_order = counted
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawl_into(tmp_path_factory.mktemp("readers"), articles=9)


def command(patch: str, *arguments: str) -> list[str]:
    return [sys.executable, "-c", FEW + patch + START, *arguments]


def export(folder: Path, target: Path, patch: str, *options: str) -> subprocess.CompletedProcess[str]:
    given = command(patch, "export", "-o", str(target), *options)
    return subprocess.run(
        given, cwd=folder, env=environment(), capture_output=True, text=True, timeout=PATIENCE, check=False
    )


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("out.jsonl", ()),
        ("out.jsonl.gz", ()),
        ("out.jsonl.zst", ()),
        ("out.parquet", ()),
        ("out.vert", ()),
        ("out.vert", ("--fold", "digits")),
        ("out.jsonl.zst", ("--fold", "digits", "--min-chars", "40")),
        ("out.parquet", ("--language", "nl")),
        ("out.parquet", ("--require-licence",)),
        ("out.parquet", ("--without-recurring",)),
    ],
)
def test_several_processes_write_the_file_that_one_writes(
    folder: Path, tmp_path: Path, name: str, options: tuple[str, ...]
) -> None:
    """Byte for byte, also with filters and folds, also where nothing is selected."""
    (tmp_path / "one").mkdir()
    done = run(folder, "export", "-o", str(tmp_path / "one" / name), *options)
    assert done.returncode == 0, done.stderr
    done = export(folder, tmp_path / name, COUNTED, *options)
    assert done.returncode == 0, done.stderr
    assert ("read" in done.stderr) == ("nl" not in options)
    assert (tmp_path / name).read_bytes() == (tmp_path / "one" / name).read_bytes()
    assert hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() in (tmp_path / f"{name}.sha256").read_text()


def test_parts_come_the_same_through_memory_and_through_the_pipe(folder: Path, tmp_path: Path) -> None:
    """Those that do not fit into the memory that is shared are sent."""
    for name, room in (("all.jsonl", 2**20), ("some.jsonl", 1500), ("none.jsonl", 1)):
        done = export(folder, tmp_path / name, f"parallel.SHARED_BYTES = {room}")
        assert done.returncode == 0, done.stderr
    written = {(tmp_path / name).read_bytes() for name in ("all.jsonl", "some.jsonl", "none.jsonl")}
    assert len(written) == 1


def test_a_target_that_exists_is_refused_before_anything_is_read(folder: Path, tmp_path: Path) -> None:
    """No process is started for what cannot be written."""
    (tmp_path / "out.jsonl").write_text("mine")
    done = export(folder, tmp_path / "out.jsonl", "parallel.parts = None")
    assert (done.returncode, "exists already" in done.stderr) == (2, True), done.stderr
    assert (tmp_path / "out.jsonl").read_text() == "mine"


@pytest.mark.parametrize("name", ["out.jsonl", "out.parquet"])
@pytest.mark.parametrize("text", ["CAST(text AS BLOB)", "CAST(x'61ff62' AS TEXT)", "x'61ff62'"])
def test_what_is_no_text_is_reported_as_by_one_process(folder: Path, tmp_path: Path, name: str, text: str) -> None:
    """Bytes in its place and text that is no UTF-8 end the export, which leaves nothing."""
    folder = Path(shutil.copytree(folder, tmp_path / "corpus"))
    with sqlite3.connect(folder / "corpus.db") as connection:
        connection.execute(f"UPDATE document_text SET text = {text} WHERE document_id = 3")
    (tmp_path / "out").mkdir()
    one = run(folder, "export", "-o", str(tmp_path / "out" / name))
    several = export(folder, tmp_path / "out" / name, "")
    assert (several.returncode, several.stderr) == (one.returncode, one.stderr)
    assert one.returncode == 6, one.stderr
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize("name", ["out.jsonl", "out.parquet"])
def test_stretches_of_long_texts_and_of_none_come_in_their_order(folder: Path, tmp_path: Path, name: str) -> None:
    """One page after the other where a stretch has several, and nothing where nothing of it is selected."""
    options = ("--min-chars", "1072")
    (tmp_path / "one").mkdir()
    done = run(folder, "export", "-o", str(tmp_path / "one" / name), *options)
    assert done.returncode == 0, done.stderr
    done = export(folder, tmp_path / name, f"{COUNTED}\nreader._PAGE_CHARS = 1", *options)
    assert done.returncode == 0, done.stderr
    assert "read" in done.stderr
    assert (tmp_path / name).read_bytes() == (tmp_path / "one" / name).read_bytes()


@pytest.mark.parametrize(("chars", "pages"), [(2**20, [9]), (1, [1] * 9)])
def test_pages_of_long_texts_have_fewer(
    folder: Path, monkeypatch: pytest.MonkeyPatch, chars: int, pages: list[int]
) -> None:
    """A page is read at once: it ends when its texts come to so many characters, and none is lost."""
    monkeypatch.setattr(reader, "_PAGE_CHARS", chars)
    with Corpus.open(folder / "corpus.db", read_only=True) as corpus, corpus.documents.view(Selection()) as view:
        found = list(view.pages())
    assert (list(map(len, found)), len({each for page in found for each in page})) == (pages, 9)


REFUSED = """
forked, left = os.fork, [LEFT]
def fork():
    left[0] -= 1
    if left[0] < 0:
        raise BlockingIOError(11, "Resource temporarily unavailable")
    return forked()
os.fork = fork
"""


@pytest.mark.parametrize(
    ("patch", "read_by_several"),
    [
        ("parallel._number = lambda: 3", True),
        ("parallel._number = lambda: 1", False),
        ("import threading; threading.active_count = lambda: 2", False),
        (REFUSED.replace("LEFT", "0"), False),
        (REFUSED.replace("LEFT", "1"), False),
    ],
)
def test_one_process_does_it_where_several_cannot(
    folder: Path, tmp_path: Path, patch: str, read_by_several: bool
) -> None:
    """One processor, threads that a fork would copy, or a system that has no room for all the processes."""
    done = export(folder, tmp_path / "out.jsonl", f"{COUNTED}\n{patch}")
    assert done.returncode == 0, done.stderr
    assert ("read" in done.stderr) == read_by_several
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 9


CHANGED = """
import sqlite3
seen, left = parallel._Reader.ask, [LEFT]
def changed(reader, page):
    if page is None and left[0]:
        left[0] -= 1
        with sqlite3.connect("corpus.db") as connection:
            connection.execute("UPDATE document SET author = coalesce(author, '') || 'x'")
    return seen(reader, page)
parallel._Reader.ask = changed
"""


@pytest.mark.parametrize(("changes", "read_by_several"), [("3", True), ("1000", False)])
def test_all_processes_see_the_corpus_at_one_moment(
    folder: Path, tmp_path: Path, changes: str, read_by_several: bool
) -> None:
    """They look again when it has changed between them, and where it never stops changing one process reads it."""
    folder = Path(shutil.copytree(folder, tmp_path / "corpus"))
    done = export(folder, tmp_path / "out.jsonl", COUNTED + CHANGED.replace("LEFT", changes))
    assert done.returncode == 0, done.stderr
    assert ("read" in done.stderr) == read_by_several
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 9


RAISING = """
from storage.errors import DamageError
def raising(pipe, work):
    raise {}
parallel._answer = raising
"""


@pytest.mark.parametrize(
    ("patch", "code", "reported"),
    [
        ("parallel._answer = lambda pipe, work: os._exit(1)", 1, "has died"),
        (RAISING.format("DamageError('a page is torn', where='corpus.db', do='Restore it.')"), 6, "corpus.db: a page"),
        (RAISING.format("ValueError('no number')"), 1, "internal error, ValueError: no number"),
        (RAISING.format("MemoryError()"), 1, "has died"),
    ],
)
def test_what_ends_a_process_ends_the_export_and_leaves_nothing(
    folder: Path, tmp_path: Path, patch: str, code: int, reported: str
) -> None:
    """A killed process and an error in one are reported as such, once, and no half of a file is left."""
    done = export(folder, tmp_path / "out.jsonl.zst", patch)
    assert (done.returncode, reported in done.stderr) == (code, True), done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_what_goes_wrong_in_a_process_is_reported_with_its_place(folder: Path, tmp_path: Path) -> None:
    """For those who look into an internal error."""
    done = export(folder, tmp_path / "out.jsonl", RAISING.format("ValueError('no number')"), "-v")
    assert (done.returncode, "in raising" in done.stderr) == (1, True), done.stderr


HANGING = """
def hanging(pipe, work):
    for answer in (None, parallel._SharedPart(0, 0)):
        pipe.recv()
        pipe.send(answer)
    pipe.recv()
    os.kill(os.getppid(), signal.SIGINT)
    pipe.recv()
parallel._answer, parallel.pay, parallel._number = hanging, lambda *_: True, lambda: 1
"""


def test_an_export_that_is_stopped_waits_for_no_process(folder: Path, tmp_path: Path) -> None:
    """One may be amid a page that takes long, or wait for a disk that does not answer."""
    done = export(folder, tmp_path / "out.jsonl", HANGING)
    assert done.returncode == 11, done.stderr
    assert list(tmp_path.iterdir()) == []


WAITING = """
def waiting(view, readers, stack):
    print(*(reader._process.pid for reader in readers), flush=True)
    sys.stdin.read()
    yield
parallel._in_order = waiting
"""


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_no_process_outlives_an_export_that_is_ended(folder: Path, tmp_path: Path, ending: signal.Signals) -> None:
    """After any end: they have their signals blocked, and see that their parent is gone. Nor does its temporary
    folder, where it is asked to end.
    """
    given = command(WAITING, "export", "-o", str(tmp_path / "out.jsonl"))
    with subprocess.Popen(
        given, cwd=folder, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as started:
        assert started.stdout
        pids = [int(word) for word in started.stdout.readline().split()]
        assert len(pids) > 1
        started.send_signal(ending)
        assert started.wait(PATIENCE) == (-ending if ending is signal.SIGKILL else 11)
    until(lambda: not any(map(alive, pids)), lambda: pids)
    assert ending is signal.SIGKILL or list(tmp_path.iterdir()) == []
    assert not (tmp_path / "out.jsonl").exists()


def alive(pid: int) -> bool:
    """Return whether a process runs. A zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
