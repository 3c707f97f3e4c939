"""Backup, copy, removal, check, re-extraction and import of a corpus."""
