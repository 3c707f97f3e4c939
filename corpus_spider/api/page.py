"""`corpus_spider.extract`: the text of one page that the caller already has."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from corpus_spider.api.document import Document
from storage.errors import ConfigError, CorpusError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from corpus_spider.config.model import Config
    from storage.records import Drop

OF_TRANSFER = frozenset({"content-encoding", "transfer-encoding"})
"""Headers that do not hold for a body that an HTTP library has decompressed."""


class NoTextError(CorpusError):
    """A page has no text, or none in the wanted languages. ``reason`` is the drop reason of a crawl."""

    def __init__(self, drop: Drop, url: str) -> None:
        self.reason, self.detail = drop.reason, drop.detail
        do = f"`corpus-spider help {drop.reason}` explains the reason."
        super().__init__(f"the page gives no text: {drop.in_words}", where=url, do=do)


def extract(
    html: str | bytes,
    url: str = "",
    *,
    language: str | Sequence[str] = (),
    extractor: str = "auto",
    headers: Mapping[str, str] | None = None,
) -> Document:
    """Extract text and metadata of a page, as a crawl would, however short the text is.

    Args:
        html: the page; bytes are decoded as a browser would, by byte order mark, header and ``<meta>``.
        url: the http(s) address of the page. Dates and titles are surer with it.
        language: wanted ISO 639 code or codes; a text in another language is a NoTextError.
        extractor: name of the method that finds the text, as `corpus-spider extract --list` shows them.
        headers: HTTP headers of the response, for the charset and for reservations of rights.

    Return a `Document` with the fields that a page alone states. Its ``drop`` is None, or the reason why a crawl would
    not keep the page: a list of links, a paywall, too short.

    Raises NoTextError for a page without text. Raises ConfigError for an unknown extractor, an invalid language, an
    invalid URL, or HTML that is neither str nor bytes, or a str without an element, such as the name of a file.

    It runs in this process and without a time limit. `corpus-spider extract` extracts many files in confined workers.
    """
    from corpus_spider.config.values import web_address
    from corpus_spider.sites.single_page import ExtractRequest, checked, fields_of, model_for, reading
    from pipelines.page.process import process
    from storage.fields import FIELDS
    from storage.records import RIGHTS, Capture, Drop

    if not isinstance(html, (str, bytes, bytearray, memoryview)):
        do = "Read it first: Path(name).read_bytes(), or response.content."
        raise ConfigError(
            f"expected the HTML of a page as str or bytes, got {type(html).__name__}", where="html", do=do
        )
    if isinstance(html, str) and html.strip() and "<" not in html:
        do = "For a file: Path(name).read_bytes(). For a web address: fetch it first."
        raise ConfigError(
            f"expected the HTML of a page, got text without an element: {html[:60]!r}", where="html", do=do
        )
    languages = (language,) if isinstance(language, str) else tuple(language)
    wanted = ExtractRequest(extractor, languages)
    checked(wanted, "language")
    if url and (wrong := web_address(url)):
        raise ConfigError(f"{wrong}; only http and https", where="url", do="Give the page's own address.")
    now = datetime.now(UTC)
    capture = Capture(url or "about:blank", now, 200, (), _headers(html, headers or {}), _body(html))
    found = reading(capture, model_for(_defaults(), capture.url, wanted), process)
    if found.document is None:
        raise NoTextError(found.drop or Drop("no_article"), url)
    terms = {field.name: field.made(found.document) for field in FIELDS if field.note.renewed == RIGHTS}
    facts: dict[str, Any] = {**fields_of(found.document), **terms}
    return Document.of_page(facts | {"url": url or None, "drop": found.drop and found.drop.in_words})


@cache
def _defaults() -> Config:
    from corpus_spider.config.model import Config

    return Config()


def _body(html: str | bytes | bytearray | memoryview) -> bytes:
    return html.encode("utf-8", "replace") if isinstance(html, str) else bytes(html)


def _headers(html: object, headers: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the response headers that hold for the body. A text is sent as UTF-8."""
    kept = [(name, value) for name, value in headers.items() if name.lower() not in OF_TRANSFER]
    if not isinstance(html, str):
        return tuple(kept)
    others = [(name, value) for name, value in kept if name.lower() != "content-type"]
    return (*others, ("Content-Type", "text/html; charset=utf-8"))
