"""Fetches: the rows of archived answers."""
