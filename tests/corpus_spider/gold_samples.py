"""A small gold folder, and pages of it that every extractor can read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

TRUE_TEXTS = {
    "en-one": "The parrot talked\nto the fisherman.",
    "en-two": "Rain fell on the harbour all night.",
    "fa-one": "طوطی با ماهیگیر حرف زد.",
}


ENTRIES = [
    {"id": "en-one", "lang": "en", "title": "A parrot", "site": "paper.example", "notes": 1, "year": None},
    {"id": "en-two", "lang": "en", "title": None, "url": "https://paper.example/two"},
    {"id": "xx-none", "lang": "xx", "has_gold": False},
    {"id": "fa-one", "lang": "fa", "encoding": "utf-8"},
]


def write_manifest(folder: Path, *lines: str) -> None:
    (folder / "manifest.jsonl").write_text("\n".join(lines), encoding="utf-8")


ARTICLE = "The committee met on Tuesday and agreed that the old bridge will be rebuilt in the next year. "


LINES = [
    f"On {day} the committee met and agreed that the {thing} will be rebuilt in the next year. It told the papers so."
    for day, thing in (("Monday", "old bridge"), ("Tuesday", "northern road"), ("Friday", "school by the harbour"))
]


def write_article(folder: Path, name: str, language: str = "en") -> str:
    """Add a page that every extractor can read, and return its line of the manifest."""
    html = f"<html lang=en><title>Bridge</title><article>{''.join(f'<p>{line}</p>' for line in LINES)}</article>"
    (folder / "pages" / f"{name}.html").write_text(html)
    (folder / "gold" / f"{name}.txt").write_text("\n".join(LINES))
    return json.dumps({"id": name, "lang": language, "site": "bridge.example"})
