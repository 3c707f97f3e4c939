"""ARCHITECTURE.md, CONTRIBUTING.md and the Makefile name paths that exist; the documents name targets that exist."""

from __future__ import annotations

import importlib
import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = ("ARCHITECTURE.md", "CONTRIBUTING.md")
BASES = (ROOT, ROOT / "corpus_spider", ROOT / "pipelines", ROOT / "storage")
"""A path is written from the root of the repository, or from the package whose column of a table it is in."""


def named(document: str) -> list[tuple[str, str]]:
    """Return each text in code type of a document, with the document's name; code blocks are left out."""
    text = re.sub(r"^```.*?^```", "", (ROOT / document).read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return [(document, code) for code in dict.fromkeys(re.findall(r"`([^`\n]+)`", text))]


CODES = [pair for document in DOCUMENTS for pair in named(document)]
PATHS = [(document, code) for document, code in CODES if re.fullmatch(r"[\w.-]+/[\w./-]*|[\w-]+\.(md|toml|py)", code)]
FUNCTIONS = [code for _, code in named("ARCHITECTURE.md") if re.fullmatch(r"[a-z_]+(\.[a-z_]+)+(?<!\.py)", code)]
TARGETS = [(document, code) for document, code in CODES if re.fullmatch(r"make [a-z-]+", code)]


@pytest.mark.parametrize(("document", "path"), [pair for pair in PATHS if pair[1] != "corpus.toml"])
def test_every_path_exists(document: str, path: str) -> None:
    """A path that ends with a slash is a folder, any other a file."""
    places = [base / path for base in BASES]
    assert any(place.is_dir() if path.endswith("/") else place.is_file() for place in places), f"{document}: {path}"


@cache
def make_targets() -> set[str]:
    """Return the targets of the Makefile, as make itself reads it."""
    printed = subprocess.run(["make", "-qp"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    return set(re.findall(r"^([a-z-]+):", printed, re.MULTILINE))


@pytest.mark.parametrize(("document", "target"), TARGETS)
def test_every_make_target_exists(document: str, target: str) -> None:
    """The Makefile has each target that a document mentions."""
    assert target.removeprefix("make ") in make_targets(), f"{document}: {target}"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_exists(name: str) -> None:
    """ARCHITECTURE.md names a function with its module: below the command line, below `corpus_spider`, or in full."""
    module, _, function = name.rpartition(".")
    places = [f"{base}{module}" for base in ("corpus_spider.cli.", "corpus_spider.", "")]
    assert any(is_function(place, function) for place in places), name


def is_function(module: str, name: str) -> bool:
    """Return whether a module exists and has something callable of this name."""
    try:
        return callable(getattr(importlib.import_module(module), name, None))
    except ModuleNotFoundError:
        return False


def test_every_test_file_of_the_makefile_exists() -> None:
    """A file that was moved is not left out of `make check` or `make test-kills`."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert [path for path in re.findall(r"\btests/[\w./-]*\w", makefile) if not (ROOT / path).exists()] == []
