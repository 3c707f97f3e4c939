"""Crawl runs and their counters by site."""
