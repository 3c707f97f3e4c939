"""Resiliparse (Bevendorff et al., ECIR 2018), its rules for main content, without list marks and image descriptions."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipelines.extractors.base import ExtractorOptions

NAME = "resiliparse"
DISTRIBUTION = "resiliparse"
DESCRIPTION = "the library of that name, its main content"


def read(html: str, _: ExtractorOptions) -> Iterable[str]:
    """Return the lines of the plain text."""
    from resiliparse.extract.html2text import extract_plain_text

    text: str = extract_plain_text(
        html, main_content=True, preserve_formatting=True, list_bullets=False, alt_texts=False, comments=False
    )
    return text.splitlines()
