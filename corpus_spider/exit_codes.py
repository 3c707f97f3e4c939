"""Exit codes of the program. Scripts and timers depend on them, so a number never changes its meaning.

The code of an error is a number of its class in `storage.errors`. The other numbers are here.
"""

from __future__ import annotations

from typing import NamedTuple

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


class ExitCode(NamedTuple):
    """What is known of an exit code."""

    number: int
    meaning: str
    ended: str = "error"
    """End of a run with this code, as `status` names it."""
    is_expected: bool = False
    """Whether such a crawl needs no attention."""


# 10 is not used.
EXIT_CODES = (
    ExitCode(DONE, "done", "finished", is_expected=True),
    ExitCode(INTERNAL, "internal error"),
    ExitCode(CONFIG, "wrong command line or configuration"),
    ExitCode(DISK, "disk or file error"),
    ExitCode(DATABASE, "database error"),
    ExitCode(LOCKED, "another process works on the same site or corpus"),
    ExitCode(DAMAGED, "WARC files, database or input files are damaged"),
    ExitCode(NONE_SUCCEEDED, "nothing could be fetched", "finished"),
    ExitCode(SICK, "done, but a site or source is failing", "finished"),
    ExitCode(NEWER_CORPUS, "a newer version of the program wrote the corpus"),
    ExitCode(STOPPED, "stopped by a signal or Ctrl-C", "stopped", is_expected=True),
    ExitCode(LIMITED, "stopped at a limit; the next crawl continues", "limit", is_expected=True),
    ExitCode(FORCED, "a second signal ended the crawl at once"),
    ExitCode(PIPE_CLOSED, "the reader of the output closed the pipe (128 + SIGPIPE)"),
)
REASONS = {code.number: code.meaning for code in EXIT_CODES}
"""Meaning of each exit code."""
ENDED = {code.number: code.ended for code in EXIT_CODES}
"""End of a run, by exit code."""
FINISHED = frozenset(code.number for code in EXIT_CODES if code.ended in {"finished", "limit"})
"""Codes of crawls that ran to their end. At a limit the newest pages were fetched first."""
EXPECTED = frozenset(code.number for code in EXIT_CODES if code.is_expected)
"""Codes of crawls that need no attention: done, stopped by hand or at a limit."""
