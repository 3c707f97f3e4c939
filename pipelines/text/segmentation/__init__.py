"""Word segmentation: adapters of libraries, and the choice of a segmenter by language."""
