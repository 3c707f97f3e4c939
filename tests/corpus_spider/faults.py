"""Small crawls on a disk that fails: killed, refused or cut off from power at a call that a test chooses."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from corpus_spider.config.loader import load
from storage import Corpus
from storage.documents.selection import Selection
from tests.corpus_spider.running import ROOT, environment, until
from tests.corpus_spider.small_paper import settings

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

NO_COMPILER = "not run: needs a C compiler (cc) to put failing calls between the program and the C library"
BLOCK = 4096
State = tuple[frozenset[tuple[object, ...]], frozenset[frozenset[str]], frozenset[tuple[str, str]]]


def state(database: str) -> State:
    """Return what must be equal after any fault: documents, duplicate sets, drops."""
    with Corpus.open(database, read_only=True) as corpus:
        documents = list(corpus.documents(Selection(include_duplicates=True)))
        drops = frozenset((drop.url, drop.reason) for drop in corpus.fetches.drops())
    sets: dict[str, set[str]] = {}
    for document in documents:
        sets.setdefault(document.duplicate_of or document.id, set()).add(document.id)
    facts = frozenset((document.url, document.version, document.text, document.language) for document in documents)
    return facts, frozenset(map(frozenset, sets.values())), drops


def differences(one: State, other: State) -> list[tuple[object, object]]:
    """Return what the one has and the other has not, and the other way round; empty when they are equal."""
    return [(here - there, there - here) for here, there in zip(one, other, strict=True) if here != there]


def shim(folder: Path) -> Path:
    """Compile the failing disk; the test is skipped, and says so, where there is no compiler."""
    if shutil.which("cc") is None:
        pytest.skip(NO_COMPILER)
    library = folder / "disk_faults.so"
    source = Path(__file__).with_name("disk_faults.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(source), "-ldl"], check=True)
    return library


@dataclass
class SmallCrawls:
    """A process that crawls to order (see small_crawl)."""

    process: subprocess.Popen[str]

    def run(self, folder: Path, *command: str, **variables: str) -> int:
        """Crawl in a folder, or run a command there, until its end or the fault; return the exit code, or minus the
        signal.
        """
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        chosen = {"DISK_ROOT": str(folder), "DISK_FAULT": "", "CORPUS_SPIDER_FAILPOINT": ""} | variables
        order = {"folder": str(folder), "environment": chosen, "command": command}
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        code = self.process.stdout.readline()
        assert code, f"the process that crawls to order has ended: {self.process.wait()}"
        return int(code)

    def broken(self, folder: Path, fault: str, *command: str, **variables: str) -> tuple[int, bool]:
        """Do the same with a fault; return the exit code, and whether the call came at which it was to be: how many
        there are depends on which pages happen to share a group.
        """
        record = folder.with_name(f"{folder.name}.calls")
        record.unlink(missing_ok=True)
        code = self.run(folder, *command, DISK_FAULT=fault, DISK_COUNT=str(record), **variables)
        calls = Counter(record.read_text()) if record.exists() else Counter[str]()
        kind, number = fault.partition("@")[2].split(":")
        return code, (calls.total() if kind == "any" else calls[kind[0]]) >= int(number)


@contextmanager
def small_crawls(folder: Path) -> Iterator[SmallCrawls]:
    """Start the process, with the failing disk in it."""
    command = [sys.executable, "-m", "tests.corpus_spider.small_crawl"]
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=ROOT, env=environment(LD_PRELOAD=str(shim(folder))), **pipes) as process:
        yield SmallCrawls(process)
        assert process.stdin is not None
        process.stdin.close()


def sessions(connection: psycopg.Connection) -> list[str]:
    """Return what the other clients of a database do; the server's own workers are none."""
    others = (
        "SELECT state || ' ' || query FROM pg_stat_activity WHERE datname = current_database()"
        " AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
    )
    return [row[0] for row in connection.execute(others)]


def until_forgotten(database: str) -> None:
    """Wait until a server has noticed that a killed crawl is gone: until then it holds its locks."""
    if not database.startswith("sqlite"):
        with psycopg.connect(database, autocommit=True) as connection:
            until(lambda: not sessions(connection), lambda: sessions(connection))


def said(folder: Path) -> str:
    """Return what the crawls and commands in a folder have said so far."""
    return folder.with_name(f"{folder.name}.said").read_text()


def new_corpus(folder: Path, database: str = "sqlite:///corpus.db") -> Path:
    """Make a folder with a corpus.toml."""
    folder.mkdir(parents=True)
    (folder / "corpus.toml").write_text(settings(database))
    return folder


def damage(folder: Path) -> list[str]:
    """Return what a deep check finds wrong."""
    from corpus_spider.maintenance.check import check

    return check(load(folder / "corpus.toml"), deep=True).problems


def mark_synced(folder: Path, synced: Path) -> None:
    """Note that all there is below a folder is on the disk."""
    shutil.rmtree(synced, ignore_errors=True)
    synced.mkdir()
    for here, folders, files in os.walk(folder):
        entries = [(Path(here, name).stat().st_ino, name) for name in (*folders, *files)]
        listing = "".join(f"{inode} {name}\n" for inode, name in entries)
        (synced / f"d{Path(here).stat().st_ino}").write_text(listing)
        for name in files:
            shutil.copyfile(Path(here, name), synced / str(Path(here, name).stat().st_ino))


def cut_power(folder: Path, synced: Path, chance: random.Random) -> None:
    """Make of a folder what a power cut could have left: of what was not synced, any part.

    Entries of folders that were not synced may be gone, renamed files have either name; of files the bytes since their
    last sync are there, lost, torn at any place, or a block of them is zeros.
    """
    listing = synced / f"d{folder.stat().st_ino}"
    lines = listing.read_text().splitlines() if listing.exists() else []
    known = {int(inode): name for inode, _, name in (line.partition(" ") for line in lines)}
    for path in sorted(folder.iterdir()):
        inode = path.stat().st_ino
        if path.name.endswith("-shm") or (inode not in known and chance.random() < 0.5):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
            continue
        if path.is_dir():
            cut_power(path, synced, chance)
            continue
        copy = synced / str(inode)
        path.write_bytes(_torn(copy.read_bytes() if copy.exists() else b"", path.read_bytes(), chance))
        before = folder / known.get(inode, path.name)
        if not before.exists() and chance.random() < 0.5:
            path.rename(before)


def _torn(safe: bytes, written: bytes, chance: random.Random) -> bytes:
    way = chance.choice(("lost", "kept", "torn", "zeros"))
    if way == "lost" or safe == written:
        return safe
    if way == "kept":
        return written
    if written.startswith(safe):
        end = chance.randint(len(safe), len(written))
        zeros = min(end - len(safe), BLOCK) if way == "zeros" else 0
        return written[: end - zeros] + bytes(zeros)
    length = chance.choice((len(safe), len(written)))
    blocks = (chance.choice((safe, written))[at : at + BLOCK] for at in range(0, length, BLOCK))
    return b"".join(block.ljust(BLOCK, b"\0") for block in blocks)[:length]


@contextmanager
def files_of(size: int) -> Iterator[None]:
    """Let no file grow beyond so many bytes, as a disk that is full does not."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
