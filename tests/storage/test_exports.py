"""Exports: the same fields in every format, whole or not at all, byte for byte the same, memory flat."""

from __future__ import annotations

import dataclasses
import fcntl
import gzip
import hashlib
import json
import math
import os
import re
import subprocess
import sys
import time
import tracemalloc
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet as arrow_parquet

import storage.exports
from storage.errors import ConfigError, DamageError, DatabaseError, DiskError
from storage.exports import export, parquet, sink
from storage.exports.rows import FIELDS
from storage.holdings import CorpusDocument
from storage.records import Quality

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[2]
STREAMS = ("out.jsonl", "out.jsonl.gz", "out.jsonl.zst", "out.parquet")
TARGETS = (*STREAMS, "out/")
ODD_TEXTS = (
    "plain",
    "سلام دنیا\nپاراگراف دوم",
    "a\u2028b\u2029c\x85d\ve\ff\x1cg\x1dh\x1ei\rj",
    "nul \x00 inside",
    '=cmd|"/C calc"!A0, "quoted", back\\slash \\u2028 </script>',
    "\ufeff\u202ertl override \U0001f600\U0010ffff",
    "",
    "ends with a newline\n",
)


def a_document(number: int = 1, text: str = "Hello, world.", **changes: object) -> CorpusDocument:
    document = CorpusDocument(
        id=f"doc-{number:06}",
        url=f"https://paper.example/{number}",
        version=1,
        site="paper",
        text=text,
        title="../../etc/passwd",
        author=None,
        published="2024-05-13",
        published_text="13 May 2024",
        canonical=None,
        language="en",
        language_confidence=0.5,
        script="Latn",
        script_share=1.0,
        chars=len(text),
        fetched_at=datetime(2026, 11, 20, 12, 0, 0, 123456, tzinfo=UTC),
        extractor="bte",
        extractor_version="1",
        extractor_reason="",
        encoding="utf-8",
        encoding_source="header",
        replaced=0.0,
        licence="CC BY 4.0",
        exact="00" * 16,
        duplicates=2,
        duplicate_of=None,
        warc="crawl-00001.warc.gz",
        warc_offset=2**33,
        warc_length=512,
        record_id="<urn:uuid:6d058047-ede2-4a13-be79-90c17c631dd4>",
        payload_digest="sha256:" + "ab" * 32,
        confidence=0.75,
        kinds="hp",
        quality=Quality(2, 13.0, 5.0, 1.0, 0.1667, 0.0, None, 1.0, 0.0, 0.0, 0.0, 0.0),
    )
    return dataclasses.replace(document, **changes)  # type: ignore[arg-type]


def documents(texts: tuple[str, ...] | list[str]) -> list[CorpusDocument]:
    return [a_document(number, text) for number, text in enumerate(texts)]


def with_all(document: CorpusDocument) -> CorpusDocument:
    """The same with captions, comments and the languages of its lines."""
    languages = ("en 0.98 Latn 1.00",) * (document.text.count("\n") + 1)
    parts = {"captions": ODD_TEXTS[:2], "comments": (document.text,), "languages": languages, "foreign_share": 0.25}
    return dataclasses.replace(document, **parts)


def target_in(folder: Path, name: str) -> str:
    return f"{folder}/{name}"


def read_back(path: Path) -> list[dict[str, object]]:
    """Read an export with other people's readers."""
    if path.is_dir():
        rows = [json.loads(line) for line in (path / "index.jsonl").read_bytes().splitlines()]
        return [row | {"text": (path / row.pop("file")).read_bytes().decode().removesuffix("\n")} for row in rows]
    if path.suffix == ".parquet":
        rows = arrow_parquet.read_table(path).to_pylist()
        return [row | {"fetched_at": row["fetched_at"].isoformat().replace("+00:00", "Z")} for row in rows]
    raw = path.read_bytes()
    if path.suffix == ".gz":
        raw = gzip.decompress(raw)
    if path.suffix == ".zst":
        raw = zstandard.ZstdDecompressor().stream_reader(raw).read()
    return [json.loads(line) for line in raw.decode().splitlines()]


def everything_under(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def run_python(code: str, *arguments: object, **options: object) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, timeout=60, check=False, **options)  # type: ignore[call-overload,no-any-return]


@pytest.mark.parametrize("name", TARGETS)
def test_odd_texts_and_all_fields_come_back_equal_from_every_format(tmp_path: Path, name: str) -> None:
    """What is read back by standard readers equals what went in, provenance included."""
    originals = [with_all(one) for one in documents(ODD_TEXTS)]
    report = export(originals, target_in(tmp_path, name))
    rows = read_back(tmp_path / name)
    assert [row["text"] for row in rows] == list(ODD_TEXTS)
    assert report.documents == len(rows)
    for row, original in zip(rows, originals, strict=True):
        expected = {field.name: getattr(original, field.attribute) for field in FIELDS}
        expected |= {
            name: list(getattr(original, name)) for name in ("captions", "comments", "directives", "languages")
        }
        assert original.quality
        expected |= {"quality": dataclasses.asdict(original.quality)}
        assert row == expected | {"fetched_at": "2026-11-20T12:00:00.123456Z"}


@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=25, deadline=None)
@given(texts=st.lists(st.text(max_size=60), max_size=5))
def test_any_text_survives_every_format(tmp_path_factory: pytest.TempPathFactory, name: str, texts: list[str]) -> None:
    """Whatever Unicode text a document holds, it comes back equal and alone on its line."""
    folder = tmp_path_factory.mktemp("any")
    export(documents(texts), target_in(folder, name))
    assert [row["text"] for row in read_back(folder / name)] == texts


@pytest.mark.parametrize("name", TARGETS)
def test_lone_surrogates_and_infinities_do_not_stop_an_export(tmp_path: Path, name: str) -> None:
    """What UTF-8 and JSON cannot hold becomes U+FFFD and null."""
    export([a_document(text="a\ud800b", title="\udfff", language_confidence=math.nan)], target_in(tmp_path, name))
    (row,) = read_back(tmp_path / name)
    assert (row["text"], row["title"], row["language_confidence"]) == ("a\ufffdb", "\ufffd", None)


def test_times_of_other_zones_are_written_as_utc(tmp_path: Path) -> None:
    """fetched_at is UTC in the file whatever zone it came in."""
    there = datetime(2026, 11, 20, 19, 0, tzinfo=timezone(timedelta(hours=7)))
    export([a_document(fetched_at=there)], tmp_path / "out.jsonl")
    assert read_back(tmp_path / "out.jsonl")[0]["fetched_at"] == "2026-11-20T12:00:00Z"


def test_the_documented_fields_are_the_written_ones() -> None:
    """Every field name stands in the package's documentation."""
    named = set(re.findall(r"``(\w+)``", storage.exports.__doc__ or ""))
    assert {field.name for field in FIELDS} <= named
    stored = {field.name for field in dataclasses.fields(CorpusDocument)}
    assert {field.attribute for field in FIELDS} == stored | {"mixed"}


@pytest.mark.parametrize("name", TARGETS)
def test_the_same_documents_give_the_same_bytes(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two exports made in different folders in different years are identical."""
    digests = []
    for folder, now in (("one", 1_700_000_000.0), ("two", 1_800_000_000.0)):
        monkeypatch.setattr(time, "time", lambda now=now: now)
        (tmp_path / folder).mkdir()
        digests.append(export(documents(ODD_TEXTS), target_in(tmp_path / folder, name)).sha256)
    assert digests[0] == digests[1]


@pytest.mark.parametrize("name", [*TARGETS, "odd\\na\nme.jsonl", "odd\\folder/"])
def test_the_checksum_file_satisfies_sha256sum(tmp_path: Path, name: str) -> None:
    """``sha256sum -c`` accepts every export, and the report tells the same digest and size."""
    report = export(documents(["one", "two"]), target_in(tmp_path, name))
    path = tmp_path / name.rstrip("/")
    checksum = Path(f"{path}.sha256")
    subprocess.run(["sha256sum", "--strict", "--status", "-c", checksum.name], cwd=tmp_path, check=True, timeout=30)
    files = [path] if path.is_file() else list(path.iterdir())
    assert report.bytes == sum(file.stat().st_size for file in files)
    assert report.sha256 == hashlib.sha256((path if path.is_file() else checksum).read_bytes()).hexdigest()
    assert len(checksum.read_bytes().splitlines()) == len(files)


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
    with pytest.raises(ConfigError, match="other files"):
        export(documents(["new"]), home, overwrite=True)
    assert (home / "thesis.tex").read_text() == "years of work"


DISK_FULL = """
import resource, sys
from storage.errors import DiskError
from storage.exports import export
from tests.storage.test_exports import a_document
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
    assert b"free some space" in done.stderr
    assert everything_under(tmp_path) == []


def test_a_failing_fsync_is_a_disk_error_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that reports its error only when asked to flush does not give an export either."""

    def broken(_descriptor: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(DiskError, match="Input/output error"):
        export(documents(["x"]), tmp_path / "out.jsonl")
    assert everything_under(tmp_path) == []


KILLED = """
import os, signal, sys
from storage.exports import export
from tests.storage.test_exports import a_document
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


def test_two_exports_to_one_name_in_one_process_are_told_apart(tmp_path: Path) -> None:
    """The second is refused, the first finishes."""

    def nested() -> Iterator[CorpusDocument]:
        yield a_document()
        with pytest.raises(ConfigError, match="another export"):
            export(documents(["inner"]), tmp_path / "out.jsonl")

    export(nested(), tmp_path / "out.jsonl")
    assert len(read_back(tmp_path / "out.jsonl")) == 1


@pytest.mark.parametrize(
    "identifier", ["../out", "a/b", "", ".", "..", ".hidden", "nul\x00", "x" * 300, "%2e%2e/a b", "ä"]
)
def test_an_id_that_is_no_file_name_stops_the_folder_export(tmp_path: Path, identifier: str) -> None:
    """No file is ever written outside the folder, whatever the corpus holds."""
    with pytest.raises(DamageError, match="cannot name a file"):
        export([a_document(id=identifier)], target_in(tmp_path, "out/"))
    assert everything_under(tmp_path) == []


def test_an_id_that_comes_twice_stops_the_folder_export(tmp_path: Path) -> None:
    """Two documents never share a file silently."""
    with pytest.raises(DamageError, match="two documents"):
        export([a_document(1), a_document(1)], target_in(tmp_path, "out/"))


@pytest.mark.parametrize(
    ("target", "options", "told"),
    [
        ("out.csv", {}, ".jsonl, .jsonl.gz, .jsonl.zst, .parquet"),
        ("out", {}, "a folder with a final /"),
        ("out.json.gz", {}, "suffix"),
        ("out.jsonl", {"format_name": "xml"}, "unknown export format 'xml'"),
        ("missing/out.jsonl", {}, "no such folder"),
        ("folder", {"format_name": "jsonl"}, "is a folder"),
        ("file", {"format_name": "txt", "overwrite": True}, "is not a folder"),
        ("/", {}, "needs a name"),
    ],
)
def test_a_target_that_cannot_be_is_explained(
    tmp_path: Path, target: str, options: dict[str, str], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each impossible target is refused with the way out, before anything is written."""
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("file").write_text("")
    with pytest.raises(ConfigError, match=re.escape(told)):
        export([], target, **options)  # type: ignore[arg-type]
    assert everything_under(tmp_path) == ["file", "folder"]


def test_the_given_format_wins_over_the_name(tmp_path: Path) -> None:
    """A new folder needs no final slash when the format is named, and any file name will do."""
    export(documents(["x"]), tmp_path / "texts", format_name="txt")
    export(documents(["x"]), tmp_path / "dump.data", format_name="jsonl.gz")
    assert (tmp_path / "texts" / "doc-000000.txt").read_text() == "x\n"
    assert gzip.decompress((tmp_path / "dump.data").read_bytes()).endswith(b"}\n")


def test_a_dash_writes_json_lines_to_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """Standard output gets what the file would hold, and the report its digest."""
    report = export(documents(["one", "two"]), "-")
    written = capfdbinary.readouterr().out
    assert [json.loads(line)["text"] for line in written.splitlines()] == ["one", "two"]
    assert (report.path, report.bytes, report.sha256) == (None, len(written), hashlib.sha256(written).hexdigest())


def test_a_folder_cannot_go_to_standard_output() -> None:
    """The folder format needs a folder."""
    with pytest.raises(ConfigError, match="name a folder"):
        export([], "-", format_name="txt")


@pytest.mark.parametrize("name", TARGETS)
def test_an_empty_selection_is_a_valid_export(tmp_path: Path, name: str) -> None:
    """No documents give a readable file without rows."""
    assert export([], target_in(tmp_path, name)).documents == 0
    assert read_back(tmp_path / name) == []


@pytest.mark.parametrize("name", TARGETS)
def test_memory_stays_flat(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Thirty megabytes of text, one document at a time, never stand in memory together."""
    monkeypatch.setattr(parquet, "ROW_GROUP_CHARS", 10**6)
    tracemalloc.start()
    try:
        export((a_document(number, f"{number:06} " * 15_000) for number in range(300)), target_in(tmp_path, name))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * 2**20


def test_row_groups_are_bounded_by_rows_and_by_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many short and few long texts both give several row groups."""
    monkeypatch.setattr(parquet, "ROW_GROUP_ROWS", 3)
    monkeypatch.setattr(parquet, "ROW_GROUP_CHARS", 100)
    export(documents(["s"] * 7 + ["l" * 60] * 3), tmp_path / "out.parquet")
    metadata = arrow_parquet.ParquetFile(tmp_path / "out.parquet").metadata
    assert [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)] == [3, 3, 3, 1]


def test_the_parquet_schema_is_stated_even_where_all_values_are_missing(tmp_path: Path) -> None:
    """A column of nulls keeps its type, so that exports can be concatenated."""
    export([a_document(author=None, licence=None)], tmp_path / "out.parquet")
    assert arrow_parquet.read_schema(tmp_path / "out.parquet").equals(parquet.schema())


DATASETS = """
import sys
from datasets import load_dataset
for builder, path in (("parquet", sys.argv[1]), ("json", sys.argv[2])):
    rows = load_dataset(builder, data_files=path, split="train", cache_dir=sys.argv[3])
    assert rows["text"][0] == "سلام" and rows["warc_offset"][0] == 2**33, rows
print("opened", len(rows))
"""


def test_datasets_opens_parquet_and_json_lines(tmp_path: Path) -> None:
    """The Hugging Face library loads both without a network."""
    paths = [tmp_path / "out.parquet", tmp_path / "out.jsonl.gz"]
    for path in paths:
        export(documents(["سلام", "two"]), path)
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "home")}
    done = run_python(DATASETS, *paths, tmp_path / "cache", env=environment)
    assert done.stdout == b"opened 2\n", done.stderr.decode()


def test_progress_is_told_every_so_many_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The callback hears the running count."""
    monkeypatch.setattr(sink, "PROGRESS_EVERY", 2)
    heard: list[int] = []
    hear: Callable[[int], None] = heard.append
    export(documents(["x"] * 5), tmp_path / "out.jsonl", on_progress=hear)
    assert heard == [2, 4]


def test_heavy_libraries_are_imported_only_when_used() -> None:
    """Importing the package stays quick: neither pyarrow nor zstandard comes with it."""
    done = run_python("import sys, storage.exports; print({'pyarrow', 'zstandard'} & set(sys.modules))")
    assert done.stdout == b"set()\n", done.stderr.decode()
