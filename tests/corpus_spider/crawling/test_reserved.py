"""Reserved use: a crawl of a newspaper that reserves some pages, and which of them are fetched, stored and exported."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage import Corpus
from storage.database.schema import url
from storage.records import Kind
from tests.corpus_spider.local_paper import Newspaper, article, corpus_toml, served
from tests.corpus_spider.running import run

if TYPE_CHECKING:
    from pathlib import Path

DUE_AGAIN = sa.update(url).where(url.c.url.like("%/article/1")).values(due_again=1.0)
TDMREP = [{"location": "/article/1$", "tdm-reservation": 1, "tdm-policy": "/terms.json"}]


def newspaper() -> Newspaper:
    """A newspaper whose host reserves one article, and an answer another one."""
    html = {"Content-Type": "text/html; charset=utf-8"}
    paper = Newspaper(articles=5)
    paper.extra["/.well-known/tdmrep.json"] = lambda: (200, {}, json.dumps(TDMREP).encode())
    paper.extra["/article/2"] = lambda: (200, html | {"X-Robots-Tag": "noai"}, article(2))
    return paper


def test_reservations_are_kept_with_the_texts_skipped_when_asked_to_and_left_out_of_exports(tmp_path: Path) -> None:
    """One crawl that records; then the same originals under the other policy of the site."""
    with served(newspaper()) as paper:
        config = corpus_toml(paper)
        (tmp_path / "corpus.toml").write_text(config)
        crawled = run(tmp_path, "crawl")
        assert crawled.returncode == 0, crawled.stderr
    assert paper.asked["/.well-known/tdmrep.json"] == 1
    with Corpus.open(tmp_path / "corpus.db", read_only=True) as corpus:
        texts = {one.url.rpartition("/")[2]: one for one in corpus.documents()}
        kept = {fetch.kind for fetch in corpus.fetches() if fetch.lease is None}
    assert kept == {Kind.ROBOTS, Kind.TDMREP}
    assert set(texts) == {"0", "1", "2", "3", "4"}
    assert (texts["1"].tdm, texts["1"].tdm_source) == (1, "file")
    assert texts["1"].tdm_policy == f"{paper.origin}/terms.json"
    assert texts["2"].directives == ("noai",)
    assert {one.robots for one in texts.values()} == {"allowed"}
    assert json.loads(run(tmp_path, "status", "--json").stdout)["reserved"] == 2
    free = run(tmp_path, "export", "-o", "-", "--format", "jsonl", "--without-reserved").stdout.splitlines()
    assert {json.loads(line)["url"].rpartition("/")[2] for line in free} == {"0", "3", "4"}
    assert run(tmp_path, "export", "-o", "-", "--format", "jsonl", "--require-licence").stdout == ""
    (tmp_path / "corpus.toml").write_text(config + 'reservations = "skip"\nlicence = "CC0"\n')
    assert run(tmp_path, "reextract").returncode == 0
    licensed = run(tmp_path, "export", "-o", "-", "--format", "jsonl", "--require-licence").stdout.splitlines()
    assert {json.loads(line)["url"].rpartition("/")[2] for line in licensed} == {"0", "3", "4"}
    with Corpus.open(tmp_path / "corpus.db", read_only=True) as corpus:
        assert {drop.url.rpartition("/")[2]: drop.detail for drop in corpus.fetches.drops(reasons=["reserved"])} == {
            "1": "tdm",
            "2": "noai",
        }


def test_a_page_that_has_not_changed_may_be_reserved_again(tmp_path: Path) -> None:
    """A server that adds the header to all its answers says so with a 304: the text that was free is reserved."""
    day, html = {"noai": False}, {"Content-Type": "text/html; charset=utf-8", "ETag": '"1"'}
    paper = Newspaper(articles=3)

    def answer() -> tuple[int, dict[str, str], bytes]:
        reserved = {"X-Robots-Tag": "noai"} if day["noai"] else {}
        unchanged = paper.sent["/article/1"].get("If-None-Match") == '"1"'
        return (304, reserved | {"ETag": '"1"'}, b"") if unchanged else (200, html | reserved, article(1))

    paper.extra["/article/1"] = answer
    with served(paper):
        (tmp_path / "corpus.toml").write_text(corpus_toml(paper))
        for day["noai"] in (False, True, True):
            crawled = run(tmp_path, "crawl")
            assert crawled.returncode == 0, crawled.stderr
            with Corpus.open(tmp_path / "corpus.db") as corpus:
                corpus.database.write(lambda connection: connection.execute(DUE_AGAIN))
    with Corpus.open(tmp_path / "corpus.db", read_only=True) as corpus:
        visits = [(one.status, one.outcome, one.reason) for one in corpus.fetches() if one.uri.endswith("/article/1")]
        directives = {one.url.rpartition("/")[2]: one.directives for one in corpus.documents()}
    assert visits == [
        (200, "document", None),
        (304, "retry", "reserved_anew"),
        (200, "drop", "unchanged_text"),
        (304, "unchanged", "not_modified"),
    ]
    assert directives == {"0": (), "1": ("noai",), "2": ()}
