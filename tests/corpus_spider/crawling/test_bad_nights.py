"""One bad night of a newspaper: a section page that fails, and articles that show a teaser."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import TYPE_CHECKING

import pytest

from storage import Corpus
from storage.documents.selection import Selection
from tests.corpus_spider.local_paper import Newspaper, article, corpus_toml, paragraphs, served
from tests.corpus_spider.nights import age
from tests.corpus_spider.running import run
from tests.corpus_spider.site_answers import HTML

if TYPE_CHECKING:
    from pathlib import Path

    from tests.corpus_spider.local_paper import Answer

LOGIN = b"<html><head><title>Login</title></head><body><h1>Login</h1><form><input type=password></form></body></html>"


def listing(*paths: str) -> Answer:
    """A page of headlines."""
    items = "".join(f'<li><a href="{path}">Một bài báo dài về thành phố {path}</a></li>' for path in paths)
    return 200, HTML, f"<html lang=vi><head><title>Mục</title></head><body><ul>{items}</ul></body></html>".encode()


BAD_NIGHTS: dict[str, Answer] = {
    "gone": (404, HTML, b"<h1>404</h1>"),
    "server error": (500, HTML, b"<h1>500</h1>"),
    "login page": (200, HTML, LOGIN),
    "redirect to the login page": (302, {"Location": "/login"}, b""),
    "an article": (200, HTML, article(77)),
}


@pytest.mark.parametrize("bad", BAD_NIGHTS)
def test_a_section_that_fails_for_a_night_gives_its_new_articles_the_night_after(tmp_path: Path, bad: str) -> None:
    """It became an ordinary page and was never fetched again, and nothing said so."""
    old = [f"/story/{number}.html" for number in range(1, 13)]
    answers = [listing(*old), BAD_NIGHTS[bad], listing(*old, "/story/13.html")]
    with served(Newspaper(articles=0)) as paper:
        paper.extra |= {f"/story/{number}.html": lambda n=number: (200, HTML, article(n)) for number in range(1, 14)}  # type: ignore[misc]
        paper.extra |= {"/": lambda: listing("/section", *old), "/login": lambda: (200, HTML, LOGIN)}
        text = corpus_toml(paper, retries=0, site_models=False)
        (tmp_path / "corpus.toml").write_text(text.replace(f'feeds = ["{paper.origin}/feed.xml"]', ""))
        for night, answer in enumerate(answers):
            if night:
                age(tmp_path / "corpus.db")
            paper.extra["/section"] = lambda answer=answer: answer  # type: ignore[misc]
            done = run(tmp_path, "crawl")
            assert done.returncode in (0, 8), done.stderr
        assert paper.asked["/section"] == len(answers)
        assert paper.asked["/story/13.html"] == 1


FIRST_ANSWERS: dict[str, Answer] = {
    "/firewall.html": (403, HTML, b"<title>Just a moment...</title><p>Checking your browser"),
    "/blank.html": (200, HTML, b""),
    "/http_401.html": (401, HTML, b"<p>Login"),
    "/body_truncated.html": (
        200,
        HTML | {"Content-Encoding": "gzip", "ETag": '"1"'},
        gzip.compress(article(1), mtime=0)[:-100],
    ),
    "/soft_404.html": (200, HTML, b"<title>404 - Not found</title><h1>Page not found</h1>"),
    "/script_only.html": (
        200,
        HTML,
        b"<noscript>Enable JavaScript</noscript><div id=root></div><script src=/a.js></script>",
    ),
    "/http_206.html": (206, HTML | {"Content-Range": "bytes 0-99/9000"}, article(2)[:100]),
    "/http_304.html": (304, {"ETag": '"1"'}, b""),
    "/paywall.html": (
        200,
        HTML,
        b'<script type=application/ld+json>{"@type": "NewsArticle", "isAccessibleForFree": false}</script><p>Tin',
    ),
    "/redirect_refused.html": (302, {"Location": "https://login.example/"}, b""),
}
"""First answers of new articles, by a path with the reason."""


def test_new_articles_that_are_refused_or_damaged_for_a_night_are_stored_the_night_after(tmp_path: Path) -> None:
    """They were never fetched again, though the feed still named them, and the site was well."""

    def answer(path: str, number: int) -> Answer:
        if paper.asked[path] == 1:
            return FIRST_ANSWERS[path]
        is_conditional = "If-None-Match" in paper.sent[path]
        return (304, {}, b"") if is_conditional else (200, HTML, article(number))

    with served(Newspaper(articles=0)) as paper:
        for number, path in enumerate(FIRST_ANSWERS, 21):
            paper.extra[path] = lambda path=path, number=number: answer(path, number)  # type: ignore[misc]
        items = "".join(f"<item><link>{paper.origin}{path}</link></item>" for path in FIRST_ANSWERS)
        feed = f"<rss version='2.0'><channel><title>Báo</title>{items}</channel></rss>".encode()
        paper.extra["/feed.xml"] = lambda: (200, {"Content-Type": "application/rss+xml"}, feed)
        text = corpus_toml(paper, retries=0, site_models=False)
        (tmp_path / "corpus.toml").write_text(text.replace(f'start = ["{paper.origin}/"]\n', ""))
        reasons = []
        for night in range(2):
            if night:
                age(tmp_path / "corpus.db")
            done = run(tmp_path, "crawl")
            assert done.returncode in (0, 8), done.stderr
            with Corpus.open(tmp_path / "corpus.db", read_only=True) as corpus:
                found = corpus.fetches(outcomes=["drop"])
                reasons.append({each.uri.removeprefix(paper.origin): each.reason for each in found})
                stored = corpus.documents(Selection(include_duplicates=True))
                texts = {each.url.removeprefix(paper.origin) for each in stored}
    expected = {path: path.removeprefix("/").removesuffix(".html") for path in FIRST_ANSWERS}
    assert reasons[0] == expected | {"/feed.xml": "feed"}
    assert texts == FIRST_ANSWERS.keys()
    assert {paper.asked[path] for path in FIRST_ANSWERS} == {2}


def test_a_chain_of_redirects_that_returns_to_its_beginning_is_refused(tmp_path: Path) -> None:
    """A paper sets a cookie on the way. The crawl keeps none, and says for each article that its text is missing."""

    def answer(path: str, number: int) -> Answer:
        known = "ok=1" in paper.sent[path].get("Cookie", "")
        return (200, HTML, article(number)) if known else (302, {"Location": f"/check?u={path}"}, b"")

    def check(path: str) -> Answer:
        return 302, {"Location": f"/set{path}", "Set-Cookie": "ok=1; Path=/"}, b""

    with served(Newspaper(articles=0)) as paper:
        for number in range(1, 4):
            path = f"/story/{number}.html"
            paper.extra[path] = lambda path=path, number=number: answer(path, number)  # type: ignore[misc]
            paper.extra[f"/check?u={path}"] = lambda path=path: check(path)  # type: ignore[misc]
            paper.extra[f"/set{path}"] = lambda path=path: (302, {"Location": path}, b"")  # type: ignore[misc]
        paper.extra |= {
            "/": lambda: listing("/old.html", *(f"/story/{number}.html" for number in range(1, 4))),
            "/old.html": lambda: (301, {"Location": "/moved.html"}, b""),
            "/moved.html": lambda: (301, {"Location": "/new.html"}, b""),
            "/new.html": lambda: (200, HTML, article(9)),
        }
        text = corpus_toml(paper, retries=0, site_models=False)
        (tmp_path / "corpus.toml").write_text(text.replace(f'feeds = ["{paper.origin}/feed.xml"]', ""))
        done = run(tmp_path, "crawl")
        assert done.returncode in (0, 8), done.stderr
        assert {paper.asked[f"/story/{number}.html"] for number in range(1, 4)} == {1}
    dropped = json.loads(run(tmp_path, "dropped", "--reason", "redirect_refused", "--json").stdout)
    found = {each["url"].removeprefix(paper.origin): each["detail"] for each in dropped["pages"]}
    back = {
        f"/set/story/{number}.html": f"a loop, back to {paper.origin}/story/{number}.html" for number in range(1, 4)
    }
    assert found == back
    with Corpus.open(tmp_path / "corpus.db", read_only=True) as corpus:
        assert [each.url for each in corpus.documents(Selection())] == [f"{paper.origin}/new.html"]
        assert corpus.problems() == []


HOUR = {
    "seconds": lambda: "3600",
    "date": lambda: format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True),
}
"""Forms of Retry-After."""


@pytest.mark.parametrize(
    ("busy", "status", "form"),
    [
        ("/story/3.html", 429, "seconds"),
        ("/feed.xml", 429, "date"),
        ("/section", 503, "seconds"),
        ("/", 429, "seconds"),
    ],
)
def test_a_url_that_always_asks_for_a_pause_costs_its_host_one_night(
    tmp_path: Path, busy: str, status: int, form: str
) -> None:
    """It was fetched first again each night, and ended it. Now the other pages come first, for any kind of URL.

    `crawl`, `status` and `health` name the paused host in the first night, if the pause left URLs due: a section page
    is last if its articles are known by then. In the second night nothing else is due.
    """
    paths = [f"/story/{number}.html" for number in range(1, 25)]
    with served(Newspaper(articles=0)) as paper:
        paper.extra |= {path: lambda n=number: (200, HTML, article(n)) for number, path in enumerate(paths)}  # type: ignore[misc]
        paper.extra |= {"/": lambda: listing("/section", *paths[:9]), "/section": lambda: listing(*paths[9:15])}
        feed = "".join(f"<item><link>{paper.origin}{path}</link></item>" for path in paths[15:])
        feed = f"<rss version='2.0'><channel><title>Báo</title>{feed}</channel></rss>"
        paper.extra["/feed.xml"] = lambda: (200, {"Content-Type": "application/rss+xml"}, feed.encode())
        paper.extra[busy] = lambda: (status, {"Retry-After": HOUR[form]()}, b"")
        (tmp_path / "corpus.toml").write_text(corpus_toml(paper, site_models=False, per_host=1))
        reachable = len(paths) - {"/story/3.html": 1, "/feed.xml": 9, "/section": 6, "/": 9}[busy]
        nights = []
        for night in range(3):
            if night:
                age(tmp_path / "corpus.db")
            nights.append(json.loads(run(tmp_path, "crawl", "--json").stdout))
            if nights[-1]["paused"]:
                assert f"is paused (http_{status})" in " ".join(run(tmp_path, "status").stdout.split())
                health = json.loads(run(tmp_path, "health", "--json").stdout)
                assert [one["paused"] for one in health["sites"]] == [nights[-1]["paused"]]
                assert ("paused" in {one["sign"] for one in health["sick"]}) is not bool(nights[-1]["documents"])
    assert bool(nights[0]["paused"]) is (nights[0]["documents"] < reachable)
    assert not any(one["paused"] for one in nights[1:])
    assert sum(one["documents"] for one in nights[:2]) == reachable


def test_articles_that_become_teasers_are_kept_and_reported(tmp_path: Path) -> None:
    """A whole site does so in one night: the full texts are exported, and `health` has the sign `shortened`."""
    paths = {f"/story/{number}.html": number for number in range(1, 7)}
    teasers = False

    def answer(number: int) -> Answer:
        page = article(number)
        return 200, HTML, page.rpartition(b"<p>")[0] + b"</article></body></html>" if teasers else page

    with served(Newspaper(articles=0)) as paper:
        paper.extra |= {path: lambda n=number: answer(n) for path, number in paths.items()}  # type: ignore[misc]
        paper.extra["/"] = lambda: listing(*paths)
        (tmp_path / "corpus.toml").write_text(corpus_toml(paper, site_models=False))
        assert run(tmp_path, "crawl").returncode in (0, 8)
        teasers = True
        age(tmp_path / "corpus.db")
        assert run(tmp_path, "crawl").returncode == 8
    health = json.loads(run(tmp_path, "health", "--json").stdout)
    assert "shortened" in {finding["sign"] for finding in health["sick"]}
    with Corpus.open(tmp_path / "corpus.db", read_only=True) as corpus:
        texts = {each.url.removeprefix(paper.origin): each for each in corpus.documents(Selection())}
        assert corpus.problems() == []
    for path, number in paths.items():
        assert texts[path].version == 1
        assert paragraphs(number)[3] in texts[path].text
