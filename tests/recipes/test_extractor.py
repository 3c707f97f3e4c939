"""A new built-in extractor changes two code files: its module, and its entry in the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipelines.extractors.base import Extractor
from tests.recipes.copied_packages import CopiedPackages

if TYPE_CHECKING:
    from pathlib import Path

MODULE = '''
"""Take every paragraph."""

import re

from pipelines.extractors.base import DEFAULT_OPTIONS
from storage.records import Extraction

NAME, VERSION = "paragraphs", "1"


def extract(html, options=DEFAULT_OPTIONS):
    return Extraction(tuple(re.findall("<p>(.*?)</p>", html)), NAME, VERSION)
'''
PROGRAM = """
from corpus_spider.sites.single_page import extractors
from pipelines.extractors.registry import get

assert get("paragraphs").extract("<h1>no</h1><p>one</p><p>two</p>").text == "one\\ntwo"
(listed,) = (row for row in extractors() if row["name"] == "paragraphs")
print(listed["description"], listed["for"], sep=", ")
"""


def test_a_new_extractor_changes_two_code_files(tmp_path: Path) -> None:
    """It extracts, and ``extract --list`` describes it."""
    tree = CopiedPackages.into(tmp_path)
    tree.add("pipelines/extractors/papers/paragraphs.py", MODULE)
    registry = "pipelines/extractors/registry.py"
    tree.replace(registry, "import bte,", "import paragraphs, bte,")
    entry = 'Extractor(paragraphs.NAME, paragraphs.VERSION, "every paragraph", paragraphs.extract)'
    tree.replace(registry, "_STORED = (\n", f"_STORED = (\n    {entry},\n")
    assert tree.output(PROGRAM) == "every paragraph, corpora\n"
    assert len(tree.changed) == 2


@pytest.mark.parametrize("description", ["", " ", "two\nlines"])
def test_an_extractor_needs_a_description_of_one_line(description: str) -> None:
    with pytest.raises(ValueError, match="description"):
        Extractor("unnamed", "1", description, lambda html, options: next(iter(())))
