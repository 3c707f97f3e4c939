"""`check`: compare texts, WARC files and database. Read-only.

The shallow check tests that the database is consistent, that texts are well formed, and that every pointer lies inside
an existing file. The deep check also reads and verifies every record of every file, and matches records and rows both
ways. It extracts a sample of pages again from the WARC and compares them with the stored texts.
"""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from corpus_spider.archive import adoption
from corpus_spider.archive.missing_files import elsewhere, on_machines
from corpus_spider.archive.originals import pointer_to
from corpus_spider.archive.uploads import WaitingUploads
from corpus_spider.config.values import is_utf8
from corpus_spider.crawling.site_models import ConfiguredModels
from corpus_spider.search.index.checking import check_index
from pipelines.extractors import registry
from pipelines.page import site_rules
from pipelines.page.process import process
from pipelines.urls.url import canonicalise
from storage.corpus import Corpus
from storage.database.sqlite_limits import is_sound
from storage.documents.selection import Selection
from storage.errors import ConfigError, CorpusError, DiskError, ObjectStorageError
from storage.fetches.file_retention import REMOVED
from storage.fetches.warc_files import REPLACED
from storage.records import Kind
from storage.reporting import counted, unseen
from storage.warc import is_file_name, read_record, unread
from storage.warc.redact import NOTHING, first_name
from storage.warc.scan import ANSWERS, scan
from storage.warc.writer import OPEN, is_being_written

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path
    from typing import BinaryIO

    from corpus_spider.config.model import Config
    from storage.documents.model import CorpusDocument
    from storage.records import Document, Pointer
    from storage.reporting import Progress
    from storage.warc import OriginalStore, ScannedRecord

SAMPLE_PAGES = 200
"""Pages that a deep check extracts again, spread evenly over the corpus."""
PROGRESS_TEXTS = 1000
"""Texts between two reports of progress."""
MAX_NOTED_IDS = 20
"""Ids of removals in a note."""
_AT_ONCE = 500
"""Addresses to look up at a time."""
_IS_RULES = re.compile(r"^\w+://[^/]*/(?:robots\.txt$|\.well-known/)")
"""Addresses of usage terms. Those of a removed domain are kept as evidence."""
RULES = "checking the rules of the database"
ADOPTS = "the next crawl takes in what is missing"
CARRIED_OUT = "their workers or next crawls carry it out, or `corpus-spider remove` there"
DEFERRED = (
    "its free pages may still have parts of removed texts, because removals were deferred; `corpus-spider remove`"
    " rewrites the file and finishes removal"
)
OLD_SQLITE = (
    f"SQLite {sqlite3.sqlite_version} may lose writes when several programs write to one file (WAL-reset bug, fixed in"
    " 3.51.3). corpus-spider writes one transaction at a time. Do not run two crawls of this corpus at the same time"
)


@dataclass(slots=True)
class CheckReport:
    """Result of a check: counts, problems and notes."""

    documents: int = 0
    """Last versions of pages, as in `status`."""
    earlier_versions: int = 0
    records: int = 0
    files: int = 0
    removed_documents: int = 0
    """Documents that were removed on request. Unless a problem or note says so, neither text nor original is left."""
    removed_files: int = 0
    """Files that were removed by the limits in [archive]. Rows that point to them are no problem."""
    elsewhere: dict[str, int] = field(default_factory=dict)
    """Files in the folders of other machines, by machine. They are checked there."""
    open_files: int = 0
    """Files that a crawl is writing. They are checked up to the last record with a row."""
    reextracted: int = 0
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Messages that are not problems."""

    @property
    def ok(self) -> bool:
        """Whether there is no problem."""
        return not self.problems


def check(config: Config, deep: bool = False, on_progress: Progress = unseen) -> CheckReport:
    """Check the configured corpus. ``on_progress`` gets the step, the finished and the total count.

    Raises CorpusError when it cannot be opened.
    """
    report = CheckReport()
    with (
        Corpus.open(config.database_url, read_only=True, machine=config.machine) as corpus,
        ThreadPoolExecutor(1, "rules") as beside,
    ):
        # The database works on its rules while this thread reads texts: two cores have work.
        rules = beside.submit(corpus.problems)
        report.removed_documents = len(corpus.removals.documents())
        report.notes += [OLD_SQLITE] if corpus.database.is_sqlite and not is_sound() else []
        if corpus.database.is_sqlite and (waiting := corpus.removals.deferred()):
            report.notes.append(f"{corpus.name}: {DEFERRED} ({', '.join(map(str, waiting[:MAX_NOTED_IDS]))})")
        if strays := adoption.waiting(config, corpus):
            report.notes.append(f"{counted(strays, 'response')} in WARC files without a row; {ADOPTS}")
        if (uploads := WaitingUploads.of(config.originals)).files:
            report.notes.append(f"{uploads}; the next crawl uploads them")
        files = {file.name: file.state for file in corpus.warc.files()}
        report.removed_files = list(files.values()).count(REMOVED)
        found = config.originals.list()
        away = frozenset(on_other := elsewhere(corpus, config.originals))
        report.elsewhere = dict(Counter(on_other.values()))
        if report.elsewhere:
            report.notes.append(f"to be checked there: {on_machines(report.elsewhere, 'WARC file')}")
        if machines := corpus.removals.waiting_machines():
            report.notes.append(f"a removal waits for these machines: {', '.join(machines)}; {CARRIED_OUT}")
        total = len(found.keys() | {name for name, state in files.items() if state != REMOVED} - away)

        def show(count: int) -> None:
            on_progress("WARC files checked", count, total)

        show(0)
        uploaded = config.originals.uploaded()
        late = frozenset(unread(config.originals.finished(), files))
        store = config.originals.streaming() if deep else config.originals
        looker = _Checker(corpus, config, store, files, report, deep, late, uploaded, away)
        names = sorted(name for name, state in files.items() if state != REMOVED and name not in away)
        for name in store.in_turn(names):
            looker.look(name, show)
        looker.look_at_documents(on_progress)
        # Last: a running removal rewrites a file before it points the rows to it.
        for name in store.in_turn(sorted(found.keys() - files.keys())):
            looker.look(name, show)
            looker.look_whether_known(name)
        index = check_index(corpus, config.index_folder, deep=deep, on_progress=on_progress)
        report.problems += index.problems
        report.notes += index.notes
        on_progress(RULES, 0, None)
        report.problems[:0] = rules.result()
    return report


@dataclass(frozen=True, slots=True)
class _Checker:
    """Check of files and documents. ``files`` has the state of each file at the start.

    ``late`` has the files whose end is not in the database. ``uploaded`` has the sizes of uploaded files.
    ``away`` has the files of other machines.
    """

    corpus: Corpus
    config: Config
    store: OriginalStore
    files: dict[str, str]
    report: CheckReport
    deep: bool
    late: frozenset[str] = frozenset()
    uploaded: dict[str, int] = field(default_factory=dict)
    away: frozenset[str] = frozenset()

    def look(self, name: str, on_progress: Callable[[int], None]) -> None:
        """Check a file and record its problems, unless it was removed meanwhile."""
        problems = self.report.problems
        before = len(problems)
        if not is_file_name(name):
            problems.append(f"{name[:50]!r} is not a valid name of a WARC file")
            return
        try:
            self._check(name)
        except ObjectStorageError:
            raise
        except (OSError, DiskError):
            if self._is_uploaded_since(name):
                self.report.files -= 1
                self._check(name)
            elif not self.has_gone(name):
                raise
        if problems[before:] and self.has_gone(name):
            del problems[before:]
        on_progress(self.report.files)

    def _check(self, name: str) -> None:
        corpus, folder, report = self.corpus, self.config.warc_folder, self.report
        report.files += 1
        # Find it before the rows are read: a file gets its final name after all its rows are committed.
        path, growing = _find(folder, name)
        report.open_files += growing
        rows = {pointer.offset: pointer for _, pointer in corpus.warc.pointers(name)}
        if path is None and name not in self.uploaded and not self._is_uploaded_since(name):
            report.problems += [f"{name}: the file is missing and {len(rows)} fetches point to it"] if rows else []
            return
        # Rows of later records in a growing file are not committed yet.
        end = max((pointer.offset + pointer.length for pointer in rows.values()), default=0) if growing else None
        if self.deep:
            is_new = name not in self.files and first_name(name) != name
            if (is_new or self.files.get(name) == REPLACED) and self.corpus.removals.is_interrupted():
                # The removal has rewritten a file. The rows point to one of the two, and the other has none.
                return
            with nullcontext(path) if path else self.store.open(name) as file:
                taken_up = file.suffix == OPEN or name in self.late
                held = _match(rows, corpus.warc.revisits(name), _FileRange(file, end, taken_up), report)
            # The rules of the database report a file that waits to be deleted, and an interrupted removal.
            if self.files.get(name) != REPLACED and not self.corpus.removals.is_interrupted():
                self._tell_of_removed(name, held)
            return
        report.records += len(rows)
        size = _renamed(path).stat().st_size if path else self.uploaded[name]
        beyond = [pointer.offset for pointer in rows.values() if pointer.offset + pointer.length > size]
        report.problems += [f"{name}: a fetch points to offset {offset}, beyond the end" for offset in beyond]

    def _is_uploaded_since(self, name: str) -> bool:
        """Return whether a crawl has uploaded a file since the start."""
        if self.store.objects is None or self.store.has(name):
            return False
        self.uploaded.update(self.store.uploaded())
        return name in self.uploaded

    def _tell_of_removed(self, name: str, held: Sequence[ScannedRecord]) -> None:
        """Record responses with content whose address was removed, except those that wait to be emptied."""
        for at in range(0, len(held), _AT_ONCE):
            some = [(record, canonicalise(record.uri) or record.uri) for record in held[at : at + _AT_ONCE]]
            away = self.corpus.removals.kept_away({address for record, page in some for address in (record.uri, page)})
            left = [record for record, page in some if not away.isdisjoint((record.uri, page))]
            waiting = {each.offset for each in self.corpus.removals.unscrubbed().get(name, ())} if left else set()
            self.report.problems += [
                f"{name} at {record.offset}: the original of a removed page ({record.uri})"
                for record in left
                if record.offset not in waiting
            ]

    def look_whether_known(self, name: str) -> None:
        """Note a finished file that the database does not know, unless its records show that already."""
        if not self.deep and name in self.late and not any(file.name == name for file in self.corpus.warc.files()):
            self.report.notes.append(f"{name}: the database does not know this file; {ADOPTS}")

    def look_at_documents(self, on_progress: Progress) -> None:
        """Check every text. A deep check extracts a sample again, of documents with an original."""
        models, status = ConfiguredModels(self.config, self.corpus), self.corpus.status()
        every = max(1, (status.documents + status.superseded) // SAMPLE_PAGES)
        number, selection = 0, Selection(include_duplicates=True, versions="all")
        for number, document in enumerate(self.corpus.documents.as_stored(selection), 1):
            self.report.problems += malformed(document)
            if number % PROGRESS_TEXTS == 0:
                on_progress("texts checked", number, status.documents + status.superseded)
            is_here = self.files.get(document.warc) != REMOVED and document.warc not in self.away
            if self.deep and number % every == 0 and is_here:
                self.report.reextracted += 1
                differs = _differs(document, models, self.config.originals)
                self.report.problems += [] if differs and self.has_gone(document.warc) else differs
        self.report.documents = max(0, number - status.superseded)
        self.report.earlier_versions = status.superseded

    def has_gone(self, name: str) -> bool:
        """Return whether another program has removed or replaced a file since the start."""
        before = self.files.get(name)
        now = next((file.state for file in self.corpus.warc.files() if file.name == name), None)
        return before is not None and now != before and now in {None, REMOVED, REPLACED}


@dataclass(frozen=True, slots=True)
class _FileRange:
    """A WARC file and the offset at which to stop; None reads to its end.

    ``taken_up``: whether the next crawl indexes its records without rows.
    """

    path: Path
    end: int | None
    taken_up: bool

    def scan(self) -> Iterator[ScannedRecord]:
        return scan(_renamed(self.path), end=self.end)

    def open(self) -> BinaryIO:
        return _renamed(self.path).open("rb")


def _find(folder: Path, name: str) -> tuple[Path | None, bool]:
    """Return the current path of a file, and whether a crawl is writing it."""
    unfinished = folder / (name + OPEN)
    growing = is_being_written(unfinished)
    return next((path for path in (unfinished, folder / name) if path.is_file()), None), growing


def _renamed(path: Path) -> Path:
    """Return the current path of a file. A crawl may have given it its final name meanwhile."""
    return path if path.exists() else path.with_name(path.name.removesuffix(OPEN))


def _match(
    rows: dict[int, Pointer], revisits: dict[int, str], file: _FileRange, report: CheckReport
) -> list[ScannedRecord]:
    """Match the records of a file with the rows that point into it, both ways, and revisits with their originals.

    Return the responses with content, except those about usage terms.
    """
    name = file.path.name.removesuffix(OPEN)
    answers, strays, held, torn = 0, [], [], None
    for record in file.scan():
        torn = None if record.ok else record
        if not record.ok:
            report.problems.append(f"{name} at {record.offset}, {record.length} bytes: {record.damage}")
        elif record.is_answer:
            answers += 1
            held += [record] if record.payload_digest != NOTHING and not _IS_RULES.search(record.uri) else []
            row = rows.pop(record.offset, None)
            strays += [record] if row is None else []
            report.problems += _mismatch(row, record, name) if row else []
            report.problems += _misled(revisits.get(record.offset), record, name)
    report.records += answers
    if torn and file.path.suffix == OPEN and all(offset < torn.offset for offset in rows):
        # A run was killed while it wrote. No row points there.
        report.problems.pop()
        report.notes.append(
            f"{name} at {torn.offset}, {torn.length} bytes: {torn.damage}; the next crawl moves it away"
        )
        file = replace(file, end=torn.offset)
    if file.taken_up and strays:
        first = f"the first at {strays[0].offset} ({strays[0].uri})"
        report.notes.append(f"{name}: {counted(len(strays), 'record')} without a row, {first}; {ADOPTS}")
    else:
        report.problems += [f"{name} at {stray.offset}: a record without a row ({stray.uri})" for stray in strays]
    report.problems += [f"{name}: no sound record at offset {offset}, where a fetch points" for offset in rows]
    report.problems += _second_opinion(file, name, answers)
    return held


def _second_opinion(warc: _FileRange, name: str, answers: int) -> list[str]:
    """Read the file with warcio too. A file that only our own reader understands is damaged."""
    from warcio.archiveiterator import ArchiveIterator
    from warcio.exceptions import ArchiveLoadFailed
    from warcio.limitreader import LimitReader

    try:
        with warc.open() as file:
            stream = file if warc.end is None else LimitReader(file, warc.end)
            read = sum(record.rec_type in ANSWERS for record in ArchiveIterator(stream))
    except (ArchiveLoadFailed, OSError, ValueError) as error:
        return [f"{name}: warcio cannot read it ({error})"]
    return (
        [] if read == answers else [f"{name}: warcio finds {counted(read, 'response')}, and this check finds {answers}"]
    )


def _mismatch(row: Pointer, record: ScannedRecord, name: str) -> list[str]:
    place = f"{name} at {record.offset}"
    same = (row.length, row.record_id, row.payload_digest) == (record.length, record.record_id, record.payload_digest)
    return [] if same else [f"{place}: row and record differ in length, id or digest ({record.uri})"]


def _misled(original: str | None, record: ScannedRecord, name: str) -> list[str]:
    """Compare the original of a revisit record with that of its row. An orphan has no row."""
    if original is None or (record.type, record.refers_to) == ("revisit", original):
        return []
    return [f"{name} at {record.offset}: it should be a revisit of record {original} ({record.uri})"]


def malformed(document: CorpusDocument) -> list[str]:
    """Return the problems of a stored text: Unicode, and number of lines."""
    text = document.text
    if not isinstance(text, str):
        return [f"{document.id} ({document.url}): the text is not text"]
    faults = {
        "is not NFC": not unicodedata.is_normalized("NFC", text),
        "holds NUL": "\0" in text,
        "holds lone surrogates": not is_utf8(text),
        "is empty": not text.strip(),
        "has more or fewer lines than kinds": bool(document.kinds) and len(document.kinds) != text.count("\n") + 1,
    }
    return [f"{document.id} ({document.url}): the text {fault}" for fault, there in faults.items() if there]


def _differs(document: CorpusDocument, models: ConfiguredModels, store: OriginalStore) -> list[str]:
    """Extract a page again from the WARC and compare. Pages of another extractor version or site model are skipped."""
    model = models.as_made(document.site, document.site_model)
    if model is None or model.version != document.site_model:
        return []
    one = {model.extractor, site_rules.NAME} - {"auto"}
    if document.extractor in one and _version_of(document.extractor) != document.extractor_version:
        return []
    try:
        made = process(replace(read_record(store, pointer_to(document)), kind=Kind.PAGE), model)
    except ObjectStorageError:
        # The server is away. The file may be sound.
        raise
    except (CorpusError, OSError) as error:
        return [f"{document.id} ({document.url}): {error}"]
    differing = "text" if made.document is None else _differing(document, made.document)
    return (
        [f"{document.id} ({document.url}): extracted again from the WARC, the {differing} differs"] if differing else []
    )


def _version_of(extractor: str) -> str:
    """Return the version of an extractor; "" for one that is not installed."""
    if extractor == site_rules.NAME:
        return site_rules.VERSION
    try:
        return registry.get(extractor).version
    except ConfigError:
        return ""


def _differing(stored: CorpusDocument, made: Document) -> str:
    """Return the first part of a document that differs. A text without kinds has no other parts."""
    same = {"text": stored.text == made.text}
    if stored.kinds:
        same["kind of a line"] = stored.kinds == made.kinds
        same["list of captions"] = stored.captions == made.captions
        same["list of comments"] = stored.comments == made.comments
    return next((part for part, equal in same.items() if not equal), "")
