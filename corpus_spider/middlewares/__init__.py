"""Downloader middlewares: who may be reached, what robots.txt says, bodies as they came."""
