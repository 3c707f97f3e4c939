"""readability-lxml, the Python port of Arc90's readability: its summary, as paragraphs at block-level tags.

``min_text_length`` and all else as the library has it. The title is not part of a summary.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.markup.soup import render, scan

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipelines.extractors.base import ExtractorOptions

NAME = "readability"
DISTRIBUTION = "readability-lxml"
DESCRIPTION = "the library readability-lxml"


def read(html: str, options: ExtractorOptions) -> Iterable[str]:
    """Return the paragraphs of the summary."""
    from readability import Document

    return render(scan(Document(html, url=options.url or None).summary(html_partial=True)))
