"""Rules for the representative of a duplicate set. A light module: `--help` lists them without a database."""

LONGEST, EARLIEST, CLEANEST = "longest", "earliest", "cleanest"
"""Rules for the representative of a duplicate set; `storage.documents.representatives` has the orders."""
