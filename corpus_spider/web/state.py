"""What the views share: the corpus, its configuration, the search index, and the limit of expensive pages."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus_spider.config.model import Config
    from corpus_spider.search.searching import SearchIndex
    from storage.corpus import Corpus

EXPENSIVE_AT_ONCE = 2
"""Expensive pages (another extractor, figures, downloads) that are made at one time. Others wait."""
PATIENCE_SECONDS = 10.0
"""Seconds to wait for a turn. After that the answer is 503."""


class BusyError(Exception):
    """Too many expensive pages are requested at once."""


@dataclass(frozen=True, slots=True)
class Served:
    """One served corpus. Views use it from several threads."""

    config: Config
    corpus: Corpus
    turns: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(EXPENSIVE_AT_ONCE))

    @contextmanager
    def index(self) -> Iterator[SearchIndex]:
        """Open the search index for one request. ConfigError if there is none, or while it is behind a removal."""
        from corpus_spider.search.searching import SearchIndex

        with SearchIndex.open(self.config.index_folder, self.corpus) as opened:
            yield opened

    @contextmanager
    def expensive(self) -> Iterator[None]:
        """Wait for a turn. Raises BusyError if none comes."""
        if not self.turns.acquire(timeout=PATIENCE_SECONDS):
            raise BusyError
        try:
            yield
        finally:
            self.turns.release()
