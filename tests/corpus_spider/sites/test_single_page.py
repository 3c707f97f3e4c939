"""Single page outside a crawl: fetched politely, within limits, from allowed places only."""

from __future__ import annotations

import gzip
import io
import socket
import threading
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from corpus_spider.config.model import Config
from corpus_spider.config.sections import CorpusSettings
from corpus_spider.network.connection import Manners
from corpus_spider.sites.page_request import NotFetchedError, exchange, fetch
from corpus_spider.sites.single_page import ExtractRequest, extract, is_address, read
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SENTENCE = (
    "The committee met on Tuesday and agreed, after a long discussion, that the bridge will be rebuilt next year. "
)
ARTICLE = f"<html lang=en><title>Bridge</title><body><article><p>{SENTENCE * 3}</p><p>{SENTENCE}</p></article>".encode()
AGENT = "corpus-spider/1 (+me@example.org)"


class Site(BaseHTTPRequestHandler):
    """Pages that behave and pages that do not."""

    protocol_version = "HTTP/1.1"
    robots = (200, b"User-agent: *\nDisallow: /closed\n")
    seen: list[tuple[str, str]] = []  # noqa: RUF012

    def do_GET(self) -> None:
        """Answer by path."""
        self.seen.append((self.path, self.headers["User-Agent"]))
        getattr(self, "page_" + self.path.strip("/").partition(".")[0], self.page_article)()

    def reply(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in ({"Content_Length": str(len(body))} | headers).items():
            if value:
                self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def page_robots(self) -> None:
        self.reply(*self.robots)

    def page_article(self) -> None:
        self.reply(200, ARTICLE, Content_Type="text/html; charset=utf-8")

    def page_zipped(self) -> None:
        self.reply(200, gzip.compress(ARTICLE), Content_Encoding="gzip")

    def page_moved(self) -> None:
        self.reply(302, b"", Location="/article")

    def page_early(self) -> None:
        self.wfile.write(b"HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n" * 2)
        self.page_article()

    def page_loop(self) -> None:
        self.reply(302, b"", Location="/loop")

    def page_away(self) -> None:
        self.reply(302, b"", Location="file:///etc/passwd")

    def page_inside(self) -> None:
        self.reply(302, b"", Location="http://10.0.0.1/")

    def page_large(self) -> None:
        self.reply(200, b"x" * 5000)

    def page_short(self) -> None:
        self.reply(200, b"half", Content_Length="10")
        self.close_connection = True

    def page_chunked(self) -> None:
        self.reply(200, b"5\r\nhello\r\n0\r\n\r\n", Content_Length="", Transfer_Encoding="chunked")

    def page_silent(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"begun")
        self.server.over.wait(20)  # type: ignore[attr-defined]
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Keep the test output clean."""


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(Site, "seen", [])
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    server.over = threading.Event()  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.over.set()  # type: ignore[attr-defined]
    server.shutdown()
    server.server_close()
    thread.join(10)


def manners(**changes: object) -> Manners:
    values: dict[str, object] = {"timeout": 60.0, "max_body": 4000, "allow_private": ("127.0.0.1:*",)}
    return Manners(AGENT, **(values | changes))  # type: ignore[arg-type]


def test_answers_before_the_answer_are_passed_over(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A robots.txt behind Early Hints was taken for one that is not there, and a page for one without a text."""
    assert fetch(f"{address}/early", manners()).body == ARTICLE
    hinted = b"HTTP/1.1 103 Early Hints\r\n\r\n"
    send = Site.page_robots
    monkeypatch.setattr(Site, "page_robots", lambda site: (site.wfile.write(hinted), send(site)))
    with pytest.raises(NotFetchedError, match="forbids this page"):
        fetch(f"{address}/closed", manners())


def test_a_page_is_asked_for_by_name_after_robots_txt(address: str) -> None:
    """The site sees our user agent, and robots.txt is read first."""
    capture = fetch(f"{address}/article", manners())
    assert (capture.status, capture.body) == (200, ARTICLE)
    assert Site.seen == [("/robots.txt", AGENT), ("/article", AGENT)]


def test_localhost_names_are_this_machine(address: str) -> None:
    """Names under localhost need no resolver, as in a crawl."""
    port = address.rpartition(":")[2]
    capture = fetch(f"http://paper.localhost:{port}/article", manners(allow_private=("*:*",)))
    assert capture.body == ARTICLE


def test_redirects_are_followed(address: str) -> None:
    """The page is the one at the end, under its own URL."""
    assert fetch(f"{address}/moved", manners()).url == f"{address}/article"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/closed", "robots.txt forbids this page"),
        ("/loop", "too many redirects"),
        ("/away", "too many redirects, or a redirect to an invalid address"),
        ("/inside", "refused: private address"),
    ],
)
def test_what_may_not_be_fetched_is_not(address: str, path: str, expected: str) -> None:
    """Forbidden pages, endless redirects and redirects to files or private networks end with a reason."""
    with pytest.raises(NotFetchedError, match=expected) as caught:
        fetch(address + path, manners())
    assert caught.value.exit_code == 7


@pytest.mark.parametrize("url", ["http://news.example.org:99999/", "http://[::1/", "https://"])
def test_what_is_no_address_is_reported_as_such(url: str) -> None:
    """A port or an IPv6 address that cannot be was an internal error."""
    with pytest.raises(NotFetchedError, match="is not the address of a page"):
        fetch(url, manners())


@pytest.mark.parametrize(
    ("robots", "allowed"), [((500, b""), False), ((404, b""), True), ((200, b"\xff\xfe\x00"), True)]
)
def test_robots_txt_that_cannot_be_had_forbids_and_a_missing_one_allows(
    address: str, monkeypatch: pytest.MonkeyPatch, robots: tuple[int, bytes], allowed: bool
) -> None:
    """RFC 9309: unreachable is disallow, missing is allow, rubbish is no rule."""
    monkeypatch.setattr(Site, "robots", robots)
    if allowed:
        assert fetch(f"{address}/article", manners()).status == 200
    else:
        with pytest.raises(NotFetchedError, match="could not be read"):
            fetch(f"{address}/article", manners())


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:{port}/", "http://localhost:{port}/", "http://[::1]:{port}/", "http://2130706433:{port}/"]
)
def test_private_addresses_are_refused_however_they_are_spelt(address: str, url: str) -> None:
    """Nothing is sent to the machine's own network unless it is allowed by name."""
    port = address.rpartition(":")[2]
    with pytest.raises(NotFetchedError) as caught:
        fetch(url.format(port=port), manners(allow_private=()))
    assert Site.seen == []
    assert f":{port} …" in caught.value.do.partition("corpus-spider -s crawl.allow_private=")[2]


def test_what_is_said_to_allow_a_private_address_allows_it(address: str) -> None:
    with pytest.raises(NotFetchedError) as caught:
        fetch(f"{address}/article", manners(allow_private=()))
    place = caught.value.do.partition("crawl.allow_private=")[2].split()[0]
    assert fetch(f"{address}/article", manners(allow_private=(place,))).status == 200


def test_a_name_that_resolves_to_a_private_address_is_refused(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The address that is connected to is the one that was checked."""
    port = int(address.rpartition(":")[2])
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: [(2, 1, 6, "", ("127.0.0.1", port))])
    with pytest.raises(NotFetchedError, match="no public address") as caught:
        exchange(f"http://news.example.org:{port}/article", manners())
    assert Site.seen == []
    assert f"crawl.allow_private=news.example.org:{port} " in caught.value.do


def test_what_speaks_no_https_is_reported_with_the_address_to_try(address: str) -> None:
    """An address without a scheme is asked by https first."""
    with pytest.raises(NotFetchedError) as caught:
        exchange(address.replace("http://", "https://") + "/article", manners())
    assert caught.value.do.endswith(f"Try {address}/.")


@pytest.mark.parametrize(
    ("path", "body", "truncated"),
    [
        ("/large", b"x" * 4000, "length"),
        ("/short", b"half", "disconnect"),
        ("/chunked", b"hello", None),
        ("/article", ARTICLE, None),
    ],
)
def test_bodies_are_read_within_the_limit_and_marked_when_they_are_not_whole(
    address: str, path: str, body: bytes, truncated: str | None
) -> None:
    """Half a page is never taken for a whole one."""
    capture = exchange(address + path, manners())
    assert (capture.body, capture.truncated) == (body, truncated)


def test_an_answer_that_never_ends_is_cut(address: str) -> None:
    """A server that keeps the line open costs the time limit and no more."""
    try:
        truncated = exchange(f"{address}/silent", manners(timeout=0.3)).truncated
    except NotFetchedError as error:
        truncated = "time" if "timed out" in str(error) else str(error)
    assert truncated == "time"


def test_all_addresses_of_a_host_together_have_the_time_of_one_exchange(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second address was once read without limit, when the first address had used all of the time."""
    port = int(address.rpartition(":")[2])
    with socket.create_server(("127.0.0.2", port), backlog=0), ExitStack() as callers:
        for _ in range(3):
            # They fill the queue: the next connection gets no answer.
            caller = callers.enter_context(socket.socket())
            caller.setblocking(False)
            caller.connect_ex(("127.0.0.2", port))
        found = [(2, 1, 6, "", (place, port)) for place in ("127.0.0.2", "127.0.0.1")]
        monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: found)
        with pytest.raises(NotFetchedError, match="timed out"):
            exchange(f"http://news.example.org:{port}/silent", manners(timeout=0.3, allow_private=("*:*",)))
    assert Site.seen == []


def test_a_host_without_a_server_is_reported_with_the_address() -> None:
    """A refused connection is one clear message, without the number of the error, and says what to look at."""
    with pytest.raises(NotFetchedError, match=r"127\.0\.0\.1:1/: cannot be fetched: [A-Z].*\n  Check the address"):
        exchange("http://127.0.0.1:1/", manners())


def test_a_web_page_becomes_a_text(address: str) -> None:
    """extract shows what a crawl would keep, also from a compressed answer."""
    config = Config(corpus=CorpusSettings(contact="me@example.org"))
    processed = extract(f"{address}/zipped", ExtractRequest(allow_private=True), config)
    assert processed.document is not None
    assert SENTENCE.strip() in processed.document.text
    assert processed.document.metadata.title == "Bridge"


def test_a_file_and_standard_input_become_the_same_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A saved page needs no network."""
    (tmp_path / "page.html").write_bytes(ARTICLE)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(ARTICLE)))
    texts = [extract(target, ExtractRequest("bte"), Config()).document for target in (str(tmp_path / "page.html"), "-")]
    assert texts[0] is not None
    assert texts[1] is not None
    assert texts[0].text == texts[1].text != ""


def test_an_unwanted_language_is_dropped_with_the_reason(tmp_path: Path) -> None:
    """--language refuses what is in another one."""
    (tmp_path / "page.html").write_bytes(ARTICLE)
    processed = extract(str(tmp_path / "page.html"), ExtractRequest(languages=("vi",)), Config())
    assert processed.document is None
    assert processed.drop is not None
    assert (processed.drop.reason, processed.drop.language) == ("language", "en")


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    """A missing file and one beyond the limit are errors of usage."""
    (tmp_path / "large").write_bytes(b"x" * 11)
    with pytest.raises(ConfigError, match="cannot be read"):
        read(str(tmp_path / "none"), 10)
    with pytest.raises(ConfigError, match="larger than 10 bytes"):
        read(str(tmp_path / "large"), 10)
    with pytest.raises(ConfigError, match="is an archive of pages"):
        read(str(tmp_path / "pages.warc.gz"), 10)
    with pytest.raises(ConfigError, match="there is no extractor"):
        extract(str(tmp_path / "large"), ExtractRequest("magic"), Config())


@pytest.mark.parametrize(("target", "expected"), [("HTTPS://a.b/", True), ("page.html", False), ("-", False)])
def test_addresses_and_files_are_distinguished(target: str, expected: bool) -> None:
    """Only http and https are asked of the web."""
    assert is_address(target) is expected


def test_for_a_folder_the_error_names_the_command_for_its_pages(tmp_path: Path) -> None:
    """Where one page is expected."""
    folder = tmp_path / "my pages"
    folder.mkdir()
    with pytest.raises(ConfigError, match="cannot be read") as refused:
        read(str(folder), 1000)
    assert f"corpus-spider extract '{folder}' -o texts/" in refused.value.do
