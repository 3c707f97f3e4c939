"""Every diagnosis ends with the next step."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

import pytest

from corpus_spider.maintenance.doctor import Level
from tests.corpus_spider.running import ROOT

if TYPE_CHECKING:
    from pathlib import Path

PACKAGES = ("corpus_spider", "pipelines", "storage")
INTERNAL = {"LeftError", "NoTextError"}
"""The first no user sees: the crawl takes it for a page that is left to the next run. The second has its own ``do``."""
FILES = [file for package in PACKAGES for file in sorted((ROOT / package).rglob("*.py"))]


def calls(file: Path) -> list[ast.Call]:
    found = [node for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, ast.Call)]
    return [node for node in found if isinstance(node.func, ast.Name)]


ERRORS = {"CorpusError"}
for _ in range(3):
    ERRORS |= {
        kind
        for file in FILES
        for kind, base in re.findall(r"^class (\w+)\((\w+)\)", file.read_text("utf-8"), re.MULTILINE)
        if base in ERRORS
    }


@pytest.mark.parametrize("package", PACKAGES)
def test_every_error_says_what_to_do(package: str) -> None:
    """Each error that is shown to users is made with ``do``."""
    missing = [
        f"{file.relative_to(ROOT)}:{call.lineno}"
        for file in FILES
        if file.is_relative_to(ROOT / package)
        for call in calls(file)
        if isinstance(call.func, ast.Name) and call.func.id in ERRORS - INTERNAL
        if "do" not in {keyword.arg for keyword in call.keywords}
    ]
    assert missing == []


def test_every_check_of_doctor_that_is_not_well_gives_advice() -> None:
    """A check with another verdict than well or skipped has a fourth argument: the advice."""
    file = ROOT / "corpus_spider" / "maintenance" / "doctor.py"
    checks = [call for call in calls(file) if isinstance(call.func, ast.Name) and call.func.id == "Check"]
    assert len(checks) > 10
    without = [
        call.lineno
        for call in checks
        if ast.unparse(call.args[1]) not in {f"Level.{Level.WELL.name}", f"Level.{Level.SKIPPED.name}"}
        if len(call.args) < 4 and "advice" not in {keyword.arg for keyword in call.keywords}
    ]
    assert without == []
