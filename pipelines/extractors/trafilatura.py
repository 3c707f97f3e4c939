"""The general extractor: the trafilatura library (Barbaresi, ACL 2021 demos) behind our signature.

Settings: its balanced mode, which measured better than its fast mode; tables kept, comments left out; its metadata,
de-duplication and language filter stay off, as other stages do those. Hidden elements and templates go before it sees
the page. It fetches nothing. Its result is read as a tree and rendered as every extractor's is, so no list dash or
table bar is added to the text.
"""

from __future__ import annotations

import logging
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from pipelines.extractors.base import DEFAULT_OPTIONS, ExtractorOptions
from pipelines.markup.hostile import strain
from pipelines.markup.lexer import markup, name_set
from pipelines.markup.soup import without_unread
from storage.records import Extraction, ParagraphKind

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "trafilatura"
VERSION = f"{version('trafilatura')}-1"

_KINDS = {
    "head": ParagraphKind.HEADING,
    "item": ParagraphKind.ITEM,
    "quote": ParagraphKind.QUOTE,
    "cell": ParagraphKind.CELL,
    "code": ParagraphKind.PREFORMATTED,
}
_BREAKS = name_set("head p list item quote code table row cell lb fw ab div")


@cache
def _library() -> Any:
    """Import the library once, when it is first used, and keep its remarks on single pages out of the log."""
    import trafilatura

    logging.getLogger("trafilatura").setLevel(logging.CRITICAL + 1)
    return trafilatura


def extract(html: str, options: ExtractorOptions = DEFAULT_OPTIONS) -> Extraction:
    """Return what the library takes for the main content; empty, with the reason, where it fails or would take long."""
    html = without_unread(html)
    problem = strain(tag.name for tag in markup(html))
    if problem:
        return Extraction((), NAME, VERSION, problem)
    try:
        document = _library().bare_extraction(
            html, url=options.url or None, include_comments=False, include_tables=True, deduplicate=False
        )
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        return Extraction((), NAME, VERSION, f"trafilatura failed: {type(error).__name__}")
    if document is None or document.body is None:
        return Extraction((), NAME, VERSION)
    lines = list(_lines(document.body))
    kinds = "".join(kind for _, kind in lines)
    return Extraction(tuple(line for line, _ in lines), NAME, VERSION, kinds=kinds)


def _lines(body: Any) -> Iterator[tuple[str, ParagraphKind]]:
    """Yield the lines of the library's tree in reading order, a new one wherever a block begins or ends."""
    from lxml import etree

    parts: list[str] = []
    kinds = [ParagraphKind.PARAGRAPH]
    for event, element in etree.iterwalk(body, events=("start", "end")):
        if element.tag in _BREAKS:
            if line := " ".join("".join(parts).split()):
                yield line, kinds[-1]
            parts.clear()
        if event == "start":
            kinds.append(_KINDS.get(element.tag, kinds[-1]))
        else:
            kinds.pop()
        parts.append((element.text if event == "start" else element.tail) or "")
    if line := " ".join("".join(parts).split()):
        yield line, kinds[-1]
