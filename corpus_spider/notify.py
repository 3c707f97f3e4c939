"""Telling somebody how a night went: by mail, or to a web address. What cannot be told is a warning, never an error."""

from __future__ import annotations

import json
import logging
import smtplib
import socket
import ssl
import threading
import time
import urllib.request
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from http.client import HTTPException
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from corpus_spider.config import program_version
from corpus_spider.config_values import masked_address
from corpus_spider.console import safe, safe_lines, to_json
from corpus_spider.progress import closing_words
from storage.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from corpus_spider.config import Config
    from corpus_spider.sections import Notify

logger = logging.getLogger(__name__)

SECONDS = 20.0
"""For each step of telling; nobody waits for longer than twice this."""
WELL = frozenset({0, 11, 12})
"""Exit codes that are nobody's concern: done, and stopped by hand or at a limit."""
SMTP, SMTP_TLS = 25, 465


@dataclass(frozen=True, slots=True)
class Message:
    """How a crawl ended: a line, the lines below it, and all of it for programs."""

    subject: str
    text: str
    plain: Mapping[str, Any]


def crawl_and_tell(config: Config, crawl: Callable[[], tuple[int, dict[str, Any]]]) -> tuple[int, dict[str, Any]]:
    """Crawl, tell who is to be told how it ended, and return or raise what the crawl does."""
    try:
        code, summary = crawl()
    except Exception as error:
        words = str(error) if isinstance(error, CorpusError) else f"internal error, {type(error).__name__}"
        _tell_of(config, getattr(error, "exit_code", 1), words, {})
        raise
    _tell_of(config, code, closing_words(summary, code), summary)
    return code, summary


def _tell_of(config: Config, code: int, words: str, summary: Mapping[str, Any]) -> None:
    if wanted(config.notify, code, bool(summary.get("sick"))):
        tell(config, compose(config.corpus.name, code, words, summary))


def wanted(notify: Notify, code: int, sick: bool) -> bool:
    """Say whether somebody is to be told of a crawl that ended so."""
    return bool(notify.mail or notify.webhook) and (notify.when == "always" or sick or code not in WELL)


def compose(name: str, code: int, words: str, summary: Mapping[str, Any]) -> Message:
    """Write the message on a crawl of the corpus ``name`` that ended with an exit code and, in words, so."""
    sick = [safe(str(finding)) for finding in summary.get("sick", ())]
    state = "sick" if sick else "well" if code in WELL else "failed"
    subject = safe(f"corpus-spider {name}: {state}, exit code {code}", 200)
    lines = [safe_lines(words), *(f"- {finding}" for finding in sick), *map(_site_line, summary.get("sites", ()))]
    text = "\n".join(lines)
    told = {"corpus": name, "exit_code": code, "state": state, "host": socket.gethostname()}
    return Message(subject, text, told | {"text": f"{subject}\n{text}", "summary": dict(summary)})


def _site_line(row: Mapping[str, Any]) -> str:
    parts = [f"{row[key]} {words}" for key, words in _SITE_WORDS.items() if row[key]]
    return f"{row['site']}: {', '.join(parts) or 'nothing was due'}"


_SITE_WORDS = {
    "fetched": "fetched",
    "articles": "new",
    "versions": "new versions",
    "unchanged": "unchanged",
    "refused": "refused",
    "http_errors": "errors",
    "failed": "without answer",
    "robots": "not allowed by robots.txt",
}


def tell(config: Config, message: Message) -> None:
    """Send the message every way that is configured, each in a thread of its own, and wait a bounded time."""
    notify = config.notify
    ways: dict[str, Callable[[], None]] = {}
    if notify.mail:
        ways[f"mail to {notify.mail}"] = lambda: mail(config, message)
    if notify.webhook:
        ways[masked_address(notify.webhook)] = lambda: post(notify.webhook, message)
    threads = [threading.Thread(target=_try, args=way, name="notify", daemon=True) for way in ways.items()]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + 2 * SECONDS
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
        if thread.is_alive():
            logger.warning("telling of the crawl takes too long and is given up")


def _try(way: str, send: Callable[[], None]) -> None:
    try:
        send()
    except (OSError, HTTPException, smtplib.SMTPException, ValueError, TypeError) as error:
        # What a server answers may repeat what was sent to it.
        logger.warning("cannot tell of the crawl, %s: %s", way, type(error).__name__ + _status(error))


def _status(error: Exception) -> str:
    code = getattr(error, "code", None) or getattr(error, "smtp_code", None)
    words = getattr(error, "strerror", None)
    return f" {code}" if isinstance(code, int) else f" ({words})" if words else ""


def mail(config: Config, message: Message) -> None:
    """Send the message as mail. Credentials travel over TLS only."""
    server = urlsplit(config.notify.smtp if "://" in config.notify.smtp else f"smtp://{config.notify.smtp}")
    host, context = server.hostname or "localhost", ssl.create_default_context()
    if server.scheme == "smtps":
        connection: smtplib.SMTP = smtplib.SMTP_SSL(host, server.port or SMTP_TLS, timeout=SECONDS, context=context)
    else:
        connection = smtplib.SMTP(host, server.port or SMTP, timeout=SECONDS)
    with connection:
        connection.ehlo()
        if server.username and server.scheme != "smtps":
            connection.starttls(context=context)
            connection.ehlo()
        if server.username:
            connection.login(unquote(server.username), unquote(server.password or ""))
        connection.send_message(_as_mail(config, message))


def _as_mail(config: Config, message: Message) -> EmailMessage:
    made = EmailMessage()
    made["Subject"], made["To"] = message.subject, config.notify.mail
    made["From"] = config.notify.sender or config.notify.mail
    made["Date"], made["Message-ID"] = formatdate(localtime=True), make_msgid(domain="corpus-spider.invalid")
    made.set_content(message.text + "\n", cte="quoted-printable")
    return made


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A message goes where it was meant to, or nowhere."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> None:
        """Follow nothing, so that the redirect counts as an error."""


def post(address: str, message: Message) -> None:
    """Send the message as JSON, with its text under ``text``, where chat programs look for it."""
    agent = f"corpus-spider/{program_version()}"
    body = json.dumps(json.loads(to_json(message.plain))).encode()
    headers = {"Content-Type": "application/json", "User-Agent": agent}
    request = urllib.request.Request(address, body, headers, method="POST")  # noqa: S310 - http(s), by its check
    with urllib.request.build_opener(_NoRedirect).open(request, timeout=SECONDS) as answer:
        answer.read(1024)
