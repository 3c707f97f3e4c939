"""The search index: shards of words and tokens, their manifest, and how they are built, read and checked."""
