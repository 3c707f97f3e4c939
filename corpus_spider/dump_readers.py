"""An export by several processes: each reads pages of documents from one view of the corpus and makes their parts.

They are forked before anything is open: what SQLite has open does not outlive a fork. Only SQLite is read so, where no
process waits for another; a server that is asked by several would have them all see the same by other means.
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
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from pipelines.worker_process import signals_held
from storage.corpus import Corpus
from storage.errors import CorpusError
from storage.exports.formats import PARTED_FORMATS
from storage.exports.sink import Part, part_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Future
    from multiprocessing.connection import Connection

    from storage.holdings import Columns, CorpusDocument, Selection
    from storage.reading import View

MANY = 10_000
"""Documents from which on it pays to start processes: so many take one of them a second."""
MOST = 4
"""Processes: more than these make parts faster than one thread can compress and hash them."""
AHEAD = 2
"""Parts under way for each process, so that none waits for the slowest."""
ROOM = 8 * 2**20
"""Bytes of memory that each process shares with the one that writes: parts that fit go through it, others through the
pipe, which copies them three times more.
"""
TRIES = 10
"""Looks at a corpus that others write to, until one process reads it alone."""
END_SECONDS = 5.0
"""How long a process that was killed is waited for; one that a disk holds up may stay."""


@dataclass(frozen=True, slots=True)
class Work:
    """Which documents of which corpus are prepared how, and what is made of them."""

    database: str
    selection: Selection
    prepared: Callable[[Iterable[CorpusDocument]], Iterable[CorpusDocument]]
    format_name: str
    columns_prepared: Callable[[Columns], Columns] | None = None
    """Does the same to columns whose texts are UTF-8; None where it takes documents."""


def pay(corpus: Corpus, wanted: Selection, format_name: str) -> bool:
    """Say whether several processes are worth it for an export, and to be had: a fork must not copy threads."""
    possible = sys.platform == "linux" and threading.active_count() == 1 and _number() > 1
    known = corpus.database.is_sqlite and format_name in PARTED_FORMATS
    return possible and known and corpus.selects_more(wanted, MANY)


def _number() -> int:
    return min(MOST, len(os.sched_getaffinity(0)))


@contextmanager
def parts(work: Work) -> Iterator[Iterator[Part] | None]:
    """Give the parts in the order of the documents; None if there is no room for so many processes, or the corpus
    changes too often to be seen alike by all.
    """
    _load(work)
    with ExitStack() as stack:
        readers = _started(work, stack)
        if not readers:
            yield None
            return
        corpus = stack.enter_context(Corpus.open(work.database, read_only=True))
        view = _same_view(corpus, work.selection, readers, stack)
        yield None if view is None else _in_order(view, readers, stack)


def _started(work: Work, stack: ExitStack) -> list[_Reader]:
    """Start the processes, which end with the stack; none where the system does not let us have all of them."""
    readers: list[_Reader] = []
    try:
        for _ in range(_number()):
            readers.append(_Reader(work, readers))
            stack.callback(readers[-1].close)
    except OSError:
        # One process alone needs none of what there may be too few of: processes, open files, memory to copy.
        return []
    return readers


def _load(work: Work) -> None:
    """Make the part of one page, so that what this imports is there before the forks, and not loaded by each."""
    with Corpus.open(work.database, read_only=True) as corpus, corpus.view(work.selection) as view:
        _part(work, view, next(view.pages(), ()))


def _same_view(corpus: Corpus, selection: Selection, readers: Sequence[_Reader], stack: ExitStack) -> View | None:
    """Have all readers look at the corpus while nobody else changes it, and return the view that is ours."""
    for _ in range(TRIES):
        with ExitStack() as views, corpus.database.watched() as has_changed:
            view = views.enter_context(corpus.view(selection))
            for reader in readers:
                reader.ask(None)
            if not has_changed():
                stack.push(views.pop_all())
                return view
    return None


def _in_order(view: View, readers: Sequence[_Reader], stack: ExitStack) -> Iterator[Part]:
    free: SimpleQueue[_Reader] = SimpleQueue()
    for reader in readers:
        free.put(reader)

    def made(stretch: Sequence[int]) -> Part | list[Sequence[int]]:
        reader = free.get()
        try:
            answer: Part | list[Sequence[int]] = reader.ask(stretch)
            return answer
        finally:
            free.put(reader)

    threads = ThreadPoolExecutor(len(readers))
    stack.callback(threads.shutdown, cancel_futures=True)
    # Threads wait for processes: an export that is stopped must not wait for what nobody wants any more.
    for reader in readers:
        stack.callback(reader.kill)
    under_way: deque[Future[Part | list[Sequence[int]]]] = deque()
    for stretch in view.stretches():
        under_way.append(threads.submit(made, stretch))
        if len(under_way) > AHEAD * len(readers):
            yield from _parts_of(under_way.popleft().result(), made)
    while under_way:
        yield from _parts_of(under_way.popleft().result(), made)


def _parts_of(
    answer: Part | list[Sequence[int]], made: Callable[[Sequence[int]], Part | list[Sequence[int]]]
) -> Iterator[Part]:
    """Yield the part of a stretch, or, where its texts are too long to be had at once, those of its pages in turn."""
    if not isinstance(answer, Part):
        for page in answer:
            yield from _parts_of(made(page), made)
    elif answer.rows:
        yield answer


@dataclass(frozen=True, slots=True)
class _Laid:
    """A part whose bytes, so many, lie in the shared memory."""

    rows: int
    size: int


class _Side:
    """The pipe to who asks, and the memory that is shared."""

    def __init__(self, pipe: Connection, room: mmap.mmap) -> None:
        self._pipe, self._room = pipe, room

    def recv(self) -> Any:
        """Wait for what is asked."""
        return self._pipe.recv()

    def send(self, answer: Any) -> None:
        """Answer. What lies in the memory was taken from there before more was asked."""
        if isinstance(answer, Part) and len(answer.data) <= ROOM:
            self._room[: len(answer.data)] = answer.data
            answer = _Laid(answer.rows, len(answer.data))
        self._pipe.send(answer)


class _Reader:
    """A process that makes parts, and the pipe to it."""

    def __init__(self, work: Work, others: Sequence[_Reader]) -> None:
        context = multiprocessing.get_context("fork")
        self._pipe, theirs = context.Pipe()
        self._room = mmap.mmap(-1, ROOM)
        # A copy of our end would keep the pipe open when we are gone, and them waiting.
        ours = [self._pipe, *(other._pipe for other in others)]  # noqa: SLF001
        self._process = context.Process(target=_serve, args=(_Side(theirs, self._room), ours, work), daemon=True)
        with signals_held():
            self._process.start()
        theirs.close()

    def ask(self, stretch: Sequence[int] | None) -> Any:
        """Return the part of the selected documents of a stretch, or their pages where they are several; for None, once
        the corpus is looked at anew.
        """
        try:
            # One that has ended may have said why.
            with suppress(BrokenPipeError):
                self._pipe.send(stretch)
            answer = self._pipe.recv()
        except (EOFError, OSError) as error:
            do = "See that there is memory and the disk can be read; `taskset -c 0` makes do with one process."
            raise CorpusError("a process that read the corpus has ended", do=do) from error
        if isinstance(answer, Exception):
            raise answer
        return Part(answer.rows, self._room[: answer.size]) if isinstance(answer, _Laid) else answer

    def kill(self) -> None:
        """Let the process end; it has nothing that could be lost. Who asks it at this moment is told that it has."""
        self._process.kill()

    def close(self) -> None:
        """End the process, if it has not, and what is kept for it."""
        self._pipe.close()
        self.kill()
        self._process.join(END_SECONDS)


def _serve(pipe: _Side, others: Sequence[Connection], work: Work) -> None:
    for other in others:
        other.close()
    # What was there before is not looked through, and so not copied, whenever memory is cleared.
    gc.freeze()
    try:
        _answer(pipe, work)
    except (EOFError, ConnectionError, MemoryError):
        # Who asked is gone, or sees that we are.
        return
    except Exception as error:  # noqa: BLE001 - the export ends with it as if it had come up there
        error.add_note(traceback.format_exc())
        pipe.send(error)


def _answer(pipe: _Side, work: Work) -> None:
    with Corpus.open(work.database, read_only=True) as corpus, ExitStack() as views:
        view: View | None = None
        while True:
            stretch: Sequence[int] | None = pipe.recv()
            if stretch is None or view is None:
                views.close()
                view = views.enter_context(corpus.view(work.selection, mapped=True))
                pipe.send(None)
            else:
                # Here, where it is done by all at once: to choose takes a tenth of the time.
                pages = view.chosen(stretch)
                pipe.send(pages if len(pages) > 1 else _part(work, view, pages[0]) if pages else Part(0, b""))


def _part(work: Work, view: View, page: Sequence[int]) -> Part:
    make_of_columns = PARTED_FORMATS[work.format_name].make_of_columns
    if work.columns_prepared and make_of_columns:
        # A text that is none is told of by the other way.
        with suppress(ValueError, TypeError):
            return Part(len(page), make_of_columns(work.columns_prepared(view.utf8_columns(page))))
    return part_of(work.prepared(view.documents(page)), work.format_name)
