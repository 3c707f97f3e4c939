"""Runs of the loaded program are those of a program that a user starts."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.corpus_spider.running import PATIENCE, ROOT, environment, loaded_program, program, until

CORPUS = '[corpus]\nname = "test"\ncontact = "me@example.org"\n'
PRINTED = "import os, sys; print(sys.argv[1:], os.getcwd(), sys.stdin.read(), sys.path[:2]); sys.exit(7)"


@pytest.mark.parametrize(
    ("arguments", "variables"),
    [
        (["--version"], {}),
        (["status", "--nonsense"], {}),
        (["status"], {"CORPUS_SPIDER_CONFIG": "nowhere.toml"}),
        (["config"], {"CORPUS_SPIDER_CRAWL_DELAY": "nan", "TZ": "Asia/Tehran"}),
    ],
    ids=["version", "usage", "variable", "settings"],
)
def test_a_run_prints_what_a_program_of_its_own_prints(
    tmp_path: Path, arguments: list[str], variables: dict[str, str]
) -> None:
    """Exit code, output and errors are equal: folder, arguments and environment are those of the run."""
    (tmp_path / "corpus.toml").write_text(CORPUS)
    run = loaded_program().run(tmp_path, arguments, environment(**variables), PATIENCE)
    started = subprocess.run(
        program(*arguments), cwd=tmp_path, env=environment(**variables), capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stdout, run.stderr) == (started.returncode, started.stdout, started.stderr)


def test_a_script_has_its_arguments_and_nothing_to_read(tmp_path: Path) -> None:
    """Its folder is the first that modules are looked for in, then those of PYTHONPATH."""
    (tmp_path / "script.py").write_text(PRINTED)
    other = {"PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path / 'more'}"}
    run = loaded_program().run(tmp_path, ["a", "b"], environment(**other), PATIENCE, tmp_path / "script.py")
    assert (run.returncode, run.stderr) == (7, "")
    assert run.stdout == f"['a', 'b'] {tmp_path}  {[str(tmp_path), str(ROOT)]}\n"


def test_a_run_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    """With the processes that it has started."""
    (tmp_path / "script.py").write_text("import os, time\nos.fork()\ntime.sleep(600)")
    with pytest.raises(subprocess.TimeoutExpired):
        loaded_program().run(tmp_path, [], environment(), 0.5, tmp_path / "script.py")
    until(lambda: not at_work_in(tmp_path))


def at_work_in(folder: Path) -> list[str]:
    """Return the processes whose current folder this is."""
    return [path.parent.name for path in Path("/proc").glob("[0-9]*/cwd") if os.path.realpath(path) == str(folder)]
