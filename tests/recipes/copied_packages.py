"""A copy of the three packages that a test changes, to count the code files that a recipe of CONTRIBUTING changes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass
class CopiedPackages:
    """The packages in a folder of their own."""

    folder: Path
    changed: set[str] = field(default_factory=set)
    """Code files that were added or changed."""

    @classmethod
    def into(cls, folder: Path) -> CopiedPackages:
        for package in ("corpus_spider", "pipelines", "storage"):
            shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
        return cls(folder)

    def add(self, path: str, text: str) -> None:
        assert not (self.folder / path).exists()
        (self.folder / path).write_text(text, "utf-8")
        self.changed.add(path)

    def replace(self, path: str, old: str, new: str) -> None:
        text = (self.folder / path).read_text("utf-8")
        assert text.count(old) == 1, f"{path} has {old!r} {text.count(old)} times"
        (self.folder / path).write_text(text.replace(old, new), "utf-8")
        self.changed.add(path)

    def output(self, program: str) -> str:
        """Run a Python program on the changed packages."""
        command = [sys.executable, "-B", "-c", program]
        environment = os.environ | {"PYTHONPATH": str(self.folder)}
        run = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        return run.stdout
