"""Open the search index for a command, refreshed."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus_spider.cli.options import CommonOptions
    from corpus_spider.search.searching import SearchIndex
    from storage.corpus import Corpus
    from storage.documents.selection import Selection


@contextmanager
def opened_index(state: CommonOptions, selection: Selection | None = None) -> Iterator[tuple[Corpus, SearchIndex]]:
    """Open corpus and index, and note why the index was not refreshed.

    Raises ConfigError for an unknown site or extractor of the selection.
    """
    from corpus_spider.export.exporter import refuse_unknown_names
    from corpus_spider.search.index.builder import refresh_if_alone
    from corpus_spider.search.searching import SearchIndex
    from storage.corpus import Corpus

    config = state.load_made()
    with Corpus.open(config.database_url, read_only=True) as corpus:
        if selection:
            refuse_unknown_names(config, corpus, selection)
        with state.console.stages() as show:
            why_not = refresh_if_alone(corpus, config.database_url, config.index_folder, config.workers, show)
        if why_not:
            state.console.note(why_not)
        with SearchIndex.open(config.index_folder, corpus) as index:
            yield corpus, index
