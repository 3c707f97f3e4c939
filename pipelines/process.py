"""The whole of one page as one pure function: the same capture and the same model give the same result, now or from
the WARC.

It runs in a worker process on bytes nobody can trust. Whatever stops a page is a :class:`Drop` with a reason to count
by; an exception that escapes is the worker's to report.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from pipelines import decoding, fingerprints, language, quality, refusals, sniff
from pipelines.directives import robots_headers
from pipelines.discovery import feeds, links, listings, sitemaps
from pipelines.discovery.period import within
from pipelines.inflate import InflateError, inflate, unpack
from pipelines.main_text import Source, extract, open_source, settle, title_of
from pipelines.recurrence import Survey, survey_html
from pipelines.urls import REDIRECTS, TO_ITSELF
from storage.counting import counted
from storage.records import Decoded, Document, Drop, Kind, Link, Metadata, Processed

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

    from storage.records import Capture, Extraction, LanguageGuess, SiteModel

_USER = re.compile(r"(?<=[/\\])[^/\\?#]*@")
"""What stands before the host in an address: a name and a password."""
# Part of a page that nobody asked for part of is no page.
PARTIAL = 206
RENDERED = "rendered"
"""What says in ``encoding_source`` that a text was read from a browser's DOM."""
# Bytes of a refusal that are read for its reason.
MAX_REFUSAL = 100_000
FIRST_MIDNIGHT = timedelta(hours=14)
"""How long before UTC a day begins where it begins first (Kiribati): crawls of eastern papers run in that time."""


def process(capture: Capture, model: SiteModel) -> Processed:
    """Turn one exchange into a document or a drop, with the links it leads to.

    Order: answer (status, redirect, whole body), content coding, then by what the URL was expected to hold.
    """
    if capture.status in REDIRECTS:
        return _redirect(capture, model)
    body = _body(capture)
    if isinstance(body, Drop):
        return Processed(drop=body)
    if capture.kind is Kind.FEED:
        return _source("feed", _feed(capture, body, model), model)
    if capture.kind is Kind.SITEMAP:
        found = sitemaps.sitemap_links(body, capture.url, model, capture.fetched_at)
        return _source("sitemap", found, model)
    return _page(capture, body, model)


def source_of(capture: Capture) -> Source | Drop:
    """Open a page that came whole, or say why there is none to read."""
    body = _body(capture)
    decoded = body if isinstance(body, Drop) else _decoded(capture, body)
    return decoded if isinstance(decoded, Drop) else open_source(decoded, capture)


def _body(capture: Capture) -> bytes | Drop:
    """Return the body of an answer that came whole, its coding undone, or why there is none."""
    if not 200 <= capture.status < 300 or capture.status == PARTIAL:
        return _refusal(capture) or Drop(f"http_{capture.status}")
    if capture.truncated:
        return Drop(f"truncated_{capture.truncated}", f"{len(capture.body)} bytes")
    try:
        return _unpacked(capture)
    except InflateError as error:
        return Drop(f"body_{error.reason}", error.detail)


def _refusal(capture: Capture) -> Drop | None:
    """Tell who refused a page and why, where its answer says so."""
    if capture.status not in refusals.REFUSING:
        return None
    try:
        body = _unpacked(capture)
    except InflateError:
        body = b""
    return refusals.refused(capture.status, capture.response_headers, body[:MAX_REFUSAL].decode("utf-8", "replace"))


def survey(capture: Capture) -> Survey:
    """List the blocks of a stored page, for its site's template to be learned; none when it cannot be read."""
    try:
        body = _unpacked(capture)
    except InflateError:
        return Survey()
    decoded = _decoded(capture, body)
    return Survey() if isinstance(decoded, Drop) else survey_html(decoded.text)


def _decoded(capture: Capture, body: bytes) -> Decoded | Drop:
    """Return the HTML to read: what a browser made of the page where one did, else what the server sent."""
    if capture.rendered:
        return Decoded(capture.rendered.decode("utf-8", "replace"), "utf-8", RENDERED)
    declared = capture.header("Content-Type")
    media = sniff.sniff(body, declared)
    return decoding.decode(body, sniff.charset_of(declared)) if media in sniff.PAGES else Drop("not_html", media)


def _unpacked(capture: Capture) -> bytes:
    """Undo the content coding, and what packs a feed or sitemap besides, or a page that was packed once too often."""
    in_itself = capture.kind in {Kind.FEED, Kind.SITEMAP} or sniff.says_html(capture.header("Content-Type"))
    return (unpack if in_itself else inflate)(capture.body, capture.coding)


def _drop(reason: str, detail: str = "", found: tuple[Link, ...] = ()) -> Processed:
    return Processed(drop=Drop(reason, detail), links=found)


def _source(reason: str, found: tuple[Link, ...], model: SiteModel) -> Processed:
    """A feed or a sitemap gives links and no document; told is how many it has, whatever days are wanted."""
    return _drop(reason, counted(len(found), "link"), within(found, model))


def _feed(capture: Capture, body: bytes, model: SiteModel) -> tuple[Link, ...]:
    declared = capture.header("Content-Type")
    return feeds.feed_links(body, capture.url, model, declared, now=capture.fetched_at)


def _redirect(capture: Capture, model: SiteModel) -> Processed:
    location = capture.header("Location") or ""
    target = links.redirect_link(capture, location, model)
    if target is None:
        own = location and links.leads_to_itself(capture.url, location)
        return _drop("redirect_refused", TO_ITSELF if own else _USER.sub("", location[:500]))
    return _drop("redirect", target.url, (target,))


def _page(capture: Capture, body: bytes, model: SiteModel) -> Processed:
    decoded = _decoded(capture, body)
    if isinstance(decoded, Drop):
        return Processed(drop=decoded)
    source = open_source(decoded, capture)
    stated = source.page.metadata
    found = _links(source.page.tree, capture, model)
    found += links.main_page_link(capture.url, stated.canonical, model)
    extraction, outcome = settle(extract(source, model), source, model)
    if isinstance(outcome, Drop):
        return Processed(drop=outcome, links=found, directives=stated.directives)
    text, guess = outcome
    document = _document((decoded, extraction, stated), text, guess, model)
    return Processed(document=document, links=found, directives=stated.directives)


def _links(tree: LexborHTMLParser, capture: Capture, model: SiteModel) -> tuple[Link, ...]:
    anchors = links.page_anchors(tree, capture.url, model, robots_headers(capture))
    listing = listings.read_listing(anchors, capture.url)
    found = listings.ordered(anchors, listing, capture.url, (capture.fetched_at + FIRST_MIDNIGHT).date())
    newest = listings.newest_day(tree, listing) if model.since else None
    if newest is not None and newest.isoformat() < model.since:
        # The list goes on with what is older still.
        found = tuple(link for link in found if link.url not in listing.pages)
    return links.page_redirects(tree, capture.url, model) + within(found, model)


def _document(
    parts: tuple[Decoded, Extraction, Metadata], text: str, guess: LanguageGuess, model: SiteModel
) -> Document:
    decoded, extraction, stated = parts
    lines = language.identify_lines(text, guess, model.language_backend)
    return Document(
        text=text,
        language=guess,
        metadata=replace(stated, title=title_of(extraction, stated)),
        extractor=extraction.extractor,
        extractor_version=extraction.version,
        extractor_reason=extraction.reason,
        encoding=decoded.encoding,
        encoding_source=decoded.source,
        replaced=decoded.replaced,
        fingerprint=fingerprints.fingerprint(text),
        site_model=model.version,
        confidence=extraction.confidence,
        kinds=extraction.kinds,
        captions=extraction.captions,
        comments=extraction.comments,
        quality=quality.measure(text, guess.language),
        languages=language.format_guesses(lines),
        foreign_share=round(language.foreign_share(text, guess, lines), 4),
    )
