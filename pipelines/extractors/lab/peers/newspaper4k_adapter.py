"""newspaper4k: the text of an article, by the stop words of the page's language. Nothing is fetched.

Where the library has no stop words or no word segmenter for a language, it reads as if the page were English, as is its
default.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipelines.extractors.base import ExtractorOptions

NAME = "newspaper4k"
DISTRIBUTION = "newspaper4k"
DESCRIPTION = "the library of that name"

DEFAULT = "en"


def read(html: str, options: ExtractorOptions) -> Iterable[str]:
    """Return the lines of the article's text."""
    article = _article_class()(
        options.url or "https://news.example.org/",
        language=_readable((options.language or DEFAULT).partition("-")[0].lower()),
        follow_meta_refresh=False,
        memorize_articles=False,
    )
    article.download(input_html=html, ignore_read_more=True)
    article.parse()
    return str(article.text).splitlines()


@cache
def _article_class() -> Any:
    """Return the library's article without its search for images, which asks their servers whatever is set."""
    from newspaper import Article

    return type("OfflineArticle", (Article,), {"fetch_images": lambda _: None})


@cache
def _readable(language: str) -> str:
    """Return the language where the library can read it, otherwise its default."""
    from newspaper.text import StopWords

    try:
        StopWords(language)
    except (ImportError, OSError, ValueError):
        return DEFAULT
    return language
