"""Plug-ins for tests: a folder with modules and their metadata, as an installer leaves them, without a network."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "how-to" / "write-an-extractor.md"


def documented(start: str) -> str:
    """Return the code block of the how-to page that begins with these words."""
    blocks = re.findall(r"^```(?:python|toml)\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    (found,) = (block for block in blocks if block.startswith(start))
    return str(found)


def install(folder: Path, name: str, kind: str, entry: str, code: str = "", version: str = "1.0") -> None:
    """Install a distribution with one entry point of a kind: ``entry`` is ``name = module:object``."""
    module = entry.partition("=")[2].strip().partition(":")[0]
    metadata = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (metadata / "entry_points.txt").write_text(f"[corpus_spider.{kind}]\n{entry}\n")
    if code:
        (folder / f"{module}.py").write_text(code)
