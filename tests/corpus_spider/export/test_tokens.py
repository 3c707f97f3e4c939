"""`export --format vert` says what its tokens are where that needs a segmenter."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from corpus_spider.cli import app
from pipelines.text.segmentation.choice import CHOICES
from tests.corpus_spider.local_paper import crawl_into
from tests.extras import need

if TYPE_CHECKING:
    from pathlib import Path

NOTE = (
    "vi: the tokens are syllables, because no segmenter for Vietnamese is installed. "
    "For words: pip install 'corpus-spider[vietnamese]', or `make segment` in a checkout."
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawl_into(tmp_path_factory.mktemp("tokens"), articles=3)


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """No segmenter is installed."""
    monkeypatch.setattr("pipelines.text.segmentation.choice.library_names", lambda: dict.fromkeys(CHOICES, ""))
    monkeypatch.chdir(folder)


@pytest.mark.usefixtures("without")
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("-o", "{}/out.vert"), True),
        (("-o", "{}/out/", "--release", "--format", "vert"), True),
        (("-o", "{}/out.vert", "--dry-run"), True),
        (("-o", "{}/out.vert", "--language", "vi,th"), True),
        (("-o", "{}/out.vert", "--language", "th"), False),
        (("-o", "{}/out.prevert"), False),
        (("-o", "{}/out.jsonl"), False),
    ],
)
def test_syllables_are_announced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], said: bool
) -> None:
    """A sentence on standard error with the extra to install, once, and only for tokens of selected documents."""
    assert app.run(["export", *(each.format(tmp_path) for each in options)]) == 0
    assert capsys.readouterr().err.count(NOTE) == said


@pytest.mark.usefixtures("without")
def test_a_release_states_its_tokens(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In the manifest, the dataset card, the registry file and the report."""
    assert app.run(["export", "-o", f"{tmp_path}/out/", "--release", "--format", "vert", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["tokens"] == {"vi": "syllables"}
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["tokens"] == {"vi": "syllables"}
    assert "\nTokens: vi: syllables.\n" in (tmp_path / "out" / "README.md").read_text()
    assert 'INFO "Tokens of vi: syllables"\n' in (tmp_path / "out" / "registry").read_text()


def test_words_are_named_with_their_segmenter(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Name and version: another segmenter cuts other words."""
    need("segment")
    monkeypatch.chdir(folder)
    assert app.run(["export", "-o", f"{tmp_path}/out.vert", "--json"]) == 0
    reported = capsys.readouterr()
    assert json.loads(reported.out)["tokens"]["vi"].startswith("words (underthesea ")
    assert "tokens are" not in reported.err
