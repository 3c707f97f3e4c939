"""Scrapy extensions: taking every exchange from the wire."""
