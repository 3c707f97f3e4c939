"""Write, own, recover and age WARC files. Read those of other tools."""
