"""`export --annotate`: lemmas and tags in vertical text, and where they are named."""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING

import pytest

from corpus_spider.cli import app
from pipelines.text.annotation import choice
from tests.corpus_spider.local_paper import crawl_into
from tests.extras import need

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of three Vietnamese documents."""
    return crawl_into(tmp_path_factory.mktemp("annotations"), articles=3)


@pytest.fixture(autouse=True)
def fresh(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in the folder of the corpus. Annotators are looked up again."""
    choice.annotator_of.cache_clear()
    monkeypatch.chdir(folder)


def test_each_token_has_columns_and_the_others_are_as_without(tmp_path: Path) -> None:
    """The first column is the text without annotation."""
    need("segment")
    for name, more in (("plain", ()), ("annotated", ("--annotate",))):
        assert app.run(["export", "-o", f"{tmp_path}/{name}.vert", *more]) == 0
    plain = (tmp_path / "plain.vert").read_text("utf-8").splitlines()
    lines = (tmp_path / "annotated.vert").read_text("utf-8").splitlines()
    assert [line.partition("\t")[0] for line in lines] == plain
    assert {line.count("\t") for line in lines if not line.startswith("<")} == {2}
    assert {line.split("\t")[1] for line in lines if not line.startswith("<")} == {"-"}
    assert "N" in {line.split("\t")[2] for line in lines if not line.startswith("<")}


def test_a_release_names_the_library(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In the report, the manifest, the dataset card and the registry file, which has the attributes."""
    need("segment")
    target = ("-o", f"{tmp_path}/out/", "--release", "--format", "vert")
    assert app.run(["export", *target, "--annotate", "--json"]) == 0
    named = f"tag (underthesea {version('underthesea')}, VLSP 2013)"
    assert json.loads(capsys.readouterr().out)["annotations"] == {"vi": named}
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["annotations"] == {"vi": named}
    assert f"\nLemmas and tags: vi: {named}.\n" in (tmp_path / "out" / "README.md").read_text()
    registry = (tmp_path / "out" / "registry").read_text()
    assert f"Lemmas and tags of vi: {named}" in registry
    assert "}\nATTRIBUTE lemma\nATTRIBUTE tag\n\nSTRUCTURE doc" in registry
    later = ("export", "-o", f"{tmp_path}/later/", "--since-release", f"{tmp_path}/out/manifest.json")
    assert app.run([*later]) == 2
    assert "other filters" in capsys.readouterr().err
    assert app.run([*later, "--annotate"]) == 0


@pytest.mark.parametrize("more", [(), ("--dry-run",)])
def test_a_format_without_a_place_for_them_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: tuple[str, ...]
) -> None:
    """The error names the option."""
    assert app.run(["export", "-o", f"{tmp_path}/out.jsonl", "--annotate", *more]) == 2
    assert "only vertical text has lemmas and tags" in capsys.readouterr().err


def test_a_missing_library_ends_the_export_before_it_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the line that installs it."""
    monkeypatch.setitem(sys.modules, "underthesea.models.fast_crf_sequence_tagger", None)
    assert app.run(["export", "-o", f"{tmp_path}/out.vert", "--annotate"]) == 2
    assert "pip install 'corpus-spider[vietnamese]'" in capsys.readouterr().err
    assert not (tmp_path / "out.vert").exists()


def test_a_language_without_an_annotator_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its tokens have a hyphen for both."""
    monkeypatch.setattr(choice, "ANNOTATORS", {})
    assert app.run(["export", "-o", f"{tmp_path}/out.vert", "--annotate", "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["annotations"] == {"vi": "none"}
    assert "vi: no lemmas or tags" in said.err
    assert "\t-\t-\n" in (tmp_path / "out.vert").read_text("utf-8")
