"""Exports: what to export, how, in how many processes."""
