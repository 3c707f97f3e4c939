"""Who may represent a set of duplicates, in words: apart from the documents, whose module takes longer to load."""

from __future__ import annotations

LONGEST, EARLIEST, CLEANEST = "longest", "earliest", "cleanest"
