"""Archives of a batch: the list from names, patterns and path lists, and the share of one task."""

from __future__ import annotations

import re
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from glob import has_magic
from pathlib import Path
from typing import TYPE_CHECKING

from corpus_spider.archive.path_lists import ADDRESS, ARCHIVE, PATH_LIST, list_in, listed
from storage.errors import ConfigError, MissingFileError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from storage.errors import CorpusError

STANDARD_INPUT = "-"
_SHARD = re.compile(r"([0-9]{1,7})/([0-9]{1,7})")


@dataclass(frozen=True, slots=True)
class TaskShare:
    """Share of one task: every ``count``-th archive, beginning with number ``index`` (from 1)."""

    index: int = 1
    count: int = 1

    @classmethod
    def parsed(cls, text: str) -> TaskShare:
        """Return the shard of ``3/64``. Raises ConfigError for another form."""
        found = _SHARD.fullmatch(text)
        if not found or not 1 <= int(found[1]) <= int(found[2]):
            do = "Write 3/64 for the third of 64 tasks. The first task is 1/64."
            raise ConfigError(f"not a share: {text!r}", where="--shard", do=do)
        return cls(int(found[1]), int(found[2]))

    def of(self, archives: Sequence[str]) -> Sequence[str]:
        """Return the archives of this task."""
        return archives[self.index - 1 :: self.count]


def archives_of(names: Iterable[str]) -> tuple[str, ...]:
    """Return the archives that some names stand for, in order and each once.

    A name is a file, a folder, a pattern, an address (``https://``, ``s3://``), a path list (``.paths``,
    ``.paths.gz``), or ``-`` for a list on standard input. Raises ConfigError when a name stands for no archive.
    """
    found: dict[str, None] = {}
    for name in names:
        archives = listed(sys.stdin) if name == STANDARD_INPUT else _named(name)
        if not archives:
            do = "Archives end in .warc, .warc.gz, .arc.gz, .warc.zst or .wacz."
            raise ConfigError("no archive is there", where="standard input" if name == STANDARD_INPUT else name, do=do)
        found.update(dict.fromkeys(archives))
    return tuple(found)


@contextmanager
def local_file(archive: str) -> Iterator[Path]:
    """Give an archive as a local file. A remote one is downloaded to a temporary file first.

    A damaged archive is read more than once, at any place, so it must be whole before it is read. Raises
    MissingFileError or DownloadError when it cannot be had.
    """
    if not ADDRESS.match(archive):
        yield existing_file(archive)
        return
    from corpus_spider.network.download import download

    with tempfile.TemporaryDirectory(prefix="corpus-spider-") as folder:
        target = Path(folder) / (re.split(r"[/?#]", archive.rstrip("/"))[-1] or "archive")
        download(archive, target)
        yield target


def existing_file(archive: str, error: type[CorpusError] = MissingFileError) -> Path:
    """Return the path of a local archive. Raises the error if no file is there: that is not a damaged file."""
    path = Path(archive)
    if not path.is_file():
        raise error("no such file", where=archive, do="Is the disk or folder mounted?")
    return path


def _named(name: str) -> Sequence[str]:
    if ADDRESS.match(name):
        return _remote_list(name) if PATH_LIST.search(name) else (name,)
    path = Path(name)
    if path.is_dir():
        return sorted(str(file) for file in path.rglob("*") if ARCHIVE.search(file.name) and file.is_file())
    if not path.exists() and has_magic(name):
        return [archive for match in _matches(path) for archive in _named(match)]
    if not path.exists():
        raise ConfigError("no such file", where=name, do="Name a file, a folder, a pattern, or an address.")
    if not PATH_LIST.search(name):
        return (name,)
    return list_in(path)


def _matches(pattern: Path) -> list[str]:
    """Return the files and folders of a pattern, in order."""
    root = Path(pattern.anchor)
    return sorted(map(str, root.glob(str(pattern.relative_to(root)))))


def _remote_list(address: str) -> Sequence[str]:
    with local_file(address) as path:
        return list_in(path)
