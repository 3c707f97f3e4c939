"""Notification: a real mail server and a real web server on loopback get the message, or a warning is logged."""

from __future__ import annotations

import email
import json
import logging
import socketserver
import threading
import time
from contextlib import contextmanager, suppress
from email.policy import default
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from corpus_spider.config.model import Config
from corpus_spider.config.sections import CorpusSettings, NotifySettings
from corpus_spider.monitoring.model import Sign, SiteProblem
from corpus_spider.monitoring.notify import compose, crawl_and_notify, send_test, wanted
from storage.errors import ConfigError, CorpusError, DiskError
from storage.records import SiteCounters
from tests.corpus_spider.local_paper import Newspaper, corpus_toml, served
from tests.corpus_spider.running import run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from email.message import EmailMessage
    from pathlib import Path

ROW = SiteCounters("báo", fetched=3, articles=2, refused=1)
SUMMARY: dict[str, Any] = {
    "pages": 3,
    "documents": 2,
    "pending": 0,
    "unread": 0,
    "refused": 0,
    "failed": {},
    "first_failure": "",
    "sites": [ROW],
    "sick": [SiteProblem("báo", Sign.SOURCE, "feed is gone: http_404\x1b[2J", "https://a.example/feed")],
}
WELL = SUMMARY | {"sick": []}


class _Mailbox(socketserver.StreamRequestHandler):
    """As much of RFC 5321 as a client needs to leave a message."""

    def handle(self) -> None:
        self.say("220 here")
        while line := self.rfile.readline().decode().strip():
            verb = line[:4].upper()
            if verb == "DATA":
                self.say("354 go on")
                lines = list(iter(self.rfile.readline, b".\r\n"))
                self.server.mails.append(email.message_from_bytes(b"".join(lines), policy=default))  # type: ignore[attr-defined]
            self.say({"QUIT": "221 bye", "EHLO": "250 here"}.get(verb, "250 ok"))
            if verb == "QUIT":
                return

    def say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


class _Hook(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.posts.append((self.path, json.loads(body)))  # type: ignore[attr-defined]
        self.send_response({"/moved": 302, "/broken": 500}.get(self.path.partition("?")[0], 204))
        self.send_header("Location", "/elsewhere")
        self.end_headers()

    def log_message(self, *args: object) -> None:
        """Keep quiet."""


@contextmanager
def running(server: Any) -> Iterator[Any]:
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def mails() -> Iterator[tuple[str, list[EmailMessage]]]:
    """The address of a mail server, and the mails it has got."""
    server: Any = socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Mailbox)
    server.mails = []
    with running(server):
        yield f"127.0.0.1:{server.server_address[1]}", server.mails


@pytest.fixture
def posts() -> Iterator[tuple[str, list[tuple[str, Any]]]]:
    """The address of a web server, and what was posted to it."""
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), _Hook)
    server.posts = []
    with running(server):
        yield f"http://127.0.0.1:{server.server_address[1]}", server.posts


def config(**notify: str) -> Config:
    return Config(corpus=CorpusSettings(name="news"), notify=NotifySettings(**notify))


def test_a_sick_crawl_is_reported_by_mail_and_webhook(mails: Any, posts: Any) -> None:
    """What is wrong, at which address, and what the sites came to; nothing that could drive a terminal."""
    (smtp, got), (web, hooks) = mails, posts
    settings = config(mail="me@example.org", smtp=smtp, webhook=f"{web}/hook/s3cr3t")
    assert crawl_and_notify(settings, lambda: (8, SUMMARY)) == (8, SUMMARY)
    (mail,) = got
    assert mail["Subject"] == "corpus-spider news: sick, exit code 8"
    assert mail["To"] == mail["From"] == "me@example.org"
    lines = mail.get_content().splitlines()
    assert "- báo: https://a.example/feed feed is gone: http_404\\x1b[2J" in lines
    assert "báo: 3 fetched, 2 new, 1 refused" in lines
    ((path, body),) = hooks
    assert (path, body["exit_code"], body["state"], body["corpus"]) == ("/hook/s3cr3t", 8, "sick", "news")
    assert body["text"].splitlines()[0] == "corpus-spider news: sick, exit code 8"
    assert body["summary"]["sick"][0]["url"] == "https://a.example/feed"
    assert body["summary"]["sites"] == [msgspec.to_builtins(ROW)]


def test_a_test_alert_goes_each_configured_way(tmp_path: Path, mails: Any, posts: Any) -> None:
    """The command sends it, and nothing is scheduled; without a way to send there is an error."""
    notify = f'[notify]\nmail = "me@example.org"\nsmtp = "{mails[0]}"\nwebhook = "{posts[0]}/hook"\n'
    (tmp_path / "corpus.toml").write_text(corpus_toml(Newspaper()) + notify)
    done = run(tmp_path, "schedule", "--test-alert")
    assert (done.returncode, "2 messages" in done.stderr) == (0, True)
    (mail,), ((_, body),) = mails[1], posts[1]
    assert mail["Subject"] == "corpus-spider test: test"
    assert (body["state"], body["exit_code"]) == ("test", 0)
    (tmp_path / "corpus.toml").write_text(corpus_toml(Newspaper()))
    done = run(tmp_path, "schedule", "--test-alert")
    assert (done.returncode, "[notify]" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("when", "code", "sick", "expected"),
    [
        ("sick", 0, False, False),
        ("sick", 8, True, True),
        ("sick", 12, True, True),
        ("sick", 12, False, False),
        ("sick", 11, False, False),
        ("sick", 11, True, False),
        ("always", 11, True, True),
        ("sick", 7, False, True),
        ("sick", 3, False, True),
        ("always", 0, False, True),
    ],
)
def test_who_is_notified_when(when: str, code: int, sick: bool, expected: bool) -> None:
    """Sick sites and failed crawls, or all."""
    assert wanted(NotifySettings(webhook="https://a.example/", when=when), code, sick) is expected
    assert not wanted(NotifySettings(when=when), code, sick)


def test_a_crawl_that_fails_is_reported_and_fails_all_the_same(posts: Any) -> None:
    """Its error is the message; faults of the program are reported without details."""
    web, hooks = posts

    def full() -> tuple[int, dict[str, Any]]:
        raise DiskError("the disk is full", where="/srv")

    def broken() -> tuple[int, dict[str, Any]]:
        raise KeyError("s3cr3t")

    with pytest.raises(DiskError):
        crawl_and_notify(config(webhook=web), full)
    with pytest.raises(KeyError):
        crawl_and_notify(config(webhook=web), broken)
    assert [(body["exit_code"], body["state"]) for _, body in hooks] == [(3, "failed"), (1, "failed")]
    assert "the disk is full" in hooks[0][1]["text"]
    assert "s3cr3t" not in hooks[1][1]["text"]


@pytest.mark.parametrize(
    ("notify", "why"),
    [
        ({"webhook": "http://127.0.0.1:9/s3cr3t"}, "Connection refused"),
        ({"webhook": "WEB/broken?s3cr3t"}, "the server answered 500 Internal Server Error"),
        ({"webhook": "http://SMTP/s3cr3t"}, "no HTTP response"),
        ({"webhook": "WEB/moved"}, "the server answered 302 Found"),
        ({"mail": "me@example.org", "smtp": "127.0.0.1:9"}, "Connection refused"),
        ({"mail": "me@example.org", "smtp": "smtp://me:s3cr3t@SMTP"}, "the server does not offer TLS"),
    ],
    ids=["no server", "error", "no web server", "redirect", "no mail server", "a password without TLS"],
)
def test_what_cannot_be_reported_is_a_warning(
    notify: dict[str, str], why: str, mails: Any, posts: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """With its reason; never the crawl's failure, and no secret is logged; no redirect is followed."""
    at = {key: value.replace("WEB", posts[0]).replace("SMTP", mails[0]) for key, value in notify.items()}
    with caplog.at_level(logging.WARNING):
        assert crawl_and_notify(config(when="always", **at), lambda: (0, WELL)) == (0, WELL)
    assert ["notification failed" in record.message for record in caplog.records] == [True]
    assert why in caplog.text
    with pytest.raises(CorpusError, match=why):
        send_test(config(**at))
    assert "s3cr3t" not in caplog.text
    assert mails[1] == []
    assert [path for path, _ in posts[1] if path == "/elsewhere"] == []


class _Drip(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        with suppress(OSError):
            while not self.server.over.wait(0.1):  # type: ignore[attr-defined]
                self.request.sendall(b"2")


def test_notifications_are_sent_at_the_same_time(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A mail server and a web server that send one byte at a time without end take the time limit of one."""
    monkeypatch.setattr("corpus_spider.monitoring.notify.SECONDS", 2.0)
    slow: Any = socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Drip)
    slow.over = threading.Event()
    with running(slow) as server:
        place = f"127.0.0.1:{server.server_address[1]}"
        reported = config(mail="me@example.org", smtp=place, webhook=f"http://{place}/", when="always")
        began = time.monotonic()
        crawl_and_notify(reported, lambda: (0, WELL))
        assert time.monotonic() - began < 3 * 2.0
        server.over.set()
    assert sum("took longer than" in record.getMessage() for record in caplog.records) == 2


def test_a_message_on_a_crawl_that_is_well_is_short() -> None:
    """A line for the crawl, one for each site."""
    message = compose("news", 0, "Done: 3 pages.", WELL)
    assert (message.subject, message.text) == (
        "corpus-spider news: well, exit code 0",
        "Done: 3 pages.\nbáo: 3 fetched, 2 new, 1 refused",
    )


def test_a_site_that_robots_txt_has_shut_is_not_said_to_have_had_nothing_due() -> None:
    """What robots.txt forbids was due; a site without counts had nothing."""
    summary = {"sites": [SiteCounters("shut", robots=9), SiteCounters("idle")]}
    lines = compose("news", 0, "Done.", WELL | summary).text.splitlines()
    assert lines == ["Done.", "shut: 9 forbidden by robots.txt", "idle: nothing was due"]


def test_secrets_are_masked_wherever_settings_are_shown() -> None:
    """The password of the mail server, and all of a webhook but its host."""
    shown = config(
        smtp="smtps://me:s3cr3t@mail.example.org:465", webhook="https://h.example/s3cr3t?k=s3cr3t"
    ).effective()
    assert "s3cr3t" not in json.dumps(shown)
    assert shown["notify"]["smtp"] == "smtps://me:***@mail.example.org:465"
    assert shown["notify"]["webhook"] == "https://h.example/***"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("mail", "nobody"),
        ("mail", "a@b.example, c@d.example"),
        ("smtp", "smtp://me:s3cr3t@"),
        ("smtp", "ftp://me:s3cr3t@host"),
        ("smtp", "host:port"),
        ("webhook", "file:///etc/passwd"),
        ("when", "never"),
    ],
)
def test_wrong_settings_are_refused_without_showing_a_password(tmp_path: Path, key: str, value: str) -> None:
    """Each with the key it stands under."""
    from corpus_spider.config.loader import load

    (tmp_path / "corpus.toml").write_text(f"[notify]\n{key} = {json.dumps(value)}\n")
    with pytest.raises(ConfigError, match=f"notify.{key}: expected") as caught:
        load(tmp_path / "corpus.toml", environ={})
    assert "s3cr3t" not in str(caught.value)


def test_the_program_notifies_at_the_end_of_a_crawl(tmp_path: Path, posts: Any) -> None:
    """From corpus.toml to the web server, with the numbers of the night."""
    web, hooks = posts
    with served(Newspaper(articles=3)) as newspaper:
        toml = corpus_toml(newspaper) + f'\n[notify]\nwebhook = "{web}/x"\nwhen = "always"\n'
        (tmp_path / "corpus.toml").write_text(toml)
        assert run(tmp_path, "crawl").returncode == 0
    ((_, body),) = hooks
    assert (body["state"], body["summary"]["sites"][0]["articles"]) == ("well", 3)
