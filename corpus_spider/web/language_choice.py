"""The language of each request: that of its URL, of the cookie, or of the browser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.datastructures import Headers, MutableHeaders, QueryParams

from corpus_spider.web.guard import is_from_here
from corpus_spider.web.translation import ENGLISH, PARAMETER, accepted, languages, speak

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from corpus_spider.web.translation import PageLanguage

COOKIE_SECONDS = 365 * 24 * 3600
"""Seconds for which a browser keeps the choice."""


def choose(query: QueryParams, cookie: str, header: str) -> PageLanguage:
    """Return the language of a request: of its URL, else of its cookie, else of the browser, else English."""
    known = languages()
    wanted = (query.get(PARAMETER, ""), cookie, *accepted(header))
    return next((known[code] for code in wanted if code in known), ENGLISH)


@dataclass(frozen=True, slots=True)
class LanguageChoice:
    """Wraps the application: chooses the language of each request.

    A choice in a URL is kept in a cookie, so that the links of the page need no parameter. A link on another site shows
    its page in that language, and sets no cookie.
    """

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request in its language."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        query = QueryParams(scope.get("query_string", b""))
        language = choose(query, _cookie(headers), headers.get("accept-language", ""))
        # Not reset: the answer to an error is made further out, in the same task.
        speak(language)
        keeps = query.get(PARAMETER) == language.code and is_from_here(headers)

        async def with_choice(message: Message) -> None:
            if message["type"] == "http.response.start" and keeps:
                cookie = f"{PARAMETER}={language.code}; Path=/; Max-Age={COOKIE_SECONDS}; SameSite=Lax; HttpOnly"
                MutableHeaders(scope=message).append("Set-Cookie", cookie)
            await send(message)

        await self.app(scope, receive, with_choice)


def _cookie(headers: Headers) -> str:
    """Return the language in the cookie; empty if there is none."""
    pairs = (each.strip().partition("=") for each in headers.get("cookie", "").split(";"))
    return next((value for name, _, value in pairs if name == PARAMETER), "")
