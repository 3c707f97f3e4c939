"""Crawls of a tarpit and of an honest paper on loopback, with the commands and workers of a user."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING
from zlib import crc32

from storage import Corpus
from storage.runs.allowance import FIRST_NIGHT
from tests.corpus_spider.endless_sites import words
from tests.corpus_spider.local_paper import Newspaper, article, corpus_toml, served
from tests.corpus_spider.nights import age
from tests.corpus_spider.running import run, well

if TYPE_CHECKING:
    from pathlib import Path

    from tests.corpus_spider.local_paper import Answer

RELEASE = "crawl --release-suspended --site newspaper"


@dataclass(slots=True)
class TrappedNewspaper(Newspaper):
    """A paper whose front page leads to texts that lead to ten more texts each, without end."""

    def answer(self, path: str) -> Answer:
        if not path.startswith("/t/"):
            return Newspaper.answer(self, path)
        links = "".join(f'<a href="/t/{word}">{word}</a> ' for word in words(path, 10))
        return 200, {"Content-Type": "text/html; charset=utf-8"}, article(1000 + crc32(path.encode()), links)


def crawl(folder: Path) -> tuple[int, int]:
    """Crawl a night, and return the new documents and the suspended URLs."""
    done = run(folder, "crawl", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    summary = json.loads(done.stdout)
    age(folder / "corpus.db")
    return summary["documents"], sum(site["suspended"] for site in summary["sites"])


def is_whole(paper: Newspaper) -> bool:
    """Return whether each article was fetched."""
    return all(paper.asked[f"/article/{number}"] for number in range(paper.articles))


def test_a_tarpit_in_a_paper_is_held_back_and_each_command_reports_it(tmp_path: Path) -> None:
    """The paper is whole after the first night."""
    with served(TrappedNewspaper(articles=30)) as paper:
        paper.extra["/t/1"] = lambda: paper.answer("/t/first")
        (tmp_path / "corpus.toml").write_text(corpus_toml(paper))
        first, waiting = crawl(tmp_path)
        assert is_whole(paper)
        assert FIRST_NIGHT - 20 <= first <= 500
        assert waiting > first
        assert paper.asked.total() <= 1.2 * first
        for verb in ("status", "health", "crawl"):
            done = run(tmp_path, verb)
            assert RELEASE in done.stdout + done.stderr, verb
        with Corpus.open(tmp_path / "corpus.db", read_only=True) as corpus:
            [*_, second] = corpus.runs.by_site(["newspaper"])
        assert FIRST_NIGHT // 2 - 20 <= second.articles <= FIRST_NIGHT // 2 + 20
        assert second.suspended > waiting


def test_a_new_paper_with_more_articles_than_a_first_night_is_whole_after_the_second(tmp_path: Path) -> None:
    """No setting, no command."""
    count = FIRST_NIGHT + 50
    with served(Newspaper(articles=count)) as paper:
        (tmp_path / "corpus.toml").write_text(corpus_toml(paper))
        first, waiting = crawl(tmp_path)
        assert first < count
        assert waiting > 0
        assert not is_whole(paper)
        assert crawl(tmp_path)[1] == 0
        assert is_whole(paper)
        well(tmp_path, "check")
