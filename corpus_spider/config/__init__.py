"""The settings in corpus.toml: model, loader and writer."""
