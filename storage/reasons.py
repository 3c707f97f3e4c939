"""Reasons: why a page has no document, and why a URL failed.

`DROPPED` and `FAILED` have all that the program knows about each reason. Storage, a crawl, its health, the tables of
`status` and the documentation read them. An error status has the reason ``http_`` and its number.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class TextFate(Enum):
    """What a page without a document means for its text."""

    LOST = "lost"
    NOT_LOST = "not lost"
    """The text is elsewhere in the corpus, or not wanted."""
    NO_PAGE = "no page"
    """The response is no page without a text: it has a document, or it is no article. It is not counted as dropped."""


class FailureCause(Enum):
    """What an attempt without a response failed at."""

    HOST_FAULT = "host fault"
    """The host failed."""
    HOST_WAIT = "host wait"
    """Nothing may be fetched from the host now."""
    ATTEMPT = "attempt"
    """The attempt ended without a response."""
    RULE = "rule"
    """A rule of ours forbids the request."""
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class DropReason:
    """A reason of a page without a document. Fields without a default are decided for each reason."""

    meaning: str
    counter: str | None
    """Counter of a run at a site (`storage.runs.site_runs.SiteRun`). None: the reason is counted by its name only."""
    is_fault: bool
    """Whether a source (start page, section, feed) that ends with it has failed."""
    may_pass: bool
    """Whether another response may give an article: after a refusal, damage, or a page that is not ready.

    A page with such a reason is fetched again while it is new. Other reasons are final.
    """
    fate: TextFate = TextFate.LOST
    is_of_page: bool = False
    """Whether it is a property of the page. Other reasons depend on the moment, on a refusal or on the crawler."""
    is_of_worker: bool = False
    """Whether processing failed in a worker, often in the extractor. It would fail again."""
    is_of_machine: bool = False
    """Whether a busy or full machine can cause it too. Such a page waits for one more attempt in a later run."""
    setting: str = ""
    """Setting that helps when most pages of a site are lost for this reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureReason:
    """A reason of a URL that failed, or that waits for another attempt."""

    meaning: str
    cause: FailureCause = FailureCause.OTHER
    counter: str | None = "failed"
    is_fault: bool = False


NO_ARTICLE, LISTING, REMOVED, REDIRECT = "no_article", "listing", "removed", "redirect"
SAME_PAGE, UNCHANGED_TEXT, SHORTENED = "same_page", "unchanged_text", "shortened"
REDIRECT_REFUSED, SCRIPT_ONLY, WARC_MISSING = "redirect_refused", "script_only", "warc_missing"
ROBOTS, CRAWL_DELAY, PRIVATE_ADDRESS = "robots", "crawl_delay", "private_address"
HOST_LOCKED, HOST_PAUSED, CUT_OFF, LEASE_LOST = "host_locked", "host_paused", "cut_off", "lease_lost"
BARREN, DEAD_LINK, RESERVED_ANEW = "barren", "dead_link", "reserved_anew"
READ_ELSEWHERE = "read_elsewhere"

DROPPED: Mapping[str, DropReason] = {
    NO_ARTICLE: DropReason(
        meaning="no running text, or less than `min_chars`",
        counter=None,
        is_fault=False,
        may_pass=False,
        is_of_page=True,
        setting="`min_chars`, if the texts are short",
    ),
    LISTING: DropReason(
        meaning="a page of headlines or links, such as a front page or a section",
        counter=None,
        is_fault=False,
        may_pass=False,
        is_of_page=True,
    ),
    "firewall": DropReason(meaning="a bot check of a content network", counter="refused", is_fault=True, may_pass=True),
    "geo_block": DropReason(meaning="not available in your country", counter="refused", is_fault=True, may_pass=True),
    "paywall": DropReason(meaning="a page for subscribers", counter="refused", is_fault=False, may_pass=True),
    "consent": DropReason(
        meaning="a page that requires consent to cookies", counter="refused", is_fault=True, may_pass=True
    ),
    "soft_404": DropReason(
        meaning='"not found" with status 200', counter="no_text", is_fault=True, may_pass=True, is_of_page=True
    ),
    SCRIPT_ONLY: DropReason(
        meaning="an empty page that scripts would fill; see `render`",
        counter="no_text",
        is_fault=False,
        may_pass=True,
        setting="`render = true` in the [[site]]",
    ),
    "language": DropReason(
        meaning="a language that is not wanted",
        counter="language",
        is_fault=False,
        may_pass=False,
        is_of_page=True,
        setting="`languages`, if this language is wanted",
    ),
    SAME_PAGE: DropReason(
        meaning="its canonical page, on its own site, has nearly the same text; the detail names it",
        counter=None,
        is_fault=False,
        may_pass=False,
        fate=TextFate.NOT_LOST,
    ),
    UNCHANGED_TEXT: DropReason(
        meaning="fetched again: the page changed, its text did not",
        counter="unchanged",
        is_fault=False,
        may_pass=False,
        fate=TextFate.NO_PAGE,
    ),
    SHORTENED: DropReason(
        meaning="the page has a document, and its text is now only a part of the version before",
        counter=None,
        is_fault=False,
        may_pass=False,
        fate=TextFate.NO_PAGE,
    ),
    "reserved": DropReason(
        meaning="its use is reserved, and `reservations` is `skip`",
        counter=None,
        is_fault=False,
        may_pass=False,
        setting='`reservations = "record"`, if you may use such pages',
    ),
    REMOVED: DropReason(
        meaning="removed on request", counter=None, is_fault=False, may_pass=False, fate=TextFate.NOT_LOST
    ),
    "feed": DropReason(
        meaning="a feed: it gives links and no text",
        counter=None,
        is_fault=False,
        may_pass=False,
        fate=TextFate.NO_PAGE,
    ),
    "sitemap": DropReason(
        meaning="a sitemap: it gives links and no text",
        counter=None,
        is_fault=False,
        may_pass=False,
        fate=TextFate.NO_PAGE,
    ),
    REDIRECT: DropReason(
        meaning="a redirect that is followed, five in a row at most",
        counter=None,
        is_fault=False,
        may_pass=False,
        fate=TextFate.NO_PAGE,
    ),
    REDIRECT_REFUSED: DropReason(
        meaning="a redirect out of the site, to itself, or to no web address",
        counter=None,
        is_fault=True,
        may_pass=True,
        fate=TextFate.NOT_LOST,
    ),
    "not_html": DropReason(
        meaning="a picture, a PDF or another file",
        counter=None,
        is_fault=False,
        may_pass=False,
        fate=TextFate.NOT_LOST,
        is_of_page=True,
    ),
    "undecodable": DropReason(
        meaning="too many bytes are not text in any encoding", counter="no_text", is_fault=False, may_pass=True
    ),
    "blank": DropReason(
        meaning="a page without a single word",
        counter="no_text",
        is_fault=False,
        may_pass=True,
        is_of_page=True,
    ),
    "empty": DropReason(
        meaning="processing returned neither text nor reason",
        counter="no_text",
        is_fault=False,
        may_pass=False,
        is_of_page=True,
    ),
    "truncated_length": DropReason(
        meaning="larger than `max_body`", counter="failed", is_fault=True, may_pass=False, setting="a larger `max_body`"
    ),
    "truncated_unspecified": DropReason(
        meaning="a picture, film, sound or font by its `Content-Type`; the body is not fetched",
        counter="failed",
        is_fault=True,
        may_pass=False,
        fate=TextFate.NOT_LOST,
    ),
    "body_too_large": DropReason(
        meaning="the unpacked body is too large", counter="failed", is_fault=True, may_pass=False
    ),
    "body_truncated": DropReason(
        meaning="the compressed body ends too early", counter="failed", is_fault=True, may_pass=True
    ),
    "body_corrupt": DropReason(
        meaning="the compressed body is damaged", counter="failed", is_fault=True, may_pass=True
    ),
    "body_unknown_coding": DropReason(
        meaning="the coding of the compressed body is not known", counter="failed", is_fault=True, may_pass=True
    ),
    "worker_timeout": DropReason(
        meaning="processing took more CPU time than `page_timeout`, in two runs",
        counter="no_text",
        is_fault=True,
        may_pass=False,
        is_of_worker=True,
        is_of_machine=True,
        setting="a longer `page_timeout`",
    ),
    "worker_killed": DropReason(
        meaning="the system ended the worker, in two runs",
        counter="no_text",
        is_fault=True,
        may_pass=False,
        is_of_machine=True,
    ),
    "worker_memory": DropReason(
        meaning="processing took more than `page_memory`",
        counter="no_text",
        is_fault=True,
        may_pass=False,
        is_of_worker=True,
        is_of_machine=True,
        setting="a larger `page_memory`",
    ),
    "worker_crash": DropReason(
        meaning="processing crashed its worker", counter="no_text", is_fault=True, may_pass=False, is_of_worker=True
    ),
    "worker_error": DropReason(
        meaning="processing failed", counter="no_text", is_fault=True, may_pass=False, is_of_worker=True
    ),
    READ_ELSEWHERE: DropReason(
        meaning="a source that another machine fetched and did not process; this one has fetched it again",
        counter=None,
        is_fault=False,
        may_pass=False,
        fate=TextFate.NO_PAGE,
    ),
    WARC_MISSING: DropReason(
        meaning="the WARC file with the original is missing; the page was fetched again",
        counter="no_text",
        is_fault=True,
        may_pass=False,
    ),
    "warc_damaged": DropReason(meaning="the original cannot be read", counter="no_text", is_fault=True, may_pass=False),
    "not_storable": DropReason(
        meaning="the database rejects the result; `reextract` tries again",
        counter="no_text",
        is_fault=True,
        may_pass=False,
    ),
}
"""Reasons of pages without a document."""

FAILED: Mapping[str, FailureReason] = {
    ROBOTS: FailureReason(meaning="robots.txt forbids it", cause=FailureCause.RULE, counter="robots"),
    "robots_unreachable": FailureReason(
        meaning="robots.txt could not be read, so nothing is fetched from the host", cause=FailureCause.HOST_FAULT
    ),
    CRAWL_DELAY: FailureReason(
        meaning="robots.txt requires more than 120 seconds between requests, so nothing is fetched from the host",
        cause=FailureCause.HOST_WAIT,
        counter="robots",
    ),
    "truncated_disconnect": FailureReason(meaning="the response broke off", is_fault=True),
    "truncated_time": FailureReason(
        meaning="the response took longer than `timeout`, or all responses together took too much memory",
        is_fault=True,
    ),
    "timeout": FailureReason(meaning="no response in time", cause=FailureCause.ATTEMPT),
    "network": FailureReason(meaning="no connection, or an error of it", cause=FailureCause.ATTEMPT),
    "unreachable": FailureReason(
        meaning="the host refuses connections, or has no route", cause=FailureCause.HOST_FAULT
    ),
    "dns": FailureReason(meaning="the name of the host does not resolve", cause=FailureCause.HOST_FAULT),
    "certificate": FailureReason(
        meaning="the TLS certificate is not valid, so nothing is fetched from the host", cause=FailureCause.HOST_FAULT
    ),
    PRIVATE_ADDRESS: FailureReason(meaning="not on the public web; see `allow_private`", cause=FailureCause.RULE),
    "port": FailureReason(
        meaning="its port is not 80, 443 or that of a source in corpus.toml", cause=FailureCause.RULE
    ),
    "scheme": FailureReason(meaning="neither http nor https", cause=FailureCause.RULE),
    "invalid_url": FailureReason(meaning="not a web address", cause=FailureCause.RULE),
    "render_timeout": FailureReason(meaning="the browser took too long for the page"),
    "render_crash": FailureReason(meaning="the browser crashed on the page"),
    "render_too_large": FailureReason(meaning="the page is too large after its scripts ran"),
    CUT_OFF: FailureReason(
        meaning="the database did not answer, so nothing was requested; the URL stays pending",
        cause=FailureCause.HOST_WAIT,
    ),
    LEASE_LOST: FailureReason(
        meaning="fetched while the database did not answer; another crawl has the URL", counter=None
    ),
    HOST_LOCKED: FailureReason(
        meaning="another crawl of this corpus requests pages of the host", cause=FailureCause.HOST_WAIT
    ),
    HOST_PAUSED: FailureReason(meaning="the host required a pause (Retry-After)", cause=FailureCause.HOST_WAIT),
    BARREN: FailureReason(meaning="a crawler trap; the URL stays pending", counter=None),
    DEAD_LINK: FailureReason(
        meaning="URLs of this shape are nearly always missing; the URL stays pending", counter=None
    ),
    RESERVED_ANEW: FailureReason(
        meaning="unchanged, and its use is now reserved: fetched in full once more", counter=None
    ),
    "internal_error": FailureReason(meaning="an error of this program", cause=FailureCause.ATTEMPT),
}
"""Reasons of URLs that failed, or that wait for another attempt."""


def _failures(*causes: FailureCause) -> frozenset[str]:
    return frozenset(name for name, reason in FAILED.items() if reason.cause in causes)


HTTP = "http_"
"""Beginning of the reason of an error status."""
GONE_STATUSES = frozenset({404, 410})
"""Statuses that say that there is no such page."""
GONE = frozenset(f"{HTTP}{status}" for status in GONE_STATUSES)
"""Reasons of pages that are not there."""
_REFUSING = frozenset(f"{HTTP}{status}" for status in (401, 402, 403, 407, 429, 451))
NO_NETWORK = frozenset({"dns"})
"""Reasons of all attempts on a machine without a network. A refused connection was answered."""
HOST_FAULTS = _failures(FailureCause.HOST_FAULT)
"""Reasons of a host that failed."""
OF_HOST = HOST_FAULTS | _failures(FailureCause.HOST_WAIT)
"""Reasons that lie in the host, not in the URL: the URL stays pending, and its attempts are not counted."""
REFUSED = _failures(FailureCause.RULE)
"""Reasons of failures where a rule of ours forbids the request."""
TEXTLESS = GONE | {name for name, reason in DROPPED.items() if reason.is_of_page}
"""Drop reasons that are a property of the page."""
MAY_PASS = frozenset(name for name, reason in DROPPED.items() if reason.may_pass)
"""Drop reasons that another response may cure. An error status is one too, see `may_pass`."""
WORKER_FAULTS = tuple(name for name, reason in DROPPED.items() if reason.is_of_worker)
"""Reasons of pages whose processing failed in a worker."""
MACHINE_FAULTS = frozenset(name for name, reason in DROPPED.items() if reason.is_of_machine)
"""Reasons that a busy or full machine can cause too."""
NO_PAGES = frozenset(name for name, reason in DROPPED.items() if reason.fate is TextFate.NO_PAGE)
"""Reasons of responses that are no pages without a text."""
NO_TEXT, SHORT = "no_text", "short"
"""Names under which a run counts `no_article`: pages without any text apart from pages with too little."""


def reason_of(counted: str) -> str:
    """Return the reason of pages that a run counts under a name."""
    return NO_ARTICLE if counted in {NO_TEXT, SHORT} else counted


def reasons_of(counted: Mapping[str, int]) -> dict[str, int]:
    """Return the counts of a run by the reasons that pages have.

    >>> reasons_of({"listing": 3, "no_text": 1, "short": 2})
    {'listing': 3, 'no_article': 3}
    """
    sums = Counter[str]()
    for name, count in counted.items():
        sums[reason_of(name)] += count
    return dict(sums)


def meaning_of(reason: str) -> str:
    """Return the meaning of a reason; empty if it has none."""
    status = reason.removeprefix(HTTP)
    if status != reason and status.isdecimal():
        return f"the server responded with status {status}"
    known = DROPPED.get(reason) or FAILED.get(reason)
    return known.meaning if known else ""


def counter_of(counted: str) -> str | None:
    """Return the counter of a run at a site for a reason, or the name of a part. None: it has no counter.

    >>> counter_of("http_403"), counter_of("http_404"), counter_of("short"), counter_of("listing")
    ('refused', 'http_errors', 'short', None)
    """
    if counted.startswith(HTTP):
        return "refused" if counted in _REFUSING else "http_errors"
    if counted in {NO_TEXT, SHORT}:
        return counted
    known = DROPPED.get(counted) or FAILED.get(counted)
    return known.counter if known else None


def is_fault(reason: str) -> bool:
    """Return whether a source that ends with a reason has failed."""
    known = DROPPED.get(reason) or FAILED.get(reason)
    return reason.startswith(HTTP) or (known is not None and known.is_fault)


def may_pass(reason: str) -> bool:
    """Return whether another response may give an article, so that a page without a document is fetched again.

    >>> [may_pass(reason) for reason in ("http_403", "firewall", "body_truncated", "listing", "language")]
    [True, True, True, False, False]
    """
    return reason.startswith(HTTP) or reason in MAY_PASS


def is_loss(reason: str) -> bool:
    """Return whether a page without a document is a lost text. An error status is none."""
    return reason in DROPPED and DROPPED[reason].fate is TextFate.LOST


def is_page(reason: str) -> bool:
    """Return whether a response without a document is a page. Feeds, redirects and unchanged texts are none."""
    return reason not in NO_PAGES


def is_dropped(counted: str) -> bool:
    """Return whether a run counts a reason as dropped: a whole page without a document. Failed attempts are none.

    Names without a row are none either, such as those of unchanged responses.

    >>> [is_dropped(name) for name in ("listing", "short", "http_404", "feed", "body_corrupt", "dns", "not_modified")]
    [True, True, True, False, False, False, False]
    """
    if counted.startswith(HTTP):
        return True
    reason = reason_of(counted)
    return reason in DROPPED and is_page(reason) and DROPPED[reason].counter != "failed"
