"""Formats of exports, a module each: what they write of a document."""
