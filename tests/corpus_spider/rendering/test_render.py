"""Rendered sites: a real browser without network of its own reads them, within limits."""

from __future__ import annotations

import gzip
import json
import socket
import threading
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from corpus_spider.config.loader import load
from corpus_spider.maintenance.check import check
from corpus_spider.middlewares.render import sent
from corpus_spider.middlewares.render import shell as readable
from corpus_spider.rendering.chromium import VARIABLE, find_browser, processes
from storage.corpus import Corpus
from storage.documents.selection import Selection
from storage.records import Capture, Kind
from storage.warc import read_record
from tests.corpus_spider.local_paper import Answer, Newspaper, corpus_toml, paragraphs, served
from tests.corpus_spider.running import run, until
from tests.corpus_spider.site_answers import HTML
from tests.extras import needs, needs_browser

if TYPE_CHECKING:
    from collections.abc import Iterator

SCRIPT = {"Content-Type": "text/javascript"}
APP = """
const id = location.pathname.split("/").pop();
fetch("/api/" + id, {headers: {"X-Api-Key": "public"}}).then(answer => answer.json()).then(story => {
  document.title = story.title;
  document.getElementById("app").innerHTML = "<article><h1>" + story.title + "</h1>" +
    story.text.map(one => `<p>${one}</p>`).join("") + `</article><a href="/story/${Number(id) + 1}">next</a>`;
});
"""
ESCAPES = """
const ask = (path, how) => fetch(path, how).catch(() => 0);
ask("/private/data"); ask("http://127.0.0.1:PORT/"); ask("http://localhost:PORT/"); ask("http://[::1]:PORT/");
ask("file:///etc/passwd"); ask("/api/8", {method: "POST"}); ask("/api/8", {method: "DELETE"});
new WebSocket("ws://127.0.0.1:PORT/"); new EventSource("http://127.0.0.1:PORT/");
navigator.sendBeacon("http://127.0.0.1:PORT/b", "x"); navigator.sendBeacon("/api/8", "x");
if (navigator.serviceWorker) navigator.serviceWorker.register("/sw.js").catch(() => 0);
const peer = new RTCPeerConnection({iceServers: [{urls: "stun:127.0.0.1:PORT"}]});
peer.createDataChannel("x"); peer.createOffer().then(offer => peer.setLocalDescription(offer));
alert("hold"); window.open("/popup"); document.cookie = "mine=1";
document.body.insertAdjacentHTML("beforeend", `<iframe src=/frame></iframe><iframe src="file:///etc/passwd"></iframe>
  <link rel=preconnect href=http://127.0.0.1:PORT><link rel=prefetch href=http://127.0.0.1:PORT/p>
  <a id=file download href="http://127.0.0.1:PORT/d">d</a>`);
document.getElementById("file").click();
ask("/api/9"); setTimeout(() => { location.href = "/elsewhere"; }, 50);
"""


def shell(script: str = "") -> Answer:
    """Return a page without text, with the application's script or another."""
    app = f"<script>{script}</script>" if script else "<script src=/app.js></script>"
    head = "<link rel=stylesheet href=/style.css><img src=/logo.png>"
    return 200, HTML, f"<!doctype html><html><head>{head}</head><body><div id=app></div>{app}</body></html>".encode()


def story(number: int) -> Answer:
    """Return the data of a story."""
    data = {"title": f"Bài số {number} của báo", "text": paragraphs(number)}
    return 200, {"Content-Type": "application/json"}, json.dumps(data).encode()


def paper(stories: int = 3, **extra: Answer) -> Newspaper:
    """Return a newspaper whose pages are filled by a script; ``extra`` maps names of further stories to answers."""
    pages = {f"/story/{number}": shell() for number in range(1, stories + 1)}
    pages |= {f"/api/{number}": story(number) for number in range(1, stories + 1)}
    pages |= {"/app.js": (200, SCRIPT, APP.encode()), **{f"/story/{name}": answer for name, answer in extra.items()}}
    links = "".join(f'<a href="{path}">{path}</a> ' for path in pages if path.startswith("/story/"))
    pages["/"] = (200, HTML, links.encode())
    return Newspaper(articles=0, extra={path: lambda answer=answer: answer for path, answer in pages.items()})


def configured(folder: Path, newspaper: Newspaper, **crawl: object) -> Path:
    """Write a corpus.toml that has the newspaper rendered."""
    file = folder / "corpus.toml"
    text = corpus_toml(newspaper, **crawl).replace(f'feeds = ["{newspaper.origin}/feed.xml"]\n', "render = true\n")
    file.write_text(text)
    return file


def texts(file: Path) -> dict[str, str]:
    """Return the text of each stored document, by path."""
    with Corpus.open(load(file).database_url, read_only=True) as corpus:
        documents = corpus.documents(Selection(include_duplicates=True))
        return {"/" + one.url.split("/", 3)[3]: one.text for one in documents}


def outcomes(printed: str) -> dict[str, int]:
    """Return drops and failures of a crawl's summary."""
    summary = json.loads(printed)
    return summary["dropped"] | summary["failed"]


@needs("render")
@needs_browser
def test_a_site_that_scripts_fill_gives_its_articles(tmp_path: Path) -> None:
    """Texts and links are those of the DOM; the WARC has both what the server sent and what the browser made of it."""
    with served(paper(3)) as newspaper:
        file = configured(tmp_path, newspaper)
        ended = run(tmp_path, "crawl", "--json")
    assert ended.returncode == 0, ended.stderr
    found = texts(file)
    assert set(found) == {"/story/1", "/story/2", "/story/3"}
    assert all(paragraph in found["/story/2"] for paragraph in paragraphs(2))
    assert newspaper.asked["/story/4"] == 1
    config = load(file)
    with Corpus.open(config.database_url, read_only=True) as corpus:
        document = next(one for one in corpus.documents(Selection()) if one.url.endswith("/story/1"))
        row = next(row for _, row in corpus.warc.pointers(document.warc) if row.record_id == document.record_id)
    assert document.encoding_source == "rendered"
    capture = read_record(config.originals, row)
    assert capture.body == shell()[2]
    assert paragraphs(1)[0].encode() in capture.rendered
    report = check(config, deep=True)
    assert report.problems == []
    assert report.reextracted == 3
    again = run(tmp_path, "reextract", "--json")
    assert json.loads(again.stdout)["unchanged"] == json.loads(again.stdout)["pages"]


@needs("render")
@needs_browser
def test_what_a_script_asks_for_passes_robots_guard_and_limits(tmp_path: Path) -> None:
    """Pictures, styles, frames, forbidden paths, other methods, private addresses are not fetched; scripts once."""
    with canary() as (port, reached), served(paper(3, escape=shell(ESCAPES.replace("PORT", str(port))))) as newspaper:
        newspaper.extra["/api/9"] = lambda: (200, HTML | {"Set-Cookie": "theirs=1"}, b"{}")
        file = configured(tmp_path, newspaper)
        ended = run(tmp_path, "crawl", "--json")
    assert ended.returncode == 0, ended.stderr
    assert "render_timeout" not in outcomes(ended.stdout)
    assert newspaper.asked["/story/escape"] == 1
    assert newspaper.asked["/api/9"] == 1
    assert newspaper.asked["/api/8"] == 0
    assert newspaper.asked["/app.js"] == 1
    refused = {"/private/data", "/logo.png", "/style.css", "/frame", "/popup", "/elsewhere", "/worker.js", "/sw.js"}
    assert refused & set(newspaper.asked) == set()
    assert all("Cookie" not in headers for headers in newspaper.sent.values())
    assert all(agent.startswith("corpus-spider/") for agent in newspaper.agents)
    assert newspaper.sent["/api/1"]["X-Api-Key"] == "public"
    assert reached == []
    assert set(texts(file)) == {"/story/1", "/story/2", "/story/3"}


def two_sockets() -> tuple[socket.socket, socket.socket]:
    """Bind a port for TCP and UDP alike."""
    for _ in range(100):
        stream, datagrams = socket.socket(), socket.socket(type=socket.SOCK_DGRAM)
        stream.bind(("127.0.0.1", 0))
        try:
            datagrams.bind(stream.getsockname())
        except OSError:
            stream.close()
            datagrams.close()
        else:
            return stream, datagrams
    raise OSError("no port is free for both")


@contextmanager
def canary() -> Iterator[tuple[int, list[str]]]:
    """Listen on a loopback port, TCP and UDP, that must not be reached; yield it and its requests."""
    reached: list[str] = []
    stream, datagrams = two_sockets()
    with stream, datagrams:
        stream.listen()
        for one in (stream, datagrams):
            one.settimeout(0.1)
        ended = threading.Event()

        def listen() -> None:
            while not ended.is_set():
                for name, take in (("tcp", stream.accept), ("udp", lambda: datagrams.recv(100))):
                    try:
                        take()
                    except TimeoutError:
                        continue
                    reached.append(name)

        thread = threading.Thread(target=listen, daemon=True)
        thread.start()
        yield stream.getsockname()[1], reached
        ended.set()
        thread.join()


@needs("render")
@needs_browser
def test_pages_that_hang_or_crash_hold_nothing_up(tmp_path: Path) -> None:
    """Each is given up after its time, with its reason; the others come, and no process of a browser is left."""
    harm = {
        "endless": shell("for (;;) {}"),
        "hungry": shell("const all = []; for (;;) all.push(new Array(1e6).fill(Math.random()));"),
        "vast": shell("document.body.setAttribute('data-all', 'x'.repeat(2e7));"),
    }
    with served(paper(3, **harm)) as newspaper:
        # One page at a time: a kill ends a neighbour too, which would be fetched again.
        file = configured(tmp_path, newspaper, timeout=25.0, retries=0, per_host=1, delay=0.01)
        ended = run(tmp_path, "crawl", "--json")
    assert ended.returncode == 0, ended.stderr
    assert set(texts(file)) == {"/story/1", "/story/2", "/story/3"}
    failed = json.loads(ended.stdout)["failed"]
    assert failed.get("render_too_large") == 1, failed
    assert failed.get("render_timeout", 0) >= 1, failed
    assert failed["render_timeout"] + failed.get("render_crash", 0) == 2, failed
    until(lambda: not processes("--corpus-spider-browser="), lambda: processes("--corpus-spider-browser="))
    assert check(load(file), deep=True).problems == []


def test_sites_that_do_not_ask_for_it_start_no_browser(tmp_path: Path) -> None:
    """A browser that would fail is not even looked at."""
    with served(paper(1)) as newspaper:
        file = configured(tmp_path, newspaper)
        file.write_text(file.read_text().replace("render = true", ""))
        ended = run(tmp_path, "crawl", "--json", **{VARIABLE: "/nowhere/chromium"})
    assert ended.returncode == 0, ended.stderr
    assert newspaper.asked["/story/1"] == 1
    assert newspaper.asked["/app.js"] == 0
    assert outcomes(ended.stdout)["script_only"] == 1


def test_without_a_browser_or_its_driver_the_crawl_does_not_start(tmp_path: Path) -> None:
    """The message says what to install and where the browser may be named; it is an error of the configuration."""
    with served(paper(1)) as newspaper:
        configured(tmp_path, newspaper)
        ended = run(tmp_path, "crawl", **{VARIABLE: "/nowhere/chromium"})
    assert ended.returncode == 2
    assert newspaper.asked.total() == 0
    words = (
        ["CORPUS_SPIDER_CHROMIUM", "/nowhere/chromium"] if find_spec("scrapy_playwright") else ["corpus-spider[render]"]
    )
    assert all(word in ended.stderr for word in words)
    assert not (tmp_path / "corpus.db").exists()


@needs("render")
@needs_browser
def test_a_browser_that_does_not_start_ends_the_crawl(tmp_path: Path) -> None:
    """The pages are in the WARC, and the next crawl fetches them again."""
    with served(paper(1)) as newspaper:
        configured(tmp_path, newspaper)
        ended = run(tmp_path, "crawl", **{VARIABLE: "/bin/false"})
    assert ended.returncode == 2
    assert "the browser does not start" in ended.stderr


@pytest.mark.parametrize(
    ("named", "environ", "expected"),
    [
        ("/a/chromium", {VARIABLE: "/b/chromium"}, "/a/chromium"),
        ("", {VARIABLE: "/b/chromium", "PATH": "PATH"}, "/b/chromium"),
        ("", {"PATH": "PATH"}, "PATH/chromium"),
        ("", {"PATH": "", "PLAYWRIGHT_BROWSERS_PATH": "PATH"}, "PATH/chromium-2/chrome-linux/chrome"),
        ("", {"PATH": "", "PLAYWRIGHT_BROWSERS_PATH": "/nowhere"}, None),
    ],
    ids=["configuration", "environment", "system", "Playwright's own", "none"],
)
def test_the_browser_that_is_named_first_is_taken(
    tmp_path: Path, named: str, environ: dict[str, str], expected: str | None
) -> None:
    """corpus.toml over environment over what is installed over what Playwright downloaded, the newest of these."""
    for program in ("chromium", "chromium-1/chrome-linux/chrome", "chromium-2/chrome-linux/chrome"):
        path = tmp_path / program
        path.parent.mkdir(parents=True, exist_ok=True) if not path.parent.is_dir() else None
        path.touch(mode=0o755)
    found = find_browser(named, {name: value.replace("PATH", str(tmp_path)) for name, value in environ.items()})
    assert found == (Path(expected.replace("PATH", str(tmp_path))) if expected else None)


@pytest.mark.parametrize(
    ("changes", "readable_as"),
    [
        ({}, "<p>ế"),
        ({"body": gzip.compress("<p>ế".encode()), "response_headers": (("Content-Encoding", "gzip"),)}, "<p>ế"),
        ({"body": "<meta charset=utf-16><p>ế".encode("utf-16")}, "<meta charset=utf-16><p>ế"),
        ({"status": 404}, None),
        ({"truncated": "length"}, None),
        ({"kind": Kind.FEED}, None),
        ({"body": b"%PDF-1.7"}, None),
        ({"body": b"cut", "response_headers": (("Content-Encoding", "gzip"),)}, None),
    ],
)
def test_whole_pages_are_worth_a_browser(changes: dict[str, object], readable_as: str | None) -> None:
    """It gets them unpacked and decoded, as the extractors would; errors, feeds, pieces and files it does not get."""
    values = {"status": 200, "request_headers": (), "response_headers": (), "body": "<p>ế".encode()} | changes
    capture = Capture("https://a.example/1", datetime(2026, 11, 20, tzinfo=UTC), **values)  # type: ignore[arg-type]
    assert readable(capture) == readable_as


def test_a_script_does_not_speak_for_the_crawler() -> None:
    """Who asks, with which cookies and by which host, is not for a script to say; its own headers go with it."""
    own = {"accept": "*/*", "origin": "https://a.example", "x-api-key": "public"}
    others = {"cookie": "a=1", "user-agent": "Chrome", "sec-fetch-mode": "cors", "host": "b", ":authority": "b"}
    assert sent(own | others) == own


FILL = """
const built = document.getElementById("app");
const fill = async (where) => {
  const story = await (await fetch("/api/" + location.pathname.split("-").pop())).json();
  document.title = story.title;
  where.innerHTML = `<article><h1>${story.title}</h1>${story.text.map(one => `<p>${one}</p>`).join("")}</article>`;
};
"""
MARK = '<p id=mark style="margin-top:6000px"></p>'
BEHAVIOURS = {
    "late": "setTimeout(() => fill(built), 3000);",
    "quiet": "fill(built); setTimeout(() => { built.append(' '); }, 2900);",
    "location": "fill(built).then(() => { location.href = '/elsewhere'; });",
    "other-host": "fill(built).then(() => { location.replace('https://news.invalid/'); });",
    "reload": "fill(built).then(() => { setTimeout(() => location.reload(), 30); });",
    "mailto": "fill(built).then(() => { location.href = 'mailto:paper@news.invalid'; });",
    "blank": "fill(built).then(() => { setTimeout(() => { location.href = 'about:blank'; }, 900); });",
    "form": "fill(built).then(() => { const form = document.createElement('form'); form.action = '/elsewhere';"
    " form.method = 'post'; document.body.append(form); form.submit(); });",
    "refresh": "fill(built).then(() => { document.head.insertAdjacentHTML('beforeend',"
    " '<meta http-equiv=refresh content=\"0;url=/refreshed\">'); });",
    "view": f"document.body.insertAdjacentHTML('beforeend', `{MARK}`); new IntersectionObserver((seen, watch) =>"
    " { if (seen.some(one => one.isIntersecting)) { watch.disconnect(); fill(built); } })"
    ".observe(document.getElementById('mark'));",
    "scroll": "document.body.style.height = '30000px'; addEventListener('scroll', () => fill(built), {once: true});",
    "shadow": "const inner = built.attachShadow({mode: 'open'}); inner.innerHTML = '<my-part></my-part>';"
    " fill(inner.firstChild.attachShadow({mode: 'open'}));",
    "slot": "built.attachShadow({mode: 'open'}).innerHTML = '<main><slot></slot></main>'; fill(built);",
    "wall": "fill(built).then(() => { setTimeout(() => { built.textContent = 'Please agree.'; }, 800); });",
    "ticker": "fill(built); setInterval(() => { document.title += '.'; }, 50);",
    "dialog": "alert('a'); fill(built).then(() => { onbeforeunload = () => 'stay'; location.reload(); });",
}
"""What the scripts of a page do besides filling it."""


@needs("render")
@needs_browser
def test_the_text_that_scripts_build_is_kept_when_they_go_on(tmp_path: Path) -> None:
    """They leave the page, load late, when the text comes into view or the reader scrolls, or into shadow roots."""
    names = {f"{name}-{number}": script for number, (name, script) in enumerate(BEHAVIOURS.items(), 1)}
    with served(paper(0, **{name: shell(FILL + script) for name, script in names.items()})) as newspaper:
        for number in range(1, len(names) + 1):
            newspaper.extra[f"/api/{number}"] = lambda number=number: story(number)
        file = configured(tmp_path, newspaper)
        ended = run(tmp_path, "crawl", "--json")
    assert ended.returncode == 0, ended.stderr
    found = texts(file)
    kept = {name for number, name in enumerate(names, 1) if paragraphs(number)[0] in found.get(f"/story/{name}", "")}
    assert kept == set(names)
    assert newspaper.asked["/elsewhere"] == 0
