"""The corpus.toml with which the demo site is crawled."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from corpus_spider.demo import papers

if TYPE_CHECKING:
    from corpus_spider.demo.papers import Paper


def demo_config(port: int) -> str:
    """Return the text of a corpus.toml for the demo site served on that port."""
    every = papers.load()
    head = f"""\
[corpus]
name = "demo"
languages = {json.dumps([paper.language for paper in every])}
database = "sqlite:///corpus.db"
warc = "warc"
contact = "demo@example.org"

[crawl]
delay = 0.0
allow_private = ["*.{papers.LANDING_HOST}:{port}"]
"""
    return head + "".join(_site(paper, port) for paper in every)


def _site(paper: Paper, port: int) -> str:
    base = papers.Edition(paper, (), port).base
    lines = [f'name = "{paper.language}-demo"', f'start = ["{base}/"]']
    lines += [f'{kind}s = ["{base}{paper[kind]["path"]}"]' for kind in ("feed", "sitemap") if kind in paper.table]
    return "\n".join(["", "[[site]]", *lines, f'language = "{paper.language}"', ""])
