"""Metadata of a page: title, author, date, rights, directives."""
