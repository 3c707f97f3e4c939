"""Exports: the same fields in each format, whole or absent, reproducible, in constant memory."""

from __future__ import annotations

import dataclasses
import gzip
import hashlib
import itertools
import json
import math
import os
import re
import subprocess
import tempfile
import time
import tracemalloc
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs
from pyarrow import parquet as arrow_parquet

from storage.corpus import Corpus
from storage.documents.model import CorpusDocument
from storage.errors import ConfigError, DamageError
from storage.exports import export, files, writer
from storage.exports.format_table import PARTED_FORMATS, destination
from storage.exports.formats import parquet
from storage.exports.writer import export_parts, part_of
from storage.fields import FIELDS
from tests.extras import need
from tests.storage.export_samples import (
    ODD_TEXTS,
    ROOT,
    STREAMS,
    TARGETS,
    a_document,
    documents,
    everything_under,
    read_back,
    run_python,
    target_in,
    with_all,
)

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize("name", TARGETS)
def test_odd_texts_and_all_fields_come_back_equal_from_every_format(tmp_path: Path, name: str) -> None:
    """What is read back by standard readers equals what went in, provenance included."""
    originals = [with_all(one) for one in documents(ODD_TEXTS)]
    report = export(originals, target_in(tmp_path, name))
    rows = read_back(tmp_path / name)
    assert [row["text"] for row in rows] == list(ODD_TEXTS)
    assert report.documents == len(rows)
    for row, original in zip(rows, originals, strict=True):
        expected = {field.name: getattr(original, field.name) for field in FIELDS}
        expected |= {
            name: list(getattr(original, name))
            for name in ("authors", "captions", "comments", "directives", "languages")
        }
        assert original.quality
        expected |= {"quality": structs.asdict(original.quality)}
        assert row == expected | {"fetched_at": "2026-11-20T12:00:00.123456Z"}


@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=25, deadline=None)
@given(texts=st.lists(st.text(max_size=60), max_size=5))
def test_any_text_survives_every_format(tmp_path_factory: pytest.TempPathFactory, name: str, texts: list[str]) -> None:
    """Any Unicode text of a document comes back equal and alone on its line."""
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
    """fetched_at is UTC in the file, from any zone."""
    there = datetime(2026, 11, 20, 19, 0, tzinfo=timezone(timedelta(hours=7)))
    export([a_document(fetched_at=there)], tmp_path / "out.jsonl")
    assert read_back(tmp_path / "out.jsonl")[0]["fetched_at"] == "2026-11-20T12:00:00Z"


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


@pytest.mark.parametrize(
    "identifier", ["../out", "a/b", "", ".", "..", ".hidden", "nul\x00", "x" * 300, "%2e%2e/a b", "ä"]
)
def test_an_id_that_is_no_file_name_stops_the_folder_export(tmp_path: Path, identifier: str) -> None:
    """No file is ever written outside the folder, for any content of the corpus."""
    with pytest.raises(DamageError, match="cannot name a file"):
        export([a_document(id=identifier)], target_in(tmp_path, "out/"))
    assert everything_under(tmp_path) == []


def test_an_id_that_comes_twice_stops_the_folder_export(tmp_path: Path) -> None:
    """Two documents never share a file silently."""
    with pytest.raises(DamageError, match="two documents"):
        export([a_document(1), a_document(1)], target_in(tmp_path, "out/"))


@pytest.mark.parametrize(
    ("target", "options", "reported"),
    [
        ("out.xlsx", {}, ".jsonl, .jsonl.gz, .jsonl.zst, .parquet"),
        ("out", {}, "a folder with a final /"),
        ("out.json.gz", {}, "suffix"),
        ("out.jsonl", {"format_name": "xml"}, "unknown export format 'xml'"),
        ("missing/out.jsonl", {}, "no such folder"),
        ("folder", {"format_name": "jsonl"}, "is a folder"),
        ("new/", {"format_name": "jsonl"}, "jsonl makes a file"),
        ("file", {"format_name": "txt", "overwrite": True}, "is not a folder"),
        ("/", {}, "needs a name"),
        ("out.jsonl", {"format_name": "parquet"}, "the name says jsonl, and --format says parquet"),
        ("out.jsonl.zst", {"format_name": "jsonl"}, "the name says jsonl.zst, and --format says jsonl"),
        ("out.vert", {"format_name": "txt"}, "the name says vert, and --format says txt"),
    ],
)
def test_a_target_that_cannot_be_is_explained(
    tmp_path: Path, target: str, options: dict[str, str], reported: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each impossible target is refused with the way out, before anything is written."""
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("file").write_text("")
    with pytest.raises(ConfigError, match=re.escape(reported)):
        export([], target, **options)  # type: ignore[arg-type]
    assert everything_under(tmp_path) == ["file", "folder"]


def test_the_given_format_wins_over_the_name(tmp_path: Path) -> None:
    """A new folder needs no final slash when the format is named, and any file name will do."""
    export(documents(["x"]), tmp_path / "texts", format_name="txt")
    export(documents(["x"]), tmp_path / "export.data", format_name="jsonl.gz")
    assert (tmp_path / "texts" / "doc-000000.txt").read_text() == "x\n"
    assert gzip.decompress((tmp_path / "export.data").read_bytes()).endswith(b"}\n")


def test_a_dash_writes_json_lines_to_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """Standard output gets what the file would hold, and the report its digest."""
    report = export(documents(["one", "two"]), "-")
    written = capfdbinary.readouterr().out
    assert [json.loads(line)["text"] for line in written.splitlines()] == ["one", "two"]
    assert (report.path, report.bytes, report.sha256) == (None, len(written), hashlib.sha256(written).hexdigest())


def test_a_folder_cannot_go_to_standard_output() -> None:
    """The folder format needs a folder."""
    with pytest.raises(ConfigError, match="Name a folder"):
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
    # What an export loads once is not what it takes.
    export(documents(["x"]), target_in(tmp_path, f"first-{name}"))
    tracemalloc.start()
    try:
        export((a_document(number, f"{number:06} " * 15_000) for number in range(300)), target_in(tmp_path, name))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * 2**20


@pytest.mark.parametrize("name", STREAMS)
def test_a_file_is_the_same_whenever_the_disk_begins_to_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Once it is closed, or all along."""
    digests = []
    for number, ahead in enumerate((2**30, 100)):
        monkeypatch.setattr(files, "UNWRITTEN_BYTES", ahead)
        (tmp_path / str(number)).mkdir()
        report = export(documents(ODD_TEXTS * 5), tmp_path / str(number) / name)
        digests.append(report.sha256)
        assert hashlib.sha256((tmp_path / str(number) / name).read_bytes()).hexdigest() == report.sha256
    assert digests[0] == digests[1]


def test_row_groups_are_bounded_by_rows_and_by_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many short and few long texts both give several row groups."""
    monkeypatch.setattr(parquet, "ROW_GROUP_ROWS", 3)
    monkeypatch.setattr(parquet, "ROW_GROUP_CHARS", 100)
    export(documents(["s"] * 7 + ["l" * 60] * 3), tmp_path / "out.parquet")
    metadata = arrow_parquet.ParquetFile(tmp_path / "out.parquet").metadata
    assert [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)] == [3, 3, 3, 1]


@pytest.mark.parametrize("name", STREAMS)
@given(cuts=st.lists(st.integers(0, 12), max_size=4))
@settings(max_examples=15, deadline=None)
def test_a_file_is_the_same_however_it_is_parted(name: str, cuts: list[int]) -> None:
    """Parts that are made apart and written together give the bytes that one export writes, to the last row group."""
    originals = [with_all(one) for one in documents([*ODD_TEXTS, "l" * 60, "\ud800"] * 2)]
    edges = [0, *sorted(cuts), len(originals)]
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as aside:
        patch.setattr(parquet, "BATCH_ROWS", 2)
        patch.setattr(parquet, "ROW_GROUP_ROWS", 5)
        patch.setattr(parquet, "ROW_GROUP_CHARS", 100)
        (Path(aside) / "parted").mkdir()
        whole, where = Path(aside) / name, destination(Path(aside) / "parted" / name)
        parts = [part_of(originals[a:b], where) for a, b in itertools.pairwise(edges)]
        reports = export(originals, whole), export_parts(parts, where)
    assert reports[0] == dataclasses.replace(reports[1], path=whole)


COLUMNED = [name for name, format_ in PARTED_FORMATS.items() if format_(FIELDS).make_of_columns]


def columns_of(originals: list[CorpusDocument], texts: list[Any]) -> dict[str, Any]:
    """Return documents by fields, with these in the place of their texts."""
    fields = CorpusDocument.__struct_fields__
    return dict(zip(fields, zip(*map(structs.astuple, originals), strict=True), strict=True)) | {"text": texts}


@pytest.mark.parametrize("name", COLUMNED)
def test_a_part_is_the_same_from_columns_with_texts_in_utf8(name: str) -> None:
    """As from documents, for any texts."""
    originals = [with_all(one) for one in documents(ODD_TEXTS)]
    format_ = PARTED_FORMATS[name](FIELDS)
    assert format_.make_of_columns
    assert format_.make_of_columns(columns_of(originals, [text.encode() for text in ODD_TEXTS])) == format_.make(
        originals
    )


@pytest.mark.parametrize("name", COLUMNED)
@pytest.mark.parametrize("text", [b"a\xffb", b"\xed\xa0\x80", 0])
def test_columns_whose_texts_are_none_are_refused(name: str, text: Any) -> None:
    """Bytes that are no UTF-8, surrogates in it, and numbers."""
    make = PARTED_FORMATS[name](FIELDS).make_of_columns
    assert make
    with pytest.raises((ValueError, TypeError)):
        make(columns_of(documents(["x"]), [text]))


@pytest.mark.parametrize("name", TARGETS)
def test_bytes_in_the_place_of_a_text_are_not_exported(tmp_path: Path, name: str) -> None:
    """They end the export, which names the document and leaves nothing."""
    damaged: Any = b"a\xffb"
    with pytest.raises(DamageError, match="doc-000001"):
        export([*documents(["x"]), a_document(1, damaged)], target_in(tmp_path, name))
    assert list(tmp_path.iterdir()) == []


def test_parquet_holds_what_json_lines_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With any number of rows in a group of columns, with and without the measures of a text."""
    monkeypatch.setattr(parquet, "BATCH_ROWS", 2)
    monkeypatch.setattr(parquet, "ROW_GROUP_ROWS", 5)
    originals = [with_all(one) for one in documents(ODD_TEXTS)]
    originals[2:4] = [structs.replace(one, quality=None, foreign_share=math.inf) for one in originals[2:4]]
    originals[5] = structs.replace(originals[5], captions=("a\ud800",), text="\udfff")
    rows = []
    for name in ("out.parquet", "out.jsonl"):
        export(originals, tmp_path / name)
        rows.append(read_back(tmp_path / name))
    assert rows[0] == rows[1]


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


GUESSED = """
import polars
from datasets import load_dataset
failed = 0
for read in (polars.read_ndjson, lambda path: load_dataset("json", data_files=path)):
    try:
        read("news.jsonl")
    except Exception:
        failed += 1
assert failed == 2, failed
"""


def test_the_page_on_exports_reads_json_lines_whose_fields_have_their_first_value_late(tmp_path: Path) -> None:
    """Guessed from the first lines, the types are wrong: Polars looks at 100 lines, `datasets` at some megabytes."""
    need("data")
    late = {"licence": "CC BY", "authors": ("Mai",), "foreign_share": 0.25}
    rows = [a_document(number, "word " * 15_000, licence=None, authors=()) for number in range(260)]
    export([*rows[:-1], a_document(999, **late)], tmp_path / "news.jsonl")
    Corpus.open(tmp_path / "vi-news" / "corpus.db", create=True).close()
    (tmp_path / "vi-news" / "corpus.toml").write_text('[corpus]\nname = "vi"\ncontact = "you@example.org"\n')
    page = (ROOT / "docs" / "how-to" / "export.md").read_text("utf-8")
    [example] = [code for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "read_ndjson" in code]
    seen = 'assert frame["licence"][-1] == rows[-1]["licence"] == "CC BY" and rows[-1]["authors"] == ["Mai"]'
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "home"), "PYTHONPATH": str(ROOT)}
    for code in (GUESSED, f"{example}\n{seen}\n"):
        done = run_python(f"import os; os.chdir({str(tmp_path)!r})\n{code}", env=environment)
        assert done.returncode == 0, done.stderr.decode()


def test_progress_is_reported_every_so_many_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The callback hears the running count."""
    monkeypatch.setattr(writer, "PROGRESS_EVERY", 2)
    heard: list[int] = []
    hear: Callable[[int], None] = heard.append
    export(documents(["x"] * 5), tmp_path / "out.jsonl", on_progress=hear)
    assert heard == [2, 4]


def test_heavy_libraries_are_imported_only_when_used() -> None:
    """Importing the package stays quick: neither pyarrow nor zstandard comes with it."""
    done = run_python("import sys, storage.exports; print({'pyarrow', 'zstandard'} & set(sys.modules))")
    assert done.stdout == b"set()\n", done.stderr.decode()
