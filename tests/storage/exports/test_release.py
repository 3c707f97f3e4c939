"""Releases: they describe their content, are reproducible, and report changes since an earlier one."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from storage.documents.model import CorpusDocument
from storage.errors import ConfigError, DamageError
from storage.exports.release.card import card, licence_id, size_category
from storage.exports.release.changes import read_earlier, read_index
from storage.exports.release.writer import Release, ReleaseForm, write_release
from storage.records import Quality
from tests.storage.export_samples import run_python

if TYPE_CHECKING:
    from pathlib import Path

ABOUT = Release("news", "corpus-spider 1", "0008", "you@example.org", {"languages": []}, (), {"crawl": {}})


def a_document(number: int, text: str = "Some words.", **changes: Any) -> CorpusDocument:
    values: dict[str, Any] = dict.fromkeys(CorpusDocument.__struct_fields__)
    values |= {"id": f"{number:032x}", "url": f"https://a.example/{number}", "site": "a", "language": "vi"}
    values |= {
        "script": "Latn",
        "text": text,
        "chars": len(text),
        "fetched_at": datetime(2026, 3, number % 28 + 1, tzinfo=UTC),
    }
    values |= {
        "date": f"2026-0{number % 9 + 1}-01",
        "kinds": "",
        "recurring": "",
        "captions": (),
        "comments": (),
        "version": 1,
    }
    return CorpusDocument(**values | changes)


def release(
    target: Path, documents: list[CorpusDocument], about: Release = ABOUT, shape: ReleaseForm | None = None
) -> dict[str, Any]:
    write_release(documents, target, about, shape or ReleaseForm())
    manifest: dict[str, Any] = json.loads((target / "manifest.json").read_text())
    return manifest


def lines(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".parquet":
        return parquet.read_table(path).to_pylist()  # type: ignore[no-any-return]
    with path.open("rb") as file:
        data = zstandard.ZstdDecompressor().stream_reader(file).read() if path.suffix == ".zst" else file.read()
    return [json.loads(line) for line in data.splitlines()]


def data(target: Path) -> list[dict[str, Any]]:
    return [row for path in sorted((target / "data").iterdir()) for row in lines(path)]


def test_the_manifest_lists_every_file_with_its_content(tmp_path: Path) -> None:
    """Counts, digests, spans of time; the checksum file beside lists all of it."""
    documents = [a_document(n, licence="CC BY 4.0", language=("vi", "ar")[n % 2]) for n in range(1, 6)]
    manifest = release(tmp_path / "release", documents)
    assert manifest["counts"]["documents"] == 5
    assert manifest["counts"]["languages"]["vi"] == {"documents": 2, "chars": 22}
    assert manifest["counts"]["fetched"] == ["2026-03-02", "2026-03-06"]
    assert manifest["counts"]["sites"]["a"]["licence"] == "CC BY 4.0"
    for entry in (*manifest["files"], manifest["index"], manifest["removed"]):
        content = (tmp_path / "release" / entry["path"]).read_bytes()
        assert (entry["bytes"], entry["sha256"]) == (len(content), hashlib.sha256(content).hexdigest())
    listed = dict(line.split("  ")[::-1] for line in (tmp_path / "release.sha256").read_text().splitlines())
    files = {str(path.relative_to(tmp_path)) for path in (tmp_path / "release").rglob("*") if path.is_file()}
    assert set(listed) == files
    assert all(hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() == value for name, value in listed.items())


@pytest.mark.parametrize("format_name", ["jsonl", "jsonl.gz", "jsonl.zst", "parquet", "tei.xml", "vert", "prevert"])
def test_the_same_corpus_gives_the_same_bytes(tmp_path: Path, format_name: str) -> None:
    """Down to the last file, in every format, with and without shards."""
    documents = [a_document(n, f"Text {n} " * 50) for n in range(1, 40)]
    shape = ReleaseForm(format_name, 4000)
    for name in ("one", "two"):
        release(tmp_path / name, documents, shape=shape)
    for path in (tmp_path / "one").rglob("*"):
        assert (
            path.is_dir() or path.read_bytes() == (tmp_path / "two" / path.relative_to(tmp_path / "one")).read_bytes()
        )


def test_shards_end_at_the_size_and_lose_nothing(tmp_path: Path) -> None:
    """Each is a whole file; together they have every document once, in order."""
    documents = [a_document(n, "x" * 1000) for n in range(1, 21)]
    manifest = release(tmp_path / "release", documents, shape=ReleaseForm("jsonl", 5000))
    assert [row["id"] for row in data(tmp_path / "release")] == [document.id for document in documents]
    sizes = [entry["bytes"] for entry in manifest["files"]]
    assert len(sizes) > 3
    assert all(5000 <= size < 7500 for size in sizes[:-1])
    assert sum(entry["documents"] for entry in manifest["files"]) == 20


def test_a_release_of_nothing_is_a_release(tmp_path: Path) -> None:
    manifest = release(tmp_path / "release", [], shape=ReleaseForm("parquet"))
    assert manifest["counts"]["documents"] == 0
    assert parquet.read_table(tmp_path / "release" / "data" / "part-00001.parquet").num_rows == 0


def test_the_card_has_a_header_that_loads_and_tables(tmp_path: Path) -> None:
    """Hostile names stay text: no table, no link, no header is broken out of."""
    about = dataclasses.replace(ABOUT, name='n"\n---\n<script>', removed=({"id": "0" * 32, "removed": "2026-03-01"},))
    about = dataclasses.replace(about, selection={"min_chars": 40}, folds=("digits",))
    release(tmp_path / "release", [a_document(1, site="evil|[x](y)", licence="a\n| b |")], about)
    text = (tmp_path / "release" / "README.md").read_text()
    header = dict(line.split(": ", 1) for line in text.split("---\n")[1].splitlines())
    assert json.loads(header["pretty_name"]) == about.name
    assert json.loads(header["configs"])[0]["data_files"][0]["path"] == ["data/part-00001.parquet"]
    assert text.startswith("---\n")
    assert "<script>" not in text.split("---\n", 2)[2]
    (row,) = [line for line in text.splitlines() if "evil" in line]
    assert len(re.findall(r"(?<!\\)\|", row)) == 5
    assert "you@example.org" in text
    assert "removed on request (documents: 1)" in text
    assert 'Selection: `{"min_chars": 40}`. Characters folded: `digits`.' in text


DATASETS = """
import sys, datasets
*folders, cache = sys.argv[1:]
loaded = [datasets.load_dataset(folder, split="train", cache_dir=cache) for folder in folders]
streamed = [datasets.load_dataset(folder, split="train", streaming=True) for folder in folders]
assert all(each.features == loaded[0].features for each in (*loaded, *streamed))
assert all(list(each) == list(loaded[0]) for each in (*loaded, *streamed))
print(len(loaded[0]), loaded[0].features.arrow_schema.field("quality").type.field("words").type)
"""


def test_datasets_loads_a_release_by_the_name_of_its_folder(tmp_path: Path) -> None:
    """With the same types in each format, though a shard may have nothing where the next has a text."""
    quality = Quality(2, 13.0, 5.0, 1.0, 0.1667, 0.0, None, 1.0, 0.0, 0.0, 0.0, 0.0)
    undated: dict[str, Any] = {"date": None}
    reported = {"date": "tomorrow", "author": "A", "tdm": 1, "quality": quality, "captions": ("a",)}
    reported["fetched_at"] = datetime(2026, 3, 4, 5, 6, 7, 89, tzinfo=UTC)
    documents = [a_document(1, **undated), a_document(2, **reported), a_document(3, **undated)]
    folders = [tmp_path / name for name in ("jsonl", "jsonl.gz", "jsonl.zst", "parquet")]
    for folder in folders:
        release(folder, documents, shape=ReleaseForm(folder.name, shard_size=1 if folder.name == "jsonl" else 0))
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "home")}
    done = run_python(DATASETS, *folders, tmp_path / "cache", env=environment)
    assert done.stdout == b"3 int64\n", done.stderr.decode()
    (code,) = re.findall(r"```python\n(.*?)```", (folders[0] / "README.md").read_text(), re.DOTALL)
    inside = f"import os; os.chdir({str(folders[0])!r})\n"
    done = run_python(f"{inside}{code}print(len(documents))", env=environment)
    assert done.stdout.endswith(b"\n3\n"), done.stderr.decode()


@pytest.mark.parametrize(
    ("licences", "expected"),
    [
        (["CC BY 4.0", "cc by  4.0", "CC-BY-4.0"], "cc-by-4.0"),
        (["CC0-1.0", "CC0"], "cc0-1.0"),
        (["Apache-2.0"], "apache-2.0"),
        (["ODC-By-1.0"], "odc-by"),
        (["CC BY 4.0", None], "other"),
        (["mine"], "other"),
        ([], "other"),
    ],
)
def test_a_licence_is_named_where_all_sites_share_it(licences: list[str | None], expected: str) -> None:
    assert licence_id(licences) == expected


def test_size_categories() -> None:
    assert [size_category(n) for n in (0, 999, 1000, 10**6, 10**12)] == [
        *("n<1K", "n<1K", "1K<n<10K", "1M<n<10M", "10B<n<100B")
    ]


def test_a_difference_brings_an_earlier_release_up_to_date(tmp_path: Path) -> None:
    """Deleting what was removed and changed, and adding what is here, gives the release of today; and it can go on."""
    first = [a_document(n) for n in (1, 2, 3, 4)]
    second = [a_document(0), a_document(1), a_document(3, "Other words."), a_document(4, warc_offset=7, duplicates=2)]
    release(tmp_path / "first", first)
    earlier = read_earlier(tmp_path / "first" / "manifest.json")
    manifest = release(tmp_path / "second", second, shape=ReleaseForm(earlier=earlier))
    reported = {row["id"][-1]: row["change"] for row in lines(tmp_path / "second" / "changes.jsonl")}
    assert reported == {"0": "added", "2": "removed", "3": "changed"}
    assert {name: manifest["since"][name] for name in ("added", "changed", "removed")} == dict.fromkeys(
        ("added", "changed", "removed"), 1
    )
    assert [row["id"][-1] for row in data(tmp_path / "second")] == ["0", "3"]
    assert "To update the earlier release" in (tmp_path / "second" / "README.md").read_text()
    third = release(tmp_path / "third", second, shape=ReleaseForm(earlier=read_earlier(tmp_path / "second")))
    assert (third["counts"]["documents"], third["since"]["added"]) == (0, 0)


def test_healed_metadata_is_a_change(tmp_path: Path) -> None:
    """Another title, author or date with the same text is listed in the difference."""
    release(tmp_path / "first", [a_document(n) for n in (1, 2, 3, 4)])
    healed = [a_document(1, title="T"), a_document(2, author="A"), a_document(3, date="2020-02-02"), a_document(4)]
    release(tmp_path / "second", healed, shape=ReleaseForm(earlier=read_earlier(tmp_path / "first")))
    reported = {row["id"][-1]: row["change"] for row in lines(tmp_path / "second" / "changes.jsonl")}
    assert reported == dict.fromkeys(("1", "2", "3"), "changed")


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(st.integers(0, 30), st.integers(0, 2)), st.dictionaries(st.integers(0, 30), st.integers(0, 2)))
def test_a_difference_is_right_for_any_two_corpora(
    tmp_path_factory: pytest.TempPathFactory, before: dict[int, int], after: dict[int, int]
) -> None:
    """As sets of (id, text): earlier, less removed and changed, with what is in the difference, is today's."""
    folder = tmp_path_factory.mktemp("difference")
    for name, made in (("before", before), ("after", after)):
        documents = [a_document(n, f"text {made[n]}") for n in sorted(made)]
        earlier = read_earlier(folder / "before") if name == "after" else None
        release(folder / name, documents, shape=ReleaseForm(earlier=earlier))
    corpus = {row["id"]: row["text"] for row in data(folder / "before")}
    for row in lines(folder / "after" / "changes.jsonl"):
        if row["change"] != "added":
            del corpus[row["id"]]
    corpus |= {row["id"]: row["text"] for row in data(folder / "after")}
    assert corpus == {f"{n:032x}": f"text {text}" for n, text in after.items()}


@pytest.mark.parametrize(
    ("format_name", "held", "not_held"),
    [
        ("jsonl", "author confidence captions tdm", "warc_offset quality"),
        ("parquet", "author confidence captions tdm", "warc_offset quality"),
        ("vert", "author licence kinds", "confidence captions tdm fetched_at duplicates"),
        ("prevert", "author licence kinds", "confidence captions tdm fetched_at duplicates"),
        ("tei.xml", "author licence kinds fetched_at", "confidence captions tdm script languages"),
    ],
)
def test_a_document_has_changed_where_its_format_shows_it(
    tmp_path: Path, format_name: str, held: str, not_held: str
) -> None:
    """What a release does not hold changes none of its documents; a later one goes by what the earlier one went by."""
    other = {"author": "B", "licence": "mine", "kinds": "q", "confidence": 0.5, "captions": ("a",), "tdm": 1}
    other |= {"fetched_at": datetime(2026, 5, 5, tzinfo=UTC), "script": "Arab", "languages": ("ar 0.98 Arab 1.00",)}
    other |= {"warc_offset": 7, "quality": None, "duplicates": 3}
    first = release(tmp_path / "first", [a_document(1)], shape=ReleaseForm(format_name))
    for name in (*held.split(), *not_held.split()):
        document = a_document(1, **{name: other[name]})
        shape = ReleaseForm(format_name, earlier=read_earlier(tmp_path / "first"), overwrite=True)
        since = release(tmp_path / "second", [document], shape=shape)
        assert (name, since["since"]["changed"]) == (name, int(name in held.split()))
        assert since["index"]["fields"] == first["index"]["fields"]


@pytest.mark.parametrize("fields", [None, ["id", "mood"]])
def test_an_index_of_other_fields_is_refused(tmp_path: Path, fields: list[str] | None) -> None:
    """It names the fields of its digests, and this program knows them."""
    release(tmp_path / "release", [a_document(1)], shape=ReleaseForm("jsonl"))
    manifest = tmp_path / "release" / "manifest.json"
    reported = json.loads(manifest.read_text())
    del reported["index"]["fields"]
    if fields:
        reported["index"]["fields"] = fields
    manifest.write_text(json.dumps(reported))
    with pytest.raises(ConfigError, match="not the manifest of a release"):
        read_earlier(manifest)


def test_a_filter_that_an_earlier_program_did_not_have_is_none(tmp_path: Path) -> None:
    """Releases made before it go on: what is not asked for is not there."""
    release(tmp_path / "release", [a_document(1)])
    about = dataclasses.replace(ABOUT, selection=ABOUT.selection | {"sample": None, "without_new": False})
    release(tmp_path / "new", [a_document(1)], about, ReleaseForm(earlier=read_earlier(tmp_path / "release")))
    assert (tmp_path / "new" / "changes.jsonl").read_text() == ""


def test_what_is_no_earlier_release_is_refused(tmp_path: Path) -> None:
    """Other filters, a damaged index, a missing one, no manifest."""
    release(tmp_path / "release", [a_document(1)])
    earlier = read_earlier(tmp_path / "release")
    other = dataclasses.replace(ABOUT, selection={"languages": ["ar"]})
    with pytest.raises(ConfigError, match="other filters"):
        release(tmp_path / "new", [], other, ReleaseForm(earlier=earlier))
    earlier.index.write_bytes(b"nonsense")
    with pytest.raises(DamageError):
        list(read_index(earlier.index))
    earlier.index.unlink()
    wrong = {
        tmp_path / "release": "index of the earlier release is missing",
        tmp_path: "cannot be read: No such file",
        tmp_path / "nowhere": "cannot be read: No such file",
        tmp_path / "release" / "README.md": "not the manifest of a release",
    }
    for path, what in wrong.items():
        with pytest.raises(ConfigError, match=what):
            read_earlier(path)
    assert not (tmp_path / "new").exists()


def test_only_a_release_is_replaced_by_one(tmp_path: Path) -> None:
    """And only when it was asked for; a folder of anything else never."""
    release(tmp_path / "release", [a_document(1)])
    with pytest.raises(ConfigError, match="exists already"):
        release(tmp_path / "release", [])
    assert release(tmp_path / "release", [], shape=ReleaseForm(overwrite=True))["counts"]["documents"] == 0
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("")
    with pytest.raises(ConfigError, match="is not a release"):
        release(tmp_path / "mine", [], shape=ReleaseForm(overwrite=True))
    with pytest.raises(ConfigError, match="a release is a folder"):
        release(tmp_path / "mine.parquet", [])
    with pytest.raises(ConfigError, match="release cannot be made of"):
        release(tmp_path / "texts", [], shape=ReleaseForm("txt"))


def test_an_error_midway_leaves_nothing(tmp_path: Path) -> None:
    """Neither the folder nor its checksum."""

    def failing() -> Any:
        yield a_document(1)
        raise DamageError("broken")

    with pytest.raises(DamageError):
        write_release(failing(), tmp_path / "release", ABOUT, ReleaseForm("jsonl", 1))
    assert list(tmp_path.iterdir()) == []


def test_the_card_is_made_of_the_manifest_alone(tmp_path: Path) -> None:
    manifest = release(tmp_path / "release", [a_document(1)])
    assert card(manifest) == (tmp_path / "release" / "README.md").read_text()
