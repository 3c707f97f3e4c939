"""Runs of the program in processes that have its modules loaded, because loading takes most of the time of a run.

A process loads once what a crawl and its workers need. For each run it forks a child that has the folder, environment,
pipes, limits and signals of a program started by itself. All the rest is what ``python -m corpus_spider`` does, to the
end of the interpreter. Only the first fork server of a run is not loaded again: a second child waits in its place.

In seconds of the processor, a crawl of 12 pages takes 0.8 instead of 4.5 with its workers, `status` 0.1 instead of 1.
"""

from __future__ import annotations

import gc
import importlib
import json
import multiprocessing.util
import os
import pkgutil
import resource
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipelines.runtime.worker_process import STOPPING
from storage import failpoints
from tests.corpus_spider.running import ROOT, environment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

WARM_UP = "pipelines.runtime.warm_up"
PACKAGES = ("corpus_spider.cli", "corpus_spider.crawling", "corpus_spider.export", "corpus_spider.extensions",
            "corpus_spider.maintenance", "corpus_spider.middlewares", "corpus_spider.monitoring",
            "corpus_spider.spiders", "corpus_spider.terminal", "storage")  # fmt: skip
"""Packages that are loaded with all their modules."""
LIBRARIES = ("alembic.autogenerate", "alembic.command", "fsspec.core", "justext", "lxml.html.clean", "lxml.sax",
             "pygments.lexers.html", "scrapy.core.engine", "scrapy.core.scheduler", "scrapy.crawler",
             "scrapy.downloadermiddlewares.defaultheaders", "scrapy.downloadermiddlewares.downloadtimeout",
             "scrapy.downloadermiddlewares.httpproxy", "scrapy.downloadermiddlewares.useragent", "scrapy.dupefilters",
             "scrapy.extensions.closespider", "scrapy.pqueues", "scrapy.spiderloader", "scrapy.squeues",
             "scrapy.statscollectors", "sqlalchemy.dialects.postgresql.psycopg", "twisted.web.client",
             "warcio.archiveiterator")  # fmt: skip
"""Modules of libraries that a run would load by itself."""
NOT_LOADED = {"twisted.internet.reactor"}
"""Modules that open files or start threads when they are loaded."""
SIZE = 4
"""Bytes of the length of an order, and of a status."""
LIMITS = (
    resource.RLIMIT_FSIZE,
    resource.RLIMIT_NOFILE,
    resource.RLIMIT_AS,
    resource.RLIMIT_NPROC,
    resource.RLIMIT_CORE,
)
READ_AT_START = ("PYTHON", "LD_", "LANG", "LC_", "MALLOC_", "OMP_", "OPENBLAS_")
"""First letters of environment variables that act only when a program starts."""


class LoadedProgram:
    """The process that has the program loaded. It ends with this one."""

    def __init__(self) -> None:
        self._orders, there = socket.socketpair()
        with there:
            number = there.fileno()
            command = [sys.executable, "-c", f"from {__name__} import serve; serve({number})"]
            self._process = subprocess.Popen(
                command, cwd=ROOT, env=environment(), stdin=subprocess.DEVNULL, pass_fds=[number]
            )
        self._begins_with = begins_with(environment())

    def can_run(self, variables: dict[str, str]) -> bool:
        """Return whether a program with these environment variables begins like the one that is loaded."""
        from_here = variables["PYTHONPATH"].split(os.pathsep)[0] == str(ROOT)
        return from_here and begins_with(variables) == self._begins_with

    def run(
        self,
        folder: Path,
        arguments: Iterable[str],
        variables: dict[str, str],
        timeout: float,
        script: Path | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run a verb, or a script, in a process group of its own. Raises TimeoutExpired, and ends the group, when it
        takes longer.
        """
        order = {
            "folder": str(folder),
            "script": script and str(script),
            "arguments": [str(script or "corpus_spider"), *arguments],
            "environment": variables,
            "limits": [[kind, *resource.getrlimit(kind)] for kind in LIMITS],
            "ignored": [number for number in STOPPING if signal.getsignal(number) is signal.SIG_IGN],
        }
        said = ["", ""]
        keeper, there = socket.socketpair()
        with keeper:
            pipes = [os.pipe() for _ in said]
            with there:
                socket.send_fds(self._orders, [b"."], [there.fileno(), *(writing for _, writing in pipes)])
            for _, writing in pipes:
                os.close(writing)
            # Like subprocess.run it returns when all that can write has ended.
            readers = [
                threading.Thread(target=_read, args=(reading, said, place), daemon=True)
                for place, (reading, _) in enumerate(pipes)
            ]
            for reader in readers:
                reader.start()
            until = time.monotonic() + timeout
            keeper.settimeout(timeout)
            message = json.dumps(order).encode()
            try:
                keeper.sendall(len(message).to_bytes(SIZE, "big") + message)
                status = int.from_bytes(_exactly(keeper, SIZE), "big")
            except TimeoutError as error:
                raise subprocess.TimeoutExpired(order["arguments"], timeout) from error
            for reader in readers:
                reader.join(max(0.0, until - time.monotonic()))
        return subprocess.CompletedProcess(order["arguments"], os.waitstatus_to_exitcode(status), *said)

    def close(self) -> None:
        """End the process."""
        self._orders.close()
        self._process.wait()


def begins_with(variables: dict[str, str]) -> dict[str, str]:
    """Return the variables that act only when a program starts."""
    return {name: value for name, value in variables.items() if name.startswith(READ_AT_START) and name != "PYTHONPATH"}


def _read(pipe: int, said: list[str], place: int) -> None:
    with os.fdopen(pipe, encoding="utf-8") as file:
        said[place] = file.read()


def _exactly(connection: socket.socket, size: int) -> bytes:
    read = b""
    while len(read) < size:
        part = connection.recv(size - len(read))
        if not part:
            raise ConnectionError("the process that has the program loaded has ended")
        read += part
    return read


def modules() -> Iterator[str]:
    """Return the names of the modules to load. Those of migrations are only for Alembic."""
    for name in PACKAGES:
        found = pkgutil.walk_packages(importlib.import_module(name).__path__, f"{name}.")
        yield from (each.name for each in found if ".migrations." not in each.name)


def serve(number: int) -> None:
    """Load the program, then fork a child for each order that a socket has. Returns in the children, as the program."""
    before = {each: signal.getsignal(each) for each in STOPPING}
    for name in (*LIBRARIES, WARM_UP, *modules()):
        importlib.import_module(name)
    for each, handler in before.items():
        signal.signal(each, handler)
    # When a fork server loads it by its name it changes the signals, too.
    del sys.modules[WARM_UP]
    assert not sys.modules.keys() & NOT_LOADED
    gc.collect()
    gc.freeze()
    with socket.socket(fileno=number) as orders:
        while True:
            begun, files, *_ = socket.recv_fds(orders, 1, 3)
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            if not begun:
                os._exit(0)
            if os.fork() == 0:
                break
            for file in files:
                os.close(file)
    connection, *pipes = files
    if script := _keep(socket.socket(fileno=connection), pipes):
        runpy.run_path(script, run_name="__main__")
    else:
        runpy.run_module("corpus_spider", run_name="__main__", alter_sys=True)


def _keep(connection: socket.socket, pipes: list[int]) -> str | None:
    """Fork the program and write how it ended. End its group should the test be gone. Returns in the program only: the
    script to run.
    """
    order = json.loads(_exactly(connection, int.from_bytes(_exactly(connection, SIZE), "big")))
    process = os.fork()
    if process == 0:
        connection.close()
        _become(order, pipes)
        return order["script"]
    for pipe in pipes:
        os.close(pipe)
    ended = os.pidfd_open(process)
    try:
        if ended not in select.select([connection, ended], [], [])[0]:
            os.killpg(process, signal.SIGKILL)
        _, status = os.waitpid(process, 0)
        connection.sendall(status.to_bytes(SIZE, "big"))
    finally:
        os._exit(0)


def _become(order: dict[str, Any], pipes: list[int]) -> None:
    """Give this process what a started program has."""
    os.setsid()
    for descriptor, source in enumerate((os.open(os.devnull, os.O_RDONLY), *pipes)):
        os.dup2(source, descriptor)
    os.closerange(3, 1024)
    # The old ones know the files that they were opened with.
    for number, (name, mode, buffering) in enumerate((("stdin", "r", -1), ("stdout", "w", -1), ("stderr", "w", 1))):
        old = getattr(sys, name)
        new = os.fdopen(number, mode, buffering, old.encoding, old.errors, closefd=False)
        setattr(sys, name, new)
        setattr(sys, f"__{name}__", new)
    path = os.environ["PYTHONPATH"]
    os.environ.clear()
    os.environ.update(order["environment"])
    time.tzset()
    os.chdir(order["folder"])
    assert sys.path[1] == path
    own = str(Path(order["script"]).parent) if order["script"] else order["folder"]
    sys.path[:2] = [own, *os.environ["PYTHONPATH"].split(os.pathsep)]
    importlib.invalidate_caches()
    # What they have read from the environment when they were loaded is read again.
    importlib.reload(failpoints)
    tempfile.tempdir = None
    sys.argv[:] = order["arguments"]
    for number in STOPPING:
        begins = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
        signal.signal(number, signal.SIG_IGN if number in order["ignored"] else begins)
    _fork_server_in_waiting()
    for kind, soft, hard in order["limits"]:
        resource.setrlimit(kind, (soft, hard))


def _fork_server_in_waiting() -> None:
    """Have a child that becomes the first fork server, and ends with this process should that need none."""
    here, there = socket.socketpair()
    child = os.fork()
    if child == 0:
        here.close()
        _wait_to_serve(there)
    there.close()
    start: Callable[..., int] = multiprocessing.util.spawnv_passfds
    waiting = [here]

    def spawn(path: bytes, arguments: list[str], passed: list[int]) -> int:
        if "multiprocessing.forkserver" not in arguments[-1] or not waiting:
            return start(path, arguments, passed)
        with waiting.pop() as server:
            order = json.dumps([arguments[-1], list(passed)]).encode()
            socket.send_fds(server, [order], list(passed))
        return child

    multiprocessing.util.spawnv_passfds = spawn


def _wait_to_serve(server: socket.socket) -> None:
    order, files, *_ = socket.recv_fds(server, 100_000, 20)
    if not order:
        os._exit(0)
    command, numbers = json.loads(order)
    copies = [os.dup2(file, 500 + place) for place, file in enumerate(files)]
    os.closerange(3, 500)
    for copy, number in zip(copies, numbers, strict=True):
        os.dup2(copy, number)
    os.closerange(500, 1024)
    try:
        exec(command, {"__name__": "__main__"})
    finally:
        os._exit(0)
