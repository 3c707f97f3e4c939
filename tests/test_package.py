"""Package: the built wheel, the locks, the names of the packages.

`make test-install` installs the wheel into fresh environments, with what it declares and nothing else. It needs a
package registry, so it is no part of `make test`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import venv
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
    "corpus_spider/docs/index.md",
    "corpus_spider/docs/how-to/operate.md",
    "corpus_spider/py.typed",
    "pipelines/py.typed",
    "storage/py.typed",
    "storage/database/migrations/env.py",
)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from this tree."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True, timeout=2 * PATIENCE)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def wheel(built: Path) -> list[str]:
    """Names of the files in the wheel."""
    with ZipFile(built) as archive:
        return archive.namelist()


@pytest.fixture(scope="module")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Python of an environment that has the wheel and the packages of this one, and does not see the source tree.

    A .pth file adds the packages. Python does not read the .pth files beside them. One of those leads to the source.
    """
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, with_pip=False)
    scheme = sysconfig.get_paths("venv", {"base": str(folder), "platbase": str(folder)})
    packages = Path(scheme["purelib"])
    (packages / "packages.pth").write_text(sysconfig.get_path("purelib"))
    with ZipFile(built) as archive:
        archive.extractall(packages)
    return Path(scheme["scripts"]) / "python"


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


PLACES = (
    "import corpus_spider, pipelines, storage; print(*(m.__path__[0] for m in (corpus_spider, pipelines, storage)))"
)
LOADED = """
import sys
sys.modules |= dict.fromkeys(("zstandard", "backports.zstd"))  # the library brings neither
import datasets
folder, cache = sys.argv[1:]
loaded = datasets.load_dataset(folder, split="train", cache_dir=cache)
streamed = datasets.load_dataset(folder, split="train", streaming=True)
assert loaded.features == streamed.features
assert list(streamed) == list(loaded)
print(*sorted(loaded["id"]))
"""


def test_the_wheel_alone_crawls_exports_and_makes_a_release_that_datasets_loads(
    installed: Path, tmp_path: Path
) -> None:
    """Without the source tree: the wheel has the demo's pages, models, migrations, presets and templates."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "home"), "PYTHONDONTWRITEBYTECODE": "1"}

    def run(*arguments: object, python: Path = installed) -> str:
        command = [str(python), *map(str, arguments)]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=2 * PATIENCE, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert all(Path(place).is_relative_to(installed.parents[1]) for place in run("-c", PLACES).split())
    program = ("-m", "corpus_spider")
    assert "8: done, but a site or source is failing" in run(*program, "help", "exit", "8")
    run(*program, "init", "news", "--language", "vi", "--contact", "you@example.org")
    run(*program, "demo", "--keep", "demo")
    run(*program, "-c", "demo/corpus.toml", "export", "-o", "demo.jsonl")
    ids = sorted(json.loads(line)["id"] for line in (tmp_path / "demo.jsonl").read_text().splitlines())
    run(*program, "-c", "demo/corpus.toml", "export", "-o", "release/", "--release")
    assert len(ids) > 30
    assert run("-c", LOADED, "release", "cache", python=Path(sys.executable)).split() == ids


@pytest.mark.parametrize("package", PACKAGES)
def test_no_other_distribution_owns_our_package_names(package: str) -> None:
    """The names are plain; a second owner in the same environment would shadow ours."""
    assert set(packages_distributions().get(package, ["corpus-spider"])) == {"corpus-spider"}


@pytest.mark.parametrize(
    ("lock", "kind"),
    [
        ("core", "test"),
        ("datasets", "datasets"),
        ("peers", "peers"),
        ("render", "render"),
        ("docs", "docs"),
        ("data", "pandas"),
        ("data", "polars"),
    ],
)
def test_a_lock_pins_every_dependency_with_hashes_and_names_no_host(lock: str, kind: str) -> None:
    """What is declared is locked; what is locked can be had from any mirror."""
    locked = (ROOT / "requirements" / f"{lock}.lock").read_text()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups = project["dependency-groups"] | project["project"]["optional-dependencies"]
    declared = groups[kind] + ([] if lock in {"datasets", "docs"} else project["project"]["dependencies"])
    names = {re.match(r"[A-Za-z0-9._-]+", one)[0].lower().replace("_", "-") for one in declared}
    pinned = set(re.findall(r"^([a-z0-9.-]+)(?:\[[a-z,]+\])?==", locked, re.MULTILINE))
    assert {name.replace(".", "-") for name in names} - {name.replace(".", "-") for name in pinned} == set()
    assert "http" + "s:" not in locked
    assert "--index" not in locked
    assert locked.count("--hash=sha256:") > len(pinned)


def test_the_locks_agree() -> None:
    """What two of them pin has one version for each Python, so pip installs them together, and none changes another.

    MiniStack has an environment of its own.
    """
    pinned: dict[tuple[str, str], dict[str, list[str]]] = {}
    for lock in sorted({*(ROOT / "requirements").glob("*.lock")} - {ROOT / "requirements/ministack.lock"}):
        found = re.findall(r"^([a-z0-9.-]+)(?:\[[^]]*\])?==(\S+)( *;[^\\\n]*)?", lock.read_text(), re.MULTILINE)
        for name, version, marker in found:
            pinned.setdefault((name, marker.strip()), {}).setdefault(version, []).append(lock.stem)
    assert len(pinned) > 150
    assert {name: versions for name, versions in pinned.items() if len(versions) > 1} == {}


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_a_package_promises_is_there(package: str) -> None:
    """Names that are resolved lazily are checked here; otherwise only their first user would notice an error."""
    module = import_module(package)
    assert [name for name in getattr(module, "__all__", ()) if not hasattr(module, name)] == []
