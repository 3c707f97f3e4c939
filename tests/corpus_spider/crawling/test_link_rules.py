"""Changed link rules reach the queue: dry run, crawl and frontier, at a local newspaper."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.corpus_spider.local_paper import Newspaper, article, corpus_toml, served
from tests.corpus_spider.running import run

if TYPE_CHECKING:
    from pathlib import Path


def configure(folder: Path, paper: Newspaper, *deny: str) -> None:
    text = corpus_toml(paper).replace('name = "newspaper"', f'name = "newspaper"\ndeny = {list(deny)}')
    (folder / "corpus.toml").write_text(text)


def planned(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(run(folder, "crawl", "--dry-run", "--json").stdout)["changed_rules"]
    return found


def crawled(folder: Path, *options: str) -> list[dict[str, Any]]:
    done = run(folder, "crawl", "--json", *options)
    found: list[dict[str, Any]] = json.loads(done.stdout)["changed_rules"]
    return found


def test_changed_rules_reach_the_queue_and_links_that_were_refused(tmp_path: Path) -> None:
    """Articles 3 and 4 are taken out and let in. Only the front page names /special, and the link was refused."""
    with served(Newspaper(articles=9)) as paper:
        paper.extra["/special"] = lambda: (200, {"Content-Type": "text/html; charset=utf-8"}, article(50))
        configure(tmp_path, paper, "/special$")
        assert planned(tmp_path) == []
        assert crawled(tmp_path, "--page-limit", "2") == []

        configure(tmp_path, paper, "/special$", "/article/[34]$")
        taken_out = [{"site": "newspaper", "taken_out": 2, "let_in": 0}]
        assert planned(tmp_path) == taken_out
        assert "newspaper\t2\t0" in run(tmp_path, "crawl", "--dry-run").stdout
        assert crawled(tmp_path) == taken_out
        assert not any(paper.asked[path] for path in ("/article/3", "/article/4", "/special"))

        configure(tmp_path, paper)
        let_in = [{"site": "newspaper", "taken_out": 0, "let_in": 2}]
        assert planned(tmp_path) == let_in
        assert crawled(tmp_path) == let_in
        assert all(paper.asked[path] == 1 for path in ("/article/3", "/article/4", "/special"))
        assert planned(tmp_path) == []
