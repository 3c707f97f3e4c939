"""Check that a WARC folder belongs to this corpus and its database.

Two corpora in one folder take each other's files for damage, and empty them. Two folders of one database each lack the
files of the other, and prune them.
"""

from __future__ import annotations

import json
import logging
import socket
from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING
from uuid import uuid4

import msgspec

from corpus_spider.config.loader import load
from corpus_spider.config.model import MACHINE
from storage.disk import disk_errors, make_folder, read_mark, replace_file
from storage.errors import ConfigError
from storage.reporting import counted
from storage.warc.objects import OWNER as OWNER_FILE

if TYPE_CHECKING:
    from corpus_spider.config.model import Config
    from storage.corpus import Corpus

logger = logging.getLogger(__name__)

OWNER = "locks/corpus"
"""File in the folder with the path of the corpus.toml that crawls into it."""
OBJECT_OWNER = "locks/object-owner"
"""File in the folder with the id that this corpus has in object storage."""
MAX_CONFIG_BYTES = 1 << 20
"""Limit of a corpus.toml: a folder from elsewhere may name any file."""


class ObjectOwner(msgspec.Struct, frozen=True):
    """Content of the owner file in object storage. One of ``id`` and ``database`` tells whether it is this corpus.

    Several machines crawl into one corpus in PostgreSQL. They have the database in common.
    """

    id: str
    database: str
    host: str
    corpus_toml: str


def claim(config: Config, corpus: Corpus, *, rebuild: bool = False) -> None:
    """Record that the WARC folder, which exists, belongs to this corpus.

    Raises ConfigError when it belongs to another corpus, this corpus has its originals elsewhere, or the database is
    empty and the folder is not, unless ``rebuild``. Raises DiskError.
    """
    require_own(config)
    require_originals(config, corpus, rebuild=rebuild)
    if not rebuild:
        require_known(config, corpus)
    own, mark = str(_path(config)), config.warc_folder / OWNER
    with disk_errors(mark):
        if config.path is not None and read_mark(mark) != own:
            make_folder(mark.parent)
            replace_file(mark, own.encode())
    name_machine(config, corpus)
    claim_objects(config, corpus, rebuild=rebuild)


def name_machine(config: Config, corpus: Corpus) -> None:
    """Record in the WARC folder, if there is one, which machine has it, and in the database that its files are there.

    The folder or the machine may have got another name, or the files may be from a backup.
    """
    mark = config.warc_folder / MACHINE
    if not (corpus.machine and config.warc_folder.is_dir()):
        return
    with disk_errors(mark):
        if read_mark(mark) != corpus.machine:
            make_folder(mark.parent)
            replace_file(mark, corpus.machine.encode())
    corpus.warc.take_over(config.originals.list())


def claim_objects(config: Config, corpus: Corpus, *, rebuild: bool) -> None:
    """Record in the object storage that its files belong to this corpus. Raises ConfigError if they are another's."""
    store, mark = config.originals, config.warc_folder / OBJECT_OWNER
    if store.objects is None:
        return
    own_id = read_mark(mark)
    if not own_id:
        # Before it is in the object storage: a killed run must know its own.
        own_id = uuid4().hex
        with disk_errors(mark):
            make_folder(mark.parent)
            replace_file(mark, own_id.encode())
    owner = ObjectOwner(own_id, corpus.identity(), socket.gethostname(), str(_path(config)))
    found = store.objects.claim(msgspec.json.encode(owner))
    if not _is_own(found, owner.id, owner.database):
        if not rebuild:
            raise _of_another(config, found)
        logger.warning("%s belonged to another corpus, %s; it belongs to this one now", store.where, _words(found))
        store.objects.claim(msgspec.json.encode(owner), replace=True)


def require_own_objects(config: Config, corpus: Corpus) -> bool:
    """Raise ConfigError when the files in object storage belong to another corpus. Return whether they are its own.

    False: there is no object storage, or no corpus has claimed it yet.
    """
    store = config.originals
    if store.objects is None or not (found := store.objects.owner()):
        return False
    if not _is_own(found, read_mark(config.warc_folder / OBJECT_OWNER), corpus.identity()):
        raise _of_another(config, found)
    return True


def _is_own(found: bytes, own_id: str, database: str) -> bool:
    with suppress(msgspec.DecodeError):
        owner = msgspec.json.decode(found, type=ObjectOwner)
        return owner.id == own_id or (owner.database == database != "")
    return False


def _words(found: bytes) -> str:
    with suppress(msgspec.DecodeError):
        owner = msgspec.json.decode(found, type=ObjectOwner)
        return f"that of {owner.corpus_toml} on {owner.host}"
    return f"by an owner file that cannot be read ({OWNER_FILE})"


def _of_another(config: Config, found: bytes) -> ConfigError:
    return ConfigError(
        f"the address belongs to another corpus, {_words(found)}",
        where=config.originals.where,
        do="Name another bucket or prefix (warc in [corpus]). If this corpus took its place, delete"
        f" {OWNER_FILE} there; the next crawl writes a new one.",
    )


def require_own(config: Config) -> None:
    """Raise ConfigError when another corpus that still exists has the same WARC folder or address.

    The copy of a corpus folder has the address of the original, and its id in object storage too.
    """
    named = read_mark(config.warc_folder / OWNER)
    if not _is_there(named) or config.path is None or named == str(_path(config)):
        return
    try:
        other = load(Path(named))
    except ConfigError:
        # Its corpus.toml was moved or removed.
        return
    if _place(other) == _place(config) and _database(other) != _database(config):
        raise ConfigError(
            f"the {'address' if config.warc_address else 'folder'} belongs to another corpus, that of {named}",
            where=config.originals.where,
            do="Name another one (warc in [corpus]), or remove that file if this corpus took its place.",
        )


def require_originals(config: Config, corpus: Corpus, *, rebuild: bool = False) -> None:
    """Raise ConfigError when this corpus.toml has not crawled into the folder, and it has no file of the database.

    The originals are then in another folder: that of a second corpus.toml, or on a disk that is not mounted. Raises it
    also when the files in object storage belong to another corpus, unless ``rebuild``.
    """
    if not rebuild and require_own_objects(config, corpus):
        # Another machine may have died before its first upload: no file is here or there then.
        return
    mark = config.warc_folder / OWNER
    if config.path is not None and read_mark(mark) == str(_path(config)):
        return
    kept = set(corpus.warc.expected())
    there = config.originals.list()
    if kept and kept.isdisjoint(there):
        of_machine = f" on machine {corpus.machine}" if corpus.machine else ""
        other = " So does another machine a name (machine in [corpus])." if corpus.machine else ""
        raise ConfigError(
            f"the folder has no WARC file of this database{of_machine}{_last_folder(corpus)}",
            where=config.originals.where,
            do="Mount or restore the folder with the files, or set warc in [corpus] to it. Another corpus needs a"
            f" database or schema of its own.{other}"
            f" If the files are lost, go on without: {_to_claim(mark, _path(config))}",
        )


def require_known(config: Config, corpus: Corpus) -> None:
    """Raise ConfigError for a new database beside a folder that has WARC files.

    Mostly the name of the database is wrong, such as DATABASE_URL in the shell and not in a timer. The crawl would go
    on in a second database, and both would claim the files.
    """
    if corpus.warc.files() or corpus.runs(newest=1):
        return
    number = len(config.originals.list())
    if number:
        raise ConfigError(
            f"the folder has {counted(number, 'WARC file')}, but the database is empty: {corpus.name}",
            where=config.originals.where,
            do="Name the right database (database in [corpus], or DATABASE_URL). If it is lost,"
            " `corpus-spider crawl --rebuild` makes it again from these files.",
        )


def _to_claim(mark: Path, own: Path | None) -> str:
    """Return the shell command that assigns a folder to a corpus, also one with files."""
    folder, file, toml = (quote(str(each)) for each in (mark.parent, mark, own or "corpus.toml"))
    return f"mkdir -p {folder} && echo {toml} > {file}"


def _last_folder(corpus: Corpus) -> str:
    """Return a phrase with the folder of the last run; "" if unknown."""
    runs = corpus.runs(newest=1)
    with suppress(ValueError, LookupError, TypeError):
        return f"; its last crawl wrote to {json.loads(runs[-1].config)['corpus']['warc']} on {runs[-1].host}"
    return ""


def _is_there(named: str) -> bool:
    """Return whether a path is a regular file that is neither empty nor too large."""
    path = Path(named)
    with suppress(OSError):
        return path.is_file() and 0 < path.stat().st_size <= MAX_CONFIG_BYTES
    return False


def _place(config: Config) -> str:
    return config.originals.address or str(config.warc_folder.resolve())


def _path(config: Config) -> Path | None:
    return config.path and config.path.resolve()


def _database(config: Config) -> str:
    return str(config.database_file.resolve()) if config.database_file else config.database_url
