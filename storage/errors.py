"""Errors that users see: one base class, few children, attributes instead of strings, an exit code each."""

from __future__ import annotations


class CorpusError(Exception):
    """Base class of user-visible errors: ``what`` happened, ``where``, what to ``do``, and the ``exit_code``."""

    exit_code = 1

    def __init__(self, what: str, *, where: str = "", do: str = "") -> None:
        self.what, self.where, self.do = what, where, do
        super().__init__(str(self))

    def __str__(self) -> str:
        where = f"{self.where}: " if self.where else ""
        do = f"\n  {self.do}" if self.do else ""
        return f"{where}{self.what}{do}"


class ConfigError(CorpusError):
    """The configuration or the command line is wrong (exit 2)."""

    exit_code = 2


class UnfinishedIndexError(ConfigError):
    """The first search index of a corpus is not complete yet (exit 2)."""


class DiskError(CorpusError):
    """The disk is full, or a folder or file cannot be written (exit 3)."""

    exit_code = 3


class ObjectStorageError(DiskError):
    """The server of the originals is away or refuses (exit 3). It says nothing about a file: that may be sound."""


class DatabaseError(CorpusError):
    """The database cannot be reached, went away or refused (exit 4)."""

    exit_code = 4


class TooSlowError(DatabaseError):
    """A statement took longer than its limit (exit 4)."""


MAX_NAMED_SITES = 5
"""Sites that a message names. A corpus may have thousands."""


class LockedError(CorpusError):
    """Another crawl works on one of these sites (exit 5). ``sites`` names them. ``holder``: who has the lock."""

    exit_code = 5

    def __init__(self, sites: tuple[str, ...], *, where: str = "", do: str = "", holder: str = "another crawl") -> None:
        self.sites = sites
        more = [f"{len(sites) - MAX_NAMED_SITES} more"] if len(sites) > MAX_NAMED_SITES else []
        names = ", ".join([*sites[:MAX_NAMED_SITES], *more])
        held = names if len(sites) == 1 else f"{len(sites)} sites: {names}"
        super().__init__(f"{holder} holds {held}", where=where, do=do)


class DamageError(CorpusError):
    """Stored data is damaged: a record, an index or a text does not match (exit 6)."""

    exit_code = 6


class MissingFileError(DamageError):
    """A WARC file is not in its folder. Perhaps it is not mounted: the file itself may be sound."""


class NewerCorpusError(CorpusError):
    """The corpus was made by a newer version of the program (exit 9)."""

    exit_code = 9
