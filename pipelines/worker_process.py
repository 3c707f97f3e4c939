"""What runs in a worker process: it shuts itself in, and then reads pages, one after the other, until it is killed.

``pipelines.workers`` starts and watches it. What comes and goes is MessagePack, a task and a reply.
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
from multiprocessing import forkserver
from typing import TYPE_CHECKING

import msgspec

from pipelines.recurrence import Survey
from storage.records import Capture, Drop, Processed, SiteModel

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

MAX_FRAME = 256 * 1024 * 1024
MAX_FAULT = 10_000
FAULTS = "CORPUS_SPIDER_FAULTS"
PR_SET_PDEATHSIG = 1
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000


@dataclass(frozen=True, slots=True)
class Task:
    """What goes to a worker: a page to process with a model or, without one, to survey."""

    capture: Capture
    model: SiteModel | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What comes back: the outcome, CPU seconds spent on it and the worker's peak memory in KiB; the survey of a page
    that was to be surveyed, empty where that failed.
    """

    processed: Processed
    cpu: float = 0.0
    peak_kib: int = 0
    survey: Survey = field(default_factory=Survey)
    fault: str = ""
    """The traceback of what was raised. Told by the parent, whose log has rules; a worker has none to hold to."""


def serve(pipe: Connection, memory: int, faults: str) -> None:
    """Life of a worker: limits first, then one task after the other until the parent is gone.

    ``faults`` comes from the parent: the fork server's environment is that of the time it was started.
    """
    confine(memory)
    os.environ[FAULTS] = faults
    with contextlib.suppress(EOFError, OSError):
        pipe.send_bytes(b"ready")
        while True:
            pipe.send_bytes(_handle(pipe.recv_bytes(MAX_FRAME)))


def confine(memory: int) -> None:
    """Take the network away, bound the address space, forbid writing files and core dumps, and die with the parent.

    The terminal sends Ctrl-C to the whole group: the parent decides what it means, so workers ignore it.
    """
    _leave_network()
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    # What the machine allows the whole program (ulimit -v) may be less; nobody but root may go beyond it.
    most = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    _let_go_of_fork_server()


def _let_go_of_fork_server() -> None:
    """Leave the end of the pipe that keeps the fork server alive to the crawl alone.

    Whoever it starts gets a copy, so one that hangs when the crawl is killed would keep both of them for ever.
    """
    # Where CPython puts the copy; it has no public name.
    alive = vars(forkserver._forkserver).get("_forkserver_alive_fd")  # noqa: SLF001
    if alive is not None:
        os.close(alive)


def _leave_network() -> None:
    """Go where there is no network, not even loopback, if the system lets us (Linux namespaces); pages need none.

    Root needs no namespace of users for it, and would lose its rights to files in one.
    """
    flags = CLONE_NEWNET if os.geteuid() == 0 else CLONE_NEWUSER | CLONE_NEWNET
    with contextlib.suppress(AttributeError):
        ctypes.CDLL(None).unshare(flags)


def _handle(frame: bytes) -> bytes:
    task = msgspec.msgpack.decode(frame, type=Task)
    started = time.thread_time()
    reply = _outcome(task)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return msgspec.msgpack.encode(replace(reply, cpu=time.thread_time() - started, peak_kib=peak))


def _outcome(task: Task) -> Reply:
    from pipelines.process import process, survey

    try:
        _inject_fault(task.capture.body)
        if task.model is None:
            return Reply(Processed(), survey=survey(task.capture))
        return Reply(process(task.capture, task.model))
    except MemoryError:
        return Reply(Processed(drop=Drop("worker_memory")))
    except Exception as error:  # noqa: BLE001 - the edge of the processing stage: counted, and told by the parent
        drop = Drop("worker_error", f"{type(error).__name__}: {error}"[:500])
        return Reply(Processed(drop=drop), fault=traceback.format_exc()[-MAX_FAULT:])


def _inject_fault(body: bytes) -> None:
    """Fail on purpose when the crash tests ask for it (CORPUS_SPIDER_FAULTS=1) and the page carries the marker."""
    if os.environ.get(FAULTS) != "1":
        return
    if b"fault:crash" in body:
        os.kill(os.getpid(), signal.SIGSEGV)
    if b"fault:hang" in body:
        while True:
            time.sleep(1)
    if b"fault:memory" in body:
        bytearray(64 * 1024**3)
    if b"fault:growth" in body:
        blocks = []
        while True:
            blocks.append(bytes(2**20))
    if b"fault:error" in body:
        raise ValueError(body.decode("utf-8", "replace"))
