"""BoilerPy3, the Python port of boilerpipe (Kohlschütter, Fankhauser and Nejdl, WSDM 2010): its article extractor."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipelines.extractors.base import ExtractorOptions

NAME = "boilerpy3"
DISTRIBUTION = "boilerpy3"
DESCRIPTION = "the library of that name, its article extractor"


def read(html: str, _: ExtractorOptions) -> Iterable[str]:
    """Return the lines of the content."""
    from boilerpy3.extractors import ArticleExtractor

    text: str = ArticleExtractor().get_content(html)
    return text.splitlines()
