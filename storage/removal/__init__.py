"""Removal of texts and originals on request."""
