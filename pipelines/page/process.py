"""Processing one page: a pure function from capture and site model to document or drop.

The same capture and model give the same result, now or read back from the WARC. `process` lists the steps.

It runs in a worker process on hostile bytes. A page that gives no document is a :class:`Drop` with a reason to count
by. The worker reports an exception that escapes.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from pipelines import language
from pipelines.classification import soft_errors
from pipelines.decoding import decode
from pipelines.discovery import candidates, feeds, links, list_pages, sitemaps
from pipelines.discovery.date_range import within
from pipelines.extractors.auto.blocks.template_learning import Survey, survey_html
from pipelines.extractors.explanation import MAX_ITEMS
from pipelines.language.page_filter import may_have
from pipelines.markup.page_view import PageView
from pipelines.metadata.rights import may_follow, robots_headers
from pipelines.page.postprocess import (
    ParsedPage,
    explain_source,
    extract,
    judge,
    leave_out,
    open_source,
    tidy,
    title_of,
)
from pipelines.quality import signals
from pipelines.text import minhash
from pipelines.urls.url import REDIRECTS, TO_ITSELF
from storage.bytes.content_encoding import InflateError, inflate, unpack
from storage.bytes.mime import PAGES, charset_of, says_html, sniff
from storage.reasons import REDIRECT, REDIRECT_REFUSED
from storage.records import DecodedBody, Document, Drop, Kind, Link, Processed, SiteModel
from storage.reporting import counted

if TYPE_CHECKING:
    from pipelines.extractors.explanation import Explanation
    from storage.records import Capture

_USER = re.compile(r"(?<=[/\\])[^/\\?#]*@")
"""User name and password before the host of a URL."""
PARTIAL_CONTENT = 206
"""The crawl sends no Range header, so a partial response is not a whole page."""
RENDERED = "rendered"
"""``encoding_source`` of a text that was read from a browser's DOM."""
MAX_REFUSAL = 100_000
"""Maximum bytes of a refusing response that are searched for its reason."""
NO_MODEL = SiteModel()
EAST_ASIAN = frozenset({"zh", "ja", "ko"})
"""Languages that are written in charsets of byte pairs. A page may state another of these charsets than it is in."""
FIRST_MIDNIGHT = timedelta(hours=14)
"""Time before UTC at which a day begins in Kiribati, the first time zone. Crawls of eastern papers run in that time."""


def process(
    capture: Capture, model: SiteModel, *, links_wanted: bool = True, only_links: bool = False, skim: bool = False
) -> Processed:
    """Process one exchange into a document or a drop, with the links found.

    ``links_wanted``: read the links of a page. They take an eighth of the time.
    ``only_links``: stop before the extraction of a page. The result has its links, and neither document nor drop.
    ``skim``: drop a page before it is parsed if a cheap test finds no text in a wanted language. It finds no links.
    """
    # Redirect
    if capture.status in REDIRECTS:
        return _redirect(capture, model)

    # Status and content decoding
    body = _whole_body(capture)
    if isinstance(body, Drop):
        return Processed(drop=body)

    # Feeds and sitemaps give links and no document
    if capture.kind is Kind.FEED:
        content_type = capture.header("Content-Type")
        found = feeds.feed_links(body, capture.url, model, content_type, now=capture.fetched_at)
        if not found and sniff(body, content_type) in PAGES:
            # The page of a site that lists its feeds.
            listing = decode.decode(body, charset_of(content_type)).text
            found = candidates.named_feeds(PageView(listing), capture.url, model)
        return _without_document("feed", counted(len(found), "link"), within(found, model))
    if capture.kind is Kind.SITEMAP:
        sitemap = sitemaps.read_sitemap(body, capture.url, model, capture.fetched_at)
        detail = counted(len(sitemap.links), "link") + (", broken" if sitemap.broken else "")
        return _without_document("sitemap", detail, within(sitemap.links, model))

    # Media type, charset decoding, and a cheap test of the language: before it, if the bytes are UTF-8
    tested = _may_be_wanted(capture, body, model) if skim and model.languages else True
    decoded = Drop("language") if tested is False else _decode(capture, body)
    if isinstance(decoded, Drop):
        return Processed(drop=decoded)
    if tested is None and not may_have(decoded.text, model.languages):
        return Processed(drop=Drop("language"))

    # Parse and metadata
    source = open_source(decoded, capture, model)
    metadata = source.page.metadata

    # Links
    found = _page_links(source, capture, model) if links_wanted else ()
    if only_links:
        return Processed(links=found, directives=metadata.directives)

    # Extraction and clean-up
    extraction, own_lines = leave_out(tidy(extract(source, model), source.page), model.own_lines)

    # Judgement: is it an article in a wanted language?
    outcome = judge(extraction, source, model)
    if isinstance(outcome, Drop):
        return Processed(drop=outcome, links=found, directives=metadata.directives)
    text, guess = outcome

    # Language of each line, fingerprint, quality, document
    lines = language.identify_lines(text, guess)
    document = Document(
        text=text,
        language=guess,
        metadata=replace(metadata, title=title_of(extraction, metadata)),
        extractor=extraction.extractor,
        extractor_version=extraction.version,
        extractor_reason=extraction.reason,
        encoding=decoded.encoding,
        encoding_source=decoded.source,
        replaced=decoded.replaced,
        fingerprint=minhash.fingerprint(text),
        site_model=model.version,
        confidence=extraction.confidence,
        kinds=extraction.kinds,
        captions=extraction.captions,
        comments=extraction.comments,
        quality=signals.measure(text, guess.language),
        languages=language.format_guesses(lines),
        foreign_share=round(language.foreign_share(text, guess, lines), 4),
        rules=model.rules.note(source.ruled.matched if source.ruled else {}),
        own_lines=own_lines,
    )
    return Processed(document=document, links=found, directives=metadata.directives)


def source_of(capture: Capture, model: SiteModel = NO_MODEL) -> ParsedPage | Drop:
    """Decode and parse a page without extracting its text. Return a drop when there is no whole HTML page."""
    body = _whole_body(capture)
    decoded = body if isinstance(body, Drop) else _decode(capture, body)
    return decoded if isinstance(decoded, Drop) else open_source(decoded, capture, model)


def explain(capture: Capture, model: SiteModel) -> Explanation | Drop:
    """Return the numbers that decide the extraction of a page.

    Return a drop when there is no whole HTML page, or it has more than ``MAX_ITEMS`` items.
    Raises ConfigError if the extractor of the model cannot explain its extractions.
    """
    source = source_of(capture, model)
    if isinstance(source, Drop):
        return source
    found = explain_source(source, model)
    if len(found.chosen) > MAX_ITEMS:
        return Drop("worker_memory", f"{len(found.chosen):,} {found.item}s to explain, at most {MAX_ITEMS:,}")
    return replace(found, title=title_of(found.extraction, source.page.metadata) or "")


def survey(capture: Capture) -> Survey:
    """List the blocks of a stored page, to learn the site's template. The survey of an unreadable page is empty."""
    try:
        body = _decompress(capture)
    except InflateError:
        return Survey()
    decoded = _decode(capture, body)
    return Survey() if isinstance(decoded, Drop) else survey_html(decoded.text)


def _without_document(reason: str, detail: str, found: tuple[Link, ...] = ()) -> Processed:
    return Processed(drop=Drop(reason, detail), links=found)


def _redirect(capture: Capture, model: SiteModel) -> Processed:
    """Return the link of a redirect, or the drop of one that is not followed."""
    location = capture.header("Location") or ""
    target = links.redirect_link(capture, location, model)
    if target is not None:
        return _without_document(REDIRECT, target.url, (target,))
    to_itself = location and links.leads_to_itself(capture.url, location)
    return _without_document(REDIRECT_REFUSED, TO_ITSELF if to_itself else _USER.sub("", location[:500]))


def _whole_body(capture: Capture) -> bytes | Drop:
    """Return the body without its content encoding, or the drop of a response that failed or is not whole."""
    if not 200 <= capture.status < 300 or capture.status == PARTIAL_CONTENT:
        return _refusal(capture) or Drop(f"http_{capture.status}")
    if capture.truncated:
        return Drop(f"truncated_{capture.truncated}", f"{len(capture.body)} bytes")
    try:
        return _decompress(capture)
    except InflateError as error:
        return Drop(f"body_{error.reason}", error.detail)


def _refusal(capture: Capture) -> Drop | None:
    """Return who refused the page and why, if the response says so."""
    if capture.status not in soft_errors.REFUSING:
        return None
    try:
        body = _decompress(capture)
    except InflateError:
        body = b""
    return soft_errors.refused(capture.status, capture.response_headers, body[:MAX_REFUSAL].decode("utf-8", "replace"))


def _decompress(capture: Capture) -> bytes:
    """Undo the content encoding. A feed, a sitemap or an HTML page may be compressed once more in itself."""
    in_itself = capture.kind in {Kind.FEED, Kind.SITEMAP} or says_html(capture.header("Content-Type"))
    return (unpack if in_itself else inflate)(capture.body, capture.coding)


def _decode(capture: Capture, body: bytes) -> DecodedBody | Drop:
    """Return the HTML as text: the DOM of a browser if the page was rendered, otherwise the body."""
    if capture.rendered:
        return DecodedBody(capture.rendered.decode("utf-8", "replace"), "utf-8", RENDERED)
    content_type = capture.header("Content-Type")
    media = sniff(body, content_type)
    return decode.decode(body, charset_of(content_type)) if media in PAGES else Drop("not_html", media)


def _may_be_wanted(capture: Capture, body: bytes, model: SiteModel) -> bool | None:
    """Return whether a page may have text in a wanted language; None if it has to be decoded to know.

    Most pages of an archive are refused. To decode UTF-8 takes a quarter of the time of the test, and to detect a
    charset ten times as long as the test.
    """
    content_type = capture.header("Content-Type")
    if capture.rendered or sniff(body, content_type) not in PAGES:
        return None
    declared = charset_of(content_type)
    page = decode.as_utf8(body, declared)
    tested = None if page is None else may_have(page, model.languages)
    if tested is None and EAST_ASIAN.isdisjoint(model.languages) and (text := decode.as_paired(body, declared)):
        return may_have(text, model.languages)
    return tested


def _page_links(source: ParsedPage, capture: Capture, model: SiteModel) -> tuple[Link, ...]:
    """Return the links of a page, those of a list page in its order, within the wanted days, and its main page."""
    view = source.page.view
    anchors = links.page_anchors(view, capture.url, model, robots_headers(capture))
    listing = list_pages.read_listing(anchors, capture.url)
    found = list_pages.ordered(anchors, listing, capture.url, (capture.fetched_at + FIRST_MIDNIGHT).date())
    newest = list_pages.newest_day(view, listing) if model.since else None
    if newest is not None and newest.isoformat() < model.since:
        # Further pages of the list are older still.
        found = tuple(link for link in found if link.url not in listing.pages)
    if model.since or model.until:
        found = within(found, model)
    main_page = links.main_page_link(capture.url, source.page.metadata.canonical, model)
    followed = may_follow(view.metas, robots_headers(capture))
    named = candidates.named_feeds(view, capture.url, model) if followed else ()
    return links.page_redirects(view, capture.url, model) + found + main_page + named
