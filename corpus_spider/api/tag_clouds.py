"""Tag clouds of a page of the web, of a document, and of a part of the corpus."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from corpus_spider.api.lookup import is_id, look_up
from corpus_spider.search.index.totals import FILE
from corpus_spider.sites import single_page
from corpus_spider.words import clouds, lists
from storage.errors import ConfigError
from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from corpus_spider.config.model import Config
    from corpus_spider.search.searching import SearchIndex
    from corpus_spider.words.clouds import Cloud
    from corpus_spider.words.references import Reference
    from storage.corpus import Corpus
    from storage.documents.selection import Selection

    OpenIndex = Callable[[Selection | None], AbstractContextManager[tuple[Corpus, SearchIndex]]]
    """Opens corpus and index. Raises ConfigError for an unknown site of the selection."""


def is_document(target: str) -> bool:
    """Return whether a target is the id of a document, not a file or a URL."""
    return is_id(target) and not Path(target).exists()


def cloud_of_page(
    config: Config, target: str, languages: Sequence[str], most: int, open_index: OpenIndex, *, allow_private: bool
) -> Cloud:
    """Return the cloud of a file or URL against the corpus, if it has an index. ``languages``: not those found."""
    wanted = single_page.ExtractRequest(allow_private=allow_private)
    document = single_page.extract(target, wanted, config).document
    if document is None:
        do = f"See why: corpus-spider extract {shlex.quote(target)}"
        raise ConfigError("the page has no text", where=target, do=do)
    language = languages[0] if languages else document.language.language
    source = f"{document.metadata.title or target}"
    lines = (document.metadata.title or "", *document.text.split("\n"))
    if not (config.index_folder / FILE).exists():
        return clouds.of_text(lines, language, None, most, source)
    with open_index(None) as (_, index):
        return clouds.of_text(lines, language, index.manifest, most, source)


def cloud_of_document(config: Config, target: str, languages: Sequence[str], most: int, open_index: OpenIndex) -> Cloud:
    """Return the cloud of a document against the corpus, if it has an index."""
    document = look_up(config, target).document
    if document is None:
        raise ConfigError("the page has no text", where=target, do=f"`corpus-spider show {target}` says why.")
    language = languages[0] if languages else document.language
    source, lines = document.title or document.url, document.searched_lines
    if not (config.index_folder / FILE).exists():
        return clouds.of_text(lines, language, None, most, source)
    # The index has the current texts, without duplicates.
    is_counted = document.duplicate_of is None and language == document.language
    with open_index(None) as (_, index):
        return clouds.of_text(lines, language, index.manifest, most, source, is_counted=is_counted)


def cloud_of_corpus(selected: Selection, reference: Reference, most: int, open_index: OpenIndex) -> Cloud:
    """Return the cloud of a part of the corpus, against another part or by frequency."""
    named = replace(selected, sites=(*selected.sites, *reference.sites))
    with open_index(named) as (_, index):
        size = lists.sizes(index.manifest, selected)
        parts = (
            ", ".join(selected.languages),
            ", ".join(selected.sites),
            f"from {selected.since[:7]}" if selected.since else "",
            f"until {selected.until[:7]}" if selected.until else "",
            f"{counted(size.tokens, 'token')} in {counted(size.documents, 'document')}",
        )
        return clouds.of_selection(index.manifest, selected, reference, most, "; ".join(filter(None, parts)))
