"""Notify by mail or webhook how a crawl ended. A notification that fails is logged as a warning, never an error."""

from __future__ import annotations

import json
import logging
import smtplib
import socket
import ssl
import threading
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from http import HTTPStatus
from http.client import HTTPException
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote, urlsplit

from corpus_spider.config.values import masked_address
from corpus_spider.config.version import program_version
from corpus_spider.exit_codes import EXPECTED, INTERNAL, STOPPED
from corpus_spider.terminal.console import to_json
from corpus_spider.terminal.crawl_words import closing_words
from corpus_spider.terminal.escapes import safe, safe_lines
from storage.errors import ConfigError, CorpusError
from storage.records import SITE_COUNTERS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from corpus_spider.config.model import Config
    from corpus_spider.config.sections import NotifySettings

logger = logging.getLogger(__name__)
Summary = TypeVar("Summary", bound="Mapping[str, Any]")

SECONDS = 20.0
"""Timeout of each network step. The crawl waits at most twice as long for all notifications."""
SMTP, SMTP_TLS = 25, 465
"""Default ports."""
STATUSES = {status.value: status.phrase for status in HTTPStatus}


@dataclass(frozen=True, slots=True)
class Message:
    """A notification: the subject, the text, and the JSON for a webhook."""

    subject: str
    text: str
    plain: Mapping[str, Any]


def crawl_and_notify(config: Config, crawl: Callable[[], tuple[int, Summary]]) -> tuple[int, Summary]:
    """Run ``crawl``, notify as `[notify]` says, and return the crawl's exit code and summary, or raise its error."""
    try:
        code, summary = crawl()
    except Exception as error:
        words = str(error) if isinstance(error, CorpusError) else f"internal error, {type(error).__name__}"
        _notify(config, getattr(error, "exit_code", INTERNAL), words, {})
        raise
    _notify(config, code, closing_words(summary, code), summary)
    return code, summary


def _notify(config: Config, code: int, words: str, summary: Mapping[str, Any]) -> None:
    if wanted(config.notify, code, bool(summary.get("sick"))):
        send(config, compose(config.corpus.name, code, words, summary))


def wanted(notify: NotifySettings, code: int, sick: bool) -> bool:
    """Return whether a crawl that ended with ``code``, with or without failing sites, needs a notification.

    A crawl that a person stopped needs none, because the sites it did not reach look like failing ones.
    """
    needed = notify.when == "always" or (code not in EXPECTED) or (sick and code != STOPPED)
    return bool(notify.mail or notify.webhook) and needed


def compose(name: str, code: int, words: str, summary: Mapping[str, Any]) -> Message:
    """Write the notification for the corpus ``name``. ``words`` describe how the crawl ended."""
    sick = [safe(str(finding)) for finding in summary.get("sick", ())]
    state = "sick" if sick else "well" if code in EXPECTED else "failed"
    subject = safe(f"corpus-spider {name}: {state}, exit code {code}", 200)
    lines = [safe_lines(words), *(f"- {finding}" for finding in sick)]
    for row in summary.get("sites", ()):
        counters = [
            f"{count} {note.mail}" for key, note in SITE_COUNTERS.items() if note.mail and (count := getattr(row, key))
        ]
        lines.append(f"{row.site}: {', '.join(counters) or 'nothing was due'}")
    text = "\n".join(lines)
    fields = {"corpus": name, "exit_code": code, "state": state, "host": socket.gethostname()}
    return Message(subject, text, fields | {"text": f"{subject}\n{text}", "summary": dict(summary)})


def send_test(config: Config) -> int:
    """Send a test message in each configured way. Return the number of ways.

    Raises ConfigError if there is none, and CorpusError with the reason if one failed.
    """
    notify = config.notify
    if not (notify.mail or notify.webhook):
        raise ConfigError("there is no mail and no webhook in [notify]", do="Set one of them, then test it.")
    words = "This is a test. Alerts of this corpus arrive here."
    subject = safe(f"corpus-spider {config.corpus.name}: test", 200)
    fields = {"corpus": config.corpus.name, "exit_code": 0, "state": "test", "host": socket.gethostname()}
    if failed := send(config, Message(subject, words, fields | {"text": f"{subject}\n{words}", "summary": {}})):
        raise CorpusError(
            "the test notification could not be sent",
            where="; ".join(failed),
            do="Mend the address in [notify], or the server behind it, and test again.",
        )
    return bool(notify.mail) + bool(notify.webhook)


def send(config: Config, message: Message) -> list[str]:
    """Send the message in each configured way, in parallel threads, and wait for at most ``2 * SECONDS``.

    Return the ways that failed, each with its reason. They are logged too.
    """
    notify = config.notify
    ways: dict[str, Callable[[], None]] = {}
    if notify.mail:
        ways[f"mail to {notify.mail}"] = lambda: mail(config, message)
    if notify.webhook:
        ways[masked_address(notify.webhook)] = lambda: post(notify.webhook, message)
    failed: list[str] = []
    threads = [threading.Thread(target=_try, args=(*way, failed), name="notify", daemon=True) for way in ways.items()]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + 2 * SECONDS
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
        if thread.is_alive():
            failed.append(f"no answer within {2 * SECONDS:g} s")
            logger.warning("a notification took longer than %g s and is given up", 2 * SECONDS)
    return failed


def _try(way: str, send: Callable[[], None], failed: list[str]) -> None:
    try:
        send()
    except (OSError, HTTPException, smtplib.SMTPException, ValueError, TypeError) as error:
        failed.append(f"{way}: {why(error)}")
        logger.warning("notification failed, %s: %s", way, why(error))


def why(error: BaseException) -> str:
    """Return the reason of a failed notification.

    The server's text is left out: it may repeat credentials that were sent to it.

    >>> why(urllib.error.URLError(ConnectionRefusedError(111, "Connection refused")))
    'Connection refused'
    >>> why(TimeoutError("timed out"))
    'no answer in time'
    """
    if isinstance(error, urllib.error.HTTPError | smtplib.SMTPResponseException):
        code = error.code if isinstance(error, urllib.error.HTTPError) else error.smtp_code
        phrase = STATUSES.get(code, "") if isinstance(error, urllib.error.HTTPError) else ""
        return " ".join(filter(None, ("the server answered", str(code), phrase)))
    if isinstance(error, urllib.error.URLError) and isinstance(error.reason, BaseException):
        return why(error.reason)
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the TLS certificate is not valid ({error.verify_message})"
    if isinstance(error, ssl.SSLError):
        return f"TLS failed ({error.reason})"
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return "the server refuses the recipient"
    if isinstance(error, smtplib.SMTPNotSupportedError):
        return "the server does not offer TLS, so no password is sent"
    if isinstance(error, HTTPException):
        return "no HTTP response"
    words = getattr(error, "strerror", None)
    return str(words) if words else type(error).__name__


def mail(config: Config, message: Message) -> None:
    """Send the message as mail. Credentials are sent over TLS only."""
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
        written = EmailMessage()
        written["Subject"], written["To"] = message.subject, config.notify.mail
        written["From"] = config.notify.sender or config.notify.mail
        written["Date"], written["Message-ID"] = formatdate(localtime=True), make_msgid(domain="corpus-spider.invalid")
        written.set_content(message.text + "\n", cte="quoted-printable")
        connection.send_message(written)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follow no redirect: the message must not reach another address."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> None:
        """Return None, so that the redirect counts as an error."""


def post(address: str, message: Message) -> None:
    """Send the message as JSON to a webhook. Chat programs read the field ``text``."""
    agent = f"corpus-spider/{program_version()}"
    body = json.dumps(json.loads(to_json(message.plain))).encode()
    headers = {"Content-Type": "application/json", "User-Agent": agent}
    request = urllib.request.Request(address, body, headers, method="POST")  # noqa: S310 - the configuration allows only http(s)
    with urllib.request.build_opener(_NoRedirect).open(request, timeout=SECONDS) as answer:
        answer.read(1024)
