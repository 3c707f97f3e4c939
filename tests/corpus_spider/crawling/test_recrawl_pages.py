"""Recrawled pages, each changed in one way: the requests, and the outcome for their texts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from storage import Corpus
from tests.corpus_spider.local_paper import Newspaper, article, corpus_toml, served
from tests.corpus_spider.running import run
from tests.corpus_spider.site_answers import HTML

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from storage.documents.model import CorpusDocument

DAY, TAG = "Fri, 20 Nov 2026 12:00:00 GMT", '"a1"'
GONE = b"<html><head><title>404 - Not found</title></head><body><h1>Page not found</h1><p>Sorry.</p></body></html>"


@dataclass(frozen=True)
class Page:
    """How a page answers the first and the second time, what is asked the second time, and what comes of it."""

    headers: Mapping[str, str] = field(default_factory=dict)
    again: tuple[int, bytes | None] = (304, b"")
    """Status and body of the second answer; None: the same body."""
    conditions: Mapping[str, str] = field(default_factory=dict)
    outcome: tuple[str, str | None] = ("unchanged", "not_modified")
    versions: int = 1


def with_ads(index: int, text: str = "") -> bytes:
    return article(index).replace(b"<footer>", f"<div class=ad>Mua ngay {text}</div><footer>".encode())


def teaser(index: int) -> bytes:
    """Return an article without its last paragraph, as a paywall may leave it."""
    return article(index).rpartition(b"<p>")[0] + b"</article></body></html>"


PAGES = {
    "etag": Page({"ETag": TAG}, conditions={"If-None-Match": TAG}),
    "modified": Page({"Last-Modified": DAY}, conditions={"If-Modified-Since": DAY}),
    "weak": Page({"ETag": f"W/{TAG}"}, conditions={"If-None-Match": f"W/{TAG}"}),
    "both": Page({"ETag": TAG, "Last-Modified": DAY}, conditions={"If-None-Match": TAG, "If-Modified-Since": DAY}),
    "long": Page({"ETag": f'"{"x" * 1001}"'}, (200, None), outcome=("unchanged", "same_payload")),
    "control": Page({"ETag": '"a\x01b"'}, (200, None), outcome=("unchanged", "same_payload")),
    "unasked": Page({}, (304, b""), outcome=("drop", "http_304")),
    "text": Page({"ETag": TAG}, (200, article(40)), {"If-None-Match": TAG}, ("document", None), 2),
    "ads": Page({}, (200, with_ads(81, "another")), {}, ("drop", "unchanged_text")),
    "gone": Page({}, (410, b"gone"), {}, ("drop", "http_410")),
    "teaser": Page({}, (200, teaser(101)), {}, ("document", "shortened")),
    "soft": Page({}, (200, GONE), {}, ("drop", "soft_404")),
}


@dataclass
class Second:
    """What the second crawl came to, by page."""

    asked: dict[str, dict[str, str]] = field(default_factory=dict)
    outcomes: dict[str, tuple[str | None, str | None]] = field(default_factory=dict)
    texts: dict[str, CorpusDocument] = field(default_factory=dict)


@pytest.fixture(scope="module")
def second(tmp_path_factory: pytest.TempPathFactory) -> Second:
    folder, result = tmp_path_factory.mktemp("recrawl"), Second()

    def answering(name: str, index: int) -> None:
        page, body = PAGES[name], with_ads(index)

        def answer() -> tuple[int, dict[str, str], bytes]:
            if paper.asked[f"/{name}"] == 1:
                return 200, HTML | dict(page.headers), body
            sent = paper.sent[f"/{name}"]
            result.asked[name] = {key: sent[key] for key in ("If-None-Match", "If-Modified-Since") if key in sent}
            return page.again[0], HTML | dict(page.headers), body if page.again[1] is None else page.again[1]

        paper.extra[f"/{name}"] = answer

    with served(Newspaper(articles=0)) as paper:
        for index, name in enumerate(PAGES):
            answering(name, 10 * index + 1)
        starts = ", ".join(f'"{paper.origin}/{name}"' for name in PAGES)
        config = corpus_toml(paper).replace(f'start = ["{paper.origin}/"]', f"start = [{starts}]")
        (folder / "corpus.toml").write_text(config)
        for options in ((), ("--now",)):
            crawled = run(folder, "crawl", *options)
            assert crawled.returncode in (0, 8), crawled.stderr
    with Corpus.open(folder / "corpus.db", read_only=True) as corpus:
        for fetch in corpus.fetches():
            result.outcomes[fetch.uri.rpartition("/")[2]] = (fetch.outcome, fetch.reason)
        result.texts = {one.url.rpartition("/")[2]: one for one in corpus.documents()}
    return result


@pytest.mark.parametrize("name", PAGES)
def test_what_can_be_asked_with_is_and_the_text_decides_whether_a_page_has_changed(second: Second, name: str) -> None:
    """Odd and overlong validators are not sent; what is gone, or says so, takes no text away."""
    page = PAGES[name]
    assert second.asked[name] == page.conditions
    assert second.outcomes[name] == page.outcome
    assert second.texts[name].version == page.versions


def test_a_list_of_addresses_is_read_once_and_its_gone_pages_are_no_sickness(tmp_path: Path) -> None:
    """They were fetched again each night like sources, and each page that was gone made the site failing. When links
    are followed, they are start pages and are fetched again.
    """
    with served(Newspaper(articles=40)) as paper:
        paths = [f"/article/{number}" for number in range(21, 29)]
        starts = ", ".join(f'"{paper.origin}{path}"' for path in (*paths, "/gone", "/old"))
        text = corpus_toml(paper).replace(f'start = ["{paper.origin}/"]', f"start = [{starts}]")
        text = text.replace(f'feeds = ["{paper.origin}/feed.xml"]', "max_depth = 0")
        (tmp_path / "corpus.toml").write_text(text)
        for _ in range(2):
            done = run(tmp_path, "crawl", "--now")
            assert done.returncode == 0, done.stderr
        assert [paper.asked[path] for path in (*paths, "/gone", "/old", "/article/1")] == [1] * 11
        assert run(tmp_path, "health").returncode == 0
        (tmp_path / "corpus.toml").write_text(text.replace("max_depth = 0", "max_depth = 1"))
        assert run(tmp_path, "crawl").returncode == 8
        assert [paper.asked[path] for path in (*paths, "/gone", "/old")] == [2] * 10
        (tmp_path / "corpus.toml").write_text(text)
        assert run(tmp_path, "crawl", "--now").returncode == 0
        assert [paper.asked[path] for path in (*paths, "/gone", "/old")] == [2] * 10
