"""Export with several processes. Each reads pages of documents from one view of the corpus and makes their parts.

The processes are forked before any database is open, because an open SQLite database does not survive a fork. One
process reads PostgreSQL: a view shared by several would need other means there.
"""

from __future__ import annotations

import gc
import mmap
import multiprocessing
import os
import sys
import threading
import traceback
from collections import deque
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from pipelines.runtime.worker_process import signals_held
from storage.corpus import Corpus
from storage.errors import CorpusError
from storage.exports.format_table import PARTED_FORMATS
from storage.exports.writer import ExportPart, part_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from multiprocessing.connection import Connection

    from storage.documents.model import Columns, CorpusDocument
    from storage.documents.reader import View
    from storage.documents.selection import Selection
    from storage.exports.format_table import Destination

    _Answer = ExportPart | list[Sequence[int]] | Exception
    _Job = tuple[Sequence[int], SimpleQueue[_Answer]]

MIN_PARALLEL_DOCUMENTS = 10_000
"""Documents from which on processes pay. One process takes about a second for so many."""
MAX_PROCESSES = 4
"""Processes. More make parts faster than one thread can compress and hash them."""
PARTS_PER_PROCESS = 2
"""Parts in progress for each process, so that it does not wait for the slowest."""
SHARED_BYTES = 8 * 2**20
"""Bytes of memory that each process shares with the writer. Larger parts go through the pipe, which copies them three
times more.
"""
TRIES = 10
"""Attempts to get one view of a corpus that others write to. After that one process reads it."""
END_SECONDS = 5.0
"""Seconds to wait for a killed process, and for its thread. One that hangs on a disk stays behind."""


@dataclass(frozen=True, slots=True)
class Work:
    """Work of the processes: database, selection, preparation of documents, and destination."""

    database: str
    selection: Selection
    prepared: Callable[[Iterable[CorpusDocument]], Iterable[CorpusDocument]]
    where: Destination
    columns_prepared: Callable[[Columns], Columns] | None = None
    """Prepares columns with texts in UTF-8 alike; None if the preparation needs documents."""


def pay(corpus: Corpus, wanted: Selection, format_name: str) -> bool:
    """Return whether several processes are possible and pay for an export. A fork must not copy threads."""
    possible = sys.platform == "linux" and threading.active_count() == 1 and _number() > 1
    known = corpus.database.is_sqlite and format_name in PARTED_FORMATS
    return possible and known and corpus.documents.count_exceeds(wanted, MIN_PARALLEL_DOCUMENTS)


def _number() -> int:
    return min(MAX_PROCESSES, len(os.sched_getaffinity(0)))


@contextmanager
def parts(work: Work) -> Iterator[Iterator[ExportPart] | None]:
    """Give the parts in the order of the documents.

    Gives None if the system cannot start the processes, or the corpus changes too often for one view.
    """
    # Make the part of one page, so that its imports are loaded once, before the forks.
    with Corpus.open(work.database, read_only=True) as corpus, corpus.documents.view(work.selection) as view:
        _part(work, view, next(view.pages(), ()))
    with ExitStack() as stack:
        readers = _started(work, stack)
        if not readers:
            yield None
            return
        corpus = stack.enter_context(Corpus.open(work.database, read_only=True))
        shared = _same_view(corpus, work.selection, readers, stack)
        yield None if shared is None else _in_order(shared, readers, stack)


def _started(work: Work, stack: ExitStack) -> list[_Reader]:
    """Start the processes, which end with the stack. Return none if the system cannot start all."""
    readers: list[_Reader] = []
    try:
        for _ in range(_number()):
            readers.append(_Reader(work, readers))
            stack.callback(readers[-1].close)
    except OSError:
        # Processes, open files or memory are short. One process needs none of them.
        return []
    return readers


def _same_view(corpus: Corpus, selection: Selection, readers: Sequence[_Reader], stack: ExitStack) -> View | None:
    """Open a view in all readers while the corpus does not change, and return our own view of it."""
    for _ in range(TRIES):
        with ExitStack() as views, corpus.database.watched() as has_changed:
            view = views.enter_context(corpus.documents.view(selection))
            for reader in readers:
                reader.ask(None)
            if not has_changed():
                stack.push(views.pop_all())
                return view
    return None


def _in_order(view: View, readers: Sequence[_Reader], stack: ExitStack) -> Iterator[ExportPart]:
    jobs: SimpleQueue[_Job | None] = SimpleQueue()
    for reader in readers:
        thread = threading.Thread(target=_work, args=(reader, jobs), daemon=True)
        thread.start()
        # Threads wait for processes. A stopped export must not wait for parts in progress.
        stack.callback(thread.join, END_SECONDS)
        stack.callback(jobs.put, None)
        stack.callback(reader.kill)
    under_way: deque[SimpleQueue[_Answer]] = deque()
    for stretch in view.stretches():
        under_way.append(_begun(stretch, jobs))
        if len(under_way) > PARTS_PER_PROCESS * len(readers):
            yield from _parts_of(under_way.popleft(), jobs)
    while under_way:
        yield from _parts_of(under_way.popleft(), jobs)


def _begun(stretch: Sequence[int], jobs: SimpleQueue[_Job | None]) -> SimpleQueue[_Answer]:
    """Give a stretch to the next free process; return where its answer will be."""
    answer: SimpleQueue[_Answer] = SimpleQueue()
    jobs.put((stretch, answer))
    return answer


def _parts_of(answer: SimpleQueue[_Answer], jobs: SimpleQueue[_Job | None]) -> Iterator[ExportPart]:
    """Yield the part of a stretch, or the parts of its pages if its texts are too long for one."""
    found = answer.get()
    if isinstance(found, Exception):
        raise found
    if not isinstance(found, ExportPart):
        for page in found:
            yield from _parts_of(_begun(page, jobs), jobs)
    elif found.rows:
        yield found


def _work(reader: _Reader, jobs: SimpleQueue[_Job | None]) -> None:
    """Have a process do one job after the other, until there is a None.

    These queues hold no lock that an interrupt could leave behind in the first thread. Those of
    `concurrent.futures` do, and the export then hung.
    """
    while job := jobs.get():
        stretch, answer = job
        try:
            answer.put(reader.ask(stretch))
        except Exception as error:  # noqa: BLE001 - the first thread raises it
            answer.put(error)


@dataclass(frozen=True, slots=True)
class _SharedPart:
    """A part whose bytes are in the shared memory."""

    rows: int
    size: int


class _Side:
    """The reader's end: pipe to the writer, and shared memory."""

    def __init__(self, pipe: Connection, room: mmap.mmap) -> None:
        self._pipe, self._room = pipe, room

    def recv(self) -> Any:
        """Wait for a request."""
        return self._pipe.recv()

    def send(self, answer: Any) -> None:
        """Send an answer. The writer has read the memory before it sends the next request."""
        if isinstance(answer, ExportPart) and len(answer.data) <= SHARED_BYTES:
            self._room[: len(answer.data)] = answer.data
            answer = _SharedPart(answer.rows, len(answer.data))
        self._pipe.send(answer)


class _Reader:
    """The writer's end: a process that makes parts, and the pipe to it."""

    def __init__(self, work: Work, others: Sequence[_Reader]) -> None:
        context = multiprocessing.get_context("fork")
        self._pipe, theirs = context.Pipe()
        self._room = mmap.mmap(-1, SHARED_BYTES)
        # A copy of our end would keep the pipe open after our death, and the process waiting.
        ours = [self._pipe, *(other._pipe for other in others)]  # noqa: SLF001
        self._process = context.Process(target=_serve, args=(_Side(theirs, self._room), ours, work), daemon=True)
        with signals_held():
            self._process.start()
        theirs.close()

    def ask(self, stretch: Sequence[int] | None) -> Any:
        """Return the part of the selected documents of a stretch, or the list of their pages if these are several.

        With None the process opens a new view.
        """
        try:
            # A process that has ended may have sent the reason.
            with suppress(BrokenPipeError):
                self._pipe.send(stretch)
            answer = self._pipe.recv()
        except (EOFError, OSError) as error:
            do = "Check memory and disk. `taskset -c 0 corpus-spider export ...` uses one process."
            raise CorpusError("a process that read the corpus has died", do=do) from error
        if isinstance(answer, Exception):
            raise answer
        return ExportPart(answer.rows, self._room[: answer.size]) if isinstance(answer, _SharedPart) else answer

    def kill(self) -> None:
        """Kill the process, which has nothing to lose. A waiting `ask` then raises CorpusError."""
        self._process.kill()

    def close(self) -> None:
        """Kill the process and release the pipe."""
        self._pipe.close()
        self.kill()
        self._process.join(END_SECONDS)


def _serve(pipe: _Side, others: Sequence[Connection], work: Work) -> None:
    for other in others:
        other.close()
    # The garbage collector leaves older objects alone, so that their memory is not copied.
    gc.freeze()
    try:
        _answer(pipe, work)
    except (EOFError, ConnectionError, MemoryError):
        # The writer has died, or sees that we have.
        return
    except Exception as error:  # noqa: BLE001 - the writer raises it
        error.add_note(traceback.format_exc())
        pipe.send(error)


def _answer(pipe: _Side, work: Work) -> None:
    with Corpus.open(work.database, read_only=True) as corpus, ExitStack() as views:
        view: View | None = None
        while True:
            stretch: Sequence[int] | None = pipe.recv()
            if stretch is None or view is None:
                views.close()
                view = views.enter_context(corpus.documents.view(work.selection))
                pipe.send(None)
            else:
                # Choosing takes a tenth of the time, so every process does it for its stretches.
                pages = view.chosen(stretch)
                pipe.send(pages if len(pages) > 1 else _part(work, view, pages[0]) if pages else ExportPart(0, b""))


def _part(work: Work, view: View, page: Sequence[int]) -> ExportPart:
    make_of_columns = PARTED_FORMATS[work.where.format_name](work.where.written).make_of_columns
    if work.columns_prepared and make_of_columns:
        # The path below reports a value that is not text.
        with suppress(ValueError, TypeError):
            return ExportPart(len(page), make_of_columns(work.columns_prepared(view.utf8_columns(page))))
    return part_of(work.prepared(view.documents(page)), work.where)
