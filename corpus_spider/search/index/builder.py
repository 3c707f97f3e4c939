"""Build and refresh a search index: compare the corpus with the manifest, and rebuild the shards that differ.

A refresh looks at every document of the default export, without its text. Documents that are new go into a new shard.
A shard with a document that has changed, is superseded or is gone is rebuilt without it. Small shards are merged on
the way, so that there are few. So the index never holds words of a text that the corpus does not have.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import shutil
import signal
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import xxhash
from msgspec import UNSET, UnsetType

from corpus_spider.search.index import shard
from corpus_spider.search.index.made_with import IndexTools, MissingLibraryError, is_annotated
from corpus_spider.search.index.manifest import INDEX_FORMAT, CellKey, MadeShard, Manifest
from corpus_spider.search.index.totals import FILE
from corpus_spider.search.index.words_in_index import IndexSplitters
from pipelines.text.annotation.annotator import described_attributes
from pipelines.text.segmentation.choice import failures
from storage import plugins
from storage.corpus import Corpus
from storage.disk import disk_errors, flocked, make_folder
from storage.documents.model import month_of, stated_day
from storage.documents.selection import Selection
from storage.documents.text_conditions import section_of
from storage.errors import CorpusError
from storage.reporting import unseen
from storage.reservations import RESERVING

if TYPE_CHECKING:
    import threading
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from corpus_spider.search.index.cell_counts import ShardCounts
    from corpus_spider.search.index.token_file import TokenWriter
    from storage.documents.model import Stamp
    from storage.reporting import Progress

logger = logging.getLogger(__name__)
MAX_SHARD_DOCUMENTS = 50_000
"""Documents of a shard. A removal rebuilds one shard, which takes some 20 seconds for so many."""
WORTH_A_PROCESS = 2_000
"""Documents from which on a shard of its own pays for a process. Starting one and loading segmenters takes a second."""
REMOVALS = "removals"
"""Setting of the manifest: the mark of the removals that the index has applied."""
DOCUMENTS = "documents"
"""Setting of the manifest: the mark of the documents that the index has."""
REFRESHED = "refreshed"
"""Setting of the manifest: when the index was brought up to the corpus, to the minute."""
LOW_PRIORITY = 19
"""Niceness of what builds an index: it takes the time that a crawl and the web page leave."""
_FORMAT = "format"
_AT_ONCE = 2 * MAX_SHARD_DOCUMENTS
"""Documents up to which new shards come in place of old ones in one step. Beyond that they would need much memory."""
_PAGE = 200
_LOOK_SECONDS = 0.5
_LOCK = "lock"
UNFINISHED = ".new"
"""End of the name of a shard that is being made."""


@dataclass(frozen=True, slots=True)
class RefreshReport:
    """What a refresh did: documents that came into the index, that left it, and that it holds now."""

    added: int
    left: int
    documents: int
    shards: int
    words: str
    """Units that scripts without spaces are searched by: ``words`` or ``character clusters``."""
    failures: int = 0
    """Runs of text on which a segmenter failed. They are counted by character clusters."""
    annotations: Mapping[str, str] | UnsetType = UNSET
    """What gives the lemmas and tags in each language, in an index that has them."""


@dataclass(frozen=True, slots=True)
class _ShardJob:
    """A shard to make: its number, and the row and the state of each of its documents by id."""

    database: str
    folder: Path
    number: int
    documents: Mapping[str, tuple[int, int]]
    made_with: IndexTools


def state_of(stamp: Stamp, annotation: str = "") -> int:
    """Return a number that changes when the document or its annotator does, 63 bits."""
    parts = [stamp.processed, stamp.site, stamp.language, stamp.day, stamp.title or "", stamp.author or ""]
    if described_attributes(annotation):
        parts.append(annotation)
    return int(xxhash.xxh3_64_intdigest("\0".join(parts).encode())) >> 1


@contextmanager
def only_writer(folder: Path) -> Iterator[bool]:
    """Hold the writer's lock of an index for the block; gives False if another process has it."""
    with disk_errors(folder):
        make_folder(folder)
        descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        yield flocked(descriptor)
    finally:
        os.close(descriptor)


def is_current(corpus: Corpus, folder: Path) -> bool:
    """Return whether nothing has changed in the corpus since the index was refreshed. Errors of the database."""
    settings = _settings(folder)
    made = {_FORMAT: str(INDEX_FORMAT), REMOVALS: corpus.removal_mark(), DOCUMENTS: corpus.documents.mark()}
    return {name: settings.get(name) for name in made} == made


def is_complete(settings: Mapping[str, str]) -> bool:
    """Return whether an index with these settings was finished once. Before that it lacks documents."""
    return REMOVALS in settings


def answers(folder: Path) -> bool:
    """Return whether the index in a folder was finished once, and so answers while it is refreshed."""
    return is_complete(_settings(folder))


def _settings(folder: Path) -> dict[str, str]:
    """Return the settings of the index in a folder; empty if there is none."""
    if not (folder / FILE).exists():
        return {}
    with Manifest.open(folder, read_only=True) as manifest:
        return manifest.settings()


def refresh_if_alone(
    corpus: Corpus, database: str, folder: Path, processes: int, on_progress: Progress = unseen
) -> str:
    """Refresh the index if the corpus has changed, unless another process is doing that. Errors as of `refresh`.

    Return why it was not refreshed if a library is missing that it was made with: it answers as it is. Else "".
    """
    with only_writer(folder) as is_writer:
        if is_writer and not is_current(corpus, folder):
            try:
                refresh(corpus, database, folder, processes, on_progress)
            except MissingLibraryError as error:
                if not answers(folder):
                    raise
                return f"The index was not refreshed: {error.what}. {error.do}"
    return ""


def refresh_aside(database: str, folder: Path, over: threading.Event) -> None:
    """Refresh the index in a process of low priority, unless another one does; ends it when ``over`` is set.

    The threads of the caller go on meanwhile. Errors are written to the log of that process.
    """
    # Not forked from the server of page workers: it would have to load before a page is read, or never load.
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=_refresh_quietly, args=(database, folder, plugins.allowed()), daemon=True)
    process.start()
    while process.is_alive() and not over.is_set():
        process.join(_LOOK_SECONDS)
    # A refresh may be cut anywhere.
    process.kill()
    process.join()
    process.close()


def _step_back(allowed: plugins.Names) -> None:
    """Give this process a low priority, and allow it these plug-ins."""
    os.nice(LOW_PRIORITY)
    plugins.allow(allowed)


def _refresh_quietly(database: str, folder: Path, allowed: plugins.Names) -> None:
    # Ctrl-C reaches this process too. The one that started it ends it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _step_back(allowed)
    try:
        with Corpus.open(database, read_only=True) as corpus:
            refresh_if_alone(corpus, database, folder, 1)
    except CorpusError as error:
        logger.warning("the search index was not refreshed: %s", error)


def refresh(
    corpus: Corpus,
    database: str,
    folder: Path,
    processes: int,
    on_progress: Progress = unseen,
    *,
    rebuild: bool = False,
    annotate: bool | None = None,
) -> RefreshReport:
    """Bring the index up to the corpus. The caller holds the lock. Errors of the database, and DiskError.

    Each shard is kept once it is made: an interrupted refresh goes on where it stopped. New texts are split as those in
    the index were, MissingLibraryError if that library is not installed. ``rebuild``: make the index with what is.
    ``annotate``: with lemmas and tags or without, None for as before.
    """
    shard.require_library()
    # Read first: what is removed meanwhile is found by the next refresh.
    removals, documents = corpus.removal_mark(), corpus.documents.mark()
    with disk_errors(folder):
        annotate = is_annotated(_settings(folder)) if annotate is None else annotate
        annotated = {row.key for row in corpus.status().by_language} if annotate else None
        _delete_unreadable(folder, also_readable=rebuild)
        with Manifest.open(folder, read_only=False) as manifest:
            made_with = IndexTools.of(manifest.settings()).annotating(annotated)
            is_behind = manifest.settings().get(REMOVALS) != removals
            manifest.set({_FORMAT: str(INDEX_FORMAT)} | made_with.settings)
            _delete_leftovers(folder, manifest.shards())
            stamps = dict[str, tuple[int, int]]()
            languages = dict[str, str]()
            for stamp in corpus.documents.stamps(Selection()):
                stamps[stamp.id] = stamp.row, state_of(stamp, made_with.annotation(stamp.language))
                languages[stamp.id] = stamp.language
            plan = _plan(manifest, stamps, processes)
            made_with.require({languages[each] for ids in plan.shards for each in ids})
            numbers = range(manifest.next_number(), manifest.next_number() + len(plan.shards))
            jobs = [
                _ShardJob(database, folder, number, {each: stamps[each] for each in ids}, made_with)
                for number, ids in zip(numbers, plan.shards, strict=True)
            ]
            done = failed = 0
            total = sum(len(job.documents) for job in jobs)
            on_progress("documents indexed", 0, total)
            old, new = list(plan.outdated), list[MadeShard]()
            for made in _made(jobs, processes):
                new.append(made)
                failed += made.failures
                done += len(made.entries)
                on_progress("documents indexed", done, total)
                # Of very many, the outdated shards go with the first: some documents are missing until all are made.
                if total > _AT_ONCE:
                    manifest.replace(old, new)
                    old, new = [], []
            if old or new:
                manifest.replace(old, new)
            # An interrupted refresh may have left words of texts that are gone.
            if plan.left or is_behind:
                manifest.forget_unused_words()
            _delete_leftovers(folder, manifest.shards())
            now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%MZ")
            manifest.set({REMOVALS: removals, DOCUMENTS: documents, REFRESHED: now})
            shards = manifest.shards()
            return RefreshReport(
                plan.added,
                plan.left,
                sum(shards.values()),
                len(shards),
                made_with.unit,
                failed,
                UNSET if made_with.annotators is None else dict(made_with.annotators),
            )


def _delete_unreadable(folder: Path, *, also_readable: bool) -> None:
    """Delete an index of another format, or any: it is derived data."""
    if not (folder / FILE).exists():
        return
    is_readable = _settings(folder).get(_FORMAT) == str(INDEX_FORMAT)
    if also_readable or not is_readable:
        for path in folder.iterdir():
            if path.name != _LOCK:
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def _delete_leftovers(folder: Path, shards: Collection[int]) -> None:
    known = {shard_folder(folder, number).name for number in shards}
    for path in folder.iterdir():
        if path.is_dir() and path.name not in known:
            shutil.rmtree(path)


def shard_folder(folder: Path, number: int) -> Path:
    """Return the folder of a shard."""
    return folder / f"shard-{number:06d}"


@dataclass(frozen=True, slots=True)
class _RefreshPlan:
    """``outdated``: shards to delete. ``shards``: ids of the documents of each new shard."""

    outdated: set[int]
    shards: list[list[str]]
    added: int
    left: int


def _plan(manifest: Manifest, stamps: Mapping[str, tuple[int, int]], processes: int) -> _RefreshPlan:
    """Decide which shards to make. A shard not larger than what is written anyway is merged into it.

    Each process gets a shard if there is enough for it: splitting Japanese into words takes 7 ms a document.
    """
    known = manifest.entries()
    same = {each for each, (state, _) in known.items() if each in stamps and stamps[each][1] == state}
    outdated = {number for each, (_, number) in known.items() if each not in same}
    pending = [each for each in stamps if each not in same or known[each][1] in outdated]
    sizes = manifest.shards()
    for number, size in sorted(sizes.items(), key=lambda item: item[1]):
        if number not in outdated and pending and size <= len(pending) and size < MAX_SHARD_DOCUMENTS:
            outdated.add(number)
            pending += [each for each, (_, of) in known.items() if of == number and each in same]
    pending.sort()
    size = min(MAX_SHARD_DOCUMENTS, max(WORTH_A_PROCESS, -(-len(pending) // max(1, processes))))
    parts = [pending[start : start + size] for start in range(0, len(pending), size)]
    return _RefreshPlan(outdated, parts, len(stamps.keys() - same), len(known.keys() - same))


def _made(jobs: Sequence[_ShardJob], processes: int) -> Iterator[MadeShard]:
    if len(jobs) < 2 or processes < 2:
        yield from map(_make, jobs)
        return
    context = multiprocessing.get_context("spawn")
    number, named = min(processes, len(jobs)), (plugins.allowed(),)
    with ProcessPoolExecutor(number, mp_context=context, initializer=_step_back, initargs=named) as pool:
        yield from pool.map(_make, jobs)


def _make(job: _ShardJob) -> MadeShard:
    """Make one shard, in any process."""
    from corpus_spider.search.index.cell_counts import ShardCounts
    from corpus_spider.search.index.token_file import TokenWriter

    folder = shard_folder(job.folder, job.number)
    part = folder.with_name(folder.name + UNFINISHED)
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(mode=0o700)
    entries: dict[str, int] = {}
    counts = ShardCounts()
    splitters = IndexSplitters(job.made_with)
    before = failures()
    with Corpus.open(job.database, read_only=True) as corpus, TokenWriter(part) as tokens:
        shard.write(part, _entries(corpus, job, splitters, counts, tokens, entries))
    part.rename(folder)
    cells, spellings = counts.cells(), list(counts.spellings())
    vocabulary, searched = list(counts.vocabulary), splitters.units()
    return MadeShard(job.number, entries, vocabulary, cells, spellings, searched, failures() - before)


def _entries(
    corpus: Corpus,
    job: _ShardJob,
    splitters: IndexSplitters,
    counts: ShardCounts,
    tokens: TokenWriter,
    entries: dict[str, int],
) -> Iterator[shard.IndexEntry]:
    """Read the documents of a shard, count their words, keep their units, and yield what is indexed.

    A document that has gone meanwhile is left out; the next refresh sees that.
    """
    rows = [row for row, _ in job.documents.values()]
    for start in range(0, len(rows), _PAGE):
        for document in corpus.documents.of_rows(rows[start : start + _PAGE]):
            language = document.language
            words = splitters[language].read(document.searched_lines)
            cell = CellKey(language, document.site, month_of(document.date))
            counts.add(cell, words.counted)
            tokens.add(document.id, cell, words.entries)
            entries[document.id] = job.documents[document.id][1]
            yield shard.IndexEntry(
                document.id,
                document.site,
                language,
                stated_day(document.date),
                words.searched,
                document.extractor,
                document.confidence,
                document.tdm == 1 or not RESERVING.isdisjoint(document.directives),
                document.chars,
                section_of(document.url),
                document.authors,
                document.title,
            )
