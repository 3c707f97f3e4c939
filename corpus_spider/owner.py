"""Whose a folder of WARC files is, and whether it is that of a database. Two corpora in one folder take each other's
files for damage, and empty them; two folders of one database each lack what is in the other, and prune it.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from corpus_spider.config_load import load
from storage.disk import disk_errors, make_folder, open_to_read, replace_file
from storage.errors import ConfigError

if TYPE_CHECKING:
    from corpus_spider.config import Config
    from storage.corpus import Corpus

OWNER = "locks/corpus"
"""The file in the folder that names the corpus.toml which crawls into it."""
_LONGEST, _LARGEST = 1 << 13, 1 << 20
"""Bytes of a name, and of a corpus.toml: what a folder that came from elsewhere names may be anything."""


def claim(config: Config, corpus: Corpus) -> None:
    """Note whose the WARC folder is, which exists. Raises ConfigError when it is another corpus's, or the originals of
    this one are elsewhere, or DiskError.
    """
    require_own(config)
    require_originals(config, corpus)
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


def require_originals(config: Config, corpus: Corpus) -> None:
    """Raise ConfigError when a folder that this corpus.toml has not crawled into has none of the database's files.

    They are in another folder, that of a second corpus.toml or of a disk that is not mounted, and would be mixed with
    what came into this one.
    """
    mark = config.warc_folder / OWNER
    if config.path is not None and _named(mark) == str(_path(config)):
        return
    kept = {file.name for file in corpus.warc.files() if file.state in {"open", "closed"}}
    there = {path.name.removesuffix(".open") for path in config.warc_folder.glob("*.warc.gz*")}
    if kept and kept.isdisjoint(there):
        raise ConfigError(
            f"none of the WARC files of this database is in it{_last_folder(corpus)}",
            where=str(config.warc_folder),
            do="Mount or restore the folder that has them, or have warc in [corpus] name it; another corpus needs a"
            f" database, or a schema, of its own. If they are lost, go on without: {_to_claim(mark, _path(config))}",
        )


def _to_claim(mark: Path, own: Path | None) -> str:
    """Return the command that makes a folder that of a corpus, whatever is in it."""
    folder, file, toml = (quote(str(each)) for each in (mark.parent, mark, own or "corpus.toml"))
    return f"mkdir -p {folder} && echo {toml} > {file}"


def _last_folder(corpus: Corpus) -> str:
    """Say where the last run wrote its files; nothing where there was none, or it does not say."""
    runs = corpus.runs()
    with suppress(ValueError, LookupError, TypeError):
        return f"; its last crawl wrote to {json.loads(runs[-1].config)['corpus']['warc']} on {runs[-1].host}"
    return ""


def _named(mark: Path) -> str:
    """Read whom a folder names; nobody where it has a file of zeros, as power cuts leave them: no name holds any."""
    try:
        with os.fdopen(open_to_read(mark), "rb") as file:
            named = file.read(_LONGEST).decode().removesuffix("\n")
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
