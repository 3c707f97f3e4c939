"""References of keywords: what the words of a selection are compared with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from corpus_spider.config.loader import load
from corpus_spider.config.selections import NAMED, selection_of
from corpus_spider.words.outside_counts import OutsideCounts, read_corpus, read_list
from storage.documents.selection import COUNTS, Day, Selection, Texts, honoured
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

REST = "rest"
OF_LIST, OF_CORPUS = "list", "corpus"
"""Keys of a reference from elsewhere: a file of words and frequencies, the folder of another corpus."""


@dataclass(frozen=True, slots=True)
class RestOfCorpus:
    """All texts in the same languages that are not selected."""

    sites: ClassVar[tuple[str, ...]] = ()
    """Sites that the reference names."""


Reference = Selection | OutsideCounts | RestOfCorpus


def reference_of(text: str, selected: Selection, place: str, named: Mapping[str, Selection] | None = None) -> Reference:
    """Return the reference that a text describes. Raises ConfigError for another text.

    ``place`` names the option in the error, ``named`` are the selections of corpus.toml.
    """
    if text.strip() == REST:
        return RestOfCorpus()
    kind, _, path = text.partition("=")
    if kind in {OF_LIST, OF_CORPUS}:
        return _outside(kind, path, selected, place)
    known = {NAMED: "NAME"} | {e.name: "YYYY-MM" if e.kind == Day else e.metavar for e in honoured(COUNTS)}
    texts = {each.name for each in honoured(COUNTS) if each.kind == Texts}
    given: dict[str, Any] = {}
    for part in text.replace(",", " ").split():
        key, equals, value = part.partition("=")
        if not equals or key not in known or not value:
            keys = " ".join(f"{name}={form}" for name, form in known.items())
            do = f"Write rest, list=FILE, corpus=FOLDER, or a selection by {keys}."
            raise ConfigError(f'expected a selection, got "{part[:60]}"', where=place, do=do)
        given[key] = (*given.get(key, ()), value) if key in texts else value
    try:
        reference = selection_of(given, named or {})
        reference.require(COUNTS)
    except ConfigError as error:
        raise ConfigError(f"{error.where}: {error.what}", where=place, do=error.do) from None
    return reference if reference.languages else replace(reference, languages=selected.languages)


def _outside(kind: str, path: str, selected: Selection, place: str) -> OutsideCounts:
    """Return the counts of a list or of another corpus, in the one language of the selection."""
    if len(selected.languages) != 1:
        do = "Name one language with --language."
        raise ConfigError("a reference from elsewhere is compared with one language", where=place, do=do)
    if not path:
        what = f"expected {kind}={'FILE' if kind == OF_LIST else 'FOLDER'}"
        raise ConfigError(what, where=place, do="Name it.")
    try:
        named = Path(path).expanduser()
        named.exists()
    except (RuntimeError, ValueError, OSError) as error:
        raise ConfigError(f"is no path: {error}", where=f"{place} {kind}", do="Name a file or folder.") from None
    if kind == OF_LIST:
        return read_list(named)
    # The environment is about this corpus.
    return read_corpus(load(named, environ={}).index_folder, selected.languages[0])
