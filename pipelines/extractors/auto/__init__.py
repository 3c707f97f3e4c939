"""The default extractor: blocks are measured, a model scores them, a few rules select."""
