"""What every request passes first: host, method, token; and the headers of every response.

The page changes nothing and answers no other site. Its only cookie is the language. So GET and HEAD are the only
methods, and a name that another site points to this machine (DNS rebinding) is refused.
"""

from __future__ import annotations

import base64
import binascii
import hmac
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse

from corpus_spider.web.state import MAX_VIEW_SECONDS
from storage.time_limit import time_limit

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

CONTENT_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
)
"""Nothing comes from elsewhere, and nothing within a page runs."""
_HEADERS = {
    "Content-Security-Policy": CONTENT_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
LONGEST_QUERY = 4_000
"""Bytes of a query."""


@dataclass(frozen=True, slots=True)
class Guard:
    """Wraps the application. ``hosts``: names it answers to, without port. ``token``: required if not empty.

    ``seconds``: time in which a view must have read what it shows. The answer is 503 otherwise.
    """

    app: ASGIApp
    hosts: frozenset[str]
    token: str = ""
    seconds: float = MAX_VIEW_SECONDS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        answer = self.app if (refusal := self._refusal(scope)) is None else refusal
        with time_limit(self.seconds):
            await answer(scope, receive, with_headers)

    def _refusal(self, scope: Scope) -> PlainTextResponse | None:
        headers = Headers(scope=scope)
        named = headers.getlist("host")
        if len(named) != 1 or host_of(named[0]) not in self.hosts:
            return PlainTextResponse("This server does not answer to this host name.\n", 400)
        if scope["method"] not in {"GET", "HEAD"}:
            return PlainTextResponse("Only GET and HEAD.\n", 405, {"Allow": "GET, HEAD"})
        if is_embedding(headers):
            return PlainTextResponse("Other sites cannot embed this.\n", 403)
        if len(scope.get("query_string", b"")) > LONGEST_QUERY:
            return PlainTextResponse("The query is too long.\n", 414)
        if self.token and not self._has_token(headers.get("authorization", "")):
            asked = {"WWW-Authenticate": 'Basic realm="corpus-spider", charset="UTF-8"'}
            return PlainTextResponse("A token is required: any user name, the token as password.\n", 401, asked)
        return None

    def _has_token(self, authorization: str) -> bool:
        scheme, _, value = authorization.partition(" ")
        given = value.strip()
        if scheme.lower() == "basic":
            try:
                given = base64.b64decode(given, validate=True).decode().partition(":")[2]
            except (binascii.Error, UnicodeDecodeError):
                return False
        elif scheme.lower() != "bearer":
            return False
        return hmac.compare_digest(given.encode(), self.token.encode())


def is_from_here(headers: Headers) -> bool:
    """Return whether a request comes from a page of this server, or was typed, and not from another site.

    Browsers say so (Fetch Metadata, `Sec-Fetch-Site`). Without this header, `Origin` or `Referer` must be this host and
    port, if there is one: another program of this machine is another site.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site in {"same-origin", "none"}
    named = (headers.get(name) for name in ("origin", "referer"))
    here = headers.get("host", "").lower()
    return all(urlsplit(url).netloc.lower() == here for url in named if url is not None)


def is_embedding(headers: Headers) -> bool:
    """Return whether another site's page requests this as a part of it: picture, script, frame, or by a script.

    A link to a view may stand on another site. What a page of it fetches by itself gets no answer, also if the view is
    cheap.
    """
    opened = (headers.get("sec-fetch-mode", "navigate"), headers.get("sec-fetch-dest", "document"))
    return not is_from_here(headers) and opened != ("navigate", "document")


def host_of(header: str) -> str:
    """Return the name in a Host header, in lower case and without its port.

    >>> host_of("LOCALHOST:8000"), host_of("[::1]:8000"), host_of("a:b:c")
    ('localhost', '[::1]', '')
    """
    name, _, port = header.strip().lower().rpartition(":") if not header.endswith("]") else (header.lower(), "", "")
    if not name:
        name, port = port, ""
    plain = ":" not in name or (name.startswith("[") and name.endswith("]"))
    return name.rstrip(".") if plain and (not port or port.isdigit()) else ""
