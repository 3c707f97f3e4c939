"""Whose a folder of WARC files is. Two corpora in one folder take each other's files for damage, and empty them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from corpus_spider.config_load import load
from storage.disk import disk_errors, make_folder
from storage.errors import ConfigError

if TYPE_CHECKING:
    from corpus_spider.config import Config

OWNER = "locks/corpus"
"""The file in the folder that names the corpus.toml which crawls into it."""


def claim(config: Config) -> None:
    """Note whose the WARC folder is, which exists. Raises ConfigError when it is another corpus's, or DiskError."""
    require_own(config)
    own, mark = str(_path(config)), config.warc_folder / OWNER
    with disk_errors(mark):
        if config.path is not None and _named(mark) != own:
            make_folder(mark.parent)
            mark.touch(0o600)
            mark.write_text(own, encoding="utf-8")


def require_own(config: Config) -> None:
    """Raise ConfigError when another corpus, one that is still there, has the same WARC folder."""
    named = _named(config.warc_folder / OWNER)
    if not named or config.path is None or named == str(_path(config)):
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
    """Read whom a folder names; nobody where a power cut has left a file of zeros, which no name holds."""
    try:
        named = mark.read_text(encoding="utf-8")
    except (OSError, UnicodeError):
        return ""
    return "" if "\0" in named else named


def _path(config: Config) -> Path | None:
    return config.path and config.path.resolve()


def _database(config: Config) -> str:
    _, sqlite, file = config.database_url.partition("sqlite:///")
    return str(Path(file).resolve()) if sqlite else config.database_url
