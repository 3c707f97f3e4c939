"""Word segmentation: one adapter for each library, and the choice of a segmenter by language."""
