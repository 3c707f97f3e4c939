"""Worker process: confine itself, then process one page after the other until it is killed.

``pipelines.runtime.workers`` starts and watches it. Tasks and replies are MessagePack.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import time
import traceback
from dataclasses import dataclass, field, replace
from multiprocessing import forkserver, resource_tracker
from typing import TYPE_CHECKING

import msgspec

from pipelines.extractors.auto.blocks.template_learning import Survey
from pipelines.extractors.explanation import Explanation
from pipelines.page.inert import InertPage
from pipelines.runtime.heap import HeapTrimmer
from storage import plugins
from storage.errors import ConfigError
from storage.records import Capture, Drop, Processed, SiteModel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection

MAX_FRAME = 256 * 1024 * 1024
"""Maximum bytes of a task or a reply."""
MAX_FAULT = 10_000
"""Maximum characters of a traceback in a reply."""
FAULTS = "CORPUS_SPIDER_FAULTS"
"""Environment variable of the crash tests."""
STOPPING = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
"""Signals that only the parent acts on."""
PR_SET_PDEATHSIG = 1  # prctl(2)
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000  # clone(2)


@contextlib.contextmanager
def signals_held() -> Iterator[None]:
    """Block SIGINT, SIGTERM and SIGHUP while processes start, so that they inherit the block.

    A signal to the whole process group (Ctrl-C, systemd, timeout(1), a closed terminal) is for the parent to act on.
    """
    # Starting its own process, the tracker lets both signals through. So it has to run before.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@dataclass(frozen=True, slots=True)
class Task:
    """Task of a worker: process a page with a model; without one survey it, or make it inert if there are ``lines``."""

    capture: Capture
    model: SiteModel | None = None
    explain: bool = False
    """Explain the extraction of the page instead."""
    lines: tuple[str, ...] | None = None
    """Lines of a stored text, to be marked on the page."""
    links_wanted: bool = True
    only_links: bool = False
    """Read only the links of the page, because its extraction has failed."""
    skim: bool = False
    """Drop the page if a cheap test finds no text in a wanted language."""


@dataclass(frozen=True, slots=True)
class Reply:
    """Reply of a worker: the outcome, CPU seconds spent on it and the worker's peak memory in KiB.

    ``survey``: the survey of a page; empty when it failed. ``inert``: the inert page; None when there is none.
    """

    processed: Processed
    cpu: float = 0.0
    peak_kib: int = 0
    survey: Survey = field(default_factory=Survey)
    explanation: Explanation | None = None
    inert: InertPage | None = None
    fault: str = ""
    """Traceback of an exception. The parent logs it by the rules of its log."""


@dataclass(frozen=True, slots=True)
class StartFault:
    """Why a worker cannot work, as it reports it instead of a ready message. ``trace``: the traceback."""

    what: str
    where: str
    do: str
    trace: str
    of_plugin: bool = False


def serve(pipe: Connection, memory: int, faults: str, named: plugins.Names, extractors: tuple[str, ...] = ()) -> None:
    """Confine the process, load its modules, then answer one task after the other until the parent is gone.

    ``faults``: the parent's FAULTS. The fork server keeps the environment of the time it was started. ``named``: the
    plug-ins that may be loaded. ``extractors``: plug-ins that are loaded at once.
    """
    confine(memory)
    plugins.allow(named)
    os.environ[FAULTS] = faults
    with contextlib.suppress(EOFError, OSError):
        fault = _load(extractors)
        pipe.send_bytes(msgspec.msgpack.encode(fault))
        heap = HeapTrimmer()
        while fault is None:
            pipe.send_bytes(_handle(pipe.recv_bytes(MAX_FRAME)))
            heap.trim_when_due()


def _load(extractors: tuple[str, ...]) -> StartFault | None:
    """Load all that pages need. Return the fault that prevents it."""
    try:
        from pipelines.extractors import plugin
        from pipelines.runtime.warm_up import warm

        warm()
        for name in extractors:
            plugin.load(name)
    except ConfigError as error:
        return StartFault(error.what, error.where, error.do, traceback.format_exc()[-MAX_FAULT:], of_plugin=True)
    except Exception as error:  # noqa: BLE001 - every page would fail on it, so the parent ends the run with it
        last = traceback.extract_tb(error.__traceback__)[-1]
        what = f"a worker process cannot load its modules: {type(error).__name__}: {error}"
        do = "Reinstall corpus-spider and its libraries, or raise page_memory if memory was missing."
        return StartFault(what, f"{last.filename}:{last.lineno}", do, traceback.format_exc()[-MAX_FAULT:])
    return None


def confine(memory: int) -> None:
    """Leave the network, limit the address space, forbid files and core dumps, and die with the parent.

    Workers ignore the signals of the process group: the parent decides about them.
    """
    # In a new namespace (Linux) there is no network, not even loopback, if the system permits it.
    # Root needs no user namespace for it, and would lose its rights to files in one.
    flags = CLONE_NEWNET if os.geteuid() == 0 else CLONE_NEWUSER | CLONE_NEWNET
    with contextlib.suppress(AttributeError):
        ctypes.CDLL(None).unshare(flags)
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    # The limit of the whole program (ulimit -v) may be lower. Only root may exceed it.
    most = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for number in STOPPING:
        signal.signal(number, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    # A pipe keeps the fork server alive, and each worker gets a copy of its end. A worker that hangs when the crawl is
    # killed would keep the server alive with it. CPython has no public name for the copy.
    alive = vars(forkserver._forkserver).get("_forkserver_alive_fd")  # noqa: SLF001
    if alive is not None:
        os.close(alive)


def _handle(frame: bytes) -> bytes:
    task = msgspec.msgpack.decode(frame, type=Task)
    started = time.thread_time()
    reply = _outcome(task)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return msgspec.msgpack.encode(replace(reply, cpu=time.thread_time() - started, peak_kib=peak))


def _outcome(task: Task) -> Reply:
    from pipelines.page.process import explain, process, survey

    try:
        if task.only_links and task.model is not None:
            return Reply(process(task.capture, task.model, only_links=True))
        _inject_fault(task.capture.body)
        if task.lines is not None:
            return _inert(task.capture, task.lines)
        if task.model is None:
            return Reply(Processed(), survey=survey(task.capture))
        if task.explain:
            found = explain(task.capture, task.model)
            return Reply(Processed(drop=found)) if isinstance(found, Drop) else Reply(Processed(), explanation=found)
        return Reply(process(task.capture, task.model, links_wanted=task.links_wanted, skim=task.skim))
    except MemoryError:
        return Reply(Processed(drop=Drop("worker_memory")))
    except Exception as error:  # noqa: BLE001 - the edge of the processing stage: counted, and logged by the parent
        drop = Drop("worker_error", f"{type(error).__name__}: {error}"[:500])
        return Reply(Processed(drop=drop), fault=traceback.format_exc()[-MAX_FAULT:])


def _inert(capture: Capture, lines: tuple[str, ...]) -> Reply:
    from pipelines.page.inert import render
    from pipelines.page.process import source_of

    source = source_of(capture)
    if isinstance(source, Drop):
        return Reply(Processed(drop=source))
    return Reply(Processed(), inert=render(source.page.view.tree, lines))


def _inject_fault(body: bytes) -> None:
    """Fail on purpose: for crash tests (CORPUS_SPIDER_FAULTS=1), when the page carries a marker."""
    if os.environ.get(FAULTS) != "1":
        return
    for name, fail in _FAULTS.items():
        if f"fault:{name}".encode() in body:
            fail()
    if b"fault:error" in body:
        raise ValueError(body.decode("utf-8", "replace"))


def _loop() -> None:
    while True:
        pass


def _grow() -> None:
    blocks = []
    while True:
        blocks.append(bytes(2**20))


_FAULTS: dict[str, Callable[[], object]] = {
    "crash": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "killed": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "hang": _loop,
    "sleep": lambda: time.sleep(1e6),
    "memory": lambda: bytearray(64 * 1024**3),
    "growth": _grow,
}
"""Faults of crash tests by the word of their marker."""
