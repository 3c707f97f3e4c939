"""Two nights of a real loopback newspaper: requests, records and documents of the second night."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from storage import Corpus
from storage.documents.selection import Selection
from storage.warc import OriginalStore, read_record
from tests.corpus_spider.local_paper import Newspaper, article, corpus_toml, served
from tests.corpus_spider.running import environment, run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def newspaper() -> Iterator[Newspaper]:
    with served(Newspaper(articles=6)) as paper:
        yield paper


def test_what_has_not_changed_is_asked_for_and_neither_sent_nor_processed(tmp_path: Path, newspaper: Newspaper) -> None:
    """A feed answers 304, the start page with the same bytes: two revisits that resolve."""
    feed = newspaper.answer("/feed.xml")

    def answer() -> tuple[int, dict[str, str], bytes]:
        unchanged = newspaper.sent["/feed.xml"].get("If-None-Match") == '"1"'
        return (304, {"ETag": '"1"'}, b"") if unchanged else (200, feed[1] | {"ETag": '"1"'}, feed[2])

    newspaper.extra["/feed.xml"] = answer
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper))
    assert run(tmp_path, "crawl").returncode == 0
    second = run(tmp_path, "crawl", "--now", "--json")
    assert second.returncode == 0, second.stderr
    summary = json.loads(second.stdout)
    assert (summary["unchanged"], summary["documents"]) == (2, 0)
    with Corpus.open(tmp_path / "corpus.db", read_only=True) as corpus:
        revisits = {row.uri: row for row in corpus.fetches(outcomes=["unchanged"])}
    reasons = {uri.removeprefix(newspaper.origin): row.reason for uri, row in revisits.items()}
    assert reasons == {"/": "same_payload", "/feed.xml": "not_modified"}
    read = {
        uri: read_record(OriginalStore(tmp_path / "warc"), row.pointer, row.original) for uri, row in revisits.items()
    }
    assert read[f"{newspaper.origin}/feed.xml"].body == feed[2]
    assert read[f"{newspaper.origin}/"].status == 200
    checked = run(tmp_path, "check", "--deep")
    assert checked.returncode == 0, checked.stdout + checked.stderr


LOADED = """
import sys
from corpus_spider.cli.app import run
code = run(sys.argv[1:])
print(code, *sorted({"numpy", "scrapy", "pipelines.page.process", "multiprocessing.forkserver"} & sys.modules.keys()))
"""


def test_commands_load_only_what_they_need(tmp_path: Path, newspaper: Newspaper) -> None:
    """`status` loads no numpy, and a crawl with nothing due ends well without Scrapy and without workers."""
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper))
    assert run(tmp_path, "crawl").returncode == 0

    def loaded(*arguments: str) -> str:
        command = [sys.executable, "-c", LOADED, *arguments]
        done = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=True)
        return done.stdout.splitlines()[-1]

    assert loaded("status") == "0"
    asked = newspaper.asked.total()
    assert "scrapy" not in loaded("crawl")
    assert newspaper.asked.total() == asked
    second = run(tmp_path, "crawl", "--json")
    assert second.returncode == 0, second.stderr
    summary = json.loads(second.stdout)
    assert (summary["ended"], summary["pages"], summary["worker_cpu_seconds"]) == ("finished", 0, 0.0)


def test_a_pause_holds_across_runs(tmp_path: Path, newspaper: Newspaper) -> None:
    """After a Retry-After of an hour, neither this run nor the next one sends the host a request."""
    newspaper.extra["/feed.xml"] = lambda: (429, {"Retry-After": "3600"}, b"later")
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper, per_host=1))
    run(tmp_path, "crawl")
    asked = newspaper.asked.total()
    with Corpus.open(tmp_path / "corpus.db", read_only=True) as corpus:
        (until,) = corpus.frontier.pauses(["newspaper"], time.time()).values()
    assert until - time.time() == pytest.approx(3600, abs=120)
    run(tmp_path, "crawl", "--now")
    assert newspaper.asked.total() == asked


def test_a_page_of_many_addresses_is_one_document(tmp_path: Path, newspaper: Newspaper) -> None:
    """Its AMP form is not fetched beside it; another address that names it as canonical gives no second document."""
    html = {"Content-Type": "text/html; charset=utf-8"}
    canonical = b"<head><link rel=canonical href=/article/1>"
    newspaper.extra |= {
        "/article/1/amp": lambda: (200, html, article(1)),
        "/article/1?print=1": lambda: (200, html, article(1)),
        "/view-1": lambda: (200, html, article(1).replace(b"<head>", canonical)),
    }
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper))
    assert run(tmp_path, "crawl").returncode == 0
    assert sum(newspaper.asked[path] for path in ("/article/1", "/article/1/amp", "/article/1?print=1")) == 1
    with Corpus.open(tmp_path / "corpus.db", read_only=True) as corpus:
        documents = corpus.documents(Selection(include_duplicates=True))
        found = {each.url.removeprefix(newspaper.origin) for each in documents}
        assert corpus.problems() == []
    assert found == {f"/article/{index}" for index in range(6)}


@pytest.mark.parametrize(("status", "nights"), [(412, 1), (403, 2), (304, 5)])
def test_a_server_that_cannot_tell_what_has_changed_is_asked_in_full(
    tmp_path: Path, newspaper: Newspaper, status: int, nights: int
) -> None:
    """It always refuses conditional requests for its feed, or responds "not modified": the site went silent."""
    validators = {"ETag": '"1"', "Last-Modified": "Fri, 20 Nov 2026 12:00:00 GMT"}
    named = ["/story/1"]

    def answer() -> tuple[int, dict[str, str], bytes]:
        if any(name in newspaper.sent["/feed.xml"] for name in ("If-None-Match", "If-Modified-Since")):
            return status, validators if status == 304 else {}, b""
        items = "".join(f"<item><link>{newspaper.origin}{path}</link></item>" for path in named)
        return 200, validators | {"Content-Type": "application/rss+xml"}, f"<rss>{items}</rss>".encode()

    newspaper.extra["/feed.xml"] = answer
    newspaper.extra["/"] = lambda: (200, {"Content-Type": "text/html"}, b"<p>xin ch\xc3\xa0o")
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper))
    run(tmp_path, "crawl")
    assert newspaper.asked["/story/1"] == 1
    named.append("/story/2")
    for _ in range(nights):
        assert not newspaper.asked["/story/2"]
        run(tmp_path, "crawl", "--now")
    assert newspaper.asked["/story/2"] == 1
