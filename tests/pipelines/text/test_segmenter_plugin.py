"""Segmenters of other distributions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipelines.text.segmentation import choice, plugin
from pipelines.text.segmentation.clusters import clusters
from pipelines.text.words import words
from storage import plugins
from storage.errors import ConfigError
from tests.plugins import documented, install

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KHMER = "សួស្តីពិភពលោក"


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on the path of modules. Plug-ins that a test allows are forgotten after it."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(plugins, "_allowed", set())
    cached = (choice.segmenter_of, choice.library_names, plugin.by_language, plugins._find)
    for each in cached:
        each.cache_clear()
    yield tmp_path
    for each in cached:
        each.cache_clear()


def test_a_named_segmenter_takes_the_place_of_ours(installed: Path) -> None:
    """Its words are counted, and the search index records its release. A failing one leaves clusters."""
    install(installed, "khmer", "segmenters", "khmer-fours = fours_a", documented('"""A segmenter for Khmer'), "2.1")
    broken = 'LANGUAGES = ("lo",)\ndef load():\n    return lambda run: 1 / 0\n'
    install(installed, "lao", "segmenters", "broken = fours_b", broken)
    assert "khmer-fours" not in choice.library_names()["km"]
    choice.library_names.cache_clear()
    plugins.allow([(plugins.SEGMENTERS, "khmer-fours"), (plugins.SEGMENTERS, "broken")])
    assert next(KHMER[start:end] for start, end in words("km").spans(KHMER)) == KHMER[:4]
    assert choice.library_names()["km"] == "khmer-fours (khmer 2.1)"
    assert choice.segmenter_of("lo")("ສະບາຍດີ") == clusters("ສະບາຍດີ")
    assert choice.failures() > 0


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("LANGUAGES = ('xx',)\ndef load(): ...", 'the plug-in "one" is no segmenter'),
        ("LANGUAGES = ('km',)", 'the plug-in "one" is no segmenter'),
        ("import nothing_of_this_name", 'the plug-in "one" cannot be loaded: ModuleNotFoundError'),
    ],
)
def test_what_is_no_segmenter_is_refused(installed: Path, code: str, message: str) -> None:
    """The error names the plug-in and its release."""
    module = f"segmenter_{len(code)}"
    install(installed, "some", "segmenters", f"one = {module}", code)
    plugins.allow([(plugins.SEGMENTERS, "one")])
    with pytest.raises(ConfigError) as error:
        choice.library_names()
    assert message in str(error.value)
    assert "some 1.0" in str(error.value)
