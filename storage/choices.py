"""Who may represent a set of duplicates, in words: apart from the documents, whose module takes longer to load."""

from __future__ import annotations

LONGEST, EARLIEST, CLEANEST = "longest", "earliest", "cleanest"
"""Of equally long texts one with a date comes first, by every rule; `storage.representatives` has the orders."""
