"""Find phrases that plain English avoids: ``python tools/plain_english.py [ROOT]``

Reads the code, its comments and the Markdown files of the project. Prints each hit as ``file:line: "phrase": hint``.
Data files, HTML fixtures and other people's texts are not read. Exit codes: 0 no hit, 1 hits.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

FOLDERS = ("corpus_spider", "pipelines", "storage", "tests", "benchmarks", "tools", "requirements", "docs", ".ci")
ENDINGS = frozenset({".py", ".md", ".c", ".sh"})
FILES = ("Makefile", "pyproject.toml", ".ci/run", ".gitignore")
OWN = frozenset({"tools/plain_english.py", "tests/test_plain_english.py"})
"""This script and its test name the phrases."""

HINTS = {
    r"anew": 'say "again" or "rebuild"',
    r"likewise": 'say "too" or "also"',
    r"whoever": "name the person or the program",
    r"lest": 'say "so that ... not"',
    r"whatever": 'say "any" or "in any case"',
    r"in vain": 'say "fails" or "without result"',
    r"for ever": 'say "always", "permanently" or "without limit"',
    r"but for": 'say "except"',
    r"is to be": 'say "must be" or "will be"',
    r"(?:come|comes|came|coming) to (?:its|their|his|her) (?:own )?end": 'say "finish" or "end"',
    r"of which there": "make it a sentence of its own",
    r"be it": 'say "whether it is ... or ..."',
}
"""A regular expression for each phrase, one space between words, and what to write in its place."""

ALLOWED = {
    "the next demo writes it anew": "the first line of a demo's corpus.toml; existing folders are recognised by it",
    "old bridge is to be mended": "headline of a test page",
    "The work is to be paid for from a regional fund": "paragraph of a test page",
    "by day and by night, whatever the weather is": "paragraph of a test page",
    "| be in vain |": "a word to avoid, quoted in the vocabulary",
    "| make anew |": "a word to avoid, quoted in the vocabulary",
}
"""Quotations and names of fields that contain such a phrase, each with the reason why it is allowed."""

_BETWEEN = r"""(?:[ \t]|["']?[ \t]*\n[ \t]*(?:f?["']|[#>*|]|//)?)+"""
"""Between two words: blanks, or a line end with the signs of a comment, a quotation, or a string that is continued."""
_PHRASES = [
    (re.compile(rf"(?<![\w-]){phrase.replace(' ', _BETWEEN)}(?![\w-])", re.IGNORECASE), hint)
    for phrase, hint in HINTS.items()
]


@dataclass(frozen=True, slots=True, order=True)
class Hit:
    """A phrase in a file; ``line`` counts from 1."""

    path: str
    line: int
    phrase: str
    hint: str

    def __str__(self) -> str:
        return f'{self.path}:{self.line}: "{self.phrase}": {self.hint}'


def hits(text: str, path: str = "", allowed: Collection[str] = tuple(ALLOWED)) -> list[Hit]:
    """Return the phrases of a text in order of their lines, without those inside an allowed quotation."""
    free = [match.span() for quoted in allowed for match in re.finditer(re.escape(quoted), text)]
    return sorted(
        Hit(path, text.count("\n", 0, match.start()) + 1, re.sub(r"[^\w]+", " ", match[0]).lower(), hint)
        for pattern, hint in _PHRASES
        for match in pattern.finditer(text)
        if not any(start <= match.start() and match.end() <= end for start, end in free)
    )


def files(root: Path) -> Iterator[Path]:
    """Yield the files that the project writes itself: code, Markdown and build files."""
    yield from sorted(root.glob("*.md"))
    yield from (root / name for name in FILES if (root / name).is_file())
    for folder in FOLDERS:
        yield from sorted(path for path in (root / folder).rglob("*") if path.suffix in ENDINGS and path.is_file())


def main(root: Path) -> int:
    """Print all hits below a folder and return the exit code."""
    found = [
        hit
        for path in files(root)
        if (name := path.relative_to(root).as_posix()) not in OWN
        for hit in hits(path.read_text(encoding="utf-8", errors="replace"), name)
    ]
    for hit in found:
        print(hit)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1]))
