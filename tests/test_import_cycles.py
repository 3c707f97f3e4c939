"""Modules import each other in one direction."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("corpus_spider", "pipelines", "storage")


def imports(sources: dict[str, str]) -> dict[str, set[str]]:
    """Return the modules that each module imports: at its top, in functions and for types only."""
    found: dict[str, set[str]] = {}
    for name, source in sources.items():
        named = set()
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Import):
                named |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                modules = {f"{node.module}.{alias.name}" for alias in node.names}
                named |= modules & sources.keys() or {node.module}
        found[name] = named & sources.keys()
    return found


def test_a_cycle_is_found() -> None:
    """An import for types in one direction and one in a function in the other are a cycle."""
    types = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from p.b import B"
    sources = {"p.a": types, "p.b": "def f():\n    from p import c", "p.c": "import p.a", "p.d": "import p.c"}
    with pytest.raises(CycleError):
        TopologicalSorter(imports(sources)).prepare()
    TopologicalSorter(imports(sources | {"p.c": ""})).prepare()


def test_no_modules_import_each_other() -> None:
    """Imports for types count too: who reads one of the modules must read the other."""
    paths = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    sources = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path.read_text("utf-8")
        for path in paths
    }
    TopologicalSorter(imports(sources)).prepare()
