"""Search index beside a corpus: derived data, which `corpus-spider index` makes from the stored texts at any time."""
