"""Annotators of other distributions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipelines.text.annotation import annotator_plugins
from pipelines.text.annotation.choice import annotator_of
from storage import plugins
from storage.errors import ConfigError
from tests.plugins import documented, install

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on the path of modules. Plug-ins that a test allows are forgotten after it."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(plugins, "_allowed", set())
    cached = (annotator_of, annotator_plugins.by_language, plugins._find)
    for each in cached:
        each.cache_clear()
    yield tmp_path
    for each in cached:
        each.cache_clear()


def test_a_named_annotator_gives_a_language_lemmas(installed: Path) -> None:
    """The code of the how-to page works, and is named with its release."""
    code = documented('"""An annotator for Arabic')
    install(installed, "arabic", "annotators", "without-article = articles_a", code, "2.1")
    assert annotator_of("ar") is None
    annotator_of.cache_clear()
    plugins.allow([(plugins.ANNOTATORS, "without-article")])
    annotator = annotator_of("ar")
    assert annotator is not None
    assert annotator.description == "lemma (without-article (arabic 2.1))"
    assert [each.lemma for each in annotator(["الكتاب", "."])] == ["كتاب", "."]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("LANGUAGES = ('ar',)\nATTRIBUTES = ('lemma',)", 'the plug-in "one" is no annotator'),
        ("LANGUAGES = ('ar',)\nATTRIBUTES = ('stem',)\ndef load(language): ...", 'the plug-in "one" is no annotator'),
        ("LANGUAGES = ('ar', 'ar')\nATTRIBUTES = ('tag',)\ndef load(language): ...", "both annotate ar"),
        ("import nothing_of_this_name", 'the plug-in "one" cannot be loaded: ModuleNotFoundError'),
    ],
)
def test_what_is_no_annotator_is_refused(installed: Path, code: str, message: str) -> None:
    """The error names the plug-in."""
    module = f"annotator_{len(code)}"
    install(installed, "some", "annotators", f"one = {module}", code)
    plugins.allow([(plugins.ANNOTATORS, "one")])
    with pytest.raises(ConfigError) as error:
        annotator_of("ar")
    assert message in str(error.value)
