"""Three nights of four newspapers that change: new pages are stored once, failing sites are reported."""

from __future__ import annotations

import json
import zlib
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from storage import Corpus
from storage.documents.selection import Selection
from tests.corpus_spider.local_paper import Answer, Newspaper, paragraphs, served
from tests.corpus_spider.nights import age
from tests.corpus_spider.running import run as run_program
from tests.corpus_spider.site_answers import HTML

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FIRST = 12
"""Articles of each paper on the first night."""
PAPERS = ("steady", "feedless", "dying", "refusing")


@dataclass(slots=True)
class Changing(Newspaper):
    """A newspaper whose pages, feed and mood a test sets from night to night."""

    seed: int = 0
    pages: dict[str, Answer] = field(default_factory=dict)
    listed: list[str] = field(default_factory=list)
    feed: int = 200
    refusing: bool = False
    bytes: int = 0

    def publish(self, number: int, path: str = "", edition: int = 0) -> str:
        """Put an article on its page, new ones on top of the lists; ``edition`` gives it another last paragraph."""
        place = path or f"/tin/bai-viet-moi-nhat-so-{10_000 + self.seed + number}.html"
        texts = paragraphs(self.seed + number * 12 + 1)
        texts += [texts[0].replace("người", f"người{edition}")] if edition else []
        body = "".join(f"<p>{text}</p>" for text in texts)
        title = f"Tin số {self.seed + number}"
        page = f"<html lang=vi><title>{title}</title><body><h1>{title}</h1><article>{body}</article></body></html>"
        self.pages[place] = (200, HTML, page.encode())
        if place not in self.listed:
            self.listed.insert(0, place)
        return place

    def answer(self, path: str) -> Answer:
        """Answer one path, and count what is sent."""
        status, headers, body = self._answer(path)
        tag = f'"{zlib.crc32(body):08x}"'
        if status == 200 and self.sent[path].get("If-None-Match") == tag:
            status, body = 304, b""
        self.bytes += len(body)
        return status, headers | {"ETag": tag}, body

    def _answer(self, path: str) -> Answer:
        if self.refusing:
            return 403, HTML | {"Server": "cloudflare", "cf-mitigated": "challenge"}, b"<title>Just a moment...</title>"
        if path == "/robots.txt":
            return 404, HTML, b""
        if path == "/feed.xml":
            items = "".join(f"<item><link>{self.origin}{place}</link></item>" for place in self.listed[:20])
            feed = f'<rss version="2.0"><channel><title>Báo</title>{items}</channel></rss>'.encode()
            return (
                (200, {"Content-Type": "application/rss+xml"}, feed) if self.feed == 200 else (self.feed, HTML, b"gone")
            )
        if path in {"/", "/muc/thoi-su"}:
            cards = "".join(f"<li><a href='{place}'>Bài báo mới nhất {place[-10:-5]}</a></li>" for place in self.listed)
            return 200, HTML, f"<html><body><a href=/muc/thoi-su>Thời sự</a><ul>{cards}</ul></body></html>".encode()
        return self.pages.get(path, (404, HTML, b"<h1>404</h1>"))


@pytest.fixture
def papers() -> Iterator[dict[str, Changing]]:
    with ExitStack() as stack:
        found = {name: Changing(seed=1000 * place) for place, name in enumerate(PAPERS)}
        for paper in found.values():
            stack.enter_context(served(paper))
            for number in range(FIRST):
                paper.publish(number)
        yield found


def config(papers: dict[str, Changing]) -> str:
    """Return a corpus.toml with a site for each paper; one has no feed."""
    private = json.dumps([f"127.0.0.1:{paper.port}" for paper in papers.values()])
    sites = "".join(
        f'[[site]]\nname = "{name}"\nstart = ["{paper.origin}/"]\n'
        + ("" if name == "feedless" else f'feeds = ["{paper.origin}/feed.xml"]\n')
        for name, paper in papers.items()
    )
    return (
        '[corpus]\nname = "nights"\nlanguages = ["vi"]\ndatabase = "sqlite:///corpus.db"\n'
        'contact = "tests@example.org"\n'
        f"[crawl]\ndelay = 0.0\nworkers = 2\nper_host = 4\nallow_private = {private}\n{sites}"
    )


def a_day_passes(folder: Path, papers: dict[str, Changing]) -> None:
    """Make the corpus a day older, and forget what the servers were asked."""
    age(folder / "corpus.db")
    for paper in papers.values():
        paper.asked.clear()
        paper.bytes = 0


def night(folder: Path) -> dict[str, object]:
    """Crawl what is due and return the summary."""
    done = run_program(folder, "crawl", "--json")
    assert done.returncode in {0, 8}, done.stderr
    return json.loads(done.stdout)


def texts(folder: Path) -> dict[str, list[str]]:
    """Return the texts of every version of every URL's path, eldest first."""
    found: dict[str, list[str]] = {}
    with Corpus.open(f"sqlite:///{folder}/corpus.db", read_only=True) as corpus:
        for one in corpus.documents(Selection(include_duplicates=True, versions="all")):
            found.setdefault(one.url.partition("//")[2].partition("/")[2], []).append(one.text)
    return found


def test_three_nights(tmp_path: Path, papers: dict[str, Changing]) -> None:
    """New and edited articles are stored once a version, an unchanged night costs little, health names the two sick."""
    (tmp_path / "corpus.toml").write_text(config(papers))
    night(tmp_path)
    first = {name: paper.bytes for name, paper in papers.items()}
    assert {len(versions) for versions in texts(tmp_path).values()} == {1}
    assert len(texts(tmp_path)) == FIRST * len(papers)

    a_day_passes(tmp_path, papers)
    quiet = night(tmp_path)
    assert quiet["documents"] == 0
    assert {len(versions) for versions in texts(tmp_path).values()} == {1}
    assert all(paper.bytes < 0.05 * first[name] for name, paper in papers.items())
    assert all(count == 1 for paper in papers.values() for count in paper.asked.values())

    a_day_passes(tmp_path, papers)
    a_day_passes(tmp_path, papers)
    steady, feedless, dying, refusing = papers.values()
    new = {steady.publish(20), steady.publish(21), feedless.publish(20), dying.publish(20)}
    edited = {steady.publish(3, edition=1), feedless.publish(4, edition=1)}
    removed = steady.listed.pop()
    del steady.pages[removed]
    moved = steady.listed.pop()
    steady.pages[moved] = (301, {"Location": "/chuyen-muc" + moved}, b"")
    steady.pages["/chuyen-muc" + moved] = (200, HTML, steady.pages[steady.listed[-1]][2].replace(b"Tin", b"Chuy"))
    dying.feed, refusing.refusing = 404, True
    for paper in papers.values():
        paper.asked.clear()
    night(tmp_path)
    found = texts(tmp_path)
    assert {path for path, versions in found.items() if len(versions) > 1} == {path[1:] for path in edited}
    assert {path[1:] for path in new} <= found.keys()
    assert len(found) == FIRST * len(papers) + len(new) + 1
    assert all(count == 1 for paper in papers.values() for count in paper.asked.values())
    checked = run_program(tmp_path, "check", "--deep", "--json")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    report = json.loads(checked.stdout)
    assert (report["documents"], report["earlier_versions"]) == (
        len(found),
        sum(map(len, found.values())) - len(found),
    )
    health = run_program(tmp_path, "health", "--json")
    assert health.returncode == 8
    assert {(sick["site"], sick["sign"]) for sick in json.loads(health.stdout)["sick"]} == {
        ("dying", "source"),
        ("refusing", "refused"),
    }
