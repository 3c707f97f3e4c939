"""Crawls newspapers politely into a clean, de-duplicated text corpus: settings, command line, spider, evaluation.

The public names for Python programs are those of ``__all__``. Each is imported at its first use, so that importing the
package takes a millisecond. ``docs/how-to/use-from-python.md`` shows them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from corpus_spider.api.corpus import Corpus
    from corpus_spider.api.corpus import open_corpus as open  # noqa: A004 - as in gzip.open and wave.open
    from corpus_spider.api.crawl_process import CrawlSummary, crawl
    from corpus_spider.api.document import Document
    from corpus_spider.api.page import NoTextError, extract
    from storage.errors import CorpusError

__all__ = ["Corpus", "CorpusError", "CrawlSummary", "Document", "NoTextError", "crawl", "extract", "open"]

_HOMES = {
    "Corpus": "corpus_spider.api.corpus.Corpus",
    "CorpusError": "storage.errors.CorpusError",
    "CrawlSummary": "corpus_spider.api.crawl_process.CrawlSummary",
    "Document": "corpus_spider.api.document.Document",
    "NoTextError": "corpus_spider.api.page.NoTextError",
    "crawl": "corpus_spider.api.crawl_process.crawl",
    "extract": "corpus_spider.api.page.extract",
    "open": "corpus_spider.api.corpus.open_corpus",
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module, _, attribute = home.rpartition(".")
    found = globals()[name] = getattr(import_module(module), attribute)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
