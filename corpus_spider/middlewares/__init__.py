"""Downloader middlewares: address guard, robots.txt, usage terms, raw bodies, rendering."""
