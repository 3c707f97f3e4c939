"""A line that says what an answer is about, to copy into a text. Pure."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from corpus_spider.config.selections import options_of
from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corpus_spider.search.hits.hit_counts import HitCounts
    from storage.documents.selection import Selection


def citation(
    name: str,
    refreshed: str,
    searched: str,
    selection: Selection,
    documents: int,
    counts: HitCounts,
    *,
    version: str,
    sample: Sequence[str] = (),
) -> str:
    """Return the line: corpus, time of its index, documents, hits, question as understood, options, program.

    ``refreshed``: when the index was brought up to the corpus, ISO 8601. ``sample``: options of a random one.

    >>> from storage.documents.selection import Selection
    >>> from corpus_spider.search.hits.hit_counts import HitCounts
    >>> counts = HitCounts(31, True, None, None, {}, {})
    >>> citation("vi-news", "2026-11-29T16:40Z", '"bầu cử"', Selection(sites=("a",)), 12, counts, version="1.0.0")
    'vi-news, index of 2026-11-29T16:40Z, 31 hits in 12 documents: "bầu cử" (--site a). corpus-spider 1.0.0'
    """
    options = [*options_of(selection), *sample]
    chosen = f" ({shlex.join(options)})" if options else ""
    more = "" if counts.is_complete else "more than "
    number = f"{more}{counted(counts.hits, 'hit')} in {counted(documents, 'document')}"
    # A number behind an Arabic or Hebrew question would be shown before it.
    return f"{name}, index of {refreshed}, {number}: {searched}{chosen}. corpus-spider {version}"
