"""Documents: write, decide, read, find duplicates."""
