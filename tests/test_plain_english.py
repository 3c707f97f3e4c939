"""Check of plain English: its phrases, its files, and its exceptions."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tools.plain_english import ALLOWED, hits

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Read the file anew.", ["anew"]),
        ("# Likewise, whoever asks.", ["likewise", "whoever"]),
        ("x = 'lest it fail'", ["lest"]),
        ("It waited in vain, for ever.", ["for ever", "in vain"]),
        ("Everything but for the name is to be kept.", ["but for", "is to be"]),
        ("no crawl of it has come to its end", ["come to its end"]),
        ("A run that came to its own end.", ["came to its own end"]),
        ("Runs come to their end.", ["come to their end"]),
        ("units of which there are two, be it so", ["be it", "of which there"]),
        # A phrase may be broken by a line end: in a text, a comment, a quotation or a string that is continued.
        ("a crawl waits for\never", ["for ever"]),
        ("    # a crawl waits for\n    # ever", ["for ever"]),
        ("> a crawl waits for\n> ever", ["for ever"]),
        ('"a crawl waits for "\n    "ever"', ["for ever"]),
        # Other words that contain such a phrase are fine.
        ("the lesson of a newspaper; NIGHTS_IN_VAIN, in_vain, forever, a canewright", []),
        ("wait for every one; come to an end; not this but that for you; may be items", []),
    ],
)
def test_phrases_that_are_reported(text: str, expected: list[str]) -> None:
    """Whole phrases are found in any case and across line ends; parts of other words are not."""
    assert sorted(hit.phrase for hit in hits(text)) == sorted(expected)


def test_a_hit_names_its_place_and_a_hint() -> None:
    """The line of a hit is the one where the phrase begins, counted from 1."""
    (hit,) = hits("first\nsecond for\never\n", "docs/page.md")
    assert str(hit) == 'docs/page.md:2: "for ever": say "always", "permanently" or "without limit"'


def test_an_allowed_quotation_is_not_reported() -> None:
    """The same phrase elsewhere in the file is reported."""
    text = "The paper wrote: the bridge is to be mended.\nIt is to be read."
    assert [hit.line for hit in hits(text, allowed=("bridge is to be mended",))] == [2]


@pytest.mark.parametrize("quoted", sorted(ALLOWED))
def test_allowed_quotations_contain_a_phrase_and_have_a_reason(quoted: str) -> None:
    """An entry of the list that allows nothing, or does not say why, is removed."""
    assert hits(quoted, allowed=())
    assert ALLOWED[quoted]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("storage/module.py", 1),
        ("docs/page.md", 1),
        ("README.md", 1),
        ("Makefile", 1),
        ("tests/page.html", 0),
        ("storage/table.toml", 0),
        ("corpus_spider/demo/en.txt", 0),
        ("build/page.md", 0),
    ],
)
def test_which_files_are_read(tmp_path: Path, name: str, code: int) -> None:
    """Code, Markdown and build files of the project are read; data, fixtures and other folders are not."""
    file = tmp_path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("A page is read anew.\n")
    command = [sys.executable, ROOT / "tools/plain_english.py", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert done.stdout == (f'{name}:1: "anew": say "again" or "rebuild"\n' if code else "")
