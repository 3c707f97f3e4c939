"""Extractors for evaluation only: opponents of the papers, and libraries."""
