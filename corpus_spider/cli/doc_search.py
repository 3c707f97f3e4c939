"""Search the pages of the documentation, which the program carries with it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_PASSAGES = 20
MAX_OF_PAGE = 4
"""Passages of one page, unless all of its rows are wanted."""
MIN_SIMILARITY, MAX_SUGGESTIONS = 60.0, 3
"""For words that are suggested: per cent of `rapidfuzz.fuzz.ratio`, and their number."""
PARTS = ("how-to", "reference", "explanation", "tutorial")
"""Parts of the documentation, in the order of equally good passages."""
LEFT_OUT = frozenset({"reference/json.md", "index.md"})
"""The fields of `--json`, which `schema` prints, and the list of pages."""
LISTED = frozenset({"settings", "fields", "reasons", "exit-codes", "vocabulary"})
"""Pages of the reference whose tables explain names."""
_PACKAGE = Path(__file__).resolve().parents[1]
_HEADING = re.compile(r"(#+) (.*)")
_SENTENCE_END = re.compile(r"(?<=[.?!:]) +(?=[A-Z`])")
_RULE = re.compile(r"\|[-| ]+\|")
"""The line between the head and the rows of a table."""
_ITEM = re.compile(r"^(?:[-*]|\d+\.) +")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


@dataclass(frozen=True, slots=True)
class DocPassage:
    """A sentence, row or command of the documentation. ``section``: the title of its page and the headings above it."""

    page: str
    section: str
    text: str
    name: str = ""
    """The first cell of a row, which is the name of what the row explains."""


def folder() -> Path:
    """Return the folder of the pages: in the installed package, or in the checkout."""
    return next(each for each in (_PACKAGE / "docs", _PACKAGE.parent / "docs") if (each / "index.md").is_file())


@cache
def passages() -> tuple[DocPassage, ...]:
    """Return the passages of all pages."""
    root = folder()
    names = sorted(each.relative_to(root).as_posix() for each in root.rglob("*.md"))
    kept = [name for name in names if name not in LEFT_OUT and name.partition("/")[0] in PARTS]
    kept.sort(key=lambda name: PARTS.index(name.partition("/")[0]))
    return tuple(each for name in kept for each in parse(f"docs/{name}", (root / name).read_text("utf-8")))


def parse(page: str, text: str) -> Iterator[DocPassage]:
    """Yield the passages of a page: rows of tables, commands, and sentences. Pure."""
    headings: list[str] = []
    for block in re.split(r"\n\s*\n", re.sub(r"<!--.*?-->|```\{.*?\n```", "\n", text, flags=re.DOTALL)):
        lines = [line.strip() for line in block.splitlines() if line.strip()]
        if lines and (found := _HEADING.fullmatch(lines[0])):
            headings[len(found[1]) - 1 :] = [_plain(found[2])]
            lines = lines[1:]
        section = " > ".join(headings)
        yield from (
            _row(page, section, line)
            for line, following in pairwise([*lines, ""])
            if line.startswith("|") and not _RULE.fullmatch(line) and not _RULE.fullmatch(following)
        )
        yield from (DocPassage(page, section, line[2:]) for line in lines if line.startswith("$ "))
        for paragraph in _paragraphs(lines):
            yield from (DocPassage(page, section, each) for each in _SENTENCE_END.split(paragraph) if each)


def _paragraphs(lines: Sequence[str]) -> list[str]:
    """Return the paragraph of a block, or its items."""
    found: list[list[str]] = [[]]
    for line in lines:
        if line.startswith(("|", "$ ", "```")):
            continue
        own = _ITEM.sub("", line)
        if own != line:
            found.append([])
        found[-1].append(own)
    return [_plain(" ".join(each)) for each in found]


def _row(page: str, section: str, line: str) -> DocPassage:
    name, *others = (_plain(cell) for cell in re.split(r"(?<!\\)\|", line.strip("| ")))
    return DocPassage(page, section, f"{name}: {'; '.join(filter(None, others))}", name)


def _plain(markdown: str) -> str:
    """Return a text without the marks of Markdown."""
    shown = _LINK.sub(r"\1", markdown.strip()).replace("**", "").replace("`", "")
    return re.sub(r"\\([\[\]<>|\\])", r"\1", shown)


def find(query: str, known: Sequence[DocPassage]) -> list[DocPassage]:
    """Return the passages for some words, best first: their name, a heading, their text.

    The name of a page in ``LISTED`` gives all rows of its tables. A word fits one that begins with it, and its plural.
    Pure.
    """
    wanted = _words(query)
    if not wanted:
        return []
    if (page := "-".join(wanted)) in LISTED:
        return [each for each in known if each.name and each.page == f"docs/reference/{page}.md"]
    ranked = sorted(
        ((rank, at) for at, each in enumerate(known) if (rank := _rank(wanted, each)) is not None),
    )
    found: list[DocPassage] = []
    for _, at in ranked:
        each = known[at]
        if len(found) < MAX_PASSAGES and sum(one.page == each.page for one in found) < MAX_OF_PAGE:
            found.append(each)
    return found


def _rank(wanted: Sequence[str], passage: DocPassage) -> int | None:
    """Return how well a passage fits, 0 for its name, 10 more if words only begin so; None if it does not."""
    name, section, text = (_words(each) for each in (passage.name, passage.section, passage.text))
    every = {*section, *text}
    inexact = [word for word in wanted if every.isdisjoint(_forms(word))]
    if not all(any(other.startswith(word) for other in every) and not word.isdigit() for word in inexact):
        return None
    return 10 * bool(inexact) + _place(wanted, name, passage.section, text)


def _place(wanted: Sequence[str], name: Sequence[str], section: str, text: Sequence[str]) -> int:
    headings = [_words(heading) for heading in section.split(" > ")]
    within = _words(section)
    # Such as "exit 8": 8 is a row of the page "Exit codes".
    if name and set(name) <= set(wanted) and all(not _forms(word).isdisjoint({*name, *within}) for word in wanted):
        return 0
    if wanted in headings:
        return 1
    if _begin(wanted, name):
        return 2
    if any(_begin(wanted, heading[at:]) for heading in headings for at in range(len(heading))):
        return 3
    return 4 if any(_begin(wanted, text[at:]) for at in range(len(text))) else 5


def _begin(wanted: Sequence[str], words: Sequence[str]) -> bool:
    """Return whether the words begin with those that are wanted."""
    return len(words) >= len(wanted) and all(map(_fits, wanted, words))


def _fits(word: str, other: str) -> bool:
    return other in _forms(word) or (other.startswith(word) and not word.isdigit())


def _forms(word: str) -> set[str]:
    """Return a word with its plural and singular."""
    return {word, f"{word}s", word.removesuffix("s") if len(word) > 3 else word}


@cache
def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold())


def similar(query: str, known: Sequence[DocPassage]) -> list[str]:
    """Return words of headings and names that are a little like these, best first. Pure."""
    from rapidfuzz import fuzz, process

    words = dict.fromkeys(word for each in known for word in _words(f"{each.name} {each.section}"))
    words |= dict.fromkeys(each.name for each in known if each.name.isidentifier())
    wanted = "_".join(_words(query))
    found = process.extract(wanted, list(words), scorer=fuzz.ratio, score_cutoff=MIN_SIMILARITY, limit=MAX_SUGGESTIONS)
    return [word for word, _, _ in found]
