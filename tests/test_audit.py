"""`make audit` fails if a package could not be looked up."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from tests.corpus_spider.running import PATIENCE

SCRIPT = Path(__file__).parents[1] / "requirements" / "audit.py"
LOCK = """alpha==1.0 \\
    --hash=sha256:00
    # via beta
beta_two==2.0 ; sys_platform == 'win32' \\
    --hash=sha256:11
"""
ALPHA, BETA = {"name": "alpha", "version": "1.0", "vulns": []}, {"name": "beta-two", "version": "2.0", "vulns": []}
FLAW = {"id": "PYSEC-2026-1", "fix_versions": ["1.1"]}


@pytest.mark.parametrize(
    ("report", "code", "words"),
    [
        ({"dependencies": [ALPHA, BETA]}, 0, "2 packages, no known vulnerability"),
        ({"dependencies": [ALPHA | {"vulns": [FLAW]}, BETA]}, 1, "alpha 1.0: PYSEC-2026-1 (fixed in 1.1)"),
        ({"dependencies": [ALPHA | {"vulns": [FLAW]}]}, 1, "NOT AUDITED core.lock: not looked up: beta-two"),
        ({"dependencies": [ALPHA]}, 4, "not looked up: beta-two"),
        ({"dependencies": [ALPHA, {"name": "beta-two", "skip_reason": "not found"}]}, 4, "not looked up: beta-two"),
        ({"dependencies": []}, 4, "not looked up: alpha, beta-two"),
        ({}, 4, "NOT AUDITED core.lock: cannot reach the database"),
        (None, 4, "NOT AUDITED core.lock: cannot reach the database"),
    ],
)
def test_what_was_not_looked_up_is_no_pass(tmp_path: Path, report: object, code: int, words: str) -> None:
    """Exit code 0 needs a report that names every pin, with any exit code of pip-audit."""
    (tmp_path / "core.lock").write_text(LOCK)
    (tmp_path / "report").write_text("" if report is None else json.dumps(report))
    program = tmp_path / "pip-audit"
    program.write_text(
        f"#!/bin/sh\nwhile [ $# -gt 1 ]; do [ $1 = -o ] && cat {tmp_path}/report > $2; shift; done\n"
        "echo 'cannot reach the database' >&2\n"
    )
    program.chmod(0o700)
    command = [sys.executable, str(SCRIPT), str(program), str(tmp_path / "core.lock")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == code, done.stdout
    assert words in done.stdout


def test_without_pip_audit_nothing_is_audited(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A program that could not be installed, or no lock at all, is no pass either."""
    (tmp_path / "core.lock").write_text(LOCK)
    main = runpy.run_path(str(SCRIPT))["main"]
    assert main(str(tmp_path / "missing"), [str(tmp_path / "core.lock")]) == 4
    assert "NOT AUDITED core.lock" in capsys.readouterr().out
    assert main(str(tmp_path / "missing"), []) == 4


def test_every_version_of_a_lock_is_looked_up() -> None:
    """pip-audit takes a package once; versions that markers choose among are no repetitions."""
    pins_of = runpy.run_path(str(SCRIPT))["pins_of"]
    lock = "a==1 ; python_version < '3.12' \\\na==2 ; python_version >= '3.12' \\\nb-c==3\na==1\n"
    assert pins_of(lock) == [{"a": "1", "b-c": "3"}, {"a": "2"}]
