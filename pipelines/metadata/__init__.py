"""Metadata of a page: title, author, date, usage terms."""
