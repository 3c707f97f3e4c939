"""Two sites of one corpus on one host, crawled by two runs at once: the host sees one crawl with its delay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from storage import Corpus
from tests.corpus_spider.polite_hosts import Answer, Host, page, served
from tests.corpus_spider.running import ended, start
from tests.corpus_spider.site_answers import HTML

if TYPE_CHECKING:
    from pathlib import Path

DELAY, SLACK, ARTICLES = 0.3, 0.05, 3


def paper(name: str, first: int) -> dict[str, bytes]:
    """Return a list of articles and the articles of one newspaper, by path."""
    articles = {f"/{name}/{number}": page(first + number) for number in range(ARTICLES)}
    return {f"/{name}/": "".join(f'<p><a href="{path}">{path}</a></p>' for path in articles).encode(), **articles}


def answered(body: bytes) -> Answer:
    return 200, HTML, body


def test_two_crawls_of_one_host_keep_its_delay_together(tmp_path: Path, database_url: str) -> None:
    """The second crawl waits for the first, and both come in whole."""
    pages = paper("north", 0) | paper("south", 20)
    host = Host(
        404, frozenset(pages), pages={path: lambda _, body=body: answered(body) for path, body in pages.items()}
    )
    with served({"press": host}) as strays:
        sites = "".join(
            f'[[site]]\nname = "{name}"\nstart = ["http://press.localhost:{host.port}/{name}/"]\n'
            for name in ("north", "south")
        )
        (tmp_path / "corpus.toml").write_text(
            f'[corpus]\nname = "test"\ncontact = "tests@example.org"\ndatabase = "{database_url}"\n'
            f'[crawl]\ndelay = {DELAY}\nworkers = 1\nallow_private = ["*.localhost:{host.port}"]\n{sites}'
        )
        Corpus.open(database_url, create=True).close()
        crawls = [start(tmp_path, "crawl", "--site", name) for name in ("north", "south")]
        assert [ended(crawl) for crawl in crawls] == [0, 0]
    assert strays == []
    assert host.asked >= set(pages)
    assert min(host.gaps) >= DELAY - SLACK, host.log
