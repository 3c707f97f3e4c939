"""Crawls newspapers politely into a clean, de-duplicated text corpus: settings, command line, spider, evaluation."""
