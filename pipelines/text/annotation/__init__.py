"""Lemmas and parts of speech: adapters of libraries, and the choice of an annotator by language."""
