"""`corpus_spider.crawl`: run `corpus-spider crawl` in a process of its own and return its summary.

Scrapy's reactor can be started once in a process, and it needs the main thread. A process of its own has neither limit:
a notebook with a running event loop can crawl, any number of times.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any

from storage.errors import (
    ConfigError,
    CorpusError,
    DamageError,
    DatabaseError,
    DiskError,
    LockedError,
    NewerCorpusError,
)
from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

START = """
import ctypes, signal, sys
ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG: stop when the caller is gone
sys.path.append(sys.argv.pop(1))
from corpus_spider.cli.app import main
main()
"""
"""Program of the child. It finds this package where the caller has it, and nothing in the current folder."""
MAX_ERROR_LINES = 20
"""Last lines of the child for the message of an error."""
_ERRORS = {each.exit_code: each for each in (ConfigError, DiskError, DatabaseError, DamageError, NewerCorpusError)}


class CrawlSummary(dict[str, Any]):
    """Summary of a run as `corpus-spider crawl --json` prints it: ``pages``, ``documents``, ``dropped``, ``sites``."""

    def __init__(self, counters: Mapping[str, Any], exit_code: int) -> None:
        super().__init__(counters)
        self.exit_code = exit_code
        """0 done, 7 nothing could be fetched, 8 a site is failing, 11 interrupted, 12 stopped at a limit."""

    @property
    def reason(self) -> str:
        """Meaning of the exit code in words."""
        from corpus_spider.exit_codes import REASONS

        return REASONS[self.exit_code]

    def __repr__(self) -> str:
        found = f"{counted(self['pages'], 'page')}, {counted(self['documents'], 'document')}"
        return f"<CrawlSummary {found}; {self.reason}>"

    def _repr_html_(self) -> str:
        from html import escape

        from corpus_spider.api.tables import html_table

        sites = [row for row in self.get("sites", ()) if isinstance(row, dict)]
        header = tuple(sites[0]) if sites else ()
        return f"<p><b>{escape(repr(self)[1:-1])}</b></p>{html_table(header, [tuple(row.values()) for row in sites])}"


def crawl(
    config: str | os.PathLike[str] = ".",
    *,
    site: str | Sequence[str] = (),
    page_limit: int | None = None,
    time_limit: str | None = None,
    size_limit: str | None = None,
    now: bool = False,
    settings: Mapping[str, object] | None = None,
    quiet: bool = False,
) -> CrawlSummary:
    """Crawl all URLs that are due, in a process of its own, and return the summary of the run.

    Args:
        config: a corpus.toml, or its folder.
        site: name or names of the sites to crawl; none: all.
        page_limit: stop after so many pages.
        time_limit: stop after this time, such as ``"2h"``.
        size_limit: stop after this much was received, such as ``"5GB"``.
        now: fetch every source, due or not.
        settings: settings that replace those of corpus.toml, such as ``{"crawl.delay": 5}``.
        quiet: do not copy the log to ``sys.stderr``.

    It is the command `corpus-spider crawl`: the same locks, workers, limits and notifications. It stops in good order
    when this program ends. An interrupt (Ctrl-C, the stop button of a notebook) stops it too, and the
    summary says so. A second one ends it at once.

    Raises the error of the crawl: ConfigError, LockedError, DiskError, DatabaseError, or CorpusError for any other.
    """
    command = [*_start(), "crawl", "--config", os.fspath(config), "--json"]
    for name in (site,) if isinstance(site, str) else tuple(site):
        command += ["--site", name]
    for option, value in (("page", page_limit), ("time", time_limit), ("size", size_limit)):
        command += [] if value is None else [f"--{option}-limit", str(value)]
    command += ["--now"] if now else []
    for key, setting in (settings or {}).items():
        command += ["--set", f"{key}={_as_setting(setting)}"]
    code, printed, said = _run(command, quiet=quiet)
    try:
        return CrawlSummary(json.loads(printed), code)
    except ValueError:
        raise _error(code, said) from None


def _start() -> list[str]:
    root = Path(__file__).resolve().parents[2]
    return [sys.executable, "-P", "-c", START, str(root)]


def _as_setting(value: object) -> str:
    """Return a value as the option --set takes it. Lists are separated by commas."""
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _run(command: list[str], *, quiet: bool) -> tuple[int, str, str]:
    """Run a command and copy what it says. Return exit code, standard output, and the last lines of what it said."""
    said: deque[str] = deque(maxlen=MAX_ERROR_LINES)
    with subprocess.Popen(  # noqa: S603 - our own program
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
        # In a group of its own, Ctrl-C in a terminal reaches it once, from here.
        process_group=0,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        printed: list[str] = []
        reader = threading.Thread(target=lambda out: printed.append(out.read()), args=(process.stdout,), daemon=True)
        reader.start()
        for line in _lines(process):
            said.append(line)
            if not quiet:
                sys.stderr.write(line)
        code = process.wait()
        reader.join()
    return code, printed[0], "".join(said)


def _lines(process: subprocess.Popen[str]) -> Iterator[str]:
    """Yield what a process says until it ends. Pass interrupts on: it ends then, in an orderly way."""
    assert process.stderr is not None
    while True:
        try:
            line = process.stderr.readline()
        except KeyboardInterrupt:
            process.send_signal(signal.SIGINT)
            continue
        if not line:
            return
        yield line


def _error(code: int, said: str) -> CorpusError:
    """Return the error that a crawl ended with, with its message."""
    _, _, message = said.rpartition("corpus-spider: ")
    what = message.strip() or f"the crawl ended with exit code {code} and without a summary"
    if code == LockedError.exit_code:
        # The message has its own advice.
        locked = LockedError((), do="")
        locked.what = what
        return locked
    return _ERRORS.get(code, CorpusError)(what)
