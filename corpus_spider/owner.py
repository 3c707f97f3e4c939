"""Whose a folder of WARC files is. Two corpora in one folder take each other's files for damage, and empty them."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from corpus_spider.config_load import load
from storage.disk import disk_errors, make_folder, open_to_read, replace_file
from storage.errors import ConfigError

if TYPE_CHECKING:
    from corpus_spider.config import Config

OWNER = "locks/corpus"
"""The file in the folder that names the corpus.toml which crawls into it."""
_LONGEST, _LARGEST = 1 << 13, 1 << 20
"""Bytes of a name, and of a corpus.toml: what a folder that came from elsewhere names may be anything."""


def claim(config: Config) -> None:
    """Note whose the WARC folder is, which exists. Raises ConfigError when it is another corpus's, or DiskError."""
    require_own(config)
    own, mark = str(_path(config)), config.warc_folder / OWNER
    with disk_errors(mark):
        if config.path is not None and _named(mark) != own:
            make_folder(mark.parent)
            replace_file(mark, own.encode())


def require_own(config: Config) -> None:
    """Raise ConfigError when another corpus, one that is still there, has the same WARC folder."""
    named = _named(config.warc_folder / OWNER)
    if not _is_there(named) or config.path is None or named == str(_path(config)):
        return
    try:
        other = load(Path(named))
    except ConfigError:
        # It was moved or removed.
        return
    if other.warc_folder.resolve() == config.warc_folder.resolve() and _database(other) != _database(config):
        raise ConfigError(
            f"the WARC files of another corpus are in it, that of {named}",
            where=str(config.warc_folder),
            do="Give this one a folder of its own (warc in [corpus]), or remove that file if this one took its place.",
        )


def _named(mark: Path) -> str:
    """Read whom a folder names; nobody where it has a file of zeros, as power cuts leave them: no name holds any."""
    try:
        with os.fdopen(open_to_read(mark), "rb") as file:
            named = file.read(_LONGEST).decode()
    except (OSError, UnicodeError):
        return ""
    return "" if "\0" in named else named


def _is_there(named: str) -> bool:
    """Say whether a name is that of a file of some length, which can be read without waiting."""
    path = Path(named)
    with suppress(OSError):
        return path.is_file() and 0 < path.stat().st_size <= _LARGEST
    return False


def _path(config: Config) -> Path | None:
    return config.path and config.path.resolve()


def _database(config: Config) -> str:
    _, sqlite, file = config.database_url.partition("sqlite:///")
    return str(Path(file).resolve()) if sqlite else config.database_url
