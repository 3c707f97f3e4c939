"""A corpus of local newspapers in PostgreSQL, for the tests of queue and workers."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from storage import Corpus
from storage.documents.selection import Selection
from tests.corpus_spider.polite_hosts import Host, page, served
from tests.corpus_spider.running import PATIENCE, run, start
from tests.corpus_spider.site_answers import HTML

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from pathlib import Path

DELAY, SLACK, ARTICLES = 0.2, 0.05, 5


def newspaper(first: int, articles: int) -> Host:
    """Return a host with a list of articles of its own."""
    pages = {f"/a/{number}": page(first + number) for number in range(articles)}
    links = "".join(f'<p><a href="{path}">{path}</a></p>' for path in sorted(pages))
    # Equal front pages would be one page of two hosts.
    pages["/"] = f"<h1>Paper {first}</h1>{links}".encode()
    return Host(
        404, frozenset(pages), pages={path: lambda _, body=body: (200, HTML, body) for path, body in pages.items()}
    )


@dataclass
class Press:
    """A corpus of local newspapers in PostgreSQL, with its folder."""

    folder: Path
    hosts: dict[str, Host]
    url: str
    articles: int

    def listed(self) -> dict[str, Any]:
        done = run(self.folder, "worker", "list", "--json")
        assert done.returncode == 0, done.stderr
        return dict(json.loads(done.stdout))

    def worker(self, *options: str) -> subprocess.Popen[str]:
        return start(self.folder, "worker", "run", "--heartbeat-limit", "3", *options)

    def documents(self) -> Counter[str]:
        with Corpus.open(self.url, read_only=True) as corpus:
            return Counter(document.site for document in corpus.documents(Selection(include_duplicates=True)))

    def check(self) -> None:
        """Every article is stored once and was requested once, with the delay of its host in between."""
        assert self.documents() == dict.fromkeys(self.hosts, self.articles)
        for name, host in self.hosts.items():
            articles = Counter(path for _, path in host.log if path.startswith("/a/"))
            assert articles == {f"/a/{number}": 1 for number in range(self.articles)}, name
            assert min(host.gaps) >= DELAY - SLACK, (name, host.log)


@contextmanager
def press(folder: Path, url: str, count: int, articles: int = ARTICLES) -> Iterator[Press]:
    folder.mkdir(exist_ok=True)
    hosts = {f"p{number}": newspaper(100 * number, articles) for number in range(count)}
    with served(hosts):
        port = hosts["p0"].port
        sites = "".join(f'[[site]]\nname = "{name}"\nstart = ["http://{name}.localhost:{port}/"]\n' for name in hosts)
        (folder / "corpus.toml").write_text(
            f'[corpus]\nname = "test"\ncontact = "tests@example.org"\ndatabase = "{url}"\n[crawl]\ndelay = {DELAY}\n'
            f'workers = 1\ntimeout = {PATIENCE:.0f}\nallow_private = ["*.localhost:{port}"]\n{sites}'
        )
        yield Press(folder, hosts, url, articles)
