"""Exit codes of the program. Scripts and timers depend on them, so a number never changes its meaning.

The code of an error is a number of its class in `storage.errors`. The other numbers are here.
"""

from __future__ import annotations

from storage.errors import (
    ConfigError,
    CorpusError,
    DamageError,
    DatabaseError,
    DiskError,
    LockedError,
    NewerCorpusError,
)

DONE, NONE_SUCCEEDED, SICK, STOPPED, LIMITED, FORCED, PIPE_CLOSED = 0, 7, 8, 11, 12, 13, 141
INTERNAL, CONFIG, DISK = CorpusError.exit_code, ConfigError.exit_code, DiskError.exit_code
DATABASE, LOCKED, DAMAGED = DatabaseError.exit_code, LockedError.exit_code, DamageError.exit_code
NEWER_CORPUS = NewerCorpusError.exit_code

REASONS = {
    DONE: "done",
    INTERNAL: "internal error",
    CONFIG: "wrong command line or configuration",
    DISK: "disk or file error",
    DATABASE: "database error",
    LOCKED: "another process works on the same site or corpus",
    DAMAGED: "WARC files, database or input files are damaged",
    NONE_SUCCEEDED: "nothing could be fetched",
    SICK: "done, but a site or source is failing",
    NEWER_CORPUS: "a newer version of the program wrote the corpus",
    STOPPED: "stopped by a signal or Ctrl-C",
    LIMITED: "stopped at a limit; the next crawl continues",
    FORCED: "a second signal ended the crawl at once",
    PIPE_CLOSED: "the reader of the output closed the pipe (128 + SIGPIPE)",
}
"""Meaning of each exit code. 10 is not used."""

FINISHED = frozenset({DONE, NONE_SUCCEEDED, SICK, LIMITED})
"""Codes of crawls that ran to their end. At a limit the newest pages were fetched first."""
EXPECTED = frozenset({DONE, STOPPED, LIMITED})
"""Codes of crawls that need no attention: done, stopped by hand or at a limit."""
