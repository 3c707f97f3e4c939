"""Request of a word list: which list of which documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from corpus_spider.search.manifest import Selected
from corpus_spider.search.shard import Filters
from corpus_spider.words import lists
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corpus_spider.search.searching import SearchIndex
    from storage.corpus import Corpus

REST = "rest"


@dataclass(frozen=True, slots=True)
class WordList:
    """Request of a list: keywords against a reference, collocates around a word, trends of words, else frequencies."""

    against: str = ""
    around: str = ""
    trends: tuple[str, ...] = ()
    """Words to count in each month."""
    without_stop_words: bool = False
    limit: int = 50


def rows_of(
    index: SearchIndex, corpus: Corpus, selected: Selected, wanted: WordList, place: str = "--against"
) -> Sequence[Any]:
    """Return the rows of a list, of one of the types in `lists`. Raises ConfigError for an invalid reference.

    ``place`` names the option of the reference in the error.
    """
    if wanted.against:
        reference = reference_of(wanted.against, selected, place)
        return lists.keywords(index.manifest, selected, reference, wanted.limit)
    if wanted.around:
        until = f"{selected.until}-31" if selected.until else ""
        filters = Filters(selected.sites, selected.languages, f"{selected.since}-01" if selected.since else "", until)
        return lists.collocates(index, corpus, wanted.around, filters, selected, wanted.limit)
    if wanted.trends:
        return lists.trend(index.manifest, selected, wanted.trends)
    without = _stop_words(selected.languages) if wanted.without_stop_words else frozenset[str]()
    return lists.frequencies(index.manifest, selected, wanted.limit, without)


def _stop_words(codes: Sequence[str]) -> frozenset[str]:
    from pipelines.quality.stop_word_lists import stop_words_of

    return frozenset(word for code in codes for word in stop_words_of(code))


def reference_of(text: str, selected: Selected, place: str) -> Selected | None:
    """Return the reference that a text describes; None for the rest of the corpus. Raises ConfigError for another text.

    ``place`` names the option in the error.
    """
    if text.strip() == REST:
        return None
    given: dict[str, str] = {}
    for part in text.replace(",", " ").split():
        key, equals, value = part.partition("=")
        if not equals or key not in {"site", "language", "since", "until"} or not value:
            do = "Write rest, or site=NAME, language=CODE, since=YYYY-MM and until=YYYY-MM."
            raise ConfigError(f'expected a selection, got "{part[:60]}"', where=place, do=do)
        given[key] = value
    languages = (given["language"],) if "language" in given else selected.languages
    sites = (given["site"],) if "site" in given else ()
    return Selected(languages, sites, given.get("since", ""), given.get("until", ""))
