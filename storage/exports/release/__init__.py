"""Releases: documents in shards with a manifest, a dataset card, a citation and what changed."""
