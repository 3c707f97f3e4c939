"""The page pipeline, its worker processes, the writer thread and Scrapy's stages."""
