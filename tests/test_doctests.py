"""Doctests: the examples in docstrings are true, one test for each module that has some."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

from tests.extras import EXTRAS, need

ROOT = Path(__file__).parents[1]
EXTRA_OF = {name: extra for extra, names in EXTRAS.items() for name in names}
"""The extra that a package belongs to. A module that imports a missing one is skipped."""


def modules_with_examples() -> list[str]:
    """Return the dotted names of the product modules whose source has a doctest."""
    files = [path for package in ("corpus_spider", "pipelines", "storage") for path in (ROOT / package).rglob("*.py")]
    return sorted(
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in files
        if ">>> " in path.read_text(encoding="utf-8")
    )


@pytest.mark.parametrize("name", modules_with_examples())
def test_the_examples_of_a_module_are_true(name: str) -> None:
    """Each example of the module prints what its docstring says, and the module has one at least."""
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in EXTRA_OF:
            raise
        need(EXTRA_OF[(error.name or "").partition(".")[0]])
        raise
    results = doctest.testmod(module)
    assert results.attempted > 0
    assert results.failed == 0
