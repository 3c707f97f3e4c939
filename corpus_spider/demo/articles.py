"""Articles of the demo, from text files: a title, metadata lines, a blank line, then blocks between blank lines.

``## `` starts a heading, ``> `` a quotation, ``!`` a caption, ``- `` a list item (one for each line). Other blocks are
paragraphs. ``[text](slug)`` is a link to another article.
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
    """Kind of a block. The values are names of template parts."""

    LEAD = "lead"
    PARAGRAPH = "paragraph"
    HEADING = "heading"
    ITEM = "item"
    QUOTE = "quote"
    CAPTION = "caption"


MARKS = {"## ": Role.HEADING, "> ": Role.QUOTE, "!": Role.CAPTION, "- ": Role.ITEM}


@dataclass(frozen=True, slots=True)
class ArticleBlock:
    """One paragraph, heading, list item, quotation or caption, with link marks."""

    role: Role
    text: str

    @property
    def plain(self) -> str:
        """The text without its link marks."""
        return LINK.sub(r"\1", self.text)


@dataclass(frozen=True, slots=True)
class Article:
    """One article: its place, how it is served, and its blocks. The first block is the lead."""

    language: str
    slug: str
    title: str
    fields: dict[str, str]
    comments: tuple[tuple[str, str], ...]
    blocks: tuple[ArticleBlock, ...]

    @property
    def paper(self) -> str:
        """Its newspaper, by language."""
        return self.fields.get("paper", self.language)

    @property
    def date(self) -> datetime:
        """Time of publication, with time zone."""
        return datetime.fromisoformat(self.fields["date"])

    @property
    def tags(self) -> list[str]:
        """Keywords."""
        return [tag.strip() for tag in self.fields.get("tags", "").split(";")]

    @property
    def listed(self) -> bool:
        """Whether list pages and related links contain it. False for syndicated copies and with ``listed: no``."""
        return self.fields.get("listed") != "no" and not self.wire

    @property
    def wire(self) -> str:
        """Slug of the article that this one copies with small edits, or an empty string."""
        return self.fields.get("wire", "")

    @property
    def true_text(self) -> str:
        """The text that an extractor should return: one line for each block except captions."""
        return "\n".join(block.plain for block in self.blocks if block.role is not Role.CAPTION)

    @property
    def summary(self) -> str:
        """Beginning of the lead, for list pages and descriptions."""
        lead = self.blocks[0].plain
        return lead if len(lead) <= 140 else lead[:139].rstrip() + "…"


def parse(text: str, language: str, slug: str) -> Article:
    """Parse an article file. Raises ValueError if it has no body."""
    head, _, body = text.partition("\n\n")
    title, *lines = head.splitlines()
    pairs = [tuple(part.strip() for part in line.split(":", 1)) for line in lines]
    written = (pair[1].partition("|") for pair in pairs if pair[0] == "comment")
    comments = tuple((name.strip(), words.strip()) for name, _, words in written)
    fields = {pair[0]: pair[1] for pair in pairs if pair[0] != "comment"}
    chunks = body.strip().split("\n\n")
    # Each line of a list is a block.
    blocks = [_block(text) for chunk in chunks for text in (chunk.splitlines() if chunk.startswith("- ") else [chunk])]
    if not blocks or not blocks[0].text:
        raise ValueError(f"{language}/{slug}: no body")
    blocks[0] = ArticleBlock(Role.LEAD, blocks[0].text)
    return Article(language, slug, title, fields, comments, tuple(blocks))


def load() -> tuple[Article, ...]:
    """Return all articles, newest first; articles of the same time by slug."""
    files = sorted(FOLDER.glob("*/*.txt"))
    articles = [parse(file.read_text(encoding="utf-8"), file.parent.name, file.stem) for file in files]
    return tuple(sorted(articles, key=lambda article: article.date, reverse=True))


def _block(text: str) -> ArticleBlock:
    for mark, role in MARKS.items():
        if text.startswith(mark):
            return ArticleBlock(role, text.removeprefix(mark).strip())
    return ArticleBlock(Role.PARAGRAPH, text)
