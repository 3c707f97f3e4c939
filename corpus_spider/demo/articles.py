"""Articles as data: a title, metadata lines, a blank line, then blocks of text, blank lines between them.

A block that starts with ``## `` is a heading, with ``> `` a quotation, with ``!`` a picture's caption; lines that start
with ``- `` are list items, one each; all else is a paragraph. ``[text](slug)`` links to another article there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

FOLDER = Path(__file__).parent / "articles"
LINK = re.compile(r"\[([^\]]+)\]\(([a-z0-9-]+)\)")


class Role(StrEnum):
    """What a block is in the article; the names are those of the templates' parts."""

    LEAD = "lead"
    PARAGRAPH = "paragraph"
    HEADING = "heading"
    ITEM = "item"
    QUOTE = "quote"
    CAPTION = "caption"


MARKS = {"## ": Role.HEADING, "> ": Role.QUOTE, "!": Role.CAPTION, "- ": Role.ITEM}


@dataclass(frozen=True, slots=True)
class Block:
    """One paragraph, heading, list item, quotation or caption, links still marked."""

    role: Role
    text: str

    @property
    def plain(self) -> str:
        """The text without its link marks."""
        return LINK.sub(r"\1", self.text)


@dataclass(frozen=True, slots=True)
class Article:
    """One article: where it stands, how it is to be served, and its blocks (the first is the lead)."""

    language: str
    slug: str
    title: str
    fields: dict[str, str]
    comments: tuple[tuple[str, str], ...]
    blocks: tuple[Block, ...]

    @property
    def paper(self) -> str:
        """The newspaper it stands in, by the newspaper's language."""
        return self.fields.get("paper", self.language)

    @property
    def date(self) -> datetime:
        """When it was published, with its time zone."""
        return datetime.fromisoformat(self.fields["date"])

    @property
    def tags(self) -> list[str]:
        """Its keywords."""
        return [tag.strip() for tag in self.fields.get("tags", "").split(";")]

    @property
    def listed(self) -> bool:
        """Whether list pages and related links name it: neither syndicated copies nor those that say ``listed: no``."""
        return self.fields.get("listed") != "no" and not self.wire

    @property
    def wire(self) -> str:
        """The slug of the article that this one repeats with small edits, or nothing."""
        return self.fields.get("wire", "")

    @property
    def true_text(self) -> str:
        """What an extractor should find: headings, paragraphs, list items and quotations, one a line; no captions."""
        return "\n".join(block.plain for block in self.blocks if block.role is not Role.CAPTION)

    @property
    def summary(self) -> str:
        """The beginning of the lead, as list pages and descriptions show it."""
        lead = self.blocks[0].plain
        return lead if len(lead) <= 140 else lead[:139].rstrip() + "…"


def parse(text: str, language: str, slug: str) -> Article:
    """Read one article file; raise ValueError when it has no body."""
    head, _, body = text.partition("\n\n")
    title, *lines = head.splitlines()
    pairs = [tuple(part.strip() for part in line.split(":", 1)) for line in lines]
    comments = tuple(_comment(pair[1]) for pair in pairs if pair[0] == "comment")
    fields = {pair[0]: pair[1] for pair in pairs if pair[0] != "comment"}
    blocks = [_block(text) for chunk in body.strip().split("\n\n") for text in _pieces(chunk)]
    if not blocks or not blocks[0].text:
        raise ValueError(f"{language}/{slug}: no body")
    blocks[0] = Block(Role.LEAD, blocks[0].text)
    return Article(language, slug, title, fields, comments, tuple(blocks))


def load() -> tuple[Article, ...]:
    """Return all articles, newest first, equal times by slug."""
    files = sorted(FOLDER.glob("*/*.txt"))
    articles = [parse(file.read_text(encoding="utf-8"), file.parent.name, file.stem) for file in files]
    return tuple(sorted(articles, key=lambda article: article.date, reverse=True))


def _pieces(chunk: str) -> list[str]:
    return chunk.splitlines() if chunk.startswith("- ") else [chunk]


def _block(text: str) -> Block:
    for mark, role in MARKS.items():
        if text.startswith(mark):
            return Block(role, text.removeprefix(mark).strip())
    return Block(Role.PARAGRAPH, text)


def _comment(text: str) -> tuple[str, str]:
    name, _, words = text.partition("|")
    return name.strip(), words.strip()
