"""`export --fields`: names, aliases and presets of the command line."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest
import yaml
from pyarrow import parquet

from tests.corpus_spider.local_paper import crawl_into
from tests.corpus_spider.running import run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawl_into(tmp_path_factory.mktemp("fields"), articles=4)


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ("url,date,title,text", "url date title text"),
        ("text, published ,Title", "text date title"),
        ("minimal", "id url site date title author language text"),
        ("title,minimal,licence,url", "title id url site date author language text licence"),
    ],
)
def test_names_aliases_and_presets_are_chosen_in_their_order(folder: Path, named: str, expected: str) -> None:
    """Each field once, under its name in files."""
    done = run(folder, "export", "-o", "-", "--fields", named)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [list(row) for row in rows] == [expected.split()] * 4


def test_the_documents_are_those_of_the_filters(folder: Path) -> None:
    """In a table too; without the fields that a filter looks at."""
    whole = [json.loads(line) for line in run(folder, "export", "-o", "-", "--sample", "60%").stdout.splitlines()]
    done = run(
        folder, "export", "-o", "-", "--format", "csv", "--sample", "60%", "--min-chars", "1", "--fields", "title,url"
    )
    rows = list(csv.reader(io.StringIO(done.stdout.removeprefix("\ufeff"))))
    assert rows == [["title", "url"], *([row["title"], row["url"]] for row in whole)]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--fields", "url,titel"], 'there is no field "titel" (did you mean title?)'),
        (["--fields", "url,titel"], "Presets: minimal, full."),
        (["--fields", "url,titel"], "Fields: id, text, url, title, "),
        (["--fields", "ful"], "(did you mean full?)"),
        (["--fields", " , "], "no field is named"),
        (["--fields", "url", "--format", "vert"], "vert always has the same fields"),
        (["--fields", "url", "--format", "tei.xml", "--dry-run"], "tei.xml always has the same fields"),
        (["--fields", "url", "--format", "prevert", "--release"], "prevert always has the same fields"),
    ],
)
def test_unknown_fields_are_refused_with_the_known_ones(
    folder: Path, tmp_path: Path, options: list[str], expected: str
) -> None:
    """Exit code 2, and no file."""
    done = run(folder, "export", "-o", f"{tmp_path}/out", *options)
    assert (done.returncode, expected in " ".join(done.stderr.split())) == (2, True), done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), None),
        (("-s", "corpus.doi=10.5281/zenodo.1"), "10.5281/zenodo.1"),
        (("-s", "corpus.doi=10.5281/zenodo.1", "--doi", "https://doi.org/10.5281/zenodo.2"), "10.5281/zenodo.2"),
    ],
)
def test_a_release_has_the_doi_of_the_option_or_the_setting(
    folder: Path, tmp_path: Path, options: tuple[str, ...], expected: str | None
) -> None:
    """The option names the DOI of one release, the setting that of all."""
    done = run(folder, "export", "-o", f"{tmp_path}/out/", "--release", *options)
    assert done.returncode == 0, done.stderr
    assert yaml.safe_load((tmp_path / "out" / "CITATION.cff").read_text()).get("doi") == expected


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--doi", "10.5281/zenodo.2"), "--doi: only a release has a DOI"),
        (("--release", "--doi", "zenodo.2"), '--doi: expected a DOI such as "10.5281/zenodo.1234567", got "zenodo.2"'),
        (("--release", "-s", "corpus.doi=x"), "expected a DOI"),
    ],
)
def test_a_doi_that_is_none_is_refused(folder: Path, tmp_path: Path, options: tuple[str, ...], expected: str) -> None:
    """Before anything is written."""
    done = run(folder, "export", "-o", f"{tmp_path}/out", *options)
    assert (done.returncode, expected in " ".join(done.stderr.split())) == (2, True), done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_originals_have_no_fields_to_choose(folder: Path, tmp_path: Path) -> None:
    """A WACZ is whole."""
    done = run(folder, "export", "-o", f"{tmp_path}/all.wacz", "--fields", "url")
    assert (done.returncode, "exported whole" in done.stderr) == (2, True), done.stderr


def test_a_release_with_chosen_fields_documents_only_these(folder: Path, tmp_path: Path) -> None:
    """Its changes have the same fields, and other fields are refused: the files would not go together."""
    made = run(folder, "export", "-o", f"{tmp_path}/one/", "--release", "--fields", "id,url,text")
    assert made.returncode == 0, made.stderr
    (shard,) = (tmp_path / "one" / "data").iterdir()
    assert parquet.read_schema(shard).names == ["id", "url", "text"]
    manifest = json.loads((tmp_path / "one" / "manifest.json").read_text())
    assert manifest["fields"] == ["id", "url", "text"]
    assert manifest["index"]["fields"] == ["id", "text", "url"]
    since = ("export", "--since-release", f"{tmp_path}/one", "-o")
    again = run(folder, *since, f"{tmp_path}/two/", "--json")
    assert (again.returncode, json.loads(again.stdout)["changes"]) == (0, {"added": 0, "changed": 0, "removed": 0})
    assert json.loads((tmp_path / "two" / "manifest.json").read_text())["fields"] == ["id", "url", "text"]
    other = run(folder, *since, f"{tmp_path}/three/", "--fields", "url,text")
    assert (other.returncode, "has other fields" in other.stderr) == (2, True), other.stderr


def test_articles_are_exported_as_markdown(folder: Path, tmp_path: Path) -> None:
    """One file, or a file for each, by the target."""
    assert run(folder, "export", "-o", f"{tmp_path}/all.md").returncode == 0
    assert run(folder, "export", "-o", f"{tmp_path}/each/", "--format", "md", "--fields", "title,text").returncode == 0
    assert (tmp_path / "all.md").read_text().count("```yaml\n") == 4
    pages = sorted((tmp_path / "each").glob("*.md"))
    assert len(pages) == 4
    assert all(page.read_text().startswith("---\ntitle: ") for page in pages)
