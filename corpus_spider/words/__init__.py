"""Word lists of a corpus: frequencies, keywords, collocates and trends, from the counts of the search index."""
