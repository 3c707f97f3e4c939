"""Exports with chosen fields: only these, in this order, in each format that can have any."""

from __future__ import annotations

import csv
import itertools
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from storage.errors import ConfigError
from storage.exports import export
from storage.exports.fields import BY_NAME, MINIMAL, PRESETS
from storage.exports.format_table import FIELD_FORMATS, FORMATS, PARTED_FORMATS, destination
from storage.exports.writer import export_parts, part_of
from storage.fields import FIELDS, Fields
from tests.storage.export_samples import ODD_TEXTS, STREAMS, documents, read_back, target_in, with_all

if TYPE_CHECKING:
    from storage.documents.model import CorpusDocument

CHOSEN = ("title", "url", "date", "authors", "quality", "text")
SINGLE = ("text",)
PARTED = [name for name in PARTED_FORMATS if name in FIELD_FORMATS]


def fields_of(names: tuple[str, ...]) -> Fields:
    return tuple(BY_NAME[name] for name in names)


def expected(document: CorpusDocument, names: tuple[str, ...]) -> dict[str, Any]:
    """Values as JSON and Parquet give them back."""
    values = {name: getattr(document, BY_NAME[name].name) for name in names}
    values |= {name: list(values[name]) for name in {"authors"} & values.keys()}
    return values | {name: structs.asdict(values[name]) for name in {"quality"} & values.keys()}


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("names", [CHOSEN, SINGLE, tuple(field.name for field in reversed(FIELDS))])
def test_a_file_has_the_chosen_fields_in_their_order(tmp_path: Path, name: str, names: tuple[str, ...]) -> None:
    """One field, some, and all of them the other way round."""
    originals = [with_all(one) for one in documents(ODD_TEXTS)]
    export(originals, target_in(tmp_path, name), fields=fields_of(names))
    if "fetched_at" in names:
        rows = read_back(tmp_path / name)
        assert [list(row) for row in rows] == [list(names)] * len(originals)
        return
    rows = [dict(row) for row in _rows(tmp_path / name)]
    assert [list(row) for row in rows] == [list(names)] * len(originals)
    assert rows == [expected(one, names) for one in originals]


def _rows(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".parquet":
        from pyarrow import parquet

        return parquet.read_table(path).to_pylist()  # type: ignore[no-any-return]
    return read_back(path)


def test_a_table_has_the_chosen_columns(tmp_path: Path) -> None:
    """Its first row names them, and a title that begins with an equals sign is no formula."""
    export(documents(["=1+1", "b"]), tmp_path / "out.csv", fields=fields_of(("url", "date", "title", "text")))
    with (tmp_path / "out.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["url", "date", "title", "text"]
    assert rows[1] == ["https://paper.example/0", "2024-05-13", "../../etc/passwd", "'=1+1"]


def test_a_folder_of_texts_lists_the_chosen_fields(tmp_path: Path) -> None:
    """The text itself is always a file."""
    export(documents(["a"]), f"{tmp_path}/out/", fields=fields_of(("title", "url")))
    (row,) = [json.loads(line) for line in (tmp_path / "out" / "index.jsonl").read_text().splitlines()]
    assert row == {"file": "doc-000000.txt", "title": "../../etc/passwd", "url": "https://paper.example/0"}
    assert (tmp_path / "out" / "doc-000000.txt").read_text() == "a\n"


@pytest.mark.parametrize("name", PARTED)
@given(cuts=st.lists(st.integers(0, 8), max_size=3))
@settings(max_examples=8, deadline=None)
def test_a_file_with_chosen_fields_is_the_same_however_it_is_parted(name: str, cuts: list[int]) -> None:
    """Several processes write what one writes, also when no document is left."""
    originals = [with_all(one) for one in documents([*ODD_TEXTS, "\ud800"])]
    fields = fields_of(CHOSEN)
    edges = [0, *sorted(cuts), len(originals)]
    with tempfile.TemporaryDirectory() as aside:
        for number, parted in enumerate(([originals[a:b] for a, b in itertools.pairwise(edges)], [])):
            whole, apart = Path(aside) / f"whole{number}.{name}", Path(aside) / f"parts{number}.{name}"
            where = destination(apart, fields=fields)
            one = export(itertools.chain(*parted), whole, fields=fields)
            several = export_parts([part_of(part, where) for part in parted], where)
            assert (one.sha256, one.documents) == (several.sha256, several.documents)


def test_columns_make_the_same_part_as_documents() -> None:
    """With chosen fields as with all."""
    originals = [with_all(one) for one in documents(ODD_TEXTS)]
    columns: Any = dict(
        zip(originals[0].__struct_fields__, zip(*map(structs.astuple, originals), strict=True), strict=True)
    )
    columns["text"] = [text.encode() for text in columns["text"]]
    parquet = PARTED_FORMATS["parquet"](fields_of(CHOSEN))
    assert parquet.make_of_columns
    assert parquet.make_of_columns(columns) == parquet.make(originals)


@pytest.mark.parametrize("name", sorted({*FORMATS} - {*FIELD_FORMATS, "txt"}))
def test_a_format_with_fields_of_its_own_refuses_others(tmp_path: Path, name: str) -> None:
    """TEI and vertical text have what a reader or a concordancer needs."""
    with pytest.raises(ConfigError, match="always has the same fields"):
        export(documents(["a"]), tmp_path / f"out.{name}", fields=MINIMAL)
    assert list(tmp_path.iterdir()) == []


def test_presets_are_parts_of_the_whole() -> None:
    """`full` is every field; the names of the read model are aliases of the names in files."""
    assert PRESETS["full"] == FIELDS
    assert set(PRESETS["minimal"]) < set(FIELDS)
    assert BY_NAME["published"] is BY_NAME["date"]


def test_markdown_has_few_fields_unless_more_are_wanted(tmp_path: Path) -> None:
    """People read it: sixty fields before each article would be in their way."""
    export(documents(["a"]), tmp_path / "few.md")
    export(documents(["a"]), tmp_path / "many.md", fields=FIELDS)
    few, many = (_front(tmp_path / name) for name in ("few.md", "many.md"))
    assert list(few) == [field.name for field in MINIMAL if field.name != "text"]
    assert list(many) == [field.name for field in FIELDS if field.name != "text"]


def _front(path: Path) -> dict[str, Any]:
    block = path.read_text().partition("```yaml\n")[2].partition("```")[0]
    values: dict[str, Any] = yaml.safe_load(block)
    return values
