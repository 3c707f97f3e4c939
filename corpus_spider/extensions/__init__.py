"""Scrapy extensions: capture of every exchange, and throttling."""
