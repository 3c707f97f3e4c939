"""Papers whose article pages hold broken relative links: their crawl costs few requests and finds every article."""

from __future__ import annotations

import json
from contextlib import ExitStack
from typing import TYPE_CHECKING

from tests.corpus_spider.local_paper import Newspaper, article, corpus_toml, served
from tests.corpus_spider.running import run
from tests.corpus_spider.site_answers import HTML

if TYPE_CHECKING:
    from pathlib import Path

PAPERS, ARTICLES, BROKEN = 2, 14, 24


def paper(first: int = 0) -> Newspaper:
    """Return a newspaper whose 14 articles have 24 links each that no other article has, and that lead nowhere."""

    def page(number: int) -> bytes:
        broken = (f'<a href="tin/su-kien-{number}{at:03}.html">Tin {at}</a>' for at in range(BROKEN))
        near = f'<a href="/article/{number + 1}?from=search">Bài sau</a>'
        return article(first + number, near + "".join(broken))

    made = Newspaper(articles=ARTICLES)
    for number in range(ARTICLES):
        made.extra[f"/article/{number}"] = lambda number=number: (200, HTML, page(number))  # type: ignore[misc]
    return made


def test_broken_links_cost_few_requests_and_no_article(tmp_path: Path) -> None:
    """20 papers, 276 articles: 1,500 requests at most, which are 75 a paper. Without detection it is 350 a paper."""
    with ExitStack() as stack:
        papers = [stack.enter_context(served(paper(100 * at))) for at in range(PAPERS)]
        sites = [corpus_toml(each).partition("[[site]]")[2].replace("newspaper", f"p{each.port}") for each in papers]
        head = corpus_toml(papers[0]).partition("[[site]]")[0].replace(f":{papers[0].port}", ":*")
        (tmp_path / "corpus.toml").write_text("[[site]]".join([head, *sites]))
        crawled = run(tmp_path, "crawl", "--json")
        assert crawled.returncode == 0, crawled.stderr
        asked = [each.asked.total() for each in papers]
    stored = [site["articles"] for site in json.loads(crawled.stdout)["sites"]]
    assert stored == [ARTICLES] * PAPERS
    assert max(asked) <= 75
    assert {path for each in papers for path in each.asked if "?from=" in path} == {f"/article/{ARTICLES}?from=search"}


def test_a_site_can_be_limited_to_its_feeds_and_sitemaps(tmp_path: Path) -> None:
    with served(paper()) as one:
        (tmp_path / "corpus.toml").write_text(corpus_toml(one) + "feeds_only = true\n")
        assert run(tmp_path, "crawl").returncode == 0
        pages = {path for path in one.asked if path.startswith("/article/")}
    assert pages == {f"/article/{number}" for number in range(5)}
