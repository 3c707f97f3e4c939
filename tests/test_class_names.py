"""Names of classes."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("corpus_spider", "pipelines", "storage")
PAPERS = ROOT / "pipelines" / "extractors" / "papers"
"""Its classes have the names that the papers give, such as the array `Lines` of R2L."""

INTERFACES = {"Corpus", "Document"}
"""Names of the Python interface. The classes of the store behind it are documented under the same names."""


def test_each_class_name_is_used_once() -> None:
    """A reader who searches for a class finds one. A leading underscore does not make another name."""
    places = defaultdict(list)
    for path in (path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        if PAPERS not in path.parents:
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef):
                    places[node.name.lstrip("_")].append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert len(places) > 400
    assert {name for name, found in places.items() if len(found) > 1} <= INTERFACES
