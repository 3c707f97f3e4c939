"""Python interface: extract a page, open a corpus, crawl. Its public names are those of ``corpus_spider.__all__``."""
