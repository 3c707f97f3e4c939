"""The programs of the page about other engines run, where the engine is installed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.corpus_spider.batch.test_process import ENGLISH, page, rows
from tests.corpus_spider.others_archives import archive
from tests.corpus_spider.running import ROOT, environment
from tests.storage.warc.test_other_readers import READERS

PAGE = (ROOT / "docs/how-to/batch-engines.md").read_text(encoding="utf-8")
PROGRAMS = dict(re.findall(r"^## (\w+)\n.*?```python\n(.*?)```", PAGE, re.DOTALL | re.MULTILINE))
PACKAGES = {"Dask": "distributed", "Ray": "ray", "datatrove": "datatrove"}


def python_with(package: str) -> str:
    """Return a Python that has a package: that of the tests, or that of `make readers`. Skip if neither has it."""
    if find_spec(package):
        return sys.executable
    other = READERS / "python"
    if other.exists() and subprocess.call([other, "-c", f"import {package}"], stderr=subprocess.DEVNULL) == 0:
        return str(other)
    pytest.skip(f"needs {package}: make readers")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with five archives. Half of their pages are in another language."""
    (tmp_path / "archives").mkdir()
    for at in range(5):
        archive(tmp_path / f"archives/{at}.warc.gz", page(at), page(10 + at, ENGLISH))
    return tmp_path


def test_each_program_has_its_package() -> None:
    """A new one is tested too."""
    assert sorted(PROGRAMS) == sorted(PACKAGES)


@pytest.mark.parametrize("engine", PACKAGES)
def test_the_program_of_an_engine_makes_the_release(folder: Path, engine: str) -> None:
    """All documents in the wanted language, none twice."""
    python = python_with(PACKAGES[engine])
    (folder / "program.py").write_text(PROGRAMS[engine])
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    variables = environment(PATH=path, RAY_DEDUP_LOGS="0", RAY_USAGE_STATS_ENABLED="0")
    done = subprocess.run(
        [python, "program.py"], cwd=folder, env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert sorted(rows(folder / "release", "url")) == [(page(at).url,) for at in range(5)]
