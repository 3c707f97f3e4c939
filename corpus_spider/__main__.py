"""`python -m corpus_spider` is `corpus-spider`."""

from corpus_spider.cli.app import main

if __name__ == "__main__":
    main()
