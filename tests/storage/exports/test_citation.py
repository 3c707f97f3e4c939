"""Releases can be cited and loaded: CITATION.cff, and what the dataset card says."""

from __future__ import annotations

import dataclasses
import json
import re
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from storage.exports.fields import MINIMAL
from storage.exports.release.card import card
from storage.exports.release.citation import citation
from storage.exports.release.writer import Release, ReleaseForm, write_release
from storage.fields import FIELDS
from tests.storage.export_samples import a_document

if TYPE_CHECKING:
    from pathlib import Path

ABOUT = Release("vi-news", "corpus-spider 1", "0017", "you@example.org")
DOI = re.compile(r"10\.\d{4,9}(\.\d+)?/[A-Za-z0-9:/_;\-.()\[\]\\]+")
"""Pattern of a DOI in the schema of CFF 1.2.0."""


def release(folder: Path, about: Release = ABOUT, shape: ReleaseForm | None = None, **changes: Any) -> dict[str, Any]:
    """Write a release of one document and return its citation file."""
    write_release([a_document(**changes)], folder, about, shape or ReleaseForm())
    text = (folder / "CITATION.cff").read_text()
    read: dict[str, Any] = yaml.safe_load(text)
    return read


def test_a_citation_file_has_what_the_format_requires(tmp_path: Path) -> None:
    """Version, message, title and an author, also if the configuration names none."""
    read = release(tmp_path / "release")
    assert (read["cff-version"], read["type"], read["title"]) == ("1.2.0", "dataset", "vi-news")
    assert read["message"]
    assert read["authors"] == [{"name": "Makers of vi-news"}]
    assert read["contact"] == [{"name": "Maintainers", "email": "you@example.org"}]
    assert read["license"] == "CC-BY-4.0"
    assert "doi" not in read


def test_year_and_version_come_from_the_corpus(tmp_path: Path) -> None:
    """The day of the newest page, and a digest of the documents; another text is another version, another day not."""
    day = str(a_document().fetched_at.date())
    first, again, other = (release(tmp_path / name, text=text) for name, text in (("a", "x"), ("b", "x"), ("c", "y")))
    assert first["date-released"] == day
    assert re.fullmatch(rf"{day}-[0-9a-f]{{8}}", first["version"])
    assert first["version"] == again["version"] != other["version"]


def test_title_authors_and_doi_are_those_of_the_corpus(tmp_path: Path) -> None:
    """Persons have a family name and given names; a hostile title stays a text."""
    title = 'Báo: "chí"\nauthors: []'
    about = dataclasses.replace(
        ABOUT,
        title=title,
        authors=("Nguyễn, Thị Minh", "The Team", "Plato,"),
        doi="10.5281/zenodo.1234567",
        contact="https://example.org/crawl",
    )
    read = release(tmp_path / "release", about, licence="ask the publisher")
    assert read["title"] == title
    assert read["authors"] == [
        {"family-names": "Nguyễn", "given-names": "Thị Minh"},
        {"name": "The Team"},
        {"name": "Plato,"},
    ]
    assert DOI.fullmatch(read["doi"])
    assert read["contact"] == [{"name": "Maintainers", "website": "https://example.org/crawl"}]
    assert "license" not in read
    text = (tmp_path / "release" / "README.md").read_text()
    assert "DOI: [10.5281/zenodo.1234567](https://doi.org/10.5281/zenodo.1234567)." in text


def test_every_field_has_a_meaning() -> None:
    """In one line, which fits a table."""
    meanings = [field.note.meaning for field in FIELDS]
    assert all(text and "\n" not in text and "|" not in text for text in meanings)


@pytest.mark.parametrize("fields", [None, MINIMAL])
def test_the_card_documents_the_fields_of_the_release(tmp_path: Path, fields: Any) -> None:
    """Each with its type and meaning, and no other."""
    release(tmp_path / "release", shape=ReleaseForm(written=fields))
    text = (tmp_path / "release" / "README.md").read_text()
    rows = text.partition("## Fields\n")[2].partition("\n\n## ")[0].splitlines()
    names = [row.split(" | ")[0].removeprefix("| ").replace("\\", "") for row in rows if row.startswith("| ")][2:]
    assert names == [field.name for field in fields or FIELDS]
    header = dict(line.split(": ", 1) for line in text.split("---\n")[1].splitlines())
    assert [each["name"] for each in json.loads(header["dataset_info"])["features"]] == names


@pytest.mark.parametrize(
    ("format_name", "install", "code"),
    [
        ("parquet", "pip install datasets\n", 'load_dataset(folder, split="train", streaming=True)'),
        ("jsonl", "pip install datasets\n", "load_dataset"),
        ("jsonl.zst", "pip install datasets zstandard\n", "load_dataset"),
        ("csv", "pip install pandas\n", "pandas.read_csv"),
        ("tei.xml", "", ""),
    ],
)
def test_the_card_says_how_to_load_the_release(tmp_path: Path, format_name: str, install: str, code: str) -> None:
    """What must be installed, and the code, which is valid Python."""
    release(tmp_path / "release", shape=ReleaseForm(format_name))
    text = (tmp_path / "release" / "README.md").read_text()
    assert install in text
    assert code in text
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        compile(block, "card", "exec")
    assert ("## Loading" in text) == bool(install)
    assert ("drops the zone" in text) == format_name.startswith("jsonl")


def test_the_card_and_the_citation_follow_from_the_manifest(tmp_path: Path) -> None:
    """So a release can be described again from its manifest alone."""
    release(tmp_path / "release")
    manifest = json.loads((tmp_path / "release" / "manifest.json").read_text())
    assert card(manifest) == (tmp_path / "release" / "README.md").read_text()
    assert citation(manifest, "cc-by-4.0") == (tmp_path / "release" / "CITATION.cff").read_text()
