"""Removed pages and authors that must not return."""
