"""Package: the built wheel, the lock, the names of the packages."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib import import_module
from importlib.metadata import packages_distributions
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.corpus_spider.running import PATIENCE

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("corpus_spider", "pipelines", "storage")
SHIPPED = (
    "corpus_spider/presets/vi.toml",
    "corpus_spider/presets/ar.toml",
    "corpus_spider/demo/papers.toml",
    "corpus_spider/py.typed",
    "pipelines/py.typed",
    "storage/py.typed",
    "storage/database/migrations/env.py",
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Names of the files in a wheel built from this tree."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True, timeout=2 * PATIENCE)
    with ZipFile(next(folder.glob("*.whl"))) as archive:
        return archive.namelist()


def test_the_wheel_holds_every_tracked_file_of_the_three_packages_and_nothing_else(wheel: list[str]) -> None:
    """Data files too: presets, demo articles and templates, migrations."""
    listed = subprocess.run(["git", "ls-files", *PACKAGES], cwd=ROOT, capture_output=True, text=True, check=True)
    tracked = {name for name in listed.stdout.splitlines() if (ROOT / name).exists()}
    inside = {name for name in wheel if ".dist-info/" not in name}
    assert tracked - inside == set()
    assert {name.partition("/")[0] for name in inside} == set(PACKAGES)


@pytest.mark.parametrize("name", SHIPPED)
def test_the_wheel_holds_the_data_the_program_reads(wheel: list[str], name: str) -> None:
    """A missing one would show only where the program is installed."""
    assert name in wheel


def test_the_wheel_declares_the_program_and_carries_the_licence(wheel: list[str]) -> None:
    """The command is there after an install."""
    assert any(name.endswith("/entry_points.txt") for name in wheel)
    assert any(name.endswith("/LICENSE") for name in wheel)


@pytest.mark.parametrize("package", PACKAGES)
def test_no_other_distribution_owns_our_package_names(package: str) -> None:
    """The names are plain; a second owner in the same environment would shadow ours."""
    assert set(packages_distributions().get(package, ["corpus-spider"])) == {"corpus-spider"}


@pytest.mark.parametrize(
    ("lock", "kind"), [("core", "test"), ("peers", "peers"), ("render", "render"), ("docs", "docs")]
)
def test_a_lock_pins_every_dependency_with_hashes_and_names_no_host(lock: str, kind: str) -> None:
    """What is declared is locked; what is locked can be had from any mirror."""
    locked = (ROOT / "requirements" / f"{lock}.lock").read_text()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups = project["dependency-groups"] | project["project"]["optional-dependencies"]
    declared = groups[kind] + ([] if lock == "docs" else project["project"]["dependencies"])
    names = {re.match(r"[A-Za-z0-9._-]+", one)[0].lower().replace("_", "-") for one in declared}
    pinned = set(re.findall(r"^([a-z0-9.-]+)(?:\[[a-z,]+\])?==", locked, re.MULTILINE))
    assert {name.replace(".", "-") for name in names} - {name.replace(".", "-") for name in pinned} == set()
    assert "http" + "s:" not in locked
    assert "--index" not in locked
    assert locked.count("--hash=sha256:") > len(pinned)


@pytest.mark.parametrize("extra", ["peers", "render", "docs"])
def test_the_locks_agree(extra: str) -> None:
    """What both pin has one version, so that installing an extra changes nothing else."""
    core, others = (
        dict(re.findall(r"^([a-z0-9.-]+)==(\S+)(?! *;)", (ROOT / "requirements" / name).read_text(), re.MULTILINE))
        for name in ("core.lock", f"{extra}.lock")
    )
    assert {
        name: (core[name], others[name]) for name in core.keys() & others.keys() if core[name] != others[name]
    } == {}


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_a_package_promises_is_there(package: str) -> None:
    """Names that are resolved lazily are checked here; otherwise only their first user would notice an error."""
    module = import_module(package)
    assert [name for name in getattr(module, "__all__", ()) if not hasattr(module, name)] == []
