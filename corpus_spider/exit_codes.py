"""Exit codes of the program. Scripts and timers depend on them, so a number never changes its meaning.

Errors carry their own code (`storage.errors.CorpusError.exit_code`): 2 to 6, 7 for a single page, and 9.
"""

from __future__ import annotations

DONE, INTERNAL, CONFIG, DISK, DATABASE, LOCKED, DAMAGED = 0, 1, 2, 3, 4, 5, 6
NONE_SUCCEEDED, SICK, NEWER_CORPUS, STOPPED, LIMITED, FORCED = 7, 8, 9, 11, 12, 13
PIPE_CLOSED = 141

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
