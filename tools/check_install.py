"""Install the program in each way that the documentation names, into fresh environments, and use it there.

    python tools/check_install.py [--python PATH ...] [--sizes]

Builds the wheel of this tree. For each Python from 3.11 to 3.14 on this machine: install the locked packages and the
wheel, crawl the demo, export it, make a release, and load that in a second environment with nothing but `datasets`.
Then install it as a user would: by pip from the wheel and from the repository, by pipx, by uv, and by `make setup`.
Needs a package registry. `--sizes` prints instead what each extra adds, measured in this environment.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXTRA = "chinese"
"""The smallest extra, to install with the wheel."""
LOCKS = ROOT / "requirements"
MINORS = (11, 12, 13, 14)
MIB = 2**20
LOAD = """
import importlib.util, sys
import datasets
assert importlib.util.find_spec("zstandard") is None
loaded = datasets.load_dataset(sys.argv[1], split="train")
streamed = datasets.load_dataset(sys.argv[1], split="train", streaming=True)
assert list(streamed) == list(loaded)
print(datasets.__version__, *sorted(loaded["id"]))
"""


def main() -> int:
    """Run the checks. Return 1 if one failed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--python", action="append", default=[], help="interpreter to test; default: all of this machine"
    )
    parser.add_argument("--sizes", action="store_true", help="print the size of each extra")
    options = parser.parse_args()
    if options.sizes:
        print_sizes()
        return 0
    with tempfile.TemporaryDirectory(prefix="install-") as aside:
        folder = Path(aside)
        wheel = build(folder / "wheel")
        chosen = options.python or pythons()
        checks = {f"{run(python, '--version').strip()}: wheel, demo, release": (use, python) for python in chosen}
        checks |= {name: (way, sys.executable) for name, way in WAYS.items()}
        results = []
        for number, (name, (check, python)) in enumerate(checks.items()):
            here = folder / str(number)
            here.mkdir()
            started = time.monotonic()
            try:
                said = check(python, wheel, here)
            except subprocess.CalledProcessError as error:
                said = f"FAILED: {' '.join(map(str, error.cmd))[:200]}\n{error.stdout}\n{error.stderr}"
            except AssertionError as error:
                said = f"FAILED: {error}"
            results.append(said)
            print(f"{name}: {said} ({time.monotonic() - started:.0f} s)", flush=True)
            shutil.rmtree(here)
    return int(any(said.startswith("FAILED") for said in results))


def run(*command: object, cwd: Path | None = None, **more: str) -> str:
    """Run a command without the settings of this environment and return its output."""
    settings = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=settings | more,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def build(folder: Path) -> Path:
    """Build the wheel with the backend of this environment, so that nothing is fetched."""
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT)
    return next(folder.glob("*.whl"))


def pythons() -> list[str]:
    """Return an interpreter of each version: on the path, or of pyenv."""
    found = []
    for minor in MINORS:
        managed = sorted((Path.home() / ".pyenv" / "versions").glob(f"3.{minor}.*/bin/python"))
        for path in (shutil.which(f"python3.{minor}"), *managed):
            if (
                path
                and subprocess.run([path, "-c", "import venv, ensurepip"], check=False, capture_output=True).returncode
                == 0
            ):
                found.append(str(path))
                break
        else:
            print(f"Python 3.{minor} is not on this machine.", flush=True)
    return found


def environment(python: str, folder: Path, lock: str | None = None) -> Path:
    """Make an environment with the packages of a lock and return its folder of programs."""
    run(python, "-m", "venv", folder)
    if lock:
        # Python compiles what it imports, which is less than all.
        run(folder / "bin" / "python", "-m", "pip", "install", "--no-compile", "--require-hashes", "-r", LOCKS / lock)
    return folder / "bin"


def use(python: str, wheel: Path, folder: Path) -> str:
    """Install the locked packages and the wheel, crawl, export, make a release, and load it elsewhere."""
    program = environment(python, folder / "program", "install.lock")
    run(program / "python", "-m", "pip", "install", "--no-deps", wheel)
    run(program / "python", "-m", "pip", "check")
    size = sum(path.lstat().st_size for path in (folder / "program").rglob("*") if path.is_file()) / MIB
    command = program / "corpus-spider"
    run(command, "demo", "--keep", "demo", cwd=folder)
    corpus = (command, "-c", "demo/corpus.toml")
    run(*corpus, "export", "-o", "demo.jsonl", cwd=folder)
    run(*corpus, "export", "-o", "release/", "--release", cwd=folder)
    ids = sorted(json.loads(line)["id"] for line in (folder / "demo.jsonl").read_text().splitlines())
    loader = environment(python, folder / "loader", "datasets.lock")
    version, *loaded = run(loader / "python", "-c", LOAD, "release", cwd=folder, HF_HOME=str(folder / "home")).split()
    assert loaded == ids, "the release has other documents than the export"
    return f"ok, {size:.0f} MiB; {len(ids)} documents loaded by datasets {version}, also as a stream"


def by_pip(python: str, wheel: Path, folder: Path) -> str:
    """Let pip resolve what the wheel declares."""
    return _by_pip(python, f"{wheel}[{EXTRA}]", folder)


def from_repository(python: str, _wheel: Path, folder: Path) -> str:
    """Let pip build the repository, with the build backend that it fetches."""
    return _by_pip(python, f"{_clone(folder)}[{EXTRA}]", folder)


def _by_pip(python: str, source: str, folder: Path) -> str:
    programs = environment(python, folder / "environment")
    run(programs / "pip", "install", "--no-compile", source)
    return _version(programs / "corpus-spider")


def by_pipx(python: str, wheel: Path, folder: Path) -> str:
    """Install with pipx."""
    if not shutil.which("pipx"):
        return "not tested: pipx is not on this machine"
    places = {
        "PIPX_HOME": str(folder / "home"),
        "PIPX_BIN_DIR": str(folder / "bin"),
        "PIPX_MAN_DIR": str(folder / "man"),
    }
    run("pipx", "install", "--python", python, f"{wheel}[{EXTRA}]", **places)
    return _version(folder / "bin" / "corpus-spider")


def by_uv(python: str, wheel: Path, folder: Path) -> str:
    """Install with uv."""
    if not shutil.which("uv"):
        return "not tested: uv is not on this machine"
    places = {"UV_TOOL_DIR": str(folder / "tools"), "UV_TOOL_BIN_DIR": str(folder / "bin")}
    run("uv", "tool", "install", "--python", python, f"corpus-spider[{EXTRA}] @ {wheel}", **places)
    return _version(folder / "bin" / "corpus-spider")


def by_make(python: str, _wheel: Path, folder: Path) -> str:
    """Run `make setup` in a fresh checkout."""
    checkout = _clone(folder)
    run("make", "setup", f"PYTHON={python}", cwd=checkout)
    return _version(checkout / ".venv" / "bin" / "corpus-spider")


def _clone(folder: Path) -> Path:
    run("git", "clone", "--quiet", "--depth", "1", ROOT.as_uri(), folder / "checkout")
    return folder / "checkout"


def _version(program: Path) -> str:
    return f"ok, {run(program, '--version').strip()}"


WAYS = {
    "pip install WHEEL[EXTRA]": by_pip,
    "pip install REPOSITORY[EXTRA]": from_repository,
    "pipx install WHEEL[EXTRA]": by_pipx,
    "uv tool install WHEEL[EXTRA]": by_uv,
    "make setup": by_make,
}


def print_sizes() -> None:
    """Print the installed size of the program with its packages, and what each extra adds to it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    base = closure(project["dependencies"])
    print(f"core: {_size(base):.0f} MiB")
    for name, wanted in project["optional-dependencies"].items():
        more = closure(_flat(wanted, project["optional-dependencies"])) - base
        print(f"{name}: {_size(more):.0f} MiB")


def _flat(wanted: list[str], extras: dict[str, list[str]]) -> list[str]:
    """Replace extras of this program by what they have."""
    flat: list[str] = []
    for one in wanted:
        own = re.fullmatch(r"corpus-spider\[([a-z,]+)\]", one)
        flat += [deep for name in own[1].split(",") for deep in _flat(extras[name], extras)] if own else [one]
    return flat


def closure(wanted: list[str]) -> set[str]:
    """Return the names of the installed packages that requirements need, directly or not."""
    from packaging.requirements import Requirement

    found: set[tuple[str, str]] = set()
    names: set[str] = set()
    left = [Requirement(one) for one in wanted]
    while left:
        one = left.pop()
        extras = {"", *one.extras}
        if one.marker and not one.marker.evaluate({"extra": ""}):
            continue
        name = re.sub(r"[-_.]+", "-", one.name).lower()
        new = {(name, extra) for extra in extras} - found
        if not new:
            continue
        found |= new
        names.add(name)
        for text in metadata.requires(name) or ():
            inner = Requirement(text)
            if inner.marker is None or any(inner.marker.evaluate({"extra": extra}) for _, extra in new):
                inner.marker = None
                left.append(inner)
    return names


def _size(names: set[str]) -> float:
    files = (Path(str(file.locate())) for name in names for file in metadata.files(name) or ())
    return sum(path.stat().st_size for path in files if path.is_file()) / MIB


if __name__ == "__main__":
    sys.exit(main())
