"""The whole of one page as one pure function: the same capture and the same model give the same result, now or from
the WARC.

It runs in a worker process on bytes nobody can trust. Whatever stops a page is a :class:`Drop` with a reason to count
by; an exception that escapes is the worker's to report.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import repeat
from typing import TYPE_CHECKING

from pipelines import (
    decoding,
    extractors,
    fingerprints,
    language,
    metadata,
    normalise,
    quality,
    refusals,
    rights,
    sniff,
)
from pipelines.discovery import feeds, links, listings, sitemaps
from pipelines.discovery.period import within
from pipelines.inflate import InflateError, inflate
from pipelines.page_type import ANY_TEXT, Page, article_or_reason
from pipelines.recurrence import Survey, survey_html
from pipelines.tree import parse_tree
from storage.records import Decoded, Document, Drop, Kind, Link, Metadata, Processed
from storage.reservations import SKIP, is_reserved, reservations

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

    from storage.records import Capture, Extraction, LanguageGuess, SiteModel

_USER = re.compile(r"(?<=[/\\])[^/\\?#]*@")
"""What stands before the host in an address: a name and a password."""
REDIRECTS = frozenset({301, 302, 303, 307, 308})
# Part of a page that nobody asked for part of is no page.
PARTIAL = 206
HTML = frozenset({"text/html", "application/xhtml+xml"})
RENDERED = "rendered"
"""What says in ``encoding_source`` that a text was read from a browser's DOM."""
GZIP = b"\x1f\x8b"
# A text in which more than one character in twenty could not be decoded is not worth keeping.
SHOWN_DATES = frozenset({"masthead", "text"})
"""Where a date stands that a line of the page shows."""
HEAD, MAX_DATELINE = 3, 120
"""Lines at the head of a text among which the date may be, and its characters at most."""
MAX_REPLACED = 0.05
# Bytes of a refusal that are read for its reason.
MAX_REFUSAL = 100_000


def process(capture: Capture, model: SiteModel) -> Processed:
    """Turn one exchange into a document or a drop, with the links it leads to.

    Order: answer (status, redirect, whole body), content coding, then by what the URL was expected to hold.
    """
    if capture.status in REDIRECTS:
        return _redirect(capture, model)
    if not 200 <= capture.status < 300 or capture.status == PARTIAL:
        return Processed(drop=_refusal(capture) or Drop(f"http_{capture.status}"))
    if capture.truncated:
        return _drop(f"truncated_{capture.truncated}", f"{len(capture.body)} bytes")
    try:
        body = _unpacked(capture)
    except InflateError as error:
        return _drop(f"body_{error.reason}", error.detail)
    if capture.kind is Kind.FEED:
        return _source("feed", _feed(capture, body, model), model)
    if capture.kind is Kind.SITEMAP:
        found = sitemaps.sitemap_links(body, capture.url, model, capture.fetched_at)
        return _source("sitemap", found, model)
    return _page(capture, body, model)


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
    return decoding.decode(body, sniff.charset_of(declared)) if media in HTML else Drop("not_html", media)


def _unpacked(capture: Capture) -> bytes:
    """Undo the content coding; a feed or sitemap that is itself a gzip file (sitemaps.org) is unpacked once more."""
    body = inflate(capture.body, capture.header("Content-Encoding"))
    packed = capture.kind in {Kind.FEED, Kind.SITEMAP} and body.startswith(GZIP)
    return inflate(body, "gzip") if packed else body


def _drop(reason: str, detail: str = "", found: tuple[Link, ...] = ()) -> Processed:
    return Processed(drop=Drop(reason, detail), links=found)


def _source(reason: str, found: tuple[Link, ...], model: SiteModel) -> Processed:
    """A feed or a sitemap gives links and no document; told is how many it has, whatever days are wanted."""
    return _drop(reason, f"{len(found)} links", within(found, model))


def _feed(capture: Capture, body: bytes, model: SiteModel) -> tuple[Link, ...]:
    declared = capture.header("Content-Type")
    return feeds.feed_links(body, capture.url, model, declared, now=capture.fetched_at)


def _redirect(capture: Capture, model: SiteModel) -> Processed:
    location = capture.header("Location") or ""
    target = links.redirect_link(capture, location, model)
    if target is None:
        return _drop("redirect_refused", _USER.sub("", location[:500]))
    return _drop("redirect", target.url, (target,))


def _page(capture: Capture, body: bytes, model: SiteModel) -> Processed:
    decoded = _decoded(capture, body)
    if isinstance(decoded, Drop):
        return Processed(drop=decoded)
    tree = parse_tree(decoded.text)
    found = _links(tree, capture, model)
    stated = metadata.read_metadata(tree, capture.url, _directives(capture), capture.fetched_at)
    found += links.main_page_link(capture.url, stated.canonical, model)
    stated = rights.with_answer(stated, capture)
    parameters = dict(model.parameters)
    options = extractors.ExtractorOptions(url=capture.url, p=parameters.get("p"), template=model.template)
    extraction = without_dateline(clean(extractors.get(model.extractor).extract(decoded.text, options)), stated)
    page = Page(tree, capture.url, stated)
    outcome = refusals.not_found(tree) or _judge(decoded, extraction, page, model)
    if not isinstance(outcome, Drop) and model.min_chars > ANY_TEXT:
        outcome = refusals.stub(tree, len(outcome[0]), model.min_chars) or outcome
    if not isinstance(outcome, Drop) and model.reservations == SKIP and is_reserved(stated):
        outcome = Drop("reserved", ", ".join(reservations(stated)))
    if isinstance(outcome, Drop):
        told = refusals.without_text(tree, decoded.text, capture.url) if outcome.reason == "no_article" else None
        return Processed(drop=told or outcome, links=found, directives=stated.directives)
    text, guess = outcome
    document = _document((decoded, extraction, stated), text, guess, model)
    return Processed(document=document, links=found, directives=stated.directives)


def _links(tree: LexborHTMLParser, capture: Capture, model: SiteModel) -> tuple[Link, ...]:
    anchors = links.page_anchors(tree, capture.url, model)
    listing = listings.read_listing(anchors, capture.url)
    found = listings.ordered(anchors, listing, capture.url, capture.fetched_at.date())
    newest = listings.newest_day(tree, listing) if model.since else None
    if newest is not None and newest.isoformat() < model.since:
        # The list goes on with what is older still.
        found = tuple(link for link in found if link.url not in listing.pages)
    return links.page_redirects(tree, capture.url, model) + within(found, model)


def _directives(capture: Capture) -> tuple[str, ...]:
    return tuple(value for name, value in capture.response_headers if name.lower() == "x-robots-tag")


def clean(extraction: Extraction) -> Extraction:
    """Clean all texts of an extraction; what is empty then goes, and a paragraph takes its kind with it."""
    lines = [
        (line, kind)
        for paragraph, kind in zip(extraction.paragraphs, extraction.kinds or repeat(""), strict=False)
        for line in normalise.clean(paragraph).split("\n")
        if line
    ]
    captions, comments = (
        tuple(cleaned for text in texts if (cleaned := normalise.clean(text)))
        for texts in (extraction.captions, extraction.comments)
    )
    return replace(
        extraction,
        paragraphs=tuple(line for line, _ in lines),
        kinds="".join(kind for _, kind in lines),
        captions=captions,
        comments=comments,
    )


def without_dateline(extraction: Extraction, stated: Metadata) -> Extraction:
    """Leave out the line that nothing but the date was read from, often with the author, at the head of the text.

    Only where the extractor has our policy of what a text is, which its confidence tells.
    """
    if extraction.confidence is None or stated.published_source not in SHOWN_DATES:
        return extraction
    dateline = "".join((stated.published_text or "").split())
    lines = extraction.paragraphs
    at = next((at for at, line in enumerate(lines[:HEAD]) if "".join(line.split()) == dateline), None)
    if at is None or len(lines[at]) > MAX_DATELINE or len(lines) == 1:
        return extraction
    kinds = extraction.kinds[:at] + extraction.kinds[at + 1 :]
    return replace(extraction, paragraphs=lines[:at] + lines[at + 1 :], kinds=kinds)


def _judge(decoded: Decoded, extraction: Extraction, page: Page, model: SiteModel) -> tuple[str, LanguageGuess] | Drop:
    """Decide whether the extracted text is worth keeping; return it with its language, or why not."""
    if decoded.replaced > MAX_REPLACED:
        return Drop("undecodable", f"{decoded.encoding}, {decoded.replaced:.0%} of the characters")
    if drop := article_or_reason(page, extraction.paragraphs, model.min_chars):
        return drop
    text = extraction.text
    guess = language.identify(text, model.language_backend)
    if model.languages and guess.language not in model.languages:
        return Drop("language", guess.language, guess.language)
    return text, guess


def _document(
    parts: tuple[Decoded, Extraction, Metadata], text: str, guess: LanguageGuess, model: SiteModel
) -> Document:
    decoded, extraction, stated = parts
    lines = language.identify_lines(text, guess, model.language_backend)
    shown = metadata.clean_value(extraction.title, metadata.MAX_TITLE)
    return Document(
        text=text,
        language=guess,
        metadata=replace(stated, title=shown or stated.title),
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
        languages=tuple(language.told(line) for line in lines),
        foreign_share=round(language.foreign_share(text, guess, lines), 4),
    )
