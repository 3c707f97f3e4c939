"""Meaning of each reason: why a page has no document, and why a URL failed.

`status --all` shows them beside the counts. The reference of the documentation is made from them.
"""

from __future__ import annotations

DROPPED = {
    "no_article": "no running text, or less than `min_chars`",
    "listing": "a page of headlines or links, such as a front page or a section",
    "firewall": "a bot check of a content network",
    "geo_block": "not available in your country",
    "paywall": "a page for subscribers",
    "consent": "a page that requires consent to cookies",
    "soft_404": '"not found" with status 200',
    "script_only": "an empty page that scripts would fill; see `render`",
    "language": "a language that is not wanted",
    "same_page": "its canonical page, on its own site, has nearly the same text; the detail names it",
    "unchanged_text": "fetched again: the page changed, its text did not",
    "shortened": "the page has a document, and its text is now only a part of the version before",
    "reserved": "its use is reserved, and `reservations` is `skip`",
    "removed": "removed on request",
    "feed": "a feed: it gives links and no text",
    "sitemap": "a sitemap: it gives links and no text",
    "redirect": "a redirect that is followed, five in a row at most",
    "redirect_refused": "a redirect out of the site, to itself, or to no web address",
    "not_html": "a picture, a PDF or another file",
    "undecodable": "too many bytes are not text in any encoding",
    "empty": "processing returned neither text nor reason",
    "truncated_length": "larger than `max_body`",
    "truncated_unspecified": "a picture, film, sound or font by its `Content-Type`; the body is not fetched",
    "body_too_large": "the unpacked body is too large",
    "body_truncated": "the compressed body ends too early",
    "body_corrupt": "the compressed body is damaged",
    "body_unknown_coding": "the coding of the compressed body is not known",
    "worker_timeout": "processing took more CPU time than `page_timeout`, in two runs",
    "worker_killed": "the system ended the worker, in two runs",
    "worker_memory": "processing took more than `page_memory`",
    "worker_crash": "processing crashed its worker",
    "worker_error": "processing failed",
    "warc_missing": "the WARC file with the original is missing; the page was fetched again",
    "warc_damaged": "the original cannot be read",
    "not_storable": "the database rejects the result; `reextract` tries again",
}
"""Reasons of pages without a document. An error status is ``http_`` and its number."""

FAILED = {
    "robots": "robots.txt forbids it",
    "robots_unreachable": "robots.txt could not be read, so nothing is fetched from the host",
    "crawl_delay": "robots.txt requires more than 120 seconds between requests, so nothing is fetched from the host",
    "truncated_disconnect": "the response broke off",
    "truncated_time": "the response took longer than `timeout`, or all responses together took too much memory",
    "timeout": "no response in time",
    "network": "no connection, or an error of it",
    "unreachable": "the host refuses connections, or has no route",
    "dns": "the name of the host does not resolve",
    "certificate": "the TLS certificate is not valid, so nothing is fetched from the host",
    "private_address": "not on the public web; see `allow_private`",
    "port": "a port that is not of the web",
    "scheme": "neither http nor https",
    "invalid_url": "not a web address",
    "render_timeout": "the browser took too long for the page",
    "render_crash": "the browser crashed on the page",
    "render_too_large": "the page is too large after its scripts ran",
    "cut_off": "the database did not answer, so nothing was requested; the URL stays pending",
    "lease_lost": "fetched while the database did not answer; another crawl has the URL",
    "host_locked": "another crawl of this corpus requests pages of the host",
    "host_paused": "the host required a pause (Retry-After)",
    "barren": "a crawler trap; the URL stays pending",
    "dead_link": "URLs of this shape are nearly always missing; the URL stays pending",
    "reserved_anew": "unchanged, and its use is now reserved: fetched in full once more",
    "internal_error": "an error of this program",
}
"""Reasons of URLs that failed, or that wait for another attempt."""


NO_PAGES = frozenset({"feed", "sitemap", "redirect", "unchanged_text"})
"""Reasons of responses that are no pages without a text. `status` does not count them as dropped."""
DROP_TABLES = (("Pages without a document", False), ("Sources, redirects and unchanged texts", True))
"""Tables of drops: their title, and whether their reasons are those of `NO_PAGES`."""

NO_LOSS = frozenset({"same_page", "shortened", "removed", "redirect_refused", "not_html", "truncated_unspecified"})
"""Reasons of pages whose text is elsewhere in the corpus, or not wanted."""

SETTINGS = {
    "script_only": "`render = true` in the [[site]]",
    "language": "`languages`, if this language is wanted",
    "no_article": "`min_chars`, if the texts are short",
    "truncated_length": "a larger `max_body`",
    "worker_timeout": "a longer `page_timeout`",
    "worker_memory": "a larger `page_memory`",
    "reserved": '`reservations = "record"`, if you may use such pages',
}
"""Setting that helps when most pages of a site are lost for a reason."""


def meaning(reason: str) -> str:
    """Return the meaning of a reason; empty if it has none."""
    kind, _, status = reason.partition("_")
    if kind == "http" and status.isdecimal():
        return f"the server responded with status {status}"
    return DROPPED.get(reason) or FAILED.get(reason, "")
