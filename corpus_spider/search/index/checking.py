"""Check a search index by its content: it must hold no text, and no word, that the corpus does not have."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from corpus_spider.search.index import shard
from corpus_spider.search.index.builder import REMOVALS, UNFINISHED, is_current, shard_folder
from corpus_spider.search.index.made_with import IndexTools
from corpus_spider.search.index.manifest import Manifest, unreadable
from corpus_spider.search.index.totals import FILE
from corpus_spider.search.index.words_in_index import IndexSplitters
from pipelines.text.word_forms import letters
from storage.documents.selection import Selection
from storage.errors import ConfigError, DamageError
from storage.reporting import counted, unseen

if TYPE_CHECKING:
    from pathlib import Path

    from storage.corpus import Corpus
    from storage.reporting import Progress

BUILD = "`corpus-spider index` brings it up to date"
MAX_NAMED_WORDS = 5
"""Words that a problem names."""
_PROGRESS_DOCUMENTS = 1000


@dataclass(slots=True)
class IndexReport:
    """What is wrong with an index, and what is worth knowing. Each is a sentence."""

    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def check_index(corpus: Corpus, folder: Path, *, deep: bool, on_progress: Progress = unseen) -> IndexReport:
    """Check the index of a corpus, if there is one.

    A shallow check compares its lists with the removals of the corpus. A ``deep`` one reads the documents of each shard
    and, after a removal, compares every word of the index with the words of all texts.
    """
    report = IndexReport()
    if not (folder / FILE).exists():
        return report
    try:
        shard.require_library()
    except ConfigError as error:
        report.notes.append(f"the search index was not checked: {error.what}")
        return report
    try:
        with Manifest.open(folder, read_only=True) as manifest:
            _check(corpus, folder, manifest, report, on_progress, deep=deep)
    except DamageError as error:
        report.problems.append(error.what)
    return report


def _check(
    corpus: Corpus, folder: Path, manifest: Manifest, report: IndexReport, on_progress: Progress, *, deep: bool
) -> None:
    if manifest.settings().get(REMOVALS) != corpus.removal_mark():
        report.notes.append(f"the search index is behind a removal and answers nothing; {BUILD}")
        return
    shards, entries = manifest.shards(), manifest.entries()
    removed = {each.id for each in corpus.removals.documents()}
    held = set(entries)
    known = {shard_folder(folder, number).name for number in shards}
    left = [path.name for path in folder.iterdir() if path.is_dir() and path.name not in known]
    if left:
        report.notes.append(f"a refresh of the search index is running or was stopped ({left[0]}); {BUILD}")
    if deep and removed:
        held.update(*(_opened(folder / name).ids() for name in left if not name.endswith(UNFINISHED)))
    if removed & held:
        first = min(removed & held)
        report.problems.append(f"the search index holds {counted(len(removed & held), 'removed document')}: {first}")
    if not is_current(corpus, folder):
        report.notes.append(f"the search index is older than the corpus; {BUILD}")
        return
    if not deep:
        return
    for done, number in enumerate(shards, 1):
        on_progress("shards of the index checked", done, len(shards))
        listed = {name for name, (_, of) in entries.items() if of == number}
        opened = _opened(shard_folder(folder, number))
        if (
            opened.ids() != listed
            or {each for block in opened.tokens.blocks(None) for each in block.documents} != listed
        ):
            report.problems.append(f"shard {number} of the search index holds other documents than its list; {BUILD}")
    if corpus.removals.documents() and (strange := _strange_words(corpus, folder, manifest, on_progress)):
        shown = ", ".join(strange[:MAX_NAMED_WORDS])
        report.problems.append(f"the search index has {counted(len(strange), 'word')} of no text: {shown}; {BUILD}")


def _opened(folder: Path) -> shard.Shard:
    """Open the shard in a folder. DamageError if it is damaged or missing."""
    try:
        return shard.Shard.open(folder)
    except ValueError as error:
        raise unreadable(folder, error) from error


def _strange_words(corpus: Corpus, folder: Path, manifest: Manifest, on_progress: Progress) -> list[str]:
    """Return the words of an index that neither stand in a text of the corpus, of any version, nor are its forms."""
    left = set(manifest.every_word())
    left.update(*(_opened(shard_folder(folder, number)).tokens.vocabulary for number in manifest.shards()))
    splitters = IndexSplitters(IndexTools.of(manifest.settings()).annotating(None))
    selection = Selection(include_duplicates=True, versions="all")
    for number, document in enumerate(corpus.documents.as_stored(selection), 1):
        if not left:
            break
        language = document.language
        words = splitters[language].read(document.searched_lines)
        forms = (letters(word, language) for word in words.counted)
        left.difference_update(words.searched.split(), words.counted, forms)
        if number % _PROGRESS_DOCUMENTS == 0:
            on_progress("texts compared with the index", number, None)
    return sorted(left)
