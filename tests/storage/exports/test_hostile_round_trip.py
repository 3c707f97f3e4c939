"""Hostile texts: written once, read by other people's libraries, and equal to the input."""

from __future__ import annotations

import csv
import json
import re
from typing import TYPE_CHECKING

import pandas
import pyarrow.json
import pyarrow.parquet
import pytest

from storage.exports import export
from tests.storage.export_samples import documents

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TEXTS = {
    "csv injection": "=cmd|'/C calc'!A0\n+1+1\n@SUM(1)\n-2",
    "line separators": "one\u2028two\u2029three\x85four\x0bfive\x0csix\rseven",
    "nul": "before\x00after",
    "lone surrogates": "high \ud800 low \udfff turned \udc00\ud800 end",
    "a paragraph of five megabytes": "từ سلام ไทย " * 200_000,
    "an apostrophe before a formula": "'=1+1",
    "apostrophes": "''tis",
    "like a number": "1e5",
    "like a date": "2026-01-01",
    "like nothing": "null",
}
EXPECTED = [text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for text in TEXTS.values()]


def by_json(folder: Path) -> list[str]:
    return [json.loads(line)["text"] for line in (folder / "out.jsonl").read_text("utf-8").splitlines()]


def by_pandas_json(folder: Path) -> list[str]:
    rows = pandas.read_json(folder / "out.jsonl", lines=True, dtype=False)
    return list(rows["text"])


def by_pandas_parquet(folder: Path) -> list[str]:
    return list(pandas.read_parquet(folder / "out.parquet")["text"])


def by_arrow_json(folder: Path) -> list[str]:
    options = pyarrow.json.ReadOptions(block_size=2**25)
    return list(pyarrow.json.read_json(folder / "out.jsonl", read_options=options)["text"].to_pylist())


def by_arrow_parquet(folder: Path) -> list[str]:
    return list(pyarrow.parquet.read_table(folder / "out.parquet", columns=["text"])["text"].to_pylist())


def by_csv(folder: Path) -> list[str]:
    csv.field_size_limit(2**25)
    with (folder / "out.csv").open(encoding="utf-8-sig", newline="") as file:
        return [readable(row["text"]) for row in csv.DictReader(file)]


def by_pandas_csv(folder: Path) -> list[str]:
    rows = pandas.read_csv(folder / "out.csv", dtype=str, keep_default_na=False)
    return [readable(text) for text in rows["text"]]


def readable(cell: str) -> str:
    """Return the text of a cell, as the format's description says."""
    return cell[1:] if re.match("'+[=+@\t\r-]", cell) else cell


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    for name in ("out.jsonl", "out.parquet", "out.csv"):
        export(documents(list(TEXTS.values())), folder / name)
    return folder


@pytest.mark.parametrize(
    "read", [by_json, by_pandas_json, by_pandas_parquet, by_arrow_json, by_arrow_parquet, by_csv, by_pandas_csv]
)
def test_every_reader_gives_what_went_in(folder: Path, read: Callable[[Path], list[str]]) -> None:
    """Letter for letter, with U+FFFD for each lone surrogate, which no UTF-8 file can hold."""
    found = read(folder)
    assert len(found) == len(EXPECTED)
    for name, text, expected in zip(TEXTS, found, EXPECTED, strict=True):
        assert text == expected, name


def test_no_cell_of_a_csv_file_is_a_formula(folder: Path) -> None:
    """From any field: no text begins with a character that makes a spreadsheet run it."""
    csv.field_size_limit(2**25)
    with (folder / "out.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    texts = {name for row in rows for name, value in row.items() if value[:1] in set("=+-@\t\r")}
    assert texts <= {"tdm", "replaced"}
    assert (folder / "out.csv").read_bytes().startswith(b"\xef\xbb\xbf")
