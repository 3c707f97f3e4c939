"""The gold pages, for tests that compare fast forms with literal ones on real markup."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

needs_gold = pytest.mark.skipif(
    "CORPUS_SPIDER_GOLD" not in os.environ, reason="CORPUS_SPIDER_GOLD names no folder of real pages"
)


def gold_pages() -> Iterator[tuple[str, str]]:
    """Yield name and decoded source of every gold page."""
    folder = Path(os.environ["CORPUS_SPIDER_GOLD"])
    for line in (folder / "manifest.jsonl").read_text("utf-8").splitlines():
        page = json.loads(line)
        encoding = (page.get("encoding") or "utf-8").split("(")[0]
        yield page["id"], (folder / "pages" / f"{page['id']}.html").read_bytes().decode(encoding, "replace")
