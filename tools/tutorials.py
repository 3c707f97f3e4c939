"""Run the commands of a tutorial: ``python tools/tutorials.py [--write] PAGE ...``

A tutorial is a Markdown page. A line of a ``console`` block that begins with ``$`` is a command, the lines below it are
what a terminal of 100 columns shows. ``…`` stands for any lines. ``^C`` stops the newspapers of ``demo --serve``.

Commands run in a new folder, in the order of the page. Times, sizes and digests are not compared. Prints each command
whose output differs. With ``--write`` the page gets the new output. Exit codes: 0 all are the same, 1 some differ.
"""

from __future__ import annotations

import argparse
import difflib
import fcntl
import os
import pty
import re
import shlex
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

COLUMNS, ROWS = 100, 40
PORT = 8400
"""Port of the newspapers in the pages. A run takes a free one with as many digits, so that tables keep their width."""
PATIENCE = 300
PROGRAMS = Path(sys.executable).parent
HOME = "/home/you"
"""Home folder of the reader in the pages."""
ANY = "…"
SERVE = "corpus-spider demo --serve"
STOP = "^C"
IN_ANY_ORDER = frozenset({"corpus-spider dropped"})
"""Commands whose rows stand in the order of the fetches. Pages are fetched over several connections."""
MASKS = (
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(\+00:?00)?(?![\d:.+Z])", "TIME"),
    (r"\d\d:\d\d–\d\d:\d\d [A-Z]+", "TIMES"),
    (r"\b\d+ (h|min|s)( \d+ (min|s))?\b", "SPAN"),
    (r"\d[\d.,]* (KiB|MiB|bytes)", "SIZE"),
    (r"SIZE +\d+$", "SIZE SECONDS"),
    (r"\b[0-9a-f]{32,64}\b", "DIGEST"),
    (r"\b([\w-]+)-\d{14}-[0-9a-f]{12}-\d{5}\.warc\.gz( +[\d,]+$)?", r"\1-WARC"),
    (r"^(TIME +\d+ .*) [\d,]+$", r"\1 OFFSET"),
    # Feed and front page are fetched at once: either may be the first that shows an article.
    (r"^(found +TIME on \S+//[^/]+/)\S*$", r"\1SOURCE"),
    (r"\b\d+ workers?\b", "WORKERS"),
    (r"[─━]+", "─"),
    (r"[ \t]+", " "),
)
"""What differs from run to run or from machine to machine, and what is compared in its place."""


MARKS = re.compile("[\u200e\u200f\u2066-\u2069]")
"""Marks of the direction of text, which no reader sees."""


@dataclass(frozen=True, slots=True)
class Step:
    """A command of a page, and the lines below it: those from ``start`` to ``end``, counted from 0."""

    command: str
    output: tuple[str, ...]
    start: int
    end: int


def steps(page: str) -> list[Step]:
    """Return the commands of the ``console`` blocks of a page."""
    found: list[Step] = []
    lines, command, start, inside = page.split("\n"), "", 0, False
    for number, line in enumerate(lines):
        ends = inside and line == "```"
        if command and (ends or line.startswith("$ ") or line == STOP):
            found.append(Step(command, tuple(lines[start:number]), start, number))
            command = ""
        if line == "```console":
            inside = True
        elif ends:
            inside = False
        elif inside and (line.startswith("$ ") or line == STOP):
            command, start = line.removeprefix("$ "), number + 1
    return found


def masked(lines: tuple[str, ...]) -> list[str]:
    """Return the lines without what differs from run to run."""
    text = "\n".join(lines)
    for pattern, word in MASKS:
        text = re.sub(pattern, word, text, flags=re.MULTILINE)
    return [line.strip() for line in text.split("\n") if line.strip()]


def agree(written: tuple[str, ...], shown: tuple[str, ...]) -> bool:
    """Return whether a page has the output of a command. ``…`` stands for any lines."""
    parts = [re.escape(line) for line in masked(written)]
    pattern = "".join(r"(.*\n)*?" if part == re.escape(ANY) else part + r"\n" for part in parts)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in masked(shown))) is not None


def screen(text: str) -> tuple[str, ...]:
    """Return the lines that a terminal shows in the end: without colours, and progress that was overwritten."""
    rows, row, column = [""], 0, 0
    for sign in re.findall(r"\x1b\[[?\d;]*[A-Za-z]|\x1b.|[^\x1b]", text, re.DOTALL):
        if sign == "\r":
            column = 0
        elif sign == "\n":
            row, column = row + 1, 0
            rows += [""] * (row + 1 - len(rows))
        elif sign.startswith("\x1b["):
            count = int(re.sub(r"\D", "", sign) or 1)
            if sign.endswith("A"):
                row = max(0, row - count)
            elif sign.endswith("K"):
                rows[row] = "" if count == 2 else rows[row][:column]
        elif not sign.startswith("\x1b"):
            rows[row] = rows[row][:column].ljust(column) + sign + rows[row][column + 1 :]
            column += 1
    lines = [MARKS.sub("", line).rstrip() for line in rows]
    while lines and not lines[-1]:
        lines.pop()
    return tuple(lines)


def free_port() -> int:
    """Return a free port of four digits other than PORT."""
    for port in range(PORT + 1, 10_000):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise OSError("no free port of four digits")


@dataclass
class Reader:
    """Follows a tutorial in a folder."""

    folder: Path
    port: int = field(default_factory=free_port)
    _papers: subprocess.Popen[str] | None = None

    def __post_init__(self) -> None:
        self.home = self.folder = self.folder.resolve()
        # A reader's own settings (COLUMNS, FORCE_COLOR, DATABASE_URL) would change what the terminal shows.
        kept = {name: os.environ[name] for name in ("LD_LIBRARY_PATH", "TMPDIR") if name in os.environ}
        kept |= {"PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}", "HOME": str(self.folder), "TZ": "UTC"}
        kept |= {"TERM": "xterm-256color", "NO_COLOR": "1", "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"}
        self._environment = kept

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def run(self, command: str) -> tuple[str, ...]:
        """Run a command and return the lines that the terminal shows."""
        if command == STOP:
            self.stop()
            return ()
        command = command.replace(f":{PORT}", f":{self.port}")
        if command.startswith("export "):
            for name, _, value in (one.partition("=") for one in shlex.split(command)[1:]):
                self._environment[name] = value
            return ()
        if command.startswith("unset "):
            for name in shlex.split(command)[1:]:
                self._environment.pop(name, None)
            return ()
        if command.startswith("cd "):
            self.folder = (self.folder / command.removeprefix("cd ")).resolve(strict=True)
            return ()
        shown = self._serve(command) if command.startswith(SERVE) else self._terminal(command)
        places = {f":{self.port}": f":{PORT}", str(PROGRAMS): f"{HOME}/.venv/bin", str(self.home): HOME}
        for place, name in places.items():
            shown = tuple(line.replace(place, name) for line in shown)
        return shown

    def stop(self) -> None:
        """Stop the newspapers."""
        if self._papers:
            self._papers.terminate()
            self._papers.communicate(timeout=PATIENCE)
            self._papers = None

    def _serve(self, command: str) -> tuple[str, ...]:
        """Start the newspapers in the background, in place of those that run. Return the line that says so."""
        self.stop()
        arguments = [*shlex.split(command), "--port", str(self.port)]
        arguments[0] = str(PROGRAMS / arguments[0])
        self._papers = subprocess.Popen(
            arguments, cwd=self.folder, env=self._environment, text=True, stderr=subprocess.PIPE
        )
        assert self._papers.stderr
        return (self._papers.stderr.readline().rstrip("\n"),)

    def _terminal(self, command: str) -> tuple[str, ...]:
        """Run a command of the shell in a terminal."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        shell = ["/bin/bash", "-c", command]
        with subprocess.Popen(
            shell, cwd=self.folder, env=self._environment, stdin=theirs, stdout=theirs, stderr=theirs
        ) as process:
            os.close(theirs)
            watch = threading.Timer(PATIENCE, process.kill)
            watch.start()
            parts = []
            # Reading from a terminal that has closed is an error.
            with suppress(OSError):
                while part := os.read(ours, 65536):
                    parts.append(part)
            process.wait()
            watch.cancel()
        os.close(ours)
        return screen(b"".join(parts).decode("utf-8", "replace"))


def is_shown(step: Step, shown: tuple[str, ...]) -> bool:
    """Return whether a page has the output of a step, up to the order of lines of some commands."""
    is_same_in_order = agree(step.output, shown)
    return is_same_in_order or (step.command in IN_ANY_ORDER and sorted(masked(step.output)) == sorted(masked(shown)))


def follow(page: str) -> list[tuple[Step, tuple[str, ...]]]:
    """Run all commands of a page in a new folder. Return each with the lines that the terminal shows."""
    with tempfile.TemporaryDirectory() as folder, Reader(Path(folder)) as reader:
        return [(step, reader.run(step.command)) for step in steps(page)]


def rewritten(page: str, shown: list[tuple[Step, tuple[str, ...]]]) -> str:
    """Return the page with new output where it differs."""
    lines = page.split("\n")
    for step, output in reversed(shown):
        if not is_shown(step, output):
            lines[step.start : step.end] = output
    return "\n".join(lines)


def differences(shown: list[tuple[Step, tuple[str, ...]]]) -> list[str]:
    """Return for each command with another output what differs."""
    return [
        "\n".join([f"$ {step.command}", *difflib.unified_diff(masked(step.output), masked(output), "page", "terminal")])
        for step, output in shown
        if not is_shown(step, output)
    ]


def main(arguments: list[str]) -> int:
    """Follow the tutorials and return the exit code."""
    parser = argparse.ArgumentParser(description="Run the commands of tutorials.")
    parser.add_argument("pages", nargs="+", type=Path)
    parser.add_argument("--write", action="store_true", help="write the new output into the page")
    options = parser.parse_args(arguments)
    code = 0
    for path in options.pages:
        page = path.read_text(encoding="utf-8")
        shown = follow(page)
        if options.write:
            path.write_text(rewritten(page, shown), encoding="utf-8")
        for difference in differences(shown):
            code = 1
            print(difference)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
